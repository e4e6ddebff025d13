// Integers whose ranges end exactly where their type does, or one further: C++ that takes a value
// for one that cannot leave its type computes something else of these (a quotient that truncates, a
// comparison that is folded, a conversion that is done first).
#include <algorithm>
#include <array>
#include <limits>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/ends.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// A value of which lowest and highest are known, and are reached by some thread.
struct Ranged {
  std::string text;
  std::int64_t low, high;
};

class Ranges {
 public:
  Ranges(Draft& draft, DType dtype)
      : draft_(draft),
        dtype_(dtype),
        low_(dtype == DType::i64 ? std::numeric_limits<std::int64_t>::min()
                                 : -(std::int64_t{1} << (num::bits(dtype) - 1))),
        high_(-(low_ + 1)),
        x_(ends(draft, dtype)) {}

  std::string end() { return end_of(draft_, x_); }

  [[nodiscard]] std::string number(std::int64_t value) const {
    if (value == low_ && dtype_ == DType::i64)
      return "(T.int64(-9223372036854775807) - T.int64(1))";
    return fmt::format("T.{}({})", type_name(dtype_), value);
  }

  /// Its place, where it may be named first.
  Ranged named(Ranged value) {
    switch (draft_.dice.below(5)) {
      case 0: {
        const std::string v = draft_.fresh("v");
        draft_.line("{}: T.let = {}", v, value.text);
        value.text = v;
        break;
      }
      case 1: {
        // Stored once, or twice: then nothing is known.
        const std::string m = draft_.fresh("m");
        draft_.line("{}: T.{} = {}", m, type_name(dtype_), value.text);
        if (draft_.dice.chance(40)) {
          draft_.line("if tx % 3 == {}:", draft_.dice.below(3));
          const Draft::Block block(draft_);
          draft_.line("{} = {}", m, end());
          value.low = low_;
          value.high = high_;
        }
        value.text = m;
        break;
      }
      default:
        break;
    }
    return value;
  }

