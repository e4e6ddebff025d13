// T.exp, T.min, T.shift_left, …: every row of numerics' table of scalar operations, under the
// language's names; and the choices between values.
#include <array>
#include <vector>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/meta_arithmetic.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using num::ScalarOp;

struct ScalarName {
  std::string_view name;
  ScalarOp op;
};

/// Names that differ from the table's.
constexpr auto kScalarNames = std::to_array<ScalarName>({
    {"bitwise_and", ScalarOp::bit_and},
    {"bitwise_or", ScalarOp::bit_or},
    {"bitwise_xor", ScalarOp::bit_xor},
    {"bitwise_not", ScalarOp::bit_not},
    {"shift_left", ScalarOp::shl},
    {"shift_right", ScalarOp::shr},
    {"popcount", ScalarOp::popc},
    {"power", ScalarOp::pow},
    {"fabs", ScalarOp::abs},
    {"nearbyint", ScalarOp::rint},
    {"indexdiv", ScalarOp::floordiv},
    {"indexmod", ScalarOp::floormod},
    {"Add", ScalarOp::add},
    {"Sub", ScalarOp::sub},
    {"Mul", ScalarOp::mul},
    {"Div", ScalarOp::div},
    {"Mod", ScalarOp::truncmod},
    {"FloorDiv", ScalarOp::floordiv},
    {"FloorMod", ScalarOp::floormod},
    {"Min", ScalarOp::min},
    {"Max", ScalarOp::max},
});

std::optional<ScalarOp> op_of(std::string_view name) {
  for (const ScalarName& row : kScalarNames) {
    if (row.name == name) return row.op;
  }
  return num::find_scalar_op(name);
}

/// Integer operations on meta ints stay meta: T.min(3, 4) is 3.
std::optional<Value> meta_result(ScalarOp op, const Arguments& args) {
  std::array<num::Bits, 3> bits{};
  const std::size_t count = args.rest().size();
  for (std::size_t i = 0; i < count && i < 3; ++i) {
    const auto number = args.rest()[i].value.integer();
    if (!number || args.rest()[i].value.is<bool>()) return std::nullopt;
    bits[i] = num::from_int64(*number, num::DType::i64);
  }
  if (!num::is_legal(op, num::DType::i64) ||
      num::declared_row(op).result != num::ResultRule::same) {
    return std::nullopt;
  }
  const auto result = num::evaluate_checked(op, num::DType::i64, bits[0], bits[1]);
  if (!result) return std::nullopt;
  return num::to_int64(*result, num::DType::i64);
}

Value scalar_function(Interpreter& interpreter, const Arguments& args) {
  const std::string_view name = std::string_view(args.function()).substr(2);  // after "T."
  const ScalarOp op = *op_of(name);
  const num::ScalarOpRow& row = num::declared_row(op);
  if (args.rest().size() != static_cast<std::size_t>(row.arity)) {
    fail(args.span(), "{}() takes {} argument{}, not {}", args.function(), row.arity,
         row.arity == 1 ? "" : "s", args.rest().size());
  }
  if (auto meta = meta_result(op, args)) return *meta;
  std::vector<Operand> operands;
  for (const ArgumentValue& item : args.rest()) {
    operands.push_back({interpreter.expr(item.value, item.span), !is_ir(item.value), item.span});
  }
  // A literal beside a value takes its type: T.max(x, 0.0) of a float16 stays float16.
  const Operand* typed = nullptr;
  for (const Operand& operand : operands) {
    if (!operand.literal) typed = &operand;
  }
  if (typed != nullptr && num::is_float(typed->expr->type.dtype)) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].literal) continue;
      operands[i].expr =
          literal_as(args.rest()[i].value, typed->expr->type.element(), operands[i].span);
    }
  }
  return promoted_expr(op, std::move(operands), args.span());
}

/// One row per name; made once, never changed.
const std::vector<BuiltinFunction>& scalar_functions() {
  static const std::vector<BuiltinFunction> kRows = [] {
    std::vector<BuiltinFunction> rows;
    for (int op = 0; op < num::kScalarOpCount; ++op) {
      rows.push_back({num::name(static_cast<num::ScalarOp>(op)), "*values", scalar_function,
                      "A scalar operation."});
    }
    for (const ScalarName& row : kScalarNames) {
      // Another spelling: the operation's own name says which.
      rows.push_back({row.name, "*values", scalar_function, num::name(row.op)});
    }
    return rows;
  }();
  return kRows;
}

