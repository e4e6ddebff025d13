// Flat offsets read well and keep their value.  Oracle: evaluation over all values of the
// variables.
#include <algorithm>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "ir/divisor.hpp"
#include "ir/loop_values.hpp"
#include "ir/print.hpp"
#include "ir/simplify.hpp"
#include "tests/unit/lower/builder.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using ir::Facts;
using ir::IndexSum;

namespace {

struct Names {
  Var f = make_variable("f");
  Var lane = make_variable("lane");
  Var tid = make_variable("tid");
  Var n = make_variable("n");
  Var k = make_variable("k");
  Facts facts;

  Names() {
    facts.set(f, {{0, 7}, 1});
    facts.set(lane, {{0, 31}, 1});
    facts.set(tid, {{0, 127}, 1});
    facts.set(n, {{0, 2147483647}, 1});
    facts.set(k, {{0, 960}, 64});
  }

  std::string text(const E& e) const {
    return to_string(simplify_index(e.expr, facts), PrintLevel::thread);
  }
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/// Value of an integer expression, in unbounded arithmetic.
std::int64_t value(const Expr& e, const std::map<const Variable*, std::int64_t>& at) {
  std::int64_t literal = 0;
  if (is_const_int(e, literal)) return literal;
  if (const auto* ref = as<VarRef>(e)) return at.at(ref->var.get());
  if (const auto* cast = as<Cast>(e)) return value(cast->value, at);
  if (const auto* select = as<ir::Select>(e)) {
    return value(value(select->condition, at) != 0 ? select->when_true : select->when_false, at);
  }
  const auto& scalar = std::get<Scalar>(e->node);
  const std::int64_t a = value(scalar.args[0], at);
  if (scalar.op == num::ScalarOp::abs) return a < 0 ? -a : a;
  const std::int64_t b = value(scalar.args[1], at);
  switch (scalar.op) {
    case num::ScalarOp::add:
      return a + b;
    case num::ScalarOp::sub:
      return a - b;
    case num::ScalarOp::mul:
      return a * b;
    case num::ScalarOp::floordiv:
      return floor_div(a, b);
    case num::ScalarOp::floormod:
      return a - floor_div(a, b) * b;
    case num::ScalarOp::truncdiv:
      return a / b;
    case num::ScalarOp::truncmod:
      return a % b;
    case num::ScalarOp::min:
      return std::min(a, b);
    case num::ScalarOp::max:
      return std::max(a, b);
    case num::ScalarOp::shl:
      return a * (std::int64_t{1} << b);
    case num::ScalarOp::bit_and:
      return a & b;
    case num::ScalarOp::bit_or:
      return a | b;
    case num::ScalarOp::bit_xor:
      return a ^ b;
    default:
      FAIL("operation not expected in an index");
      return 0;
  }
}

/// `a` where the variable is odd.
E choose(const Var& var, const E& a, const E& b) {
  return make_expr(a.expr->type, {}, ir::Select{(E(var) % 2).expr, a.expr, b.expr});
}

}  // namespace

TEST_CASE("index sums read as one would write them") {
  const Names v;
  CHECK(v.text(E(v.f) * 128 + E(v.tid) * 4) == "f * 128 + tid * 4");
  CHECK(v.text((E(v.f) * 32 + v.lane) / 32) == "f");
  CHECK(v.text((E(v.f) * 32 + v.lane) % 32) == "lane");
  CHECK(v.text((E(v.f) * 128 + E(v.lane) * 4) / 32) == "f * 4 + lane // 8");
  CHECK(v.text((E(v.f) * 128 + E(v.lane) * 4) % 32) == "lane % 8 * 4");
  CHECK(v.text(E(v.f) * 1 + 0) == "f");
  CHECK(v.text(E(v.f) / 1 + E(v.lane) % 1) == "f");
  CHECK(v.text(E(v.f) + v.lane + v.f) == "f * 2 + lane");
  CHECK(v.text(E(v.f) - v.f) == "0");
  CHECK(v.text(E(v.n) - E(v.lane) - 3) == "n - lane - 3");
  CHECK(v.text(E(0) - E(v.lane) + v.n) == "n - lane");
  CHECK(v.text((E(v.f) + 1) * E(v.n)) == "f * n + n");
  CHECK(v.text(E(v.tid) / 4 / 8) == "tid // 32");
  CHECK(v.text(E(v.tid) % 64 % 16) == "tid % 16");
  CHECK(v.text((E(v.tid) * 2 + 1) / 4) == "tid // 2");
  CHECK(v.text((E(v.tid) * 2 + 1) % 4) == "tid % 2 * 2 + 1");
}

TEST_CASE("quotient and remainder join again") {
  const Names v;
  CHECK(v.text(E(v.tid) / 32 * 32 + E(v.tid) % 32) == "tid");
  CHECK(v.text(E(v.f) * 128 + E(v.tid) / 8 * 32 + E(v.tid) % 8 * 4) == "f * 128 + tid * 4");
}

TEST_CASE("known multiples divide") {
  const Names v;
  const IndexSum sum = IndexSum::of((E(v.k) * 2 + 32).expr, v.facts);
  CHECK(sum.divisor(v.facts) == 32);
  CHECK(sum.divisible_by(8, v.facts));
  CHECK_FALSE(sum.divisible_by(64, v.facts));
  CHECK(v.text(E(v.k) % 64) == "0");
}

TEST_CASE("what divides both sides divides a choice of them") {
  using num::ScalarOp;
  const Names v;
  const E before = scalar(ScalarOp::max, E(v.f) * 32 - 32, 0);
  const auto divisor = [&](const E& e) { return divisor_of(e.expr, v.facts); };
  CHECK(divisor(before) == 32);
  CHECK(divisor(scalar(ScalarOp::min, before, 960)) == 32);
  CHECK(divisor(scalar(ScalarOp::min, E(v.f) * 32, 48)) == 16);
  CHECK(divisor(choose(v.f, before, E(v.k))) == 32);
  CHECK(divisor(before / 8) == 4);
  CHECK(divisor(before / 64) == 1);
  CHECK(divisor(E(v.k) % 96) == 32);
  CHECK(divisor(scalar(ScalarOp::shl, before, 2)) == 128);
  CHECK(divisor(scalar(ScalarOp::bit_and, E(v.n), -64)) == 64);
  CHECK(divisor(scalar(ScalarOp::bit_xor, before, 48)) == 16);
  // It is cut at multiples, and its quotient is exact.
  CHECK(IndexSum::of(before.expr, v.facts).divisible_by(32, v.facts));
  CHECK(v.text(before % 32) == "0");
  CHECK(v.text((before + v.lane) / 32) == "T.max(f * 32 - 32, 0) // 32");
  // A hash wraps: 2^32 is no multiple of 3.
  CHECK(divisor(E(v.lane) * 6 % 12) == 6);
  CHECK(divisor(E(v.n) * 6 % 12) == 2);
  CHECK(divisor(E(v.lane) * 6 / 3) == 2);
  CHECK(divisor(E(v.n) * 6 / 3 % 4) == 1);
  const Var u = make_variable("u", {num::DType::u32, 1});
  // 96 * u may wrap: 2^32 is no multiple of 3.
  const E wide = E(u) * make_int(96, u->type);
  CHECK(divisor(scalar(ScalarOp::max, wide, make_int(96, u->type))) == 32);
}

TEST_CASE("unsigned arithmetic that may wrap is left alone") {
  Names v;
  const Var u = make_variable("u", {num::DType::u32, 1});
  const E one = make_int(1, u->type);
  CHECK(v.text(E(u) - one + one) == "u - T.uint32(1) + T.uint32(1)");
  v.facts.set(u, {{1, 100}, 1});
  CHECK(v.text(E(u) - one + one) == "u");
}

TEST_CASE("nothing is known of a uint64 that int64 may not hold") {
  Names v;
  const Type type{num::DType::u64, 1};
  const Var w = make_variable("w", type);
  const Expr large = make_expr(type, {}, Const{std::uint64_t{1} << 63});
  std::int64_t number = 0;
  CHECK_FALSE(is_const_int(large, number));
  CHECK(is_const_int(make_int(5, type), number));
  const E four = make_int(4, type), two = make_int(2, type);
  CHECK(v.facts.range(large) == Interval{});
  CHECK(v.facts.range((E(w) / four).expr) == Interval{});
  CHECK(v.facts.range((E(w) % four).expr) == Interval{0, 3});
  CHECK(v.text(E(w) * four / four) == "w * T.uint64(4) // T.uint64(4)");
  v.facts.set(w, {{0, 100}, 1});
  CHECK(v.facts.range((E(w) - two).expr) == Interval{});
  CHECK(v.facts.range((E(w) / four).expr) == Interval{0, 25});
  CHECK(v.text(E(w) * four / four) == "w");
}

TEST_CASE("simplification keeps the value") {
  const Names v;
  std::mt19937 random(7);
  const auto pick = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  const std::vector<Var> vars = {v.f, v.lane, v.k};
  using num::ScalarOp;
  const ScalarOp picks[] = {ScalarOp::min,    ScalarOp::max,     ScalarOp::bit_and,
                            ScalarOp::bit_or, ScalarOp::bit_xor, ScalarOp::max};
  const std::function<E(int)> grow = [&](int depth) -> E {
    if (depth == 0)
      return pick(3) == 0 ? E(pick(9) - 4) : E(vars[static_cast<std::size_t>(pick(3))]);
    const int divisors[] = {1, 2, 3, 4, 8, 12, 32};
    switch (pick(9)) {
      case 5:
      case 6:
        return scalar(picks[pick(6)], grow(depth - 1), grow(depth - 1));
      case 7:
        return choose(v.lane, grow(depth - 1), grow(depth - 1));
      case 8:
        return pick(2) == 0
                   ? scalar(ScalarOp::shl, grow(depth - 1), pick(6))
                   : E(make_expr(kInt32, {}, Scalar{ScalarOp::abs, {grow(depth - 1).expr}}));
      case 0:
        return grow(depth - 1) + grow(depth - 1);
      case 1:
        return grow(depth - 1) - grow(depth - 1);
      case 2:
        return grow(depth - 1) * (pick(2) == 0 ? E(pick(17) - 8) : grow(0));
      case 3:
        return grow(depth - 1) / divisors[pick(7)];
      default:
        return grow(depth - 1) % divisors[pick(7)];
    }
  };
  for (int round = 0; round < 2000; ++round) {
    const E original = grow(4);
    const Expr simple = simplify_index(original.expr, v.facts);
    const std::int64_t divisor = divisor_of(original.expr, v.facts);
    for (std::int64_t f = 0; f <= 7; f += 1) {
      for (std::int64_t lane = 0; lane <= 31; lane += 5) {
        const std::map<const Variable*, std::int64_t> at = {
            {v.f.get(), f}, {v.lane.get(), lane}, {v.k.get(), 64 * (15 - f)}};
        const std::int64_t before = value(original.expr, at);
        if (divisor == 0 ? before != 0 : before % divisor != 0) {
          INFO(to_string(original.expr) << " is no multiple of " << divisor);
          REQUIRE(before == 0);
        }
        const std::int64_t after = value(simple, at);
        if (before != after) {
          INFO(to_string(original.expr) << "  ->  " << to_string(simple));
          REQUIRE(before == after);
        }
      }
    }
  }
}

TEST_CASE("facts: the values of a loop's variable, by counting them") {
  for (std::int64_t begin = -4; begin <= 4; ++begin) {
    for (std::int64_t end = -6; end <= 9; ++end) {
      for (const std::int64_t step : {1, 2, 3, 7, -1, -2, -3, -7}) {
        ir::Interval seen{begin, begin};
        for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step)
          seen = unite(seen, {i, i});
        INFO(begin << " " << end << " " << step);
        CHECK(ir::loop_values({begin, begin}, {end, end}, step) == seen);
        // Of bounds that are not known exactly, whatever comes for one of them.
        const ir::Interval several = ir::loop_values({begin, begin + 1}, {end - 1, end}, step);
        for (const std::int64_t b : {begin, begin + 1}) {
          for (std::int64_t i = b; step > 0 ? i < end : i > end; i += step)
            CHECK(ir::Interval{i, i}.within(several));
        }
      }
    }
  }
}