  /// From zero, or below it, to something that is far from the end of the type.
  Ranged part() {
    const int bits = num::bits(dtype_);
    const int k = draft_.dice.between(1, bits - 2);
    const std::int64_t mask = (std::int64_t{1} << k) - 1;
    const auto c = draft_.dice.one_of<std::int64_t>({2, 3, 7, 8, 10, 32});
    switch (draft_.dice.below(21)) {
      case 0:
        return {fmt::format("({} & {})", end(), number(mask)), 0, mask};
      case 1:
        return {fmt::format("T.min(T.max({}, {}), {})", end(), number(-mask), number(mask)), -mask,
                mask};
      case 2:
        return {fmt::format("({} % {})", end(), number(c)), 0, c - 1};
      case 3:
        return {fmt::format("({} >> {})", end(), number(draft_.dice.between(1, 5))), low_ / 2,
                high_ / 2};
      case 4:
        return {fmt::format("({} // {})", end(), number(c)), low_ / c - (low_ % c != 0 ? 1 : 0),
                high_ / c};
      case 5:
        return {fmt::format("T.truncdiv({}, {})", end(), number(c)), low_ / c, high_ / c};
      case 6:
        return {fmt::format("T.truncmod({}, {})", end(), number(c)), 1 - c, c - 1};
      case 7:
        return {fmt::format("T.abs(T.max({}, {}))", end(), number(-mask)), 0, high_};
      case 8:
        return {fmt::format("(-({} & {}))", end(), number(mask)), -mask, 0};
      case 9:
        return {fmt::format("T.{}({} > {}, {} & {}, {})",
                            draft_.dice.one_of<const char*>({"Select", "if_then_else"}), end(),
                            number(0), end(), number(mask), number(-5)),
                -5, mask};
      case 10: {
        if (dtype_ != DType::i32) break;
        return {
            fmt::format("T.{}({})", draft_.dice.one_of<const char*>({"popc", "clz", "ffs"}), end()),
            0, 64};
      }
      case 11: {
        const DType from = draft_.dice.one_of({DType::i8, DType::u8, DType::i16, DType::u16});
        if (num::bits(from) >= bits) break;
        const std::int64_t all = std::int64_t{1} << num::bits(from);
        const std::string other = ends(draft_, from);
        const bool is_signed = num::is_signed(from);
        return {fmt::format("T.cast({}, \"{}\")", end_of(draft_, other), type_name(dtype_)),
                is_signed ? -all / 2 : 0, is_signed ? all / 2 - 1 : all - 1};
      }
      case 12:
        return {fmt::format("T.cast({} > {}, \"{}\")", end(), number(0), type_name(dtype_)), 0, 1};
      case 13:
        return {fmt::format("(({} & {}) << {})", end(), number(mask / 2), number(1)), 0, mask - 1};
      case 15: {
        // Few numbers, of which another quotient is taken.
        const auto d = draft_.dice.one_of<std::int64_t>({2, 4, 16});
        return {fmt::format("(T.truncmod({}, {}) // {})", end(), number(c), number(d)),
                -((c - 1 + d - 1) / d), (c - 1) / d};
      }
      case 17: {
        // The smaller of two that are not negative.
        const Ranged b = named({fmt::format("({} % {})", end(), number(c)), 0, c - 1});
        return {fmt::format("(({} & {}) & {})", end(), number(mask), b.text), 0,
                std::min(mask, c - 1)};
      }
      case 18: {
        const Ranged a = named(part()), b = named(part());
        return {fmt::format("T.{}({} > {}, {}, {})",
                            draft_.dice.one_of<const char*>({"Select", "if_then_else"}), end(),
                            number(draft_.dice.below(3)), a.text, b.text),
                std::min(a.low, b.low), std::max(a.high, b.high)};
      }
      case 19: {
        const Ranged a = named(part()), b = named(part());
        const bool least = draft_.dice.chance(50);
        return {fmt::format("T.{}({}, {})", least ? "min" : "max", a.text, b.text),
                least ? std::min(a.low, b.low) : std::max(a.low, b.low),
                least ? std::min(a.high, b.high) : std::max(a.high, b.high)};
      }
      case 14:
        if (dtype_ == DType::i32)
          return {draft_.dice.chance(50) ? "tx" : "lane", 0,
                  draft_.dice.chance(50) ? draft_.threads - 1 : 31};
        break;
      default:
        break;
    }
    return {fmt::format("({} & {})", end(), number(high_ / 2)), 0, high_ / 2};
  }

  /// A sum, difference, product, negation or shift that ends at the type's end, or leaves it.
  Ranged at_the_end() {
    const Ranged a = named(part());
    const int over = draft_.dice.below(2);
    // With b as an operand whose range is that one number, or ends with it.
    const auto up_to = [&](std::int64_t high) {
      return draft_.dice.chance(60)
                 ? number(high)
                 : fmt::format("T.min(T.max({}, {}), {})", end(), number(0), number(high));
    };
    switch (draft_.dice.below(9)) {
      case 7:
        // A count that is known only to be within the type, or a little more.
        return sum(
            fmt::format("({} {} ({} & {}))", a.text, draft_.dice.one_of<const char*>({"<<", ">>"}),
                        end(), number(num::bits(dtype_) * (1 + over) - 1)),
            a);
      case 8: {
        // What has wrapped, on the way to something that would not.
        const std::string wrapped =
            fmt::format("({} * {})", end(), number(draft_.dice.between(3, 9)));
        return sum(fmt::format("(T.truncdiv({}, {}) - {})", wrapped, number(2),
                               number(high_ / 2 + draft_.dice.below(9))),
                   a);
      }
      case 0:
        if (a.high <= 0) break;
        return sum(fmt::format("({} + {})", a.text, up_to(high_ - a.high + over)), a);
      case 1:
        if (a.low > 0 || a.low == low_) break;
        return sum(fmt::format("({} - {})", a.text,
                               up_to(std::min(a.low - (low_ + 1), high_ - over) + over)),
                   a);
      case 2:
        if (a.low >= 0) break;
        return sum(fmt::format("({} - {})", number(high_ + a.low + over), a.text), a);
      case 3:
        if (a.high < 2) break;
        return sum(fmt::format("({} * {})", a.text, number(high_ / a.high + over)), a);
      case 4: {
        const std::string b = fmt::format("T.max({}, {})", end(), number(low_ + over));
        return sum(fmt::format("(-{})", b), a);
      }
      case 5: {
        int by = 0;
        while (a.high > 0 && by < 30 && (a.high << (by + 1)) <= high_ / 2) ++by;
        return sum(fmt::format("({} << {})", a.text, number(by + over)), a);
      }
      default:
        break;
    }
    const char* op = draft_.dice.one_of<const char*>({"+", "-", "*"});
    return sum(fmt::format("({} {} {})", end(), op,
                           draft_.dice.chance(50) ? number(draft_.dice.between(1, 3)) : end()),
               a);
  }