Operand operand_at(Interpreter& interpreter, const Arguments& args, std::size_t i) {
  return {interpreter.expr(args[i], args.span(i)), !is_ir(args[i]), args.span(i)};
}

Value choose(Interpreter& interpreter, const Arguments& args, bool lazy) {
  if (!is_ir(args[0])) return interpreter.truth(args[0], args.span(0)) ? args[1] : args[2];
  const ir::Expr condition = condition_expr(args.expr(0), args.span(0));
  Operand yes = operand_at(interpreter, args, 1);
  Operand no = operand_at(interpreter, args, 2);
  // A literal side takes the other one's type.
  if (yes.literal != no.literal) {
    Operand& literal = yes.literal ? yes : no;
    const ir::Type type = (yes.literal ? no : yes).expr->type;
    const Value& value = yes.literal ? args[1] : args[2];
    if (num::is_float(type.dtype)) literal.expr = literal_as(value, type.element(), literal.span);
  }
  return lazy ? if_then_else_expr(condition, yes, no, args.span())
              : select_expr(condition, yes, no, args.span());
}

Value select(Interpreter& interpreter, const Arguments& args) {
  return choose(interpreter, args, false);
}

Value if_then_else(Interpreter& interpreter, const Arguments& args) {
  return choose(interpreter, args, true);
}

Value likely(Interpreter&, const Arguments& args) {
  return args[0];
}

Value ceildiv(Interpreter& interpreter, const Arguments& args) {
  if (args[0].integer() && args[1].integer()) {
    const std::int64_t divisor = *args[1].integer();
    if (divisor == 0) fail(args.span(1), "division by zero");
    const Value negated = interpreter.unary(ast::UnaryOp::minus, args[0], args.span());
    return interpreter.unary(
        ast::UnaryOp::minus,
        interpreter.binary(ast::BinaryOp::floor_divide, negated, args[1], args.span()),
        args.span());
  }
  const Value less = interpreter.binary(ast::BinaryOp::subtract, args[1], Value(1), args.span());
  const Value sum = interpreter.binary(ast::BinaryOp::add, args[0], less, args.span());
  return interpreter.binary(ast::BinaryOp::floor_divide, sum, args[1], args.span());
}

template <ast::CompareOp op>
Value comparison(Interpreter& interpreter, const Arguments& args) {
  return interpreter.compare(op, args[0], args[1], args.span());
}

Value both(Interpreter&, const Arguments& args) {
  return and_expr(condition_expr(args.expr(0), args.span(0)),
                  condition_expr(args.expr(1), args.span(1)), args.span());
}

Value either(Interpreter&, const Arguments& args) {
  return or_expr(condition_expr(args.expr(0), args.span(0)),
                 condition_expr(args.expr(1), args.span(1)), args.span());
}

Value negation(Interpreter& interpreter, const Arguments& args) {
  return interpreter.unary(ast::UnaryOp::logical_not, args[0], args.span());
}

Value evaluate(Interpreter&, const Arguments& args) {
  return args[0];  // as a statement, the expression is evaluated for its effect
}

using Op = ast::CompareOp;

constexpr auto kScalarFunctions = std::to_array<BuiltinFunction>({
    {"Select", "condition, when_true, when_false", select,
     "One of two values; both are evaluated."},
    {"if_then_else", "condition, when_true, when_false", if_then_else,
     "One of two values; only that one is evaluated."},
    {"likely", "condition", likely, "The condition itself."},
    {"ceildiv", "a, b", ceildiv, "The quotient rounded up."},
    {"EQ", "a, b", comparison<Op::equal>, "a == b."},
    {"NE", "a, b", comparison<Op::not_equal>, "a != b."},
    {"LT", "a, b", comparison<Op::less>, "a < b."},
    {"LE", "a, b", comparison<Op::less_equal>, "a <= b."},
    {"GT", "a, b", comparison<Op::greater>, "a > b."},
    {"GE", "a, b", comparison<Op::greater_equal>, "a >= b."},
    {"And", "a, b", both, "a and b."},
    {"Or", "a, b", either, "a or b."},
    {"Not", "a", negation, "not a."},
    {"evaluate", "value", evaluate, "Evaluates an operation for its effect."},
});

}  // namespace

void register_scalars(Registry& registry) {
  registry.add("T", scalar_functions());
  registry.add("T", kScalarFunctions);
}

}  // namespace tirx::dsl
