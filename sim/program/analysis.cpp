#include "sim/program/analysis.hpp"

#include <algorithm>

#include "ir/all_ops.hpp"
#include "ir/visit.hpp"
#include "sim/program/walk.hpp"

namespace tirx::sim {

namespace {

using ir::Expr;

struct Facts {
  bool varying = false;
  bool poison = false;

  Facts& operator|=(Facts other) {
    varying = varying || other.varying;
    poison = poison || other.poison;
    return *this;
  }
};

class Fixpoint {
 public:
  Fixpoint(const Binding& binding, Analysis& result) : binding_(binding), result_(result) {}

  void run(const ir::Body& body) {
    do {
      changed_ = false;
      memo_.clear();
      statements(body, 0);
    } while (changed_);
  }

 private:
  struct Loop {
    const void* node;
    int depth;
    bool divergent = false;
    bool divergent_continue = false;
  };

  template <typename Set, typename T>
  void add(Set& set, T* item) {
    if (set.insert(item).second) {
      changed_ = true;
      memo_.clear();
    }
  }

  Facts facts(const Expr& expr) {
    if (!expr) return {};
    if (const auto at = memo_.find(expr.get()); at != memo_.end()) return at->second;
    const Facts found = compute(expr);
    memo_[expr.get()] = found;
    return found;
  }

  /// A side with effects is a branch, and what a branch leaves is kept per lane
  /// (Compiler::is_pure).
  static bool branches(const Expr& side) {
    bool found = false;
    ir::for_each_expr(side, [&](const Expr& part) {
      if (const auto* load = ir::as<ir::Load>(part))
        found = found || !load->from.buffer->in_register();
      if (const auto* operation = ir::as<ir::Scalar>(part)) {
        using num::ScalarOp;
        found = found || operation->op == ScalarOp::floordiv ||
                operation->op == ScalarOp::floormod || operation->op == ScalarOp::truncdiv ||
                operation->op == ScalarOp::truncmod;
      }
      found = found || ir::as<ir::MachineCall>(part) != nullptr ||
              ir::as<ir::AddressOf>(part) != nullptr;
    });
    return found;
  }

  Facts compute(const Expr& expr) {
    Facts f;
    const auto all = [&](const auto&... children) { ((f |= facts(children)), ...); };
    std::visit(ir::Match{
                   [](const ir::Const&) {},
                   [&](const ir::VarRef& n) {
                     f.varying = result_.varying.contains(n.var.get());
                     f.poison = result_.poisoned.contains(n.var.get());
                   },
                   [&](const ir::Scalar& n) {
                     for (const Expr& arg : n.args) all(arg);
                     using num::ScalarOp;
                     const bool division = n.op == ScalarOp::floordiv ||
                                           n.op == ScalarOp::floormod ||
                                           n.op == ScalarOp::truncdiv || n.op == ScalarOp::truncmod;
                     if (division && n.args.size() == 2) {
                       const auto divisor = evaluate_constant(n.args[1], binding_);
                       if (!divisor || *divisor == 0) f.poison = true;
                     }
                   },
                   [&](const ir::Cast& n) { all(n.value); },
                   [&](const ir::Reinterpret& n) { all(n.value); },
                   [&](const ir::Select& n) { all(n.condition, n.when_true, n.when_false); },
                   [&](const ir::IfThenElse& n) {
                     all(n.condition, n.when_true, n.when_false);
                     f.varying = f.varying || branches(n.when_true) || branches(n.when_false);
                   },
                   [&](const ir::And& n) {
                     all(n.left, n.right);
                     f.varying = f.varying || branches(n.right);
                   },
                   [&](const ir::Or& n) {
                     all(n.left, n.right);
                     f.varying = f.varying || branches(n.right);
                   },
                   [&](const ir::Load& n) { f |= load(n.from); },
                   [&](const ir::AddressOf& n) { all(n.element.flat); },
                   [&](const ir::MachineCall& n) {
                     for (const Expr& arg : n.args) all(arg);
                     f.varying = true;
                     f.poison = true;
                   },
                   [&](const ir::MakeVector& n) {
                     for (const Expr& lane : n.lanes) all(lane);
                   },
                   [&](const ir::Broadcast& n) { all(n.value); },
                   [&](const ir::Extract& n) { all(n.vector); },
               },
               expr->node);
    return f;
  }

  Facts load(const ir::Access& access) {
    const ir::Storage* storage = access.buffer->storage.get();
    Facts f;
    if (access.buffer->in_register()) {
      f.varying = result_.varying.contains(storage);
      f.poison = result_.poisoned.contains(storage);
      return f;
    }
    f = facts(access.flat);
    for (const Expr& index : access.indices) f |= facts(index);
    if (storage->scope == ir::MemoryScope::local) {
      f.varying = true;
      f.poison = true;
    } else {
      f.poison = true;  // out of bounds at least; the value builder knows better
    }
    return f;
  }

