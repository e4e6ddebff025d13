#include "fuzz/generate/expression.hpp"

#include <array>

#include "numerics/lanes.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;
using num::ScalarOp;

constexpr auto kArithmetic =
    std::to_array<DType>({DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16,
                          DType::u32, DType::u64, DType::f16, DType::bf16, DType::f32, DType::f64});
constexpr auto kStorage = std::to_array<DType>({DType::e4m3, DType::e5m2});

/// An operation with the type of its operands.
struct Choice {
  ScalarOp op;
  DType operand;
};

/// Which operations give a result of this type?  Those whose tables exist, only.
const std::vector<Choice>& choices(DType result) {
  static const std::vector<std::vector<Choice>> kAll = [] {
    std::vector<std::vector<Choice>> all(static_cast<std::size_t>(DType::handle) + 1);
    const auto add = [&](const num::ScalarOpRow& row, DType operand) {
      if (!num::is_legal(row.op, operand)) return;
      if (num::find_lane_function(row.op, operand) == nullptr) return;
      all[static_cast<std::size_t>(num::result_dtype(row.op, operand))].push_back(
          {row.op, operand});
    };
    for (const num::ScalarOpRow& row : num::scalar_op_rows()) {
      for (const DType operand : kArithmetic) add(row, operand);
      add(row, DType::boolean);
    }
    return all;
  }();
  return kAll[static_cast<std::size_t>(result)];
}

std::string_view infix(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
      return "+";
    case ScalarOp::sub:
      return "-";
    case ScalarOp::mul:
      return "*";
    case ScalarOp::div:
      return "/";
    case ScalarOp::floordiv:
      return "//";
    case ScalarOp::floormod:
      return "%";
    case ScalarOp::eq:
      return "==";
    case ScalarOp::ne:
      return "!=";
    case ScalarOp::lt:
      return "<";
    case ScalarOp::le:
      return "<=";
    case ScalarOp::gt:
      return ">";
    case ScalarOp::ge:
      return ">=";
    case ScalarOp::bit_and:
      return "&";
    case ScalarOp::bit_or:
      return "|";
    case ScalarOp::bit_xor:
      return "^";
    case ScalarOp::shl:
      return "<<";
    case ScalarOp::shr:
      return ">>";
    default:
      return "";
  }
}

bool divides(ScalarOp op) {
  return op == ScalarOp::floordiv || op == ScalarOp::floormod || op == ScalarOp::truncdiv ||
         op == ScalarOp::truncmod;
}

std::string nonzero(Draft& draft, DType dtype, int depth) {
  if (draft.dice.chance(40))
    return fmt::format("({} | T.{}(1))", expression(draft, dtype, depth), type_name(dtype));
  const int value = draft.dice.between(1, 11);
  const bool negative = num::is_signed(dtype) && draft.dice.chance(30);
  return fmt::format("T.{}({})", type_name(dtype), negative ? -value : value);
}

std::string operation(Draft& draft, const Choice& choice, int depth) {
  const num::ScalarOpRow& row = num::row(choice.op);
  draft.mark(fmt::format("op {} {}", row.name, type_name(choice.operand)));
  std::vector<std::string> args;
  for (int i = 0; i < row.arity; ++i) args.push_back(expression(draft, choice.operand, depth - 1));
  if (divides(choice.op)) args[1] = nonzero(draft, choice.operand, depth - 1);
  if (choice.op == ScalarOp::copysign) {
    // The sign of a NaN is not promised.
    const std::string value = expression(draft, choice.operand, 0);
    args[1] = fmt::format("T.Select(T.isnan({}), T.{}(-1.0), {})", value, type_name(choice.operand),
                          value);
  }
  if (choice.op == ScalarOp::logical_not) return fmt::format("(not {})", args[0]);
  if (choice.op == ScalarOp::bit_not && draft.dice.chance(50)) return fmt::format("(~{})", args[0]);
  if (choice.op == ScalarOp::neg && draft.dice.chance(50)) return fmt::format("(-{})", args[0]);
  if (const std::string_view symbol = infix(choice.op); !symbol.empty() && draft.dice.chance(85))
    return fmt::format("({} {} {})", args[0], symbol, args[1]);
  std::string text = fmt::format("T.{}(", row.name);
  for (std::size_t i = 0; i < args.size(); ++i) text += (i == 0 ? "" : ", ") + args[i];
  return text + ")";
}

