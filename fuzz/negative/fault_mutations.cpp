// Places where one change makes a valid program go wrong when it runs.
#include "fuzz/mutate/places.hpp"
#include "fuzz/mutate/rewrite.hpp"
#include "fuzz/negative/misbehaviour.hpp"
#include "ir/all_ops.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

using ir::Expr;
using ir::Stmt;
using num::ScalarOp;

/// By one: past the end for one thread in many.  By the extent: for all.
enum class Move : std::uint8_t { one_up, one_down, past_the_end };

std::string word(Move move) {
  switch (move) {
    case Move::one_up:
      return "index one up";
    case Move::one_down:
      return "index one down";
    case Move::past_the_end:
      return "index moved past the end";
  }
  return {};
}

void move_index(ir::Access& access, std::size_t dim, Move move) {
  Expr& index = access.indices[dim];
  Expr by = ir::make_int(1, index->type, index->span);
  if (move == Move::past_the_end) {
    by = access.buffer->shape[dim];
    if (by->type != index->type) by = ir::make_expr(index->type, index->span, ir::Cast{by});
  }
  index = scalar(move == Move::one_down ? ScalarOp::sub : ScalarOp::add, index, by);
}

/// A scalar variable is a buffer of one element, whose index nobody writes.
bool is_scalar(const ir::BufferNode& buffer) {
  std::int64_t extent = 0;
  return buffer.shape.size() == 1 && ir::is_const_int(buffer.shape[0], extent) && extent == 1;
}

class Finder {
 public:
  std::vector<Mutation> run(const ir::Kernel& kernel) {
    number_statements(kernel, [this](std::size_t n, const Stmt& stmt) { statement(n, stmt); });
    number_expressions(kernel, [this](std::size_t n, const Expr& expr, const Stmt& in) {
      expression(n, expr, expr->span.empty() ? in.span : expr->span);
    });
    return std::move(found_);
  }

 private:
  void add_statement(const std::string& kind, std::size_t n, Span span, const StmtEdit& edit) {
    found_.push_back({kind, span, {}, {}, [n, edit](const ir::Kernel& kernel) {
                        return with_statement(kernel, n, edit);
                      }});
  }

  void add_expression(const std::string& kind, std::size_t n, Span span, const ExprEdit& edit) {
    found_.push_back({kind, span, {}, {}, [n, edit](const ir::Kernel& kernel) {
                        return with_expression(kernel, n, edit);
                      }});
  }

  void statement(std::size_t n, const Stmt& stmt) {
    if (const auto* branch = std::get_if<ir::If>(&stmt.node);
        branch != nullptr && branch->else_body.empty()) {
      add_statement("guard missing", n, stmt.span,
                    [](const Stmt& old) { return std::get<ir::If>(old.node).then_body; });
    }
    if (const auto* loop = std::get_if<ir::For>(&stmt.node); loop != nullptr) {
      add_statement("one trip more", n, stmt.span, [](const Stmt& old) {
        Stmt changed = old;
        Expr& end = std::get<ir::For>(changed.node).end;
        const Expr& step = std::get<ir::For>(changed.node).step;
        end = scalar(ScalarOp::add, end, step ? step : ir::make_int(1, end->type, end->span));
        return ir::Body{changed};
      });
    }
    if (std::holds_alternative<ir::TileCall>(stmt.node)) {
      add_statement("tile operation missing", n, stmt.span, [](const Stmt&) { return ir::Body{}; });
    }
    if (const auto* evaluate = std::get_if<ir::Evaluate>(&stmt.node); evaluate != nullptr) {
      const auto* call = ir::as<ir::MachineCall>(evaluate->call);
      if (call != nullptr && call->op == ir::AllOps::id_of<ir::PtxMbarrierInit>()) {
        add_statement("mbarrier not made", n, stmt.span, [](const Stmt&) { return ir::Body{}; });
      }
    }
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    if (store == nullptr) return;
    add_statement("store missing", n, stmt.span, [](const Stmt&) { return ir::Body{}; });
    if (is_scalar(*store->to.buffer)) return;
    std::int64_t extent = 0;
    if (ir::is_const_int(store->to.buffer->shape[0], extent) && extent > 1) {
      add_statement("last element unwritten", n, stmt.span, [extent](const Stmt& old) {
        const Expr index = std::get<ir::Store>(old.node).to.indices[0];
        const Expr last = ir::make_int(extent - 1, index->type, index->span);
        const Expr other =
            ir::make_expr(ir::kBool, old.span, ir::Scalar{ScalarOp::ne, {index, last}});
        return ir::Body{Stmt{old.span, ir::If{other, {old}, {}}}};
      });
    }
    for (std::size_t dim = 0; dim < store->to.indices.size(); ++dim) {
      for (const Move move : {Move::one_up, Move::one_down, Move::past_the_end}) {
        add_statement(word(move), n, stmt.span, [dim, move](const Stmt& old) {
          Stmt changed = old;
          move_index(std::get<ir::Store>(changed.node).to, dim, move);
          return ir::Body{changed};
        });
      }
    }
  }

  void expression(std::size_t n, const Expr& expr, Span span) {
    if (const auto* load = ir::as<ir::Load>(expr);
        load != nullptr && !is_scalar(*load->from.buffer)) {
      for (std::size_t dim = 0; dim < load->from.indices.size(); ++dim) {
        for (const Move move : {Move::one_up, Move::one_down, Move::past_the_end}) {
          add_expression(word(move), n, span, [dim, move](const Expr& old) {
            ir::Load changed = *ir::as<ir::Load>(old);
            move_index(changed.from, dim, move);
            return ir::make_expr(old->type, old->span, changed);
          });
        }
      }
    }
    const auto* operation = ir::as<ir::Scalar>(expr);
    if (operation == nullptr || operation->args.size() != 2 || !num::is_int(expr->type.dtype))
      return;
    switch (operation->op) {
      case ScalarOp::floordiv:
      case ScalarOp::floormod:
      case ScalarOp::truncdiv:
      case ScalarOp::truncmod:
        break;
      default:
        return;
    }
    // Not a literal, which is refused before anything runs.
    add_expression("divisor of zero", n, span, [](const Expr& old) {
      ir::Scalar changed = *ir::as<ir::Scalar>(old);
      changed.args[1] = scalar(ScalarOp::bit_xor, changed.args[0], changed.args[0]);
      return ir::make_expr(old->type, old->span, changed);
    });
  }

  std::vector<Mutation> found_;
};

}  // namespace

std::vector<Mutation> fault_mutations(const ir::Kernel& kernel) {
  return Finder().run(kernel);
}

}  // namespace tirx::fuzz
