// Operators on values: Python's meaning for meta operands, IR for the others.
#include <cmath>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/meta_arithmetic.hpp"

namespace tirx::dsl {

namespace {

constexpr std::int64_t kMaxElements = 1 << 24;

/// Operands that a kernel computes with: IR values and numbers beside them.
bool is_scalar_like(const Value& value) {
  return is_ir(value) || value.number().has_value();
}

Operand operand(Interpreter& interpreter, const Value& value, Span span) {
  return {interpreter.expr(value, span), !is_ir(value), span};
}

Value repeat(Interpreter& interpreter, const Values& items, std::int64_t times, Span span) {
  const auto count = static_cast<std::int64_t>(items.size());
  if (times < 0) times = 0;
  if (count != 0 && times > kMaxElements / count) fail(span, "this list would be too long");
  interpreter.spend(8 * count * times, span);
  Values out;
  out.reserve(static_cast<std::size_t>(count * times));
  for (std::int64_t i = 0; i < times; ++i) out.insert(out.end(), items.begin(), items.end());
  return make_list(std::move(out));
}

std::optional<Value> sequence_binary(
    Interpreter& interpreter, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (op == ast::BinaryOp::add) {
    if (left.text() != nullptr && right.text() != nullptr) {
      if (left.text()->size() + right.text()->size() > static_cast<std::size_t>(kMaxElements)) {
        fail(span, "this string would be too long");
      }
      interpreter.spend(
          static_cast<std::int64_t>((left.text()->size() + right.text()->size()) / 16), span);
      return Value(*left.text() + *right.text());
    }
    const bool lists = left.is<List>() && right.is<List>();
    const bool tuples = left.is<Tuple>() && right.is<Tuple>();
    if (lists || tuples) {
      Values out = *sequence(left);
      const Values& more = *sequence(right);
      interpreter.spend(static_cast<std::int64_t>(out.size() + more.size()) * 8, span);
      out.insert(out.end(), more.begin(), more.end());
      return lists ? make_list(std::move(out)) : make_tuple(std::move(out));
    }
  }
  if (op == ast::BinaryOp::multiply) {
    const bool swapped = left.integer().has_value();
    const Value& container = swapped ? right : left;
    const auto times = swapped ? left.integer() : right.integer();
    if (!times) return std::nullopt;
    if (const std::string* text = container.text()) {
      const auto size = static_cast<std::int64_t>(text->size());
      if (*times > 0 && size > 0 && *times > kMaxElements / size) {
        fail(span, "this string would be too long");
      }
      interpreter.spend(*times > 0 ? size * *times / 16 : 0, span);
      std::string out;
      for (std::int64_t i = 0; i < *times; ++i) out += *text;
      return Value(out);
    }
    if (const Values* items = sequence(container)) {
      const Value list = repeat(interpreter, *items, *times, span);
      return container.is<Tuple>() ? make_tuple(*sequence(list)) : list;
    }
  }
  if (op == ast::BinaryOp::bit_or && left.is<Dict>() && right.is<Dict>()) {
    auto merged = std::make_shared<Dict>();
    for (const auto& [key, value] : left.as<Dict>()->items) merged->set(key, value);
    for (const auto& [key, value] : right.as<Dict>()->items) merged->set(key, value);
    return Value(merged);
  }
  return std::nullopt;
}

bool contains(Interpreter& interpreter, const Value& container, const Value& item, Span span) {
  if (const std::string* text = container.text()) {
    if (item.text() == nullptr) fail(span, "'in' on a str needs a str, not {}", kind_name(item));
    return text->find(*item.text()) != std::string::npos;
  }
  if (const auto* dict = container.as<Dict>()) return dict->find(item) != nullptr;
  if (const auto* range = container.as<RangeValue>()) {
    const auto number = item.integer();
    if (!number || range->size() == 0) return false;
    const std::int64_t last = range->begin + (range->size() - 1) * range->step;
    const bool inside = range->step > 0 ? *number >= range->begin && *number <= last
                                        : *number <= range->begin && *number >= last;
    return inside && (*number - range->begin) % range->step == 0;
  }
  for (const Value& candidate : interpreter.iterate(container, span)) {
    std::int64_t work = 0;
    const bool found = equal(candidate, item, &work);
    interpreter.spend(work, span);
    if (found) return true;
  }
  return false;
}

/// Lexicographic order of meta values: -1, 0, 1; nothing when they have no order.
std::optional<int> order(const Value& a, const Value& b, int depth = 0) {
  if (a.integer() && b.integer())
    return *a.integer() < *b.integer() ? -1 : *a.integer() != *b.integer();
  if (a.number() && b.number()) {
    const double x = *a.number();
    const double y = *b.number();
    if (std::isnan(x) || std::isnan(y)) return 2;  // no comparison holds
    return x < y ? -1 : x != y;
  }
  if (a.text() != nullptr && b.text() != nullptr) {
    const int c = a.text()->compare(*b.text());
    return c < 0 ? -1 : c > 0;
  }
  const bool both = (a.is<Tuple>() && b.is<Tuple>()) || (a.is<List>() && b.is<List>());
  if (!both || depth > 100) return std::nullopt;
  const Values& x = *sequence(a);
  const Values& y = *sequence(b);
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (equal(x[i], y[i])) continue;
    return order(x[i], y[i], depth + 1);
  }
  return x.size() < y.size() ? -1 : x.size() != y.size();
}

}  // namespace

std::optional<int> compare_order(const Value& a, const Value& b) {
  return order(a, b);
}