 private:
  Ranged sum(std::string text, const Ranged& of) {
    (void)of;
    return {std::move(text), low_, high_};
  }

  Draft& draft_;
  DType dtype_;
  std::int64_t low_, high_;
  std::string x_;
};

/// What makes the difference seen: an operation that means another thing for a value that wrapped.
std::string seen(Draft& draft, Ranges& ranges, const std::string& s, DType dtype) {
  const auto c = draft.dice.one_of<std::int64_t>({2, 3, 4, 7, 8, 16});
  switch (draft.dice.below(11)) {
    case 0:
    case 1:
      return fmt::format("{} // {}", s, ranges.number(c));
    case 2:
    case 3:
      return fmt::format("{} % {}", s, ranges.number(c));
    case 4:
      return fmt::format("T.cast({} {} {}, \"{}\")", s,
                         draft.dice.one_of<const char*>({"<", "<=", ">", ">="}),
                         draft.dice.chance(50) ? ranges.number(0) : ranges.end(), type_name(dtype));
    case 5:
      return fmt::format("T.cast(T.cast({}, \"{}\") {} T.{}({}), \"{}\")", s,
                         dtype == DType::i64 ? "float64" : "int64",
                         dtype == DType::i64 ? "/" : "//",
                         dtype == DType::i64 ? "float64" : "int64", c, type_name(dtype));
    case 6:
      return fmt::format("{} >> {}", s, ranges.number(1));
    case 7:
      return fmt::format("T.abs({})", s);
    case 8:
      return fmt::format("T.truncdiv({}, {})", s, ranges.number(c));
    case 9:
      return fmt::format("T.truncmod({}, {})", s, ranges.number(c));
    default:
      return s;
  }
}

void ends_of_ranges(Draft& draft) {
  const DType dtype =
      draft.dice.one_of({DType::i32, DType::i32, DType::i32, DType::i64, DType::i16, DType::i8});
  constexpr int kCount = 6;
  Shown shown(draft, dtype, kCount);
  Ranges ranges(draft, dtype);
  for (int i = 0; i < kCount; ++i) {
    const Ranged s = i == 0 ? ranges.part() : ranges.at_the_end();
    shown.show(seen(draft, ranges, ranges.named(s).text, dtype));
  }
  draft.mark("range that ends with its type");
}

