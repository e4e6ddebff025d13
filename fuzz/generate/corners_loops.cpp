// Loops that begin below zero or end with their type, and indices of which a part may wrap: C++
// that takes such a number for one from zero on divides, shifts and addresses in another way.
#include <array>
#include <limits>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/ends.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// What differs for numbers below zero, and at the ends of the type.
std::string of_counter(Draft& draft, const std::string& i, const std::string& type) {
  const int c = draft.dice.one_of({2, 3, 4, 7, 8, 16});
  const auto number = [&](int value) { return fmt::format("T.{}({})", type, value); };
  switch (draft.dice.below(9)) {
    case 0:
    case 1:
      return fmt::format("{} // {}", i, number(c));
    case 2:
    case 3:
      return fmt::format("{} % {}", i, number(c));
    case 4:
      return fmt::format("({} + {}) // {}", i, number(draft.dice.below(9)), number(c));
    case 5:
      return fmt::format("({} * {}) % {}", i, number(draft.dice.between(2, 5)), number(c));
    case 6:
      return fmt::format("{} >> {}", i, number(draft.dice.between(1, 3)));
    case 7:
      return fmt::format("T.truncmod({}, {})", i, number(c));
    default:
      return fmt::format("T.cast(T.cast({}, \"{}\") // {}, \"{}\")", i,
                         type == "int64" ? "int32" : "int64", type == "int64" ? "5" : "T.int64(5)",
                         type);
  }
}

void below_zero(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::i32, DType::i64});
  const std::string type = type_name(dtype), array = ends(draft, dtype), m = draft.fresh("m");
  const auto number = [&](std::int64_t value) { return fmt::format("T.{}({})", type, value); };
  const std::int64_t high = dtype == DType::i32 ? std::numeric_limits<std::int32_t>::max()
                                                : std::numeric_limits<std::int64_t>::max();
  constexpr int kCount = 3;
  Shown shown(draft, dtype, kCount);
  for (int k = 0; k < kCount; ++k) {
    const std::string sum = k == 0 ? m : draft.fresh("m"), i = draft.fresh("i");
    const int below = draft.dice.between(1, 40), up = draft.dice.between(1, 9),
              step = draft.dice.between(2, 9);
    const std::string some = fmt::format("({} & {})", end_of(draft, array), number(15)),
                      few = fmt::format("T.truncmod({}, {})", end_of(draft, array), number(9));
    draft.line("{}: T.{} = {}", sum, type, draft.dice.below(9));
    switch (draft.dice.below(7)) {
      case 0:
        draft.line("for {} in range({}, {}, {}):", i, number(-below), some, step);
        break;
      case 1:
        draft.line("for {} in range({}, {}, {}):", i, some, number(-below), -step);
        break;
      case 2:
        draft.line("for {} in range({}, {}):", i, few, number(up));
        break;
      case 3:
        draft.line("for {} in range({}, {}, {}):", i, number(up), few, -1);
        break;
      case 4:
        draft.line("for {} in range({} - {}, {}, {}):", i, number(high), some, number(high), step);
        break;
      case 5:
        draft.line("for {} in range({} + {}, {} - {}, {}):", i, number(-high), some, number(-high),
                   number(1), -step);
        break;
      default:
        draft.line("for {} in range({}, {}):", i, few, some);
    }
    {
      const Draft::Block block(draft);
      draft.line("{0} = {0} * {1} + ({2})", sum, number(3), of_counter(draft, i, type));
    }
    shown.show(sum);
  }
  draft.mark("loop below zero");
}

/// A part of an index that wraps under a remainder or a bit operation.
void hashes(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::i32, DType::i64, DType::u32});
  const std::string type = type_name(dtype), array = ends(draft, dtype), x = draft.fresh("v");
  const auto number = [&](std::int64_t value) { return fmt::format("T.{}({})", type, value); };
  constexpr int kCount = 4;
  Shown shown(draft, dtype, kCount);
  draft.line("{}: T.let = {}", x, end_of(draft, array));
  const std::string t = dtype == DType::i32 ? "tx" : fmt::format("T.cast(tx, \"{}\")", type);
  const std::int64_t large = dtype == DType::i64 ? 100000000000000000 : 70000000;
  for (int k = 0; k < kCount; ++k) {
    const std::string y = draft.dice.chance(50) ? x : end_of(draft, array);
    std::string hash;
    switch (draft.dice.below(5)) {
      case 0:
        hash = fmt::format("{} * {} + {}", t, number(large), number(draft.dice.below(99)));
        break;
      case 1:
        hash = fmt::format("{} * {} + {}", y, number(draft.dice.between(2, 9)), t);
        break;
      case 2:
        hash = fmt::format("({} + {}) // {}", y, number(draft.dice.between(1, 9)),
                           number(draft.dice.between(2, 5)));
        break;
      case 3:
        hash = fmt::format("{} - {} * {}", t, y, number(large));
        break;
      default:
        hash = fmt::format("{} + {}", y, end_of(draft, array));
    }
    const int parts = draft.dice.one_of({3, 5, 7, 16});
    switch (draft.dice.below(5)) {
      case 0:
        hash = fmt::format("({}) % {}", hash, number(parts));
        break;
      case 1:
        hash = fmt::format("({}) & {}", hash, number(draft.dice.one_of({7, 15})));
        break;
      case 2:
        hash = fmt::format("(({}) >> {}) & {}", hash, number(draft.dice.between(1, 4)), number(15));
        break;
      case 3:
        hash = fmt::format("((({}) ^ {}) & {})", hash, number(draft.dice.below(99)), number(15));
        break;
      default:
        hash = fmt::format("({}) % {} // {} + {}", hash, number(parts), number(2), number(1));
    }
    shown.show(fmt::format("{}[{}]", array, hash));
  }
  draft.mark("hash in an index");
}

constexpr auto kLoopsCorners = std::to_array<Corner>({
    {"loop below zero", below_zero},
    {"hash in an index", hashes},
});

}  // namespace

std::span<const Corner> loop_corners() {
  return kLoopsCorners;
}

}  // namespace tirx::fuzz
