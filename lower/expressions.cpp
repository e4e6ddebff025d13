// See expressions.hpp.
#include "lower/expressions.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "lower/addressing.hpp"
#include "lower/memory_forms.hpp"

namespace tirx::lower {

using ir::Access;
using ir::Expr;
using ir::ExprNode;

namespace {

bool same_nodes(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return x.get() == y.get(); });
}

}  // namespace

void ExpressionLowering::fail(Span span, std::string text, std::vector<Note> notes) {
  if (!error_) error_ = Diagnostic{span, std::move(text), std::move(notes)};
}

std::vector<Expr> ExpressionLowering::lower_all(const std::vector<Expr>& exprs) {
  std::vector<Expr> result;
  result.reserve(exprs.size());
  for (const Expr& expr : exprs) result.push_back(lower(expr));
  return result;
}

Access ExpressionLowering::lower(const Access& access, Span span) {
  Access result = access;
  result.indices = lower_all(access.indices);
  if (access.flat) {
    result.flat = lower(access.flat);
    return result;
  }
  const ir::BufferNode& buffer = *access.buffer;
  if (const std::string refusal = refuse_distributed(buffer); !refusal.empty()) {
    fail(span, refusal);
    return result;
  }
  const Expr offset = buffer.offset ? lower(buffer.offset) : Expr();
  Result<Expr> flat = flat_offset(buffer, result.indices, offset, facts_);
  if (!flat) {
    fail(span, flat.error().text);
    return result;
  }
  result.flat = *flat;
  return result;
}

Access ExpressionLowering::lane_of(const Access& access, int lane, Span span) {
  Access single = access;
  single.flat = {};
  single.stride = 1;
  if (lane != 0) {
    Expr& last = single.indices.back();
    const ir::Type type = last->type;
    last = ir::make_expr(
        type, last->span,
        ir::Scalar{num::ScalarOp::add, {last, ir::make_int(lane * access.stride, type)}});
  }
  return lower(single, span);
}

bool ExpressionLowering::is_plain_vector(const Access& access, std::int64_t lanes) {
  if (lanes == 1 || access.flat) return true;
  if (!refuse_distributed(*access.buffer).empty()) return true;  // reported by lower()
  const Expr offset = access.buffer->offset ? lower(access.buffer->offset) : Expr();
  return lower::is_plain_vector(*access.buffer, lower_all(access.indices), offset, lanes,
                                access.stride, facts_);
}

void ExpressionLowering::check_target(const ir::MachineCall& call, Span span) {
  if (ir::ptx::exists_on(call, target_.sm)) {
    if (auto refused = refuse_form(call, target_)) fail(span, std::move(*refused), {});
    return;
  }
  std::string able;
  for (const ir::Target& target : ir::targets()) {
    if (!ir::ptx::exists_on(call, target.sm)) continue;
    if (!able.empty()) able += ", ";
    able += target.name;
  }
  fail(span, fmt::format("{} does not exist on {}", ir::ptx::name_of(call), target_.name),
       {{{}, fmt::format("it is there on {}; choose one with --arch", able)}});
}

Expr ExpressionLowering::lower(const Expr& expr) {
  if (!expr || ir::as<ir::Const>(expr) || ir::as<ir::VarRef>(expr)) return expr;
  const auto found = done_.find(expr.get());
  if (found != done_.end()) return found->second;
  Expr result = lower_node(expr);
  kept_.push_back(expr);
  done_.emplace(expr.get(), result);
  if (result.get() != expr.get()) {
    // Lowering twice changes nothing, so expansions may mix lowered and fresh nodes.
    kept_.push_back(result);
    done_.emplace(result.get(), result);
  }
  return result;
}

Expr ExpressionLowering::lower_node(const Expr& expr) {
  const Span span = expr->span;
  const ir::Type type = expr->type;
  const auto rebuild = [&](auto node) { return ir::make_expr(type, span, std::move(node)); };
  /// Of one operand: the node again, unless the operand changed.
  const auto rebuild_over = [&](const Expr& operand, auto make) {
    Expr lowered = lower(operand);
    return lowered.get() == operand.get() ? expr : rebuild(make(std::move(lowered)));
  };
  return std::visit(
      ir::Match{
          [&](const ir::Const&) { return expr; },
          [&](const ir::VarRef&) { return expr; },
          [&](const ir::Scalar& node) {
            std::vector<Expr> args = lower_all(node.args);
            return same_nodes(args, node.args) ? expr
                                               : rebuild(ir::Scalar{node.op, std::move(args)});
          },
          [&](const ir::Cast& node) {
            return rebuild_over(node.value, [](Expr value) { return ir::Cast{std::move(value)}; });
          },
          [&](const ir::Reinterpret& node) {
            return rebuild_over(node.value,
                                [](Expr value) { return ir::Reinterpret{std::move(value)}; });
          },
          [&](const ir::Select& node) {
            return rebuild(
                ir::Select{lower(node.condition), lower(node.when_true), lower(node.when_false)});
          },
          [&](const ir::IfThenElse& node) {
            return rebuild(ir::IfThenElse{lower(node.condition), lower(node.when_true),
                                          lower(node.when_false)});
          },
          [&](const ir::And& node) {
            return rebuild(ir::And{lower(node.left), lower(node.right)});
          },
          [&](const ir::Or& node) {
            return rebuild(ir::Or{lower(node.left), lower(node.right)});
          },
          [&](const ir::Load& node) {
            if (is_plain_vector(node.from, type.lanes)) {
              return rebuild(ir::Load{lower(node.from, span)});
            }
            ir::MakeVector lanes;
            for (int lane = 0; lane < type.lanes; ++lane) {
              lanes.lanes.push_back(
                  ir::make_expr(type.element(), span, ir::Load{lane_of(node.from, lane, span)}));
            }
            return rebuild(std::move(lanes));
          },
          [&](const ir::AddressOf& node) {
            return rebuild(ir::AddressOf{lower(node.element, span)});
          },
          [&](const ir::MachineCall& node) {
            check_target(node, span);
            return rebuild(
                ir::MachineCall{node.op, lower_all(node.args), node.text, node.instruction});
          },
          [&](const ir::MakeVector& node) {
            return rebuild(ir::MakeVector{lower_all(node.lanes)});
          },
          [&](const ir::Broadcast& node) {
            return rebuild_over(node.value,
                                [](Expr value) { return ir::Broadcast{std::move(value)}; });
          },
          [&](const ir::Extract& node) {
            return rebuild_over(node.vector, [&](Expr vector) {
              return ir::Extract{std::move(vector), node.lane};
            });
          },
      },
      expr->node);
}

}  // namespace tirx::lower
