// Ranges in a kernel that says what becomes of it: of loops and their variables, of two operands,
// of sums that wrap, of shifts and divisors, of what stands in an index.
#include <algorithm>
#include <array>
#include <limits>

#include "fuzz/generate/documented_kernel.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::int64_t kRangeLow = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kRangeHigh = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLargestSize = 2147418112;  // of a dimension

}  // namespace

/// Of two operands, each with a range of its own.
KnownKernel::Ranged KnownKernel::of_two() {
  const Ranged a = named(leaf());
  switch (dice_.below(extremes_ ? 6 : 4)) {
    case 0:
    case 1: {
      // Both from zero on: at most the smaller one.
      const int k = dice_.between(1, 20);
      const auto c = dice_.one_of<std::int64_t>({3, 8, 10, 100});
      const Ranged x = named({fmt::format("({} & {})", any(), (1 << k) - 1), 0, (1 << k) - 1});
      const Ranged y = named({fmt::format("({} % {})", any(), c), 0, c - 1});
      return {fmt::format("({} & {})", x.text, y.text), 0, std::min(x.high, y.high)};
    }
    case 4: {
      const Ranged b = named(leaf());
      return {fmt::format("T.min({}, {})", a.text, b.text), std::min(a.low, b.low),
              std::min(a.high, b.high)};
    }
    case 5: {
      const Ranged b = named(leaf());
      return {fmt::format("T.max({}, {})", a.text, b.text), std::max(a.low, b.low),
              std::max(a.high, b.high)};
    }
    default: {
      const Ranged b = named(leaf());
      return {fmt::format("T.{}({} > {}, {}, {})",
                          dice_.one_of<const char*>({"Select", "if_then_else"}), any(),
                          dice_.below(9), a.text, b.text),
              std::min(a.low, b.low), std::max(a.high, b.high)};
    }
  }
}

/// All values of a narrow type.
KnownKernel::Ranged KnownKernel::of_narrow() {
  struct Narrow {
    const char* name;
    std::int64_t low, high;
  };

  static constexpr auto kTypes = std::to_array<Narrow>(
      {{"int8", -128, 127}, {"uint8", 0, 255}, {"int16", -32768, 32767}, {"uint16", 0, 65535}});
  const Narrow& type = dice_.pick(kTypes);
  const std::string v = fresh("v");
  line("{}: T.let = T.cast(T.cast({}, \"{}\"), \"int32\")", v, any(), type.name);
  return {v, type.low, type.high};
}

/// A product that leaves its type: whatever is computed of it can be anything.
void KnownKernel::wraps() {
  const int c = dice_.one_of({70000000, 100000000, 1000000000}), k = dice_.between(1, 9);
  const std::string p = fmt::format("t * {}", c), wrapped = fmt::format("t * {}u", c);
  const std::string to = place();
  switch (dice_.below(10)) {
    case 0:
      return line("{} = {} - {} {}", to, p, k, has(fmt::format("(int)({} - {});", wrapped, k)));
    case 1:
      return line("{} = ({}) // 4 {}", to, p, has(" >> 2;"));
    case 2:
      return line("{} = ({}) % 16 {}", to, p, has(" & 15;"));
    case 3:
      return line("{} = ({}) % 7 {}", to, p, has("tirx_floormod_i32("));
    case 4:
      return line("{} = T.truncdiv({}, 2) - 1500000000 {}", to, p, has("- 1500000000u"));
    case 5:
      return line("{} = T.Select(t > 3, {}, 0) - 1 {}", to, p, has(" - 1u);"));
    case 6:
      return line("{} = T.abs({}) {}", to, p, has("tirx_abs_i32("));
    case 7:
      return line("{} = ({}) << 1 {}", to, p, has("(unsigned)"));
    case 8:
      return line("{} = x * 3 + 5 {}", to, has("(int)(x * 3u + 5);"));
    default: {
      const std::string v = fresh("v");
      line("{}: T.let = {} {}", v, p, has(fmt::format("(int)({});", wrapped)));
      line("{} = {} + {} {}", to, v, k, has(fmt::format("(int)({} + {}u);", v, k)));
    }
  }
}

