// Structural comparison of expressions, statements and kernels; see equal.hpp.
#include "ir/equal.hpp"

#include <map>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "ir/print.hpp"

namespace tirx::ir {

namespace {

/// Compares; `match` mode pairs up names by position, otherwise they are compared by identity.
class Comparison {
 public:
  explicit Comparison(bool match) : match_(match) {}

  bool kernels(const Kernel& a, const Kernel& b);
  bool exprs(const Expr& a, const Expr& b);

  [[nodiscard]] const std::string& difference() const { return difference_; }

 private:
  bool fail(const std::string& what) {
    if (difference_.empty()) difference_ = what;
    return false;
  }

  bool vars(const Var& a, const Var& b);
  bool bind(const Var& a, const Var& b);
  bool storages(const StorageRef& a, const StorageRef& b);
  bool offsets(const Expr& a, const Expr& b);
  bool buffers(const Buffer& a, const Buffer& b);
  bool accesses(const Access& a, const Access& b);
  bool regions(const Region& a, const Region& b);
  bool operands(const TileOperand& a, const TileOperand& b);
  bool configs(const ConfigValue& a, const ConfigValue& b);
  bool stmts(const Stmt& a, const Stmt& b);
  bool bodies(const Body& a, const Body& b);

  bool lists(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    if (a.size() != b.size()) return fail("number of operands");
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!exprs(a[i], b[i])) return false;
    }
    return true;
  }

  template <typename Node>
  bool nodes(const Node& a, const Node& b);

  bool match_;
  std::map<const void*, const void*> pairs_;
  std::string difference_;
};

bool Comparison::vars(const Var& a, const Var& b) {
  if (a == b) return true;
  const auto found = pairs_.find(a.get());
  if (!match_ || found == pairs_.end() || found->second != b.get()) return fail("variable");
  return true;
}

bool Comparison::bind(const Var& a, const Var& b) {
  if (!a || !b) return a == b || fail("variable");
  if (a->type != b->type) return fail("type of a variable");
  pairs_[a.get()] = b.get();
  return true;
}

bool Comparison::storages(const StorageRef& a, const StorageRef& b) {
  if (a == b) return true;
  if (!match_) return fail("storage");
  const auto [it, fresh] = pairs_.emplace(a.get(), b.get());
  if (!fresh) return it->second == b.get() || fail("storage");
  return (a->scope == b->scope && a->dtype == b->dtype && a->alignment == b->alignment &&
          (a->parameter < 0) == (b->parameter < 0) && exprs(a->elements, b->elements)) ||
         fail("storage");
}

/// No offset is an offset of 0.
bool Comparison::offsets(const Expr& a, const Expr& b) {
  const auto is_zero = [](const Expr& offset) {
    std::int64_t value = 0;
    return !offset || (is_const_int(offset, value) && value == 0);
  };
  return (is_zero(a) && is_zero(b)) || exprs(a, b);
}

bool Comparison::buffers(const Buffer& a, const Buffer& b) {
  if (a == b) return true;
  if (!match_ || !a || !b) return fail("buffer");
  const auto [it, fresh] = pairs_.emplace(a.get(), b.get());
  // A view is its description: the same one may be declared once here and twice there.
  const bool views = a->is_view && b->is_view;
  if (!fresh && it->second == b.get()) return true;
  if (!fresh && !views) return fail("buffer");
  if (a->dtype != b->dtype || a->layout != b->layout || a->scalar != b->scalar ||
      a->is_view != b->is_view) {
    return fail("buffer");
  }
  return lists(a->shape, b->shape) && lists(a->strides, b->strides) &&
         offsets(a->offset, b->offset) && storages(a->storage, b->storage);
}

bool Comparison::accesses(const Access& a, const Access& b) {
  return buffers(a.buffer, b.buffer) && a.stride == b.stride && lists(a.indices, b.indices) &&
         exprs(a.flat, b.flat);
}

