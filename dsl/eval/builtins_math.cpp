// Python's math module, on meta numbers.  These are host computations (a scale, a tile count); what
// a kernel computes comes from T.exp, T.sqrt, … .
#include <array>
#include <cmath>
#include <numeric>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/meta_arithmetic.hpp"

namespace tirx::dsl {

namespace {

template <double (*function)(double)>
Value real(Interpreter&, const Arguments& args) {
  const double result = function(args.number(0));
  if (std::isnan(result) && !std::isnan(args.number(0))) {
    fail(args.span(0), "{}({}) is not defined", args.function(), float_text(args.number(0)));
  }
  return result;
}

Value to_integer(const Arguments& args, double value) {
  if (!(std::fabs(value) < 9.2e18)) fail(args.span(0), "the result does not fit an int");
  return static_cast<std::int64_t>(value);
}

Value math_floor(Interpreter&, const Arguments& args) {
  if (const auto i = args[0].integer()) return *i;
  return to_integer(args, std::floor(args.number(0)));
}

Value math_ceil(Interpreter&, const Arguments& args) {
  if (const auto i = args[0].integer()) return *i;
  return to_integer(args, std::ceil(args.number(0)));
}

Value math_trunc(Interpreter&, const Arguments& args) {
  if (const auto i = args[0].integer()) return *i;
  return to_integer(args, std::trunc(args.number(0)));
}

Value math_log(Interpreter&, const Arguments& args) {
  const double value = args.number(0);
  if (value <= 0) fail(args.span(0), "math.log({}) is not defined", float_text(value));
  return args.has(1) ? std::log(value) / std::log(args.number(1)) : std::log(value);
}

Value math_pow(Interpreter& interpreter, const Arguments& args) {
  return interpreter.binary(ast::BinaryOp::power, Value(args.number(0)), Value(args.number(1)),
                            args.span());
}

Value math_gcd(Interpreter&, const Arguments& args) {
  std::uint64_t result = 0;
  for (const ArgumentValue& item : args.rest()) {
    const auto number = item.value.integer();
    if (!number) fail(item.span, "math.gcd() needs ints");
    const auto magnitude =
        *number < 0 ? 0 - static_cast<std::uint64_t>(*number) : static_cast<std::uint64_t>(*number);
    result = std::gcd(result, magnitude);
  }
  return static_cast<std::int64_t>(result & static_cast<std::uint64_t>(INT64_MAX));
}

Value math_lcm(Interpreter& interpreter, const Arguments& args) {
  Value result = 1;
  for (const ArgumentValue& item : args.rest()) {
    const auto number = item.value.integer();
    if (!number) fail(item.span, "math.lcm() needs ints");
    if (*number == 0) return 0;
    const std::int64_t divisor = std::gcd(*result.integer(), *number);
    result = interpreter.binary(ast::BinaryOp::multiply, result, Value(std::abs(*number / divisor)),
                                args.span());
  }
  return result;
}

Value math_prod(Interpreter& interpreter, const Arguments& args) {
  Value result = args.given(1) ? args[1] : Value(1);
  for (const Value& item : interpreter.iterate(args[0], args.span(0))) {
    result = interpreter.binary(ast::BinaryOp::multiply, result, item, args.span());
  }
  return result;
}

Value math_isnan(Interpreter&, const Arguments& args) {
  return std::isnan(args.number(0));
}

Value math_isinf(Interpreter&, const Arguments& args) {
  return std::isinf(args.number(0));
}

Value math_isqrt(Interpreter&, const Arguments& args) {
  const std::int64_t value = args.integer(0);
  if (value < 0) fail(args.span(0), "math.isqrt() of a negative number");
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
  while (root > 0 && root > value / root) --root;
  while (root + 1 <= value / (root + 1)) ++root;
  return root;
}

constexpr auto kMathFunctions = std::to_array<BuiltinFunction>({
    {"sqrt", "x, /", real<std::sqrt>, "Square root."},
    {"exp", "x, /", real<std::exp>, "e**x."},
    {"exp2", "x, /", real<std::exp2>, "2**x."},
    {"log", "x, base=, /", math_log, "Natural logarithm."},
    {"log2", "x, /", real<std::log2>, "Logarithm to base 2."},
    {"log10", "x, /", real<std::log10>, "Logarithm to base 10."},
    {"sin", "x, /", real<std::sin>, "Sine."},
    {"cos", "x, /", real<std::cos>, "Cosine."},
    {"tan", "x, /", real<std::tan>, "Tangent."},
    {"tanh", "x, /", real<std::tanh>, "Hyperbolic tangent."},
    {"fabs", "x, /", real<std::fabs>, "Magnitude."},
    {"floor", "x, /", math_floor, "The largest int not above."},
    {"ceil", "x, /", math_ceil, "The smallest int not below."},
    {"trunc", "x, /", math_trunc, "Toward zero."},
    {"pow", "x, y, /", math_pow, "A power."},
    {"gcd", "*values", math_gcd, "The greatest common divisor."},
    {"lcm", "*values", math_lcm, "The least common multiple."},
    {"prod", "values, start=", math_prod, "The product."},
    {"isnan", "x, /", math_isnan, "Whether it is NaN."},
    {"isinf", "x, /", math_isinf, "Whether it is infinite."},
    {"isqrt", "n, /", math_isqrt, "The integer square root."},
});

}  // namespace

void register_math(Registry& registry) {
  registry.add("math", kMathFunctions);
  registry.add("math", "pi", 3.141592653589793);
  registry.add("math", "e", 2.718281828459045);
  registry.add("math", "inf", HUGE_VAL);
  registry.add("math", "nan", std::nan(""));
}

}  // namespace tirx::dsl