/// Counts that stay within the type, or may not.
void KnownKernel::shift() {
  const std::string to = place();
  const int within = dice_.one_of({1, 7, 15, 31}), beyond = dice_.one_of({32, 63, 127});
  const std::string count = "KnownE[(t + 3) % 8]";
  switch (dice_.below(6)) {
    case 0:
      return line("{} = {} << ({} & {}) {}", to, any(), count, within,
                  has("(unsigned)") + has_not("tirx_shl"));
    case 1:
      return line("{} = {} >> ({} & {}) {}", to, any(), count, within,
                  has(" >> (") + has_not("tirx_shr"));
    case 2:
      return line("{} = {} << ({} & {}) {}", to, any(), count, beyond, has("tirx_shl_i32("));
    case 3:
      return line("{} = {} >> ({} & {}) {}", to, any(), count, beyond, has("tirx_shr_i32("));
    case 4:
      return line("{} = {} >> {} {}", to, any(), 31, has(" >> 31;"));
    default:
      return line("{} = {} >> {} {}", to, any(), 32, has("tirx_shr_i32("));
  }
}

namespace {

bool divides_in(const std::string& text) {
  return text.find('%') != std::string::npos || text.find("//") != std::string::npos;
}

}  // namespace

/// A divisor that is no constant: C++'s own division where both are known to be of one sign.
void KnownKernel::divisor() {
  const Ranged a = named(leaf());
  const bool divides = dice_.chance(50);
  const std::string helper = fmt::format("tirx_floor{}_i32(", divides ? "div" : "mod");
  const char* op = divides ? "//" : "%";
  switch (dice_.below(4)) {
    case 0:
    case 1:
      return line("{} = {} {} (({} & 7) + {}) {}", place(), a.text, op, any(), dice_.between(1, 3),
                  a.low < 0            ? has(helper)
                  : divides_in(a.text) ? std::string()
                                       : has_not(helper));
    case 2:
      return line("{} = {} {} (T.truncmod({}, 5) * 2 + 1) {}", place(), a.text, op, any(),
                  has(helper));
    default:
      return line("{} = T.trunc{}({}, ({} & 7) + 1) {}", place(), divides ? "div" : "mod", a.text,
                  any(), has_not("tirx_trunc"));
  }
}

namespace {

/// Of a loop from a constant to a last value at most: what its steps reach.
std::int64_t reached(std::int64_t begin, std::int64_t last, std::int64_t step) {
  return begin + (last - begin) / step * step;
}

}  // namespace

/// The variable of a loop that begins below zero, or ends with its type.
KnownKernel::Ranged KnownKernel::any_loop() {
  const std::string i = fresh("i");
  const int below = dice_.between(1, 9), end = dice_.between(1, 9), step = dice_.between(2, 4);
  switch (dice_.below(9)) {
    case 0:
      line("for {} in range({}, {}):", i, -below, end);
      return {i, -below, end - 1};
    case 1:
      line("for {} in range({}, s, {}):", i, -below, step);
      return {i, -below, reached(-below, kRangeHigh - 1, step)};
    case 2:
      line("for {} in range(s, {}, {}):", i, -below, -step);
      return {i, 1 - below, kRangeHigh};
    case 3:
      line("for {} in range({}, {}, {}):", i, end, -below, -step);
      return {i, reached(end, 1 - below, -step), end};
    case 4:
      line("for {} in range({}, {}, {}):", i, kRangeHigh - end, kRangeHigh, step);
      return {i, kRangeHigh - end, reached(kRangeHigh - end, kRangeHigh - 1, step)};
    case 5: {
      const Ranged from =
          named({fmt::format("T.truncmod({}, {})", any(), step), 1 - step, step - 1});
      line("for {} in range({}, {}):", i, from.text, end + step);
      return {i, 1 - step, end + step - 1};
    }
    case 6: {
      const Ranged to = named({fmt::format("T.truncmod({}, {})", any(), step), 1 - step, step - 1});
      line("for {} in range({}, {}):", i, -below, to.text);
      return {i, -below, std::max<std::int64_t>(-below, step - 2)};
    }
    case 7:
      line("for {} in range({}, Sized.shape[0], {}):", i, -below, step);
      return {i, -below, reached(-below, kLargestSize - 1, step)};
    default:
      line("for {} in range({}, {}, {}):", i, kRangeLow + end, kRangeLow, -step);
      return {i, reached(kRangeLow + end, kRangeLow + 1, -step), kRangeLow + end};
  }
}