Value Interpreter::binary(ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (left.number() && right.number()) return meta_binary(op, left, right, span);
  for (const Value* side : {&left, &right}) {
    const Object* object = side->object();
    if (object == nullptr || object->type->binary == nullptr) continue;
    if (auto result = object->type->binary(*this, op, left, right, span)) return *result;
  }
  if (auto result = sequence_binary(*this, op, left, right, span)) return *result;
  if (is_scalar_like(left) && is_scalar_like(right) && (is_ir(left) || is_ir(right))) {
    return binary_expr(op, operand(*this, left, span), operand(*this, right, span), span);
  }
  fail(span, "'{}' is not defined for {} and {}", ast::spelling(op), kind_name(left),
       kind_name(right));
}

Value Interpreter::unary(ast::UnaryOp op, const Value& value, Span span) {
  if (op == ast::UnaryOp::logical_not && !is_ir(value)) return !truth(value, span);
  if (value.number()) return meta_unary(op, value, span);
  const Object* object = value.object();
  if (object != nullptr && object->type->unary != nullptr) {
    if (auto result = object->type->unary(*this, op, value, span)) return *result;
  }
  if (is_ir(value)) return unary_expr(op, operand(*this, value, span), span);
  fail(span, "'{}' is not defined for {}", ast::spelling(op), kind_name(value));
}

Value Interpreter::compare(ast::CompareOp op, const Value& left, const Value& right, Span span) {
  using Op = ast::CompareOp;
  if (op == Op::is || op == Op::is_not) {
    const Object* a = left.object();
    const bool same = a != nullptr
                          ? a == right.object()
                          : left.storage().index() == right.storage().index() && equal(left, right);
    return same == (op == Op::is);
  }
  if (op == Op::in || op == Op::not_in) {
    return contains(*this, right, left, span) == (op == Op::in);
  }
  for (const Value* side : {&left, &right}) {
    const Object* object = side->object();
    if (object == nullptr || object->type->compare == nullptr) continue;
    if (auto result = object->type->compare(*this, op, left, right, span)) return *result;
  }
  if (is_scalar_like(left) && is_scalar_like(right) && (is_ir(left) || is_ir(right))) {
    return compare_expr(op, operand(*this, left, span), operand(*this, right, span), span);
  }
  if (op == Op::equal || op == Op::not_equal) {
    std::int64_t work = 0;
    const bool same = equal(left, right, &work);
    spend(work, span);
    return same == (op == Op::equal);
  }
  const auto relation = order(left, right);
  if (!relation) {
    fail(span, "'{}' is not defined for {} and {}", ast::spelling(op), kind_name(left),
         kind_name(right));
  }
  if (*relation == 2) return false;
  if (op == Op::less) return *relation < 0;
  if (op == Op::less_equal) return *relation <= 0;
  if (op == Op::greater) return *relation > 0;
  return *relation >= 0;
}

bool Interpreter::truth(const Value& value, Span span) {
  if (const bool* b = value.as<bool>()) return *b;
  if (value.is_none()) return false;
  if (const auto number = value.number()) return *number != 0;
  if (const std::string* text = value.text()) return !text->empty();
  if (is_ir(value)) {
    if (const auto* expr = value.as<ir::Expr>()) {
      std::int64_t known = 0;
      if (ir::is_const_int(*expr, known)) return known != 0;
    }
    fail_help(span, "this is known only when the kernel runs",
              "a condition on it belongs into the kernel: `if`, T.if_then_else, T.Select");
  }
  if (const auto* object = value.object(); object != nullptr && object->type->number != nullptr) {
    return truth(object->type->number(*this, value, span), span);
  }
  if (const auto size = length(value)) return *size != 0;
  return true;
}

std::optional<std::int64_t> Interpreter::length(const Value& value) {
  if (const Values* items = sequence(value)) return static_cast<std::int64_t>(items->size());
  if (const std::string* text = value.text()) {
    std::int64_t count = 0;
    for (const char c : *text) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
    return count;
  }
  if (const auto* dict = value.as<Dict>()) return static_cast<std::int64_t>(dict->items.size());
  if (const auto* range = value.as<RangeValue>()) return range->size();
  const Object* object = value.object();
  if (object != nullptr && object->type->length != nullptr) return object->type->length(value);
  return std::nullopt;
}

Values Interpreter::iterate(const Value& value, Span span) {
  if (const Values* items = sequence(value)) {
    spend(static_cast<std::int64_t>(items->size()), span);
    return *items;
  }
  if (const auto* range = value.as<RangeValue>()) {
    const std::int64_t size = range->size();
    if (size > kMaxElements) fail(span, "this range has too many elements ({})", size);
    spend(8 * size, span);
    Values out;
    out.reserve(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) out.emplace_back(range->begin + i * range->step);
    return out;
  }
  if (const auto* dict = value.as<Dict>()) {
    Values out;
    for (const auto& [key, item] : dict->items) out.push_back(key);
    return out;
  }
  if (const std::string* text = value.text()) {
    spend(static_cast<std::int64_t>(text->size()), span);
    Values out;
    for (std::size_t i = 0; i < text->size();) {
      std::size_t next = i + 1;
      while (next < text->size() && (static_cast<unsigned char>((*text)[next]) & 0xc0U) == 0x80U)
        ++next;
      out.emplace_back(text->substr(i, next - i));
      i = next;
    }
    return out;
  }
  const Object* object = value.object();
  if (object != nullptr && object->type->iterate != nullptr) {
    return object->type->iterate(*this, value, span);
  }
  if (const auto* buffer = value.as<ir::Buffer>()) {
    fail_help(span, fmt::format("buffer '{}' cannot be iterated over", (*buffer)->name),
              "loop over its indices: `for i in range(n)`");
  }
  fail(span, "{} cannot be iterated over", kind_name(value));
}

}  // namespace tirx::dsl