TEST_CASE("facts: bounds at the ends of int64 do not leave it") {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  using ir::Interval;
  CHECK(ir::one_below(kMin) == kMin);
  CHECK(ir::one_above(kMax) == kMax);
  // No trip: nothing is below the smallest number, nothing above the largest.
  CHECK(ir::loop_values({0, 0}, {kMin, kMin}, 1) == Interval{0, 0});
  CHECK(ir::loop_values({0, 0}, {kMax, kMax}, -1) == Interval{0, 0});
  CHECK(ir::loop_values({kMin, kMin}, {kMax, kMax}, 1) == Interval{kMin, kMax - 1});
  // The distance of 2^64 - 2 is 2 more than a multiple of 3, and three whole steps of 2^62.
  CHECK(ir::loop_values({kMin, kMin}, {kMax, kMax}, 3) == Interval{kMin, kMax - 3});
  CHECK(ir::loop_values({kMin, kMin}, {kMax, kMax}, std::int64_t{1} << 62) ==
        Interval{kMin, std::int64_t{1} << 62});
  CHECK(ir::loop_values({kMax, kMax}, {kMin, kMin}, kMin) == Interval{-1, kMax});
  CHECK(ir::loop_values({}, {}, 5) == Interval{kMin, kMax - 1});
  CHECK(ir::loop_values({}, {}, -5) == Interval{kMin + 1, kMax});
}