void KnownKernel::in_loop() {
  const Ranged i = any_loop();
  ++indent_;
  in_scope_.push_back(i);
  for (int count = dice_.between(1, 3); count > 0; --count) {
    switch (dice_.below(4)) {
      case 0:
        arithmetic();
        break;
      case 1:
        divisor();
        break;
      default:
        quotient();
    }
  }
  in_scope_.pop_back();
  line("W[t, {}] = W[t, 1] * T.int64(3) + T.cast({} // 7, \"int64\") {}", dice_.below(2), i.text,
       i.low >= 0 ? has(fmt::format("{} / 7", i.text))
                  : has(fmt::format("tirx_floordiv_i32({}, 7)", i.text)));
  --indent_;
}

/// Loops over 64 bits.
void KnownKernel::in_wide_loop() {
  const std::string i = fresh("i");
  const int below = dice_.between(1, 3), end = dice_.between(4, 5), to = dice_.between(2, 7);
  const bool from_zero = dice_.chance(50), is_unsigned = dice_.chance(30);
  const char* type = is_unsigned ? "uint64" : "int64";
  const bool counted = dice_.chance(50);
  line("for {} in range(T.{}({}), {}):", i, type, from_zero || is_unsigned ? 0 : -below,
       counted
           ? fmt::format("T.{}({})", type, end)
           : fmt::format("T.cast({}, \"{}\")", dice_.one_of<const char*>({"s", "x & 7"}), type));
  ++indent_;
  const std::string value = is_unsigned ? fmt::format("T.cast({}, \"int64\")", i) : i;
  if (dice_.chance(50) && counted) {
    // The largest product is 3 or 4 times 2^61.
    line("W[t, {}] = {} * T.int64(2305843009213693952) {}", to, value,
         end == 5 ? has("ull") : has_not("unsigned"));
  } else {
    // As an unsigned number `s` may be beyond int64.
    const bool plain = !is_unsigned && from_zero;
    if (is_unsigned) {
      line("W[t, {}] = {} // T.int64(7)", to, value);
    } else {
      line("W[t, {}] = {} {} T.int64(7) {}", to, value, dice_.one_of<const char*>({"//", "%"}),
           plain ? has_not("tirx_floor") : has("tirx_floor"));
    }
  }
  --indent_;
}

/// What stands in an index does not leave its type, but for what may be a hash.
void KnownKernel::in_index() {
  const std::string to = place();
  const int k = dice_.between(1, 9);
  switch (dice_.below(5)) {
    case 0:
      return line("{} = KnownE[(x * 7 + {}) % 8] {}", to, k,
                  has(fmt::format("[(int)(x * 7u + {}) & 7];", k)));
    case 1:
      return line("{} = KnownE[(t * 70000000 + {}) % 8] {}", to, k,
                  has(fmt::format("[(int)(t * 70000000u + {}) & 7];", k)));
    case 2:
      return line("{} = KnownE[((t * 70000000) >> {}) & 7] {}", to, k,
                  has(fmt::format("[((int)(t * 70000000u) >> {}) & 7];", k)));
    case 3:
      return line("{} = KnownE[(x & 3) + {}] {}", to, k % 5, has_not("unsigned"));
    default:
      return line("{} = KnownE[t % 8 // 2 + {}] {}", to, k % 4, has_not("unsigned"));
  }
}

}  // namespace tirx::fuzz
