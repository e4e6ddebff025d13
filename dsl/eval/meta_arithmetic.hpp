// Python's arithmetic on meta numbers: integers are 64-bit and overflow is an error.
#pragma once

#include <optional>

#include "dsl/eval/value.hpp"

namespace tirx::dsl {

[[nodiscard]] Value meta_binary(ast::BinaryOp op, const Value& left, const Value& right, Span span);
[[nodiscard]] Value meta_unary(ast::UnaryOp op, const Value& value, Span span);
/// 2**63 and 1 << 63: no integer of a script, but with a minus in front they are one.
[[nodiscard]] bool is_two_to_the_63(ast::BinaryOp op, const Value& left, const Value& right);
/// -1, 0, 1; 2 when a NaN is involved; nothing when the values have no order.
[[nodiscard]] std::optional<int> compare_order(const Value& a, const Value& b);

[[nodiscard]] std::int64_t floor_div(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t floor_mod(std::int64_t a, std::int64_t b);

}  // namespace tirx::dsl
