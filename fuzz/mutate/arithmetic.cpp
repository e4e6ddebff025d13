// Roundings, orders, clamps and factors of float arithmetic.
#include <set>

#include "fuzz/mutate/places.hpp"

namespace tirx::fuzz {

namespace {

using ir::Expr;
using num::ScalarOp;

/// The bits of a float32 that a smaller type keeps, apart from its subnormals; 0: not this type.
std::uint32_t kept_bits(num::DType dtype) {
  switch (dtype) {
    case num::DType::bf16:
      return 0xffff0000;
    case num::DType::f16:
      return 0xffffe000;
    case num::DType::e4m3:
      return 0xfff00000;
    case num::DType::e5m2:
      return 0xffe00000;
    default:
      return 0;
  }
}

/// The cast of a float32 whose last bits were cut off.
void toward_zero(Places& places, std::size_t n, const Expr& expr, Span span) {
  const auto* cast = ir::as<ir::Cast>(expr);
  if (cast == nullptr || cast->value->type.dtype != num::DType::f32 || expr->type.lanes != 1)
    return;
  const std::uint32_t kept = kept_bits(expr->type.dtype);
  std::int64_t known = 0;
  if (kept == 0 || ir::as_const(cast->value) != nullptr || ir::is_const_int(cast->value, known))
    return;
  places.expression("rounded toward zero", n, expr, span, [kept](const Expr& old) {
    const ir::Type bits{num::DType::u32, 1};
    const Expr raw = ir::make_expr(bits, old->span, ir::Reinterpret{ir::as<ir::Cast>(old)->value});
    const Expr cut = scalar(ScalarOp::bit_and, raw, ir::make_int(kept, bits, old->span));
    const Expr value = ir::make_expr({num::DType::f32, 1}, old->span, ir::Reinterpret{cut});
    return ir::make_expr(old->type, old->span, ir::Cast{value});
  });
}

Expr three(ScalarOp op, const Expr& a, const Expr& b, const Expr& c) {
  return ir::make_expr(a->type, a->span, ir::Scalar{op, {a, b, c}});
}

const ir::Scalar* product(const Expr& expr) {
  const auto* operation = ir::as<ir::Scalar>(expr);
  return operation != nullptr && operation->op == ScalarOp::mul ? operation : nullptr;
}

bool is_literal(const Expr& expr) {
  const auto* cast = ir::as<ir::Cast>(expr);
  return ir::as_const(expr) != nullptr || (cast != nullptr && is_literal(cast->value));
}

void of_operation(Places& places,
                  const std::set<const ir::Variable*>& parameters,
                  std::size_t n,
                  const Expr& expr,
                  Span span) {
  const auto* operation = ir::as<ir::Scalar>(expr);
  if (operation == nullptr || !num::is_float(expr->type.dtype)) return;
  const auto add = [&](std::string_view kind, const ExprEdit& edit) {
    places.expression(kind, n, expr, span, edit);
  };
  if (operation->op == ScalarOp::fma) {
    add("rounded twice", [](const Expr& old) {
      const auto& fused = *ir::as<ir::Scalar>(old);
      return scalar(ScalarOp::add, scalar(ScalarOp::mul, fused.args[0], fused.args[1]),
                    fused.args[2]);
    });
  }
  for (std::size_t i = 0; operation->op == ScalarOp::add && i < 2; ++i) {
    if (product(operation->args[i]) == nullptr) continue;
    add("contracted", [i](const Expr& old) {
      const auto& sum = *ir::as<ir::Scalar>(old);
      const ir::Scalar& term = *product(sum.args[i]);
      return three(ScalarOp::fma, term.args[0], term.args[1], sum.args[1 - i]);
    });
  }
  for (std::size_t i = 0; operation->op == ScalarOp::mul && i < 2; ++i) {
    const ir::Expr& factor = operation->args[i];
    if (product(factor) != nullptr) {
      add("products in another order", [i](const Expr& old) {
        const auto& whole = *ir::as<ir::Scalar>(old);
        const ir::Scalar& inner = *product(whole.args[i]);
        return scalar(ScalarOp::mul, inner.args[0],
                      scalar(ScalarOp::mul, inner.args[1], whole.args[1 - i]));
      });
    }
    const auto* var = ir::as<ir::VarRef>(factor);
    if (var != nullptr && parameters.contains(var->var.get())) {
      add("factor ignored", [i](const Expr& old) { return ir::as<ir::Scalar>(old)->args[1 - i]; });
    }
  }
  const bool clamp = operation->op == ScalarOp::max || operation->op == ScalarOp::min ||
                     operation->op == ScalarOp::max_nan || operation->op == ScalarOp::min_nan;
  for (std::size_t i = 0; clamp && i < 2; ++i) {
    if (!is_literal(operation->args[i])) continue;
    add("clamp missing", [i](const Expr& old) { return ir::as<ir::Scalar>(old)->args[1 - i]; });
  }
}

}  // namespace

void find_arithmetic(Places& places) {
  std::set<const ir::Variable*> parameters;
  for (const ir::Param& param : places.kernel().params) {
    if (param.scalar) parameters.insert(param.scalar.get());
  }
  number_expressions(places.kernel(), [&](std::size_t n, const Expr& expr, const ir::Stmt& in) {
    const Span span = expr->span.empty() ? in.span : expr->span;
    toward_zero(places, n, expr, span);
    of_operation(places, parameters, n, expr, span);
  });
}

}  // namespace tirx::fuzz