  void statements(const ir::Body& body, int depth) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      const ir::Stmt& stmt = body[i];
      std::visit(ir::Match{
                     [&](const ir::Let& n) {
                       const Facts f = facts(n.value);
                       if (f.varying) add(result_.varying, static_cast<const void*>(n.var.get()));
                       if (f.poison) add(result_.poisoned, static_cast<const void*>(n.var.get()));
                     },
                     [&](const ir::Allocate& n) { allocate(n, body, i, depth); },
                     [](const ir::Declare&) {},
                     [&](const ir::Store& n) { store(n, depth); },
                     [&](const ir::For& n) { loop(n, depth); },
                     [&](const ir::While& n) { loop(n, depth); },
                     [&](const ir::If& n) {
                       const int inner = depth + (facts(n.condition).varying ? 1 : 0);
                       statements(n.then_body, inner);
                       statements(n.else_body, inner);
                     },
                     [&](const ir::Break&) {
                       if (loops_.empty()) return;
                       // Lanes that have gone on to the next trip do not leave with the others.
                       Loop& frame = loops_.back();
                       if (depth > frame.depth || frame.divergent_continue ||
                           result_.divergent_continue.contains(frame.node))
                         frame.divergent = true;
                     },
                     [&](const ir::Continue&) {
                       if (!loops_.empty() && depth > loops_.back().depth) {
                         loops_.back().divergent_continue = true;
                       }
                     },
                     [](const ir::Return&) {},
                     [](const ir::Assert&) {},
                     [&](const ir::Evaluate& n) { static_cast<void>(facts(n.call)); },
                     [](const ir::TileCall&) {},
                     [&](const ir::Group& n) { statements(n.body, depth); },
                 },
                 stmt.node);
    }
  }

  void allocate(const ir::Allocate& n, const ir::Body& body, std::size_t at, int depth) {
    const ir::Storage* storage = n.buffer->storage.get();
    if (storage->scope != ir::MemoryScope::local) return;
    declared_depth_[storage] = depth;
    if (!n.buffer->in_register()) return;
    bool written = false;
    for (std::size_t k = at + 1; k < body.size(); ++k) {
      if (const auto* store = std::get_if<ir::Store>(&body[k].node)) {
        written = store->to.buffer->storage.get() == storage;
        walk_expression(store->value, [&](const Expr& expr) {
          const auto* load = ir::as<ir::Load>(expr);
          if (load != nullptr && load->from.buffer->storage.get() == storage) written = false;
        });
        break;
      }
      if (!std::holds_alternative<ir::Allocate>(body[k].node) &&
          !std::holds_alternative<ir::Declare>(body[k].node)) {
        break;
      }
    }
    if (written) return;
    add(result_.poisoned, static_cast<const void*>(storage));
    // Each trip has one that nobody has written: what is made of it stays in the loop.
    for (const Loop& frame : loops_) result_.assigned[frame.node].insert(storage);
  }

  void store(const ir::Store& n, int depth) {
    const ir::Storage* storage = n.to.buffer->storage.get();
    if (storage->scope != ir::MemoryScope::local) return;
    for (const Loop& frame : loops_) result_.assigned[frame.node].insert(storage);
    const Facts f = facts(n.value);
    if (f.varying || depth > declared_depth_[storage]) {
      add(result_.varying, static_cast<const void*>(storage));
    }
    if (f.poison) add(result_.poisoned, static_cast<const void*>(storage));
  }

  template <typename LoopNode>
  void loop(const LoopNode& n, int depth) {
    bool varying = false;
    if constexpr (std::is_same_v<LoopNode, ir::For>) {
      Facts f = facts(n.begin);
      f |= facts(n.end);
      f |= facts(n.step);
      varying = f.varying;
      if (varying) add(result_.varying, static_cast<const void*>(n.var.get()));
    } else {
      varying = facts(n.condition).varying;
    }
    bool divergent = varying;
    if constexpr (std::is_same_v<LoopNode, ir::For>) {
      divergent = divergent || result_.divergent_for.contains(&n);
    } else {
      divergent = divergent || result_.divergent_while.contains(&n);
    }
    const int inner = depth + (divergent || result_.divergent_continue.contains(&n) ? 1 : 0);
    result_.assigned.try_emplace(&n);
    loops_.push_back({&n, inner});
    statements(n.body, inner);
    const Loop frame = loops_.back();
    loops_.pop_back();
    if (frame.divergent || varying) {
      if constexpr (std::is_same_v<LoopNode, ir::For>) {
        add(result_.divergent_for, &n);
      } else {
        add(result_.divergent_while, &n);
      }
    }
    if (frame.divergent_continue) {
      add(result_.divergent_continue, static_cast<const void*>(&n));
    }
  }

  const Binding& binding_;
  Analysis& result_;
  bool changed_ = false;
  std::unordered_map<const ir::ExprNode*, Facts> memo_;
  std::unordered_map<const ir::Storage*, int> declared_depth_;
  std::vector<Loop> loops_;
};

}  // namespace

Analysis analyse(const ir::Body& body,
                 const Binding& binding,
                 const std::unordered_set<const void*>& varying_threads) {
  Analysis result;
  result.varying = varying_threads;
  Fixpoint(binding, result).run(body);
  find_index_scalars(body, result);
  find_constant_scalars(body, result);
  return result;
}

}  // namespace tirx::sim