template <typename Node>
bool Comparison::nodes(const Node& a, const Node& b) {
  if constexpr (std::is_same_v<Node, Const>) {
    return a.bits == b.bits || fail("literal");
  } else if constexpr (std::is_same_v<Node, VarRef>) {
    return vars(a.var, b.var);
  } else if constexpr (std::is_same_v<Node, Scalar>) {
    return (a.op == b.op || fail("operation")) && lists(a.args, b.args);
  } else if constexpr (std::is_same_v<Node, Cast> || std::is_same_v<Node, Reinterpret> ||
                       std::is_same_v<Node, Broadcast>) {
    return exprs(a.value, b.value);
  } else if constexpr (std::is_same_v<Node, Select> || std::is_same_v<Node, IfThenElse>) {
    return exprs(a.condition, b.condition) && exprs(a.when_true, b.when_true) &&
           exprs(a.when_false, b.when_false);
  } else if constexpr (std::is_same_v<Node, And> || std::is_same_v<Node, Or>) {
    return exprs(a.left, b.left) && exprs(a.right, b.right);
  } else if constexpr (std::is_same_v<Node, Load>) {
    return accesses(a.from, b.from);
  } else if constexpr (std::is_same_v<Node, AddressOf>) {
    return accesses(a.element, b.element);
  } else if constexpr (std::is_same_v<Node, MachineCall>) {
    if (!match_) return fail("machine call");
    return ((a.op == b.op && a.text == b.text) || fail("machine call")) && lists(a.args, b.args);
  } else if constexpr (std::is_same_v<Node, MakeVector>) {
    return lists(a.lanes, b.lanes);
  } else if constexpr (std::is_same_v<Node, Extract>) {
    return a.lane == b.lane && exprs(a.vector, b.vector);
  } else if constexpr (std::is_same_v<Node, Let>) {
    return exprs(a.value, b.value) && bind(a.var, b.var);
  } else if constexpr (std::is_same_v<Node, Allocate> || std::is_same_v<Node, Declare>) {
    return buffers(a.buffer, b.buffer);
  } else if constexpr (std::is_same_v<Node, Store>) {
    return accesses(a.to, b.to) && exprs(a.value, b.value);
  } else if constexpr (std::is_same_v<Node, For>) {
    return ((a.kind == b.kind && a.unroll == b.unroll) || fail("kind of loop")) &&
           exprs(a.begin, b.begin) && exprs(a.end, b.end) && exprs(a.step, b.step) &&
           bind(a.var, b.var) && bodies(a.body, b.body);
  } else if constexpr (std::is_same_v<Node, While>) {
    return exprs(a.condition, b.condition) && bodies(a.body, b.body);
  } else if constexpr (std::is_same_v<Node, If>) {
    return exprs(a.condition, b.condition) && bodies(a.then_body, b.then_body) &&
           bodies(a.else_body, b.else_body);
  } else if constexpr (std::is_same_v<Node, Assert>) {
    return exprs(a.condition, b.condition) && (a.message == b.message || fail("message"));
  } else if constexpr (std::is_same_v<Node, Evaluate>) {
    return exprs(a.call, b.call);
  } else if constexpr (std::is_same_v<Node, TileCall>) {
    if (a.op != b.op || a.scope != b.scope || a.dispatch != b.dispatch ||
        a.operands.size() != b.operands.size() || a.config.size() != b.config.size() ||
        a.index_vars.size() != b.index_vars.size()) {
      return fail("tile call");
    }
    for (std::size_t i = 0; i < a.index_vars.size(); ++i) {
      if (!bind(a.index_vars[i], b.index_vars[i])) return false;
    }
    for (std::size_t i = 0; i < a.operands.size(); ++i) {
      if (!operands(a.operands[i], b.operands[i])) return false;
    }
    for (auto x = a.config.begin(), y = b.config.begin(); x != a.config.end(); ++x, ++y) {
      if (x->first != y->first || !configs(x->second, y->second)) return fail("configuration");
    }
    return true;
  } else if constexpr (std::is_same_v<Node, Group>) {
    return bodies(a.body, b.body);
  } else {
    static_assert(std::is_same_v<Node, Break> || std::is_same_v<Node, Continue> ||
                  std::is_same_v<Node, Return>);
    return true;
  }
}

bool Comparison::exprs(const Expr& a, const Expr& b) {
  if (a.get() == b.get() && !match_) return true;
  if (!a || !b) return (!a && !b) || fail("optional operand");
  if (a->type != b->type) return fail("type of an expression");
  if (a->node.index() != b->node.index()) {
    return fail(fmt::format("kind of expression: {} is not {}", to_string(a), to_string(b)));
  }
  return std::visit(
      [&]<typename Node>(const Node& node) { return nodes(node, std::get<Node>(b->node)); },
      a->node);
}

bool Comparison::regions(const Region& a, const Region& b) {
  if (!buffers(a.buffer, b.buffer)) return false;
  if (a.ranges.size() != b.ranges.size()) return fail("region");
  for (std::size_t i = 0; i < a.ranges.size(); ++i) {
    if (!exprs(a.ranges[i].begin, b.ranges[i].begin)) return false;
    if (!exprs(a.ranges[i].extent, b.ranges[i].extent)) return false;
  }
  return true;
}

