#include "ir/evaluate.hpp"

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::ir {

std::optional<std::uint64_t> evaluate_constant(const Expr& expr, const ValueOf& value_of) {
  if (!expr || expr->type.lanes != 1) return std::nullopt;
  const auto recurse = [&](const Expr& e) { return evaluate_constant(e, value_of); };
  return std::visit(
      Match{
          [&](const Const& node) -> std::optional<std::uint64_t> { return node.bits; },
          [&](const VarRef& node) -> std::optional<std::uint64_t> { return value_of(*node.var); },
          [&](const Scalar& node) -> std::optional<std::uint64_t> {
            std::uint64_t args[3] = {0, 0, 0};
            for (std::size_t i = 0; i < node.args.size() && i < 3; ++i) {
              const auto value = recurse(node.args[i]);
              if (!value) return std::nullopt;
              args[i] = *value;
            }
            const num::Evaluated e =
                num::evaluate(node.op, node.args[0]->type.dtype, args[0], args[1], args[2]);
            if (e.status != num::EvalStatus::ok) return std::nullopt;
            return e.value;
          },
          [&](const Cast& node) -> std::optional<std::uint64_t> {
            const auto value = recurse(node.value);
            if (!value) return std::nullopt;
            return num::convert(*value, node.value->type.dtype, expr->type.dtype);
          },
          [&](const Reinterpret& node) { return recurse(node.value); },
          [&](const Select& node) -> std::optional<std::uint64_t> {
            const auto condition = recurse(node.condition);
            if (!condition) return std::nullopt;
            return recurse(*condition != 0 ? node.when_true : node.when_false);
          },
          [&](const IfThenElse& node) -> std::optional<std::uint64_t> {
            const auto condition = recurse(node.condition);
            if (!condition) return std::nullopt;
            return recurse(*condition != 0 ? node.when_true : node.when_false);
          },
          [&](const And& node) -> std::optional<std::uint64_t> {
            const auto left = recurse(node.left);
            if (!left) return std::nullopt;
            return *left == 0 ? left : recurse(node.right);
          },
          [&](const Or& node) -> std::optional<std::uint64_t> {
            const auto left = recurse(node.left);
            if (!left) return std::nullopt;
            return *left != 0 ? left : recurse(node.right);
          },
          [](const auto&) -> std::optional<std::uint64_t> { return std::nullopt; },
      },
      expr->node);
}

}  // namespace tirx::ir