/// A conversion into the type; floats also through a type that is only stored.
std::string conversion(Draft& draft, DType dtype, int depth) {
  const DType from = draft.dice.chance(12) ? DType::boolean : draft.dice.pick(kArithmetic);
  if (dtype != DType::boolean && draft.dice.chance(25)) {
    const DType through = draft.dice.pick(kStorage);
    const DType source = draft.dice.chance(70) ? DType::f32 : from;
    draft.mark(fmt::format("cast {} {}", type_name(source), type_name(through)));
    draft.mark(fmt::format("cast {} {}", type_name(through), type_name(dtype)));
    return fmt::format("T.cast(T.cast({}, \"{}\"), \"{}\")", expression(draft, source, depth - 1),
                       type_name(through), type_name(dtype));
  }
  draft.mark(fmt::format("cast {} {}", type_name(from), type_name(dtype)));
  return fmt::format("T.cast({}, \"{}\")", expression(draft, from, depth - 1), type_name(dtype));
}

/// The bits of another type; out of floats only where they are no NaN, whose bits are not promised.
std::string reinterpretation(Draft& draft, DType dtype, int depth) {
  std::vector<DType> from;
  for (const DType other : kArithmetic) {
    if (other != dtype && num::bits(other) == num::bits(dtype)) from.push_back(other);
  }
  if (from.empty() || dtype == DType::boolean) return conversion(draft, dtype, depth);
  const DType other = draft.dice.pick(from);
  draft.mark(fmt::format("reinterpret {} {}", type_name(other), type_name(dtype)));
  std::string value = expression(draft, other, depth - 1);
  if (num::is_float(other) && !num::is_float(dtype)) {
    const std::string plain = expression(draft, other, 0);
    value = fmt::format("T.Select(T.isnan({0}), T.{1}(1.5), {0})", plain, type_name(other));
  }
  return fmt::format("T.reinterpret(\"{}\", {})", type_name(dtype), value);
}

std::string choice_between(Draft& draft, DType dtype, int depth) {
  const std::string c = condition(draft, depth - 1);
  const std::string a = expression(draft, dtype, depth - 1);
  const std::string b = expression(draft, dtype, depth - 1);
  switch (draft.dice.below(3)) {
    case 0:
      draft.mark("select " + type_name(dtype));
      return fmt::format("T.Select({}, {}, {})", c, a, b);
    case 1:
      draft.mark("if_then_else " + type_name(dtype));
      return fmt::format("T.if_then_else({}, {}, {})", c, a, b);
    default:
      draft.mark("if_then_else " + type_name(dtype));
      return fmt::format("({} if {} else {})", a, c, b);
  }
}

std::string leaf(Draft& draft, DType dtype) {
  std::vector<const Name*> named;
  for (const Name& name : draft.values) {
    if (name.dtype == dtype) named.push_back(&name);
  }
  const int roll = draft.dice.below(100);
  if (roll < 45 && !named.empty()) return draft.dice.pick(named)->text;
  if (roll < 60) {
    std::vector<const LocalArray*> arrays;
    for (const LocalArray& array : draft.arrays) {
      if (array.dtype == dtype) arrays.push_back(&array);
    }
    if (!arrays.empty()) {
      const LocalArray& array = *draft.dice.pick(arrays);
      draft.mark("local array");
      return fmt::format("{}[{}]", array.text, index(draft, array.size));
    }
  }
  if (dtype == DType::boolean)
    return fmt::format("({} {} {})", index(draft, 64),
                       draft.dice.one_of<const char*>({"<", "<=", ">", ">=", "==", "!="}),
                       draft.dice.below(64));
  if (roll < 80) {
    for (const DType type : draft.types) {
      if (type == dtype)
        return fmt::format("{}[{}]", draft.input(dtype), index(draft, Draft::kInputs));
    }
  }
  if (roll < 90) return fmt::format("T.cast({}, \"{}\")", index(draft, 100), type_name(dtype));
  return literal(draft, dtype);
}

}  // namespace