bool Comparison::operands(const TileOperand& a, const TileOperand& b) {
  if (a.index() != b.index()) return fail("operand");
  if (const auto* region = std::get_if<Region>(&a)) return regions(*region, std::get<Region>(b));
  if (const auto* expr = std::get_if<Expr>(&a)) return exprs(*expr, std::get<Expr>(b));
  return true;
}

bool Comparison::configs(const ConfigValue& a, const ConfigValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* expr = std::get_if<Expr>(&a)) return exprs(*expr, std::get<Expr>(b));
  return std::visit(
      [&]<typename Value>(const Value& value) {
        if constexpr (std::is_same_v<Value, Expr>) {
          return false;
        } else {
          return value == std::get<Value>(b);
        }
      },
      a);
}

bool Comparison::stmts(const Stmt& a, const Stmt& b) {
  if (a.node.index() != b.node.index()) return fail("kind of statement");
  return std::visit(
      [&]<typename Node>(const Node& node) { return nodes(node, std::get<Node>(b.node)); }, a.node);
}

bool Comparison::bodies(const Body& a, const Body& b) {
  // The declaration of a view does nothing: its buffer says all there is.
  const auto skip = [](const Body& body, std::size_t& i) {
    while (i < body.size() && std::holds_alternative<Declare>(body[i].node)) ++i;
    return i < body.size();
  };
  std::size_t i = 0;
  std::size_t k = 0;
  for (;; ++i, ++k) {
    const bool more_a = skip(a, i);
    const bool more_b = skip(b, k);
    if (more_a != more_b) return fail("number of statements");
    if (!more_a) return true;
    if (!stmts(a[i], b[k])) return false;
  }
}

bool Comparison::kernels(const Kernel& a, const Kernel& b) {
  if (a.name != b.name) return fail("name of the kernel");
  // A parameter that specialisation dropped is no parameter.
  const auto present = [](const Kernel& kernel) {
    std::vector<Param> params = kernel.params;
    std::erase_if(params, [](const Param& param) { return param.absent; });
    return params;
  };
  const std::vector<Param> params_a = present(a);
  const std::vector<Param> params_b = present(b);
  if (params_a.size() != params_b.size()) return fail("number of parameters");
  if (a.symbols.size() != b.symbols.size()) return fail("number of symbolic dimensions");
  for (std::size_t i = 0; i < a.symbols.size(); ++i) {
    if (!bind(a.symbols[i], b.symbols[i])) return false;
  }
  for (std::size_t i = 0; i < params_a.size(); ++i) {
    const Param& x = params_a[i];
    const Param& y = params_b[i];
    if (x.name != y.name) return fail("parameter");
    if ((x.scalar || y.scalar) && !bind(x.scalar, y.scalar)) return false;
    if ((x.buffer || y.buffer) && !buffers(x.buffer, y.buffer)) return false;
  }
  if (a.scope_ids.size() != b.scope_ids.size()) return fail("number of scope ids");
  for (std::size_t i = 0; i < a.scope_ids.size(); ++i) {
    const ScopeIdDef& x = a.scope_ids[i];
    const ScopeIdDef& y = b.scope_ids[i];
    if (x.kind != y.kind || x.vars.size() != y.vars.size()) return fail("scope id");
    if (!lists(x.extents, y.extents) || !lists(x.preferred, y.preferred)) return false;
    for (std::size_t k = 0; k < x.vars.size(); ++k) {
      if (!bind(x.vars[k], y.vars[k])) return false;
    }
  }
  const KernelAttributes& x = a.attributes;
  const KernelAttributes& y = b.attributes;
  if (x.min_blocks_per_sm != y.min_blocks_per_sm ||
      x.max_blocks_per_cluster != y.max_blocks_per_cluster || x.max_registers != y.max_registers ||
      x.dynamic_shared_bytes != y.dynamic_shared_bytes) {
    return fail("attributes");
  }
  return bodies(a.host_body, b.host_body) && bodies(a.body, b.body);
}

}  // namespace

bool same_expr(const Expr& a, const Expr& b) {
  if (a.get() == b.get()) return true;
  return Comparison(false).exprs(a, b);
}

bool structurally_equal(const Kernel& a, const Kernel& b) {
  return Comparison(true).kernels(a, b);
}

std::string first_difference(const Kernel& a, const Kernel& b) {
  Comparison comparison(true);
  return comparison.kernels(a, b) ? std::string() : comparison.difference();
}

}  // namespace tirx::ir
