// Python's built-in functions, as far as scripts need them.
#include <algorithm>
#include <array>
#include <cmath>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/meta_arithmetic.hpp"
#include "dsl/host/tensor_value.hpp"

namespace tirx::dsl {

namespace {

Value python_print(Interpreter& interpreter, const Arguments& args) {
  std::string out;
  const std::string separator = args.text_or(1, " ");
  for (std::size_t i = 0; i < args.rest().size(); ++i) {
    if (i > 0) out += separator;
    out += interpreter.to_text(args.rest()[i].value, args.rest()[i].span);
  }
  out += args.text_or(2, "\n");
  interpreter.print(out);
  return {};
}

Value python_len(Interpreter& interpreter, const Arguments& args) {
  if (const auto size = interpreter.length(args[0])) return *size;
  args.wrong(0, "something with a length");
}

Value python_range(Interpreter&, const Arguments& args) {
  const bool one = !args.given(1);
  const std::int64_t step = args.integer_or(2, 1);
  if (step == 0) fail(args.span(2), "range() step cannot be 0");
  return std::make_shared<RangeValue>(one ? 0 : args.integer(0),
                                      one ? args.integer(0) : args.integer(1), step);
}

Values elements(Interpreter& interpreter, const Arguments& args) {
  if (args.rest().size() == 1) {
    return interpreter.iterate(args.rest()[0].value, args.rest()[0].span);
  }
  Values out;
  for (const ArgumentValue& item : args.rest()) out.push_back(item.value);
  return out;
}

Value extreme(Interpreter& interpreter, const Arguments& args, bool largest) {
  const Values items = elements(interpreter, args);
  if (items.empty()) {
    if (args.given(2)) return args[2];
    fail(args.span(), "{}() of nothing", args.function());
  }
  const auto key_of = [&](const Value& item) {
    return args.has(1) ? interpreter.call(args[1], Values{item}, args.span(1)) : item;
  };
  Value best = items[0];
  Value best_key = key_of(best);
  for (std::size_t i = 1; i < items.size(); ++i) {
    Value key = key_of(items[i]);
    if (is_ir(key) || is_ir(best_key)) {
      const auto op = largest ? num::ScalarOp::max : num::ScalarOp::min;
      best =
          promoted_expr(op,
                        {{interpreter.expr(best, args.span()), !is_ir(best), args.span()},
                         {interpreter.expr(items[i], args.span()), !is_ir(items[i]), args.span()}},
                        args.span());
      best_key = best;
      continue;
    }
    const Value better = interpreter.compare(
        largest ? ast::CompareOp::greater : ast::CompareOp::less, key, best_key, args.span());
    if (interpreter.truth(better, args.span())) {
      best = items[i];
      best_key = std::move(key);
    }
  }
  return best;
}

Value python_min(Interpreter& interpreter, const Arguments& args) {
  return extreme(interpreter, args, false);
}

Value python_max(Interpreter& interpreter, const Arguments& args) {
  return extreme(interpreter, args, true);
}

Value python_abs(Interpreter& interpreter, const Arguments& args) {
  const Value& value = args[0];
  if (const auto* d = value.as<double>()) return std::fabs(*d);
  if (const auto i = value.integer()) {
    return *i < 0 ? meta_unary(ast::UnaryOp::minus, Value(*i), args.span()) : Value(*i);
  }
  if (is_ir(value)) return scalar_expr(num::ScalarOp::abs, {args.expr(0)}, args.span());
  return interpreter.call(interpreter.attribute(value, "__abs__", args.span(0)), Values{},
                          args.span());
}

Value python_sum(Interpreter& interpreter, const Arguments& args) {
  const Values items = interpreter.iterate(args[0], args.span(0));
  Value total = args.given(1) ? args[1] : Value(0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    // 0 + x is x: no addition of zero in front of an IR sum.
    if (i == 0 && !args.given(1) && is_ir(items[0])) {
      total = items[0];
      continue;
    }
    total = interpreter.binary(ast::BinaryOp::add, total, items[i], args.span());
  }
  return total;
}

Value python_zip(Interpreter& interpreter, const Arguments& args) {
  std::vector<Values> columns;
  std::size_t size = SIZE_MAX;
  for (const ArgumentValue& item : args.rest()) {
    columns.push_back(interpreter.iterate(item.value, item.span));
    size = std::min(size, columns.back().size());
  }
  Values out;
  if (columns.empty()) return make_list(std::move(out));
  for (std::size_t i = 0; i < size; ++i) {
    Values row;
    for (const Values& column : columns) row.push_back(column[i]);
    out.push_back(make_tuple(std::move(row)));
  }
  return make_list(std::move(out));
}

Value python_enumerate(Interpreter& interpreter, const Arguments& args) {
  Values out;
  std::int64_t i = args.integer_or(1, 0);
  for (Value& item : interpreter.iterate(args[0], args.span(0))) {
    out.push_back(make_tuple({Value(i++), std::move(item)}));
  }
  return make_list(std::move(out));
}

Value python_sorted(Interpreter& interpreter, const Arguments& args) {
  Values items = interpreter.iterate(args[0], args.span(0));
  std::vector<std::pair<Value, Value>> keyed;
  for (Value& item : items) {
    Value key = args.has(1) ? interpreter.call(args[1], Values{item}, args.span(1)) : item;
    keyed.emplace_back(std::move(key), std::move(item));
  }
  interpreter.spend(static_cast<std::int64_t>(keyed.size()) * 16, args.span());
  const bool reverse = args.boolean_or(2, false);
  bool ordered = true;
  const auto before = [&](const auto& a, const auto& b) {
    const auto relation = compare_order(a.first, b.first);
    if (!relation) ordered = false;
    return relation && (reverse ? *relation == 1 : *relation == -1);
  };
  // A strict weak order whatever the values: NaN and unordered pairs compare as equal.
  std::stable_sort(keyed.begin(), keyed.end(), before);
  if (!ordered) fail(args.span(), "these values have no order");
  Values out;
  for (auto& [key, item] : keyed) out.push_back(std::move(item));
  return make_list(std::move(out));
}

/// The number behind an object that is one (a tensor of one element), else the value itself.
Value as_number(Interpreter& interpreter, const Arguments& args) {
  const Object* object = args[0].object();
  if (object == nullptr || object->type->number == nullptr) return args[0];
  return object->type->number(interpreter, args[0], args.span(0));
}

Value python_int(Interpreter& interpreter, const Arguments& args) {
  const Value value = as_number(interpreter, args);
  if (const auto i = value.integer()) return *i;
  if (const auto* d = value.as<double>()) {
    if (!(std::fabs(*d) < 9.2e18)) fail(args.span(0), "{} does not fit an int", float_text(*d));
    return static_cast<std::int64_t>(*d);
  }
  if (const std::string* text = value.text()) {
    const int base = static_cast<int>(args.integer_or(1, 10));
    if (base != 0 && (base < 2 || base > 36)) fail(args.span(1), "int() base must be 0 or 2 … 36");
    std::string cleaned;
    for (const char c : *text) {
      if (c != '_' && c != ' ') cleaned += c;
    }
    try {
      std::size_t used = 0;
      const long long parsed = std::stoll(cleaned, &used, base);
      if (used == cleaned.size()) return static_cast<std::int64_t>(parsed);
    } catch (const std::exception&) {
      // Not a number: reported below.
    }
    fail(args.span(0), "int() cannot read {}", quote(*text));
  }
  if (is_ir(value))
    return cast_expr(interpreter.expr(value, args.span(0)), ir::kInt32, args.span());
  args.wrong(0, "a number or a str");
}

Value python_float(Interpreter& interpreter, const Arguments& args) {
  const Value value = as_number(interpreter, args);
  if (const auto number = value.number()) return *number;
  if (const std::string* text = value.text()) {
    try {
      std::size_t used = 0;
      const double parsed = std::stod(*text, &used);
      if (used == text->size()) return parsed;
    } catch (const std::exception&) {
      // Not a number: reported below.
    }
    fail(args.span(0), "float() cannot read {}", quote(*text));
  }
  if (is_ir(value)) {
    return cast_expr(interpreter.expr(value, args.span(0)), {num::DType::f32, 1}, args.span());
  }
  args.wrong(0, "a number or a str");
}

Value python_bool(Interpreter& interpreter, const Arguments& args) {
  if (!args.given(0)) return false;
  if (is_ir(args[0])) return condition_expr(args.expr(0), args.span());
  return interpreter.truth(args[0], args.span(0));
}

Value python_str(Interpreter& interpreter, const Arguments& args) {
  return args.given(0) ? interpreter.to_text(args[0], args.span(0)) : std::string();
}

Value python_repr(Interpreter& interpreter, const Arguments& args) {
  std::string out = repr(args[0]);
  if (out.find('?') != std::string::npos) {
    report_uninitialised_in(interpreter, args[0], args.span(0));
  }
  interpreter.spend(static_cast<std::int64_t>(out.size() / 16), args.span());
  if (out.size() > (std::size_t{1} << 24)) fail(args.span(), "this string would be too long");
  return out;
}

Value python_tuple(Interpreter& interpreter, const Arguments& args) {
  return make_tuple(args.given(0) ? interpreter.iterate(args[0], args.span(0)) : Values{});
}

Value python_list(Interpreter& interpreter, const Arguments& args) {
  return make_list(args.given(0) ? interpreter.iterate(args[0], args.span(0)) : Values{});
}

Value python_dict(Interpreter& interpreter, const Arguments& args) {
  auto dict = std::make_shared<Dict>();
  if (const auto* other = args[0].as<Dict>()) {
    for (const auto& [key, value] : other->items) dict->set(key, value);
  } else if (args.has(0)) {
    for (const Value& pair : interpreter.iterate(args[0], args.span(0))) {
      const Values items = interpreter.iterate(pair, args.span(0));
      if (items.size() != 2 || !hash(items[0])) fail(args.span(0), "dict() needs pairs");
      dict->set(items[0], items[1]);
    }
  }
  for (const auto& [name, value] : args.named_rest()) dict->set(Value(name), value.value);
  return dict;
}

Value python_slice(Interpreter&, const Arguments& args) {
  if (!args.given(1)) return std::make_shared<SliceValue>(Value(), args[0], Value());
  return std::make_shared<SliceValue>(args[0], args[1], args[2]);
}

bool is_instance(Interpreter& interpreter, const Value& value, const Value& type, Span span) {
  if (const Values* any = sequence(type)) {
    return std::any_of(any->begin(), any->end(), [&](const Value& one) {
      return is_instance(interpreter, value, one, span);
    });
  }
  if (const auto* builtin = type.as<Builtin>()) {
    const std::string& name = builtin->name;
    if (name == "int") return value.is<std::int64_t>() || value.is<bool>();
    return kind_name(value) == name;
  }
  if (const auto* cls = type.as<Class>()) {
    const auto* instance = value.as<Instance>();
    if (instance == nullptr) return false;
    std::vector<const Class*> pending{instance->of.get()};
    while (!pending.empty()) {
      const Class* current = pending.back();
      pending.pop_back();
      if (current == cls) return true;
      for (const auto& base : current->bases) pending.push_back(base.get());
    }
    return false;
  }
  fail(span, "isinstance() needs a class, not {}", kind_name(type));
}

Value python_isinstance(Interpreter& interpreter, const Arguments& args) {
  return is_instance(interpreter, args[0], args[1], args.span(1));
}

Value quantified(Interpreter& interpreter, const Arguments& args, bool all) {
  ir::Expr built;
  for (const Value& item : interpreter.iterate(args[0], args.span(0))) {
    if (is_ir(item)) {
      const ir::Expr one = condition_expr(interpreter.expr(item, args.span(0)), args.span(0));
      built = !built ? one
              : all  ? and_expr(built, one, args.span())
                     : or_expr(built, one, args.span());
    } else if (interpreter.truth(item, args.span(0)) != all) {
      return !all;
    }
  }
  return built ? Value(built) : Value(all);
}

Value python_any(Interpreter& interpreter, const Arguments& args) {
  return quantified(interpreter, args, false);
}

Value python_all(Interpreter& interpreter, const Arguments& args) {
  return quantified(interpreter, args, true);
}

Value python_reversed(Interpreter& interpreter, const Arguments& args) {
  Values items = interpreter.iterate(args[0], args.span(0));
  std::reverse(items.begin(), items.end());
  return make_list(std::move(items));
}

Value python_map(Interpreter& interpreter, const Arguments& args) {
  std::vector<Values> columns;
  std::size_t size = SIZE_MAX;
  for (const ArgumentValue& item : args.rest()) {
    columns.push_back(interpreter.iterate(item.value, item.span));
    size = std::min(size, columns.back().size());
  }
  if (columns.empty()) fail(args.span(), "map() needs something to iterate over");
  Values out;
  for (std::size_t i = 0; i < size; ++i) {
    Values row;
    for (const Values& column : columns) row.push_back(column[i]);
    out.push_back(interpreter.call(args[0], std::move(row), args.span()));
  }
  return make_list(std::move(out));
}

Value python_filter(Interpreter& interpreter, const Arguments& args) {
  Values out;
  for (Value& item : interpreter.iterate(args[1], args.span(1))) {
    const Value keep =
        args[0].is_none() ? item : interpreter.call(args[0], Values{item}, args.span());
    if (interpreter.truth(keep, args.span())) out.push_back(std::move(item));
  }
  return make_list(std::move(out));
}

Value python_divmod(Interpreter& interpreter, const Arguments& args) {
  return make_tuple({interpreter.binary(ast::BinaryOp::floor_divide, args[0], args[1], args.span()),
                     interpreter.binary(ast::BinaryOp::modulo, args[0], args[1], args.span())});
}

Value python_round(Interpreter&, const Arguments& args) {
  const auto number = args[0].number();
  if (!number) args.wrong(0, "a number");
  if (args[0].integer() && !args.has(1)) return *args[0].integer();
  if (!args.has(1)) {
    const double rounded = std::nearbyint(*number);
    if (!(std::fabs(rounded) < 9.2e18)) fail(args.span(0), "{} does not fit an int", *number);
    return static_cast<std::int64_t>(rounded);
  }
  const std::int64_t digits = args.integer(1);
  if (digits < -300 || digits > 300) return *number;
  // Through the decimal text, as Python does.
  if (digits >= 0) return std::stod(fmt::format("{:.{}f}", *number, digits));
  const double scale = std::pow(10.0, static_cast<double>(-digits));
  return std::nearbyint(*number / scale) * scale;
}

Value python_getattr(Interpreter& interpreter, const Arguments& args) {
  if (args.given(2) && !interpreter.has_attribute(args[0], args.text(1), args.span(1))) {
    return args[2];
  }
  return interpreter.attribute(args[0], args.text(1), args.span(1));
}

Value python_hasattr(Interpreter& interpreter, const Arguments& args) {
  return interpreter.has_attribute(args[0], args.text(1), args.span(1));
}

Value python_setattr(Interpreter& interpreter, const Arguments& args) {
  interpreter.set_attribute(args[0], args.text(1), args[2], args.span(1));
  return {};
}

Value python_pow(Interpreter& interpreter, const Arguments& args) {
  return interpreter.binary(ast::BinaryOp::power, args[0], args[1], args.span());
}

Value python_type(Interpreter&, const Arguments& args) {
  if (const auto* instance = args[0].as<Instance>()) return instance->of;
  return kind_name(args[0]);
}

Value python_callable(Interpreter&, const Arguments& args) {
  const Object* object = args[0].object();
  return args[0].is<Function>() || args[0].is<Class>() ||
         (object != nullptr && object->type->call != nullptr);
}

Value python_hex(Interpreter&, const Arguments& args) {
  const std::int64_t value = args.integer(0);
  return value < 0 ? fmt::format("-0x{:x}", 0 - static_cast<std::uint64_t>(value))
                   : fmt::format("0x{:x}", value);
}

Value python_bin(Interpreter&, const Arguments& args) {
  const std::int64_t value = args.integer(0);
  return value < 0 ? fmt::format("-0b{:b}", 0 - static_cast<std::uint64_t>(value))
                   : fmt::format("0b{:b}", value);
}

Value python_ord(Interpreter&, const Arguments& args) {
  const std::string& text = args.text(0);
  if (text.size() != 1) args.wrong(0, "one ASCII character");
  return static_cast<std::int64_t>(static_cast<unsigned char>(text[0]));
}

Value python_chr(Interpreter&, const Arguments& args) {
  const std::int64_t code = args.integer(0);
  if (code < 0 || code > 127) args.wrong(0, "an ASCII code");
  return std::string(1, static_cast<char>(code));
}

Value python_property(Interpreter&, const Arguments& args) {
  return std::make_shared<Descriptor>(args[0], true);
}

Value python_staticmethod(Interpreter&, const Arguments& args) {
  return std::make_shared<Descriptor>(args[0], false);
}

constexpr auto kPythonFunctions = std::to_array<BuiltinFunction>({
    {"print", "*values, sep=' ', end='\\n', file=, flush=", python_print, "Prints values."},
    {"len", "value, /", python_len, "How many elements."},
    {"range", "start, stop=, step=1, /", python_range, "Integers; a loop in a kernel."},
    {"min", "*values, key=None, default=", python_min, "The smallest."},
    {"max", "*values, key=None, default=", python_max, "The largest."},
    {"abs", "value, /", python_abs, "The magnitude."},
    {"sum", "values, start=0", python_sum, "The sum."},
    {"zip", "*values", python_zip, "Tuples of corresponding elements."},
    {"enumerate", "values, start=0", python_enumerate, "Pairs of index and element."},
    {"sorted", "values, *, key=None, reverse=False", python_sorted, "A sorted list."},
    {"int", "value, base=10, /", python_int, "An integer."},
    {"float", "value, /", python_float, "A float."},
    {"bool", "value=, /", python_bool, "A truth value."},
    {"str", "value=, /", python_str, "Text."},
    {"repr", "value, /", python_repr, "Text as in a script."},
    {"tuple", "values=, /", python_tuple, "A tuple."},
    {"list", "values=, /", python_list, "A list."},
    {"dict", "values=None, /, **items", python_dict, "A dict."},
    {"slice", "start, stop=, step=None, /", python_slice, "A slice."},
    {"isinstance", "value, type, /", python_isinstance, "Whether a value is of a class."},
    {"any", "values, /", python_any, "Whether one is true."},
    {"all", "values, /", python_all, "Whether all are true."},
    {"reversed", "values, /", python_reversed, "In the opposite order."},
    {"map", "function, *values", python_map, "The function of each element."},
    {"filter", "function, values, /", python_filter, "The elements where it is true."},
    {"divmod", "a, b, /", python_divmod, "Quotient and remainder."},
    {"round", "value, digits=None", python_round, "Rounded half to even."},
    {"getattr", "object, name, default=, /", python_getattr, "An attribute by name."},
    {"hasattr", "object, name, /", python_hasattr, "Whether there is such an attribute."},
    {"setattr", "object, name, value, /", python_setattr, "Sets an attribute by name."},
    {"pow", "base, exponent, /", python_pow, "A power."},
    {"type", "value, /", python_type, "The class, or the name of the kind."},
    {"callable", "value, /", python_callable, "Whether it can be called."},
    {"property", "function, /", python_property, "A method called on access."},
    {"staticmethod", "function, /", python_staticmethod, "A method without self."},
    {"hex", "value, /", python_hex, "Hexadecimal text."},
    {"bin", "value, /", python_bin, "Binary text."},
    {"ord", "character, /", python_ord, "The code of a character."},
    {"chr", "code, /", python_chr, "The character of a code."},
});

}  // namespace

void register_python(Registry& registry) {
  registry.add("", kPythonFunctions);
  // Exceptions exist to be raised: `raise ValueError("…")` ends the script with that text.
  for (const std::string_view name :
       {"Exception", "ValueError", "TypeError", "RuntimeError", "AssertionError", "KeyError",
        "IndexError", "NotImplementedError"}) {
    auto type = std::make_shared<Class>();
    type->name = std::string(name);
    registry.add("", name, type);
  }
}

}  // namespace tirx::dsl
