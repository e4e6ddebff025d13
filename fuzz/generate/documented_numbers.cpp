// Numbers in a kernel that says what becomes of it: operators and what is hidden from the compiler.
#include <algorithm>
#include <array>
#include <limits>

#include "fuzz/generate/documented_kernel.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();

}  // namespace

KnownKernel::Ranged KnownKernel::leaf() {
  if (!in_scope_.empty() && dice_.chance(65)) return dice_.pick(in_scope_);
  if (const int roll = dice_.below(100); roll < 18) return roll < 14 ? of_two() : of_narrow();
  const int k = dice_.between(1, 29);
  const std::int64_t mask = (std::int64_t{1} << k) - 1;
  const auto c = dice_.one_of<std::int64_t>({2, 3, 7, 8, 10, 32});
  switch (dice_.below(extremes_ ? 13 : 11)) {
    case 0:
      return {fmt::format("({} % {})", any(), c), 0, c - 1};
    case 1: {
      const int by = dice_.between(1, 9);
      return {fmt::format("({} >> {})", any(), by), kLow >> by, kHigh >> by};
    }
    case 2: {
      const int by = dice_.between(1, 9);
      return {fmt::format("({} // {})", any(), 1 << by), kLow >> by, kHigh >> by};
    }
    case 3:
      return {fmt::format("T.truncdiv({}, {})", any(), c), kLow / c, kHigh / c};
    case 4:
      return {fmt::format("T.truncmod({}, {})", any(), c), 1 - c, c - 1};
    case 5:
      return {fmt::format("T.Select(x > 0, x & {}, {})", mask, -5), -5, mask};
    case 6:
      return {"t", 0, threads_ - 1};
    case 7:
      return {fmt::format("T.popc({})", any()), 0, 64};
    case 8:
    case 9: {
      // Of a few numbers, a quotient or a part of them.
      const int d = dice_.one_of({2, 3, 4, 8});
      if (dice_.chance(50))
        return {fmt::format("(T.truncmod({}, {}) // {})", any(), c, d), -((c - 1 + d - 1) / d),
                (c - 1) / d};
      return {fmt::format("(T.truncmod({}, {}) % {})", any(), c, d), 0, d - 1};
    }
    case 11:
      return {fmt::format("T.min(T.max({}, {}), {})", any(), -mask, mask / 2), -mask, mask / 2};
    case 12:
      return {fmt::format("T.max(t, {})", 5), 5, std::max(threads_ - 1, 5)};
    default:
      return {fmt::format("({} & {})", any(), mask), 0, mask};
  }
}

KnownKernel::Ranged KnownKernel::named(Ranged value) {
  const int roll = dice_.below(4);
  if (roll > 1) return value;
  const std::string name = fresh("v");
  line("{}: {} = {}", name, roll == 0 ? "T.let" : "T.int32", value.text);
  value.text = name;
  return value;
}

/// Plain operators where nothing can leave the type, unsigned ones where something can.
void KnownKernel::arithmetic() {
  const Ranged a = named(leaf());
  const int over = dice_.below(2);
  Ranged r{"", kLow, kHigh + 1};
  switch (dice_.below(7)) {
    case 0: {
      const std::int64_t c = kHigh - std::max<std::int64_t>(a.high, over) + over;
      r = {dice_.chance(50) ? fmt::format("{} + {}", a.text, c) : fmt::format("{} + {}", c, a.text),
           a.low + c, a.high + c};
      break;
    }
    case 1: {
      const std::int64_t c = std::min(a.low - kLow + over, kHigh);
      r = {fmt::format("{} - {}", a.text, c), a.low - c, a.high - c};
      break;
    }
    case 2: {
      const std::int64_t c = std::min(kHigh + std::min<std::int64_t>(a.low, 0) + over, kHigh);
      r = {fmt::format("{} - {}", c, a.text), c - a.high, c - a.low};
      break;
    }
    case 3: {
      const std::int64_t c = kHigh / std::max<std::int64_t>({a.high, -a.low, 2}) + over;
      r = {fmt::format("{} * {}", a.text, c), a.low * c, a.high * c};
      break;
    }
    case 4: {
      const Ranged b = named(leaf());
      const bool minus = dice_.chance(50);
      r = {fmt::format("{} {} {}", a.text, minus ? '-' : '+', b.text),
           minus ? a.low - b.high : a.low + b.low, minus ? a.high - b.low : a.high + b.high};
      break;
    }
    case 5: {
      const Ranged b = named(leaf());
      const auto ends =
          std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      r = {fmt::format("{} * {}", a.text, b.text), ends.first, ends.second};
      break;
    }
    default: {
      int by = 0;
      while (by < 28 && a.high << (by + 1) <= kHigh && a.low << (by + 1) >= kLow) ++by;
      by += over;
      r = {fmt::format("{} << {}", a.text, by), a.low * (std::int64_t{1} << by),
           a.high * (std::int64_t{1} << by)};
    }
  }
  const bool fits = r.low >= kLow && r.high <= kHigh;
  line("{} = {} {}", place(), r.text,
       fits ? has_not("unsigned") + has_not("(int)(") : has("(int)("));
}

