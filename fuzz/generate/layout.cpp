// Layouts of shared tiles: row- and column-major, padded, tiled, swizzled.
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

std::string swizzled(Draft& draft, int rows, int columns) {
  // The swizzle xors `len` bits above the element and atom bits into those above the element: the
  // tile must hold whole periods of 2^(element + len + atom) elements, and atom >= len.
  for (int attempt = 0; attempt < 8; ++attempt) {
    const int element = draft.dice.below(4), length = draft.dice.between(1, 3);
    const int atom = draft.dice.between(length, 3);
    if (rows * columns % (1 << (element + length + atom)) != 0) continue;
    draft.mark("layout swizzled");
    return fmt::format("ComposeLayout({}, {}, {}, TileLayout(S[{}, {}]))", element, length, atom,
                       rows, columns);
  }
  return fmt::format("TileLayout(S[{}, {}])", rows, columns);
}

std::string one_layout(Draft& draft, int rows, int columns) {
  switch (draft.dice.below(6)) {
    case 0:
      draft.mark("layout column-major");
      return fmt::format("TileLayout(S[({0}, {1}):(1, {0})])", rows, columns);
    case 1:
      draft.mark("layout padded");
      return fmt::format("TileLayout(S[({}, {}):({}, 1)])", rows, columns,
                         columns + draft.dice.one_of({1, 2, 4, 8}));
    case 2:
      if (columns % 4 == 0) {
        const int inner = columns % 8 == 0 ? draft.dice.one_of({4, 8}) : 4;
        draft.mark("layout tiled");
        return fmt::format("TileLayout(S[({}, {}, {}):({}, {}, 1)])", rows, columns / inner, inner,
                           inner, rows * inner);
      }
      [[fallthrough]];
    case 3:
    case 4:
      return swizzled(draft, rows, columns);
    default:
      draft.mark("layout row-major");
      return fmt::format("TileLayout(S[{}, {}])", rows, columns);
  }
}

}  // namespace

std::string random_layout(Draft& draft, int rows, int columns) {
  const std::string name = draft.fresh("layout");
  const std::string first = one_layout(draft, rows, columns);
  if (draft.dice.chance(40)) {
    draft.host("{} = {}", name, first);
  } else {
    draft.has_alternative = true;
    draft.host("{} = {} if ALT else {}", name, one_layout(draft, rows, columns), first);
  }
  return name;
}

}  // namespace tirx::fuzz