/// What C++ would take for granted of signed numbers that do not leave their type.
void wraps(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::i32, DType::i64});
  const std::string type = type_name(dtype);
  constexpr int kCount = 6;
  Shown shown(draft, dtype, kCount);
  const std::string array = ends(draft, dtype), x = draft.fresh("v"), y = draft.fresh("v");
  draft.line("{}: T.let = {}", x, end_of(draft, array));
  draft.line("{}: T.let = {}", y, end_of(draft, array));
  const auto c = [&] { return fmt::format("T.{}({})", type, draft.dice.between(2, 9)); };
  const auto truth = [&](const std::string& condition) {
    return fmt::format("T.{}({}, T.{}(1), T.{}(0))",
                       draft.dice.one_of<const char*>({"Select", "if_then_else"}), condition, type,
                       type);
  };
  for (int i = 0; i < kCount; ++i) {
    const std::string n = c(), k = c();
    switch (draft.dice.below(11)) {
      case 0:
        shown.show(truth(fmt::format("{0} + {1} > {0}", x, n)));
        break;
      case 1:
        shown.show(truth(fmt::format("{0} - {1} < {0}", x, n)));
        break;
      case 2:
        shown.show(truth(fmt::format("{0} + {1} > {0}", x, y)));
        break;
      case 3:
        shown.show(fmt::format("T.truncdiv({0} * {1}, {1})", x, n));
        break;
      case 4:
        shown.show(fmt::format("({0} * {1}) // {1}", x, n));
        break;
      case 5:
        shown.show(truth(fmt::format("(-{0}) < T.{1}(0)", x, type)));
        break;
      case 6:
        shown.show(truth(fmt::format("T.abs({}) >= T.{}(0)", x, type)));
        break;
      case 7:
        shown.show(fmt::format("(({0} << {1}) >> {1})", x, n));
        break;
      case 8:
        // Twice, of the same sums.
        shown.show(
            fmt::format("({0} + {1}) // {3} - ({0} + {1}) % {3} + ({2} - {0}) // {3}", x, n, y, k));
        break;
      case 9:
        if (dtype == DType::i32) {
          shown.show(
              fmt::format("T.cast(T.cast({0} + {1}, \"int64\") >> T.int64(7), \"int32\")", x, n));
        } else {
          shown.show(truth(fmt::format("{0} * {1} > {0}", x, n)));
        }
        break;
      default:
        // A sum beside an index: offsets may be taken not to leave their type, the value may not.
        shown.show(fmt::format("{0}[(tx + {1}) % {2}] + ({3} + {4}) // {5}", array,
                               draft.dice.below(kEnds), kEnds, x, n, k));
    }
  }
  draft.mark("sum that wraps");
}

/// Divisions by constants and by values of both signs, of operands of both signs.
void quotients(Draft& draft) {
  const DType dtype =
      draft.dice.one_of({DType::i32, DType::i32, DType::i64, DType::i16, DType::i8});
  constexpr int kCount = 6;
  const std::string type = type_name(dtype);
  Shown shown(draft, dtype, kCount);
  Ranges ranges(draft, dtype);
  for (int i = 0; i < kCount; ++i) {
    std::string divisor;
    switch (draft.dice.below(5)) {
      case 0:
        divisor = ranges.number(std::int64_t{1} << draft.dice.between(0, num::bits(dtype) - 2));
        break;
      case 1:
        divisor = ranges.number(draft.dice.one_of<std::int64_t>({-1, -2, -8, -3, 3, 5, 100}));
        break;
      case 2:
        divisor = fmt::format("(({} & {}) + {})", ranges.end(), ranges.number(7),
                              ranges.number(draft.dice.between(1, 2)));
        break;
      case 3:
        divisor = fmt::format("({} | {})", ranges.end(), ranges.number(1));
        break;
      default:
        divisor = fmt::format("T.Select({} > {}, {}, {})", ranges.end(), ranges.number(0),
                              ranges.number(draft.dice.between(1, 8)),
                              ranges.number(draft.dice.one_of({4, -4, -1, 1, 6})));
    }
    const std::string x = draft.dice.chance(60) ? ranges.end() : ranges.part().text;
    const bool by_name = draft.dice.chance(50);
    shown.show(
        by_name ? fmt::format("T.{}({}, {})",
                              draft.dice.one_of<const char*>(
                                  {"floordiv", "floormod", "truncdiv", "truncmod"}),
                              x, divisor)
                : fmt::format("{} {} {}", x, draft.dice.one_of<const char*>({"//", "%"}), divisor));
  }
  draft.mark("quotient of both signs");
}

constexpr auto kRangesCorners = std::to_array<Corner>({
    {"range that ends with its type", ends_of_ranges},
    {"sum that wraps", wraps},
    {"quotient of both signs", quotients},
});

}  // namespace

std::span<const Corner> range_corners() {
  return kRangesCorners;
}

}  // namespace tirx::fuzz