std::span<const DType> arithmetic_types() {
  return kArithmetic;
}

std::span<const DType> storage_types() {
  return kStorage;
}

std::string literal(Draft& draft, DType dtype) {
  if (num::is_float(dtype)) {
    static constexpr auto kValues = std::to_array<const char*>(
        {"0.0", "-0.0", "1.0", "-1.0", "0.5", "1.5", "-2.25", "3.0", "0.1", "-7.75", "100.0",
         "65504.0", "1e-7", "6e-8", "-1e30", "1e30", "3.3895e38"});
    // Literals beyond float16's range become infinity: that is allowed, but says little.
    const std::size_t count = dtype == DType::f16 ? kValues.size() - 3 : kValues.size();
    return fmt::format(
        "T.{}({})", type_name(dtype),
        kValues[static_cast<std::size_t>(draft.dice.below(static_cast<int>(count)))]);
  }
  const int width = num::bits(dtype) - (num::is_signed(dtype) || num::bits(dtype) == 64 ? 1 : 0);
  const auto top = (std::uint64_t{1} << static_cast<unsigned>(width)) - 1;
  std::uint64_t magnitude = static_cast<std::uint64_t>(draft.dice.below(12));
  if (draft.dice.chance(30)) magnitude = top - static_cast<std::uint64_t>(draft.dice.below(3));
  if (draft.dice.chance(20))
    magnitude = std::uint64_t{1} << static_cast<unsigned>(draft.dice.below(width));
  const bool negative = num::is_signed(dtype) && draft.dice.chance(35);
  return fmt::format("T.{}({}{})", type_name(dtype), negative ? "-" : "", magnitude);
}

std::string index(Draft& draft, int size) {
  std::vector<std::string> parts = {"tx", "lane", "bx", "warp"};
  for (const Name& name : draft.values) {
    if (name.dtype != DType::i32) continue;
    // Loop variables are small; anything else is cut down first, so that no index overflows.
    if (name.text[0] != 'i' && name.text[0] != 'v' && name.text[0] != 'm' && name.text[0] != 'w')
      continue;
    parts.push_back(name.text[0] == 'i' ? name.text : fmt::format("({} & 63)", name.text));
  }
  const auto part = [&] {
    const std::string& name = draft.dice.pick(parts);
    switch (draft.dice.below(4)) {
      case 0:
        return fmt::format("{} * {}", name, draft.dice.between(2, 7));
      case 1:
        return fmt::format("{} + {}", name, draft.dice.below(9));
      case 2:
        return fmt::format("{} + {}", name, draft.dice.pick(parts));
      default:
        return name;
    }
  };
  if (draft.dice.chance(12)) return fmt::format("{}", draft.dice.below(size));
  return fmt::format("(({}) % {})", part(), size);
}

std::string uniform_count(Draft& draft, int limit) {
  if (draft.ctas > 1 && draft.dice.chance(30)) return fmt::format("(bx % {} + 1)", limit);
  return fmt::format("{}", draft.dice.between(1, limit));
}

std::string condition(Draft& draft, int depth) {
  if (depth > 0 && draft.dice.chance(30)) {
    draft.mark("short circuit");
    return fmt::format("({} {} {})", condition(draft, depth - 1),
                       draft.dice.one_of<const char*>({"and", "or"}), condition(draft, depth - 1));
  }
  return expression(draft, DType::boolean, depth > 0 ? depth - 1 : 0);
}

std::string expression(Draft& draft, DType dtype, int depth) {
  if (depth <= 0 || draft.dice.chance(15)) return leaf(draft, dtype);
  const int roll = draft.dice.below(100);
  if (roll < 10 && dtype != DType::boolean) return choice_between(draft, dtype, depth);
  if (roll < 28) return conversion(draft, dtype, depth);
  if (roll < 32) return reinterpretation(draft, dtype, depth);
  const std::vector<Choice>& list = choices(dtype);
  if (list.empty()) return leaf(draft, dtype);
  return operation(draft, draft.dice.pick(list), depth);
}

}  // namespace tirx::fuzz
