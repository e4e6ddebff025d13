#include "ir/expr.hpp"

#include <algorithm>
#include <limits>

#include "ir/visit.hpp"

namespace tirx::ir {

namespace {

std::uint64_t width_mask(num::DType dtype) {
  if (dtype == num::DType::boolean) return 1;
  const int width = num::bits(dtype);
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

}  // namespace

Expr make_expr_node(ExprNode node) {
  const auto made = std::make_shared<ExprNode>(std::move(node));
  const Expr expr(made);
  std::uint64_t size = 1;
  std::uint32_t height = 0;
  for_each_child(expr, [&](const Expr& child) {
    if (!child) return;
    size += child->size;
    height = std::max(height, child->height);
  });
  made->height = height + 1;
  made->size = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(size, std::numeric_limits<std::uint32_t>::max()));
  return expr;
}

Expr make_int(std::int64_t value, Type type, Span span) {
  return make_expr(type, span, Const{static_cast<std::uint64_t>(value) & width_mask(type.dtype)});
}

Expr make_bool(bool value, Span span) {
  return make_expr(kBool, span, Const{value ? 1U : 0U});
}

Expr make_var(const Var& var, Span span) {
  return make_expr(var->type, span, VarRef{var});
}

const Const* as_const(const Expr& expr) {
  return as<Const>(expr);
}

bool is_const_int(const Expr& expr, std::int64_t& value) {
  const Const* literal = as_const(expr);
  if (literal == nullptr || num::is_float(expr->type.dtype)) return false;
  const int width = num::bits(expr->type.dtype);
  if (num::is_signed(expr->type.dtype) && width < 64) {
    const int shift = 64 - width;
    value = static_cast<std::int64_t>(literal->bits << shift) >> shift;
  } else {
    value = static_cast<std::int64_t>(literal->bits);
    // A uint64 of 2^63 or more has no place in an int64.
    if (expr->type.dtype == num::DType::u64 && value < 0) return false;
  }
  return true;
}

}  // namespace tirx::ir