/// A division is C++'s own where it cannot tell flooring from truncating; by powers of two it
/// shifts.
void KnownKernel::quotient() {
  const Ranged a = named(leaf());
  const int k = dice_.between(1, 6);
  const auto c = dice_.one_of<std::int64_t>({3, 5, 7, 10, 100});
  const std::string to = place();
  const bool plain = a.low >= 0;
  switch (dice_.below(4)) {
    case 0:
      line("{} = {} // {} {}", to, a.text, 1 << k,
           plain ? has(fmt::format(" / {};", 1 << k)) : has(fmt::format(" >> {};", k)));
      break;
    case 1:
      line("{} = {} % {} {}", to, a.text, 1 << k,
           plain ? has(fmt::format(" % {};", 1 << k)) : has(fmt::format(" & {};", (1 << k) - 1)));
      break;
    case 2:
      line("{} = {} // {} {}", to, a.text, c,
           plain ? has(fmt::format(" / {};", c)) : has("tirx_floordiv_i32("));
      break;
    default:
      line("{} = {} % {} {}", to, a.text, c,
           plain ? has(fmt::format(" % {};", c)) : has("tirx_floormod_i32("));
  }
}

std::string KnownKernel::approximated(const std::string& value) {
  return fmt::format("T.{}({})",
                     dice_.one_of<const char*>({"sin_approx", "cos_approx", "lg2_approx",
                                                "ex2_approx", "rcp_approx", "rsqrt_approx"}),
                     value);
}

/// What comes from memory that the kernel only reads is nothing that a compiler could know.
void KnownKernel::approximation() {
  std::string data = dice_.chance(50) ? "y" : fmt::format("A[t + {}]", dice_.between(1, 99));
  for (int depth = dice_.below(3); depth > 0; --depth) {
    const char* form = dice_.one_of<const char*>(
        {"({} * T.float32(0.5))", "(-{})", "T.abs({})", "({} + T.float32(1.0))",
         "(T.float32(2.0) - {})", "T.fma({}, y, T.float32(1.0))",
         "T.cast(T.cast({}, \"float64\"), \"float32\")", "({} / T.float32(3.0))"});
    data = fmt::format(fmt::runtime(form), data);
  }
  switch (dice_.below(6)) {
    case 0: {
      const std::string v = fresh("v");
      line("{}: {} = {}", v, dice_.one_of<const char*>({"T.let", "T.float32"}), data);
      return line("{} = {} {}", float_place(), approximated(v), has_not("opaque"));
    }
    case 1:
      return line("{} = {} {}", float_place(),
                  approximated(dice_.one_of<const char*>(
                      {"T.cast(t, \"float32\")", "F[t, 0]", "T.Select(t > 3, y, T.float32(2.0))"})),
                  has("approx_f32(tirx_opaque_f32("));
    case 2:
      return line("{} = {} {}", float_place(),
                  approximated(fmt::format("T.{}({}, T.float32(2.0))",
                                           dice_.one_of<const char*>({"min", "max"}), data)),
                  has("approx_f32(tirx_opaque_f32("));
    case 3:
      return line("{} = T.tanh_approx({}) {}", float_place(),
                  dice_.one_of<const char*>({"F[t, 0]", "y"}), has_not("opaque"));
    default:
      return line("{} = {} {}", float_place(), approximated(data), has_not("opaque"));
  }
}

/// Beside minima of integers a negation is hidden, and only there.
void KnownKernel::negation() {
  const char* form = dice_.one_of<const char*>(
      {"-{}", "0 - {}", "(~{}) + 1", "1 + (~{})", "{} * -1", "{} // -1", "T.truncdiv({}, -1)"});
  const std::string value = fmt::format(fmt::runtime(form), any());
  if (dice_.chance(60))
    return line("{} = {} {}", place(), value, extremes_ ? has("tirx_opaque(") : has_not("opaque"));
  // Of other sums nothing is hidden.
  line("{} = {} {}", place(),
       fmt::format(fmt::runtime(dice_.one_of<const char*>(
                       {"5 - {}", "{} + 1", "(~{}) + 2", "{} * -2", "{} // -3", "~{}"})),
                   any()),
       has_not("opaque"));
}

/// A negated zero is hidden where it may be chosen.
void KnownKernel::sign() {
  switch (dice_.below(5)) {
    case 0:
      return line("{} = -y {}", float_place(), has_not("opaque"));
    case 1:
      return line("{} = -(y * T.float32(2.0)) {}", float_place(), has_not("opaque"));
    case 2:
      return line("{} = -T.Select(t > 3, T.float32(0.0), T.float32(1.0)) {}", float_place(),
                  has("tirx_opaque_f32("));
    case 3:
      return line("{} = T.float32(-0.0) {}", float_place(), has("tirx_opaque_f32(-0.0f)"));
    default:
      return line("{} = T.float32({}) {}", float_place(),
                  dice_.one_of<const char*>({"0.0", "1.0", "-1.0"}), has_not("opaque"));
  }
}

/// In 16 bits and below a negation is hidden, and one in 32 of which 16 are kept; bits that are a
/// comparison's 0 or 1 are hidden where they become a float16.
void KnownKernel::narrow() {
  const std::string h = fresh("h");
  line("{}: T.let = T.cast(x, \"int16\") {}", h, has_not("opaque"));

  struct Form {
    const char* text;
    bool hidden;
  };

  static constexpr auto kForms = std::to_array<Form>({
      {"-{0}", true},
      {"T.int16(0) - {0}", true},
      {"{0} * T.int16(-8)", true},
      {"{0} // T.int16(-1)", true},
      {"{0} * T.int16(3)", false},
      {"T.int16(7) - {0}", false},
      {"{0} + T.int16(1)", false},
      {"T.cast(-x, \"int16\")", true},
      {"T.cast(5 - (x + 5), \"int16\")", true},
      {"T.cast(x * 65535, \"int16\")", true},
      {"~({0} - T.int16(1))", true},
      {"({0} ^ T.int16(-1)) + T.int16(1)", true},
      {"T.cast(x * 3 + 5, \"int16\")", false},
      {"~{0}", false},
      {"T.cast(-x << 1, \"int16\")", true},
      {"T.cast(T.Select(t > 3, -x, 5), \"int16\")", true},
      {"T.cast(x + 5, \"int16\")", false},
      {"T.cast(x, \"int16\")", false},
      {"T.cast(-(x & 255), \"int16\")", false},
      {"T.reinterpret(\"float16\", T.cast(x > 0, \"uint16\"))", true},
      {"T.reinterpret(\"float16\", T.cast(x & 3, \"uint16\"))", false},
      {"T.reinterpret(\"float16\", {0})", false},
  });
  const Form& form = dice_.pick(kForms);
  // Beside minima a negation of 32 bits is hidden, too.
  const std::string value = fmt::format(fmt::runtime(form.text), h);
  if (extremes_ && value.find("-(x") != std::string::npos) return;
  line("{} = T.cast({}, \"int32\") {}", place(), value,
       form.hidden ? has("tirx_opaque(") : has_not("opaque"));
}

/// int64: a literal is long only where nothing else is.
void KnownKernel::wide() {
  const int c = dice_.between(2, 99);
  const std::string w = fmt::format("T.cast({}, \"int64\")", leaf().text);
  const int to = dice_.between(2, 7);
  if (dice_.chance(40)) {
    // Of any number, in unsigned arithmetic of 64 bits.
    const char* form =
        dice_.one_of<const char*>({"-{}", "{} + T.int64(5)", "T.int64(5) - {}", "{} * {}"});
    return line("W[t, {}] = {} {}", to, fmt::format(fmt::runtime(form), "W[t, 0]", "W[t, 1]"),
                has("(long long)(") + has(form[3] == '*' ? "unsigned long long" : "ull"));
  }
  if (dice_.chance(50))
    return line("W[t, {}] = {} * T.int64({}) {}", to, w, c,
                has(fmt::format(" * {};", c)) + has_not("unsigned"));
  line("W[t, {}] = T.int64({}) + {} {}", to, c, w,
       has(fmt::format(" = {} + ", c)) + has_not("unsigned"));
}

}  // namespace tirx::fuzz
