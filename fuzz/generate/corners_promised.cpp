// Copies whose vectors are worked out here, where they depend on what a loop, a name or a layout
// lets the lowering know (docs/language/tile_ops.md, "Copies").
#include <array>
#include <numeric>

#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kPromisedTypes =
    std::to_array<DType>({DType::f16, DType::u8, DType::f32, DType::i32, DType::i64, DType::u16});

/// The widest vector of up to 16 bytes whose length divides all of these.
int widest(DType dtype, std::initializer_list<int> lengths) {
  for (int lanes = 16 / num::bytes(dtype); lanes > 1; lanes /= 2) {
    bool divides = true;
    for (const int length : lengths) divides = divides && length % lanes == 0;
    if (divides) return lanes;
  }
  return 1;
}

/// Each thread copies some of its rows, which lie one behind the other, in a loop with a step or at
/// a row that has a name: it begins at multiples of what both have in common.
void rows_by_steps(Draft& draft) {
  const DType dtype = draft.dice.pick(kPromisedTypes);
  const int step = draft.dice.one_of({2, 3, 4, 8}), width = draft.dice.one_of({1, 2, 3, 4, 6}),
            first = draft.dice.one_of({0, 0, 1, 2, step}), trips = draft.dice.between(2, 3),
            height = draft.dice.chance(70) ? step : draft.dice.one_of({1, 2});
  const int begin = height <= step ? first : 0;
  // The range of a loop's variable ends before its end, wherever the last step is.
  const int last = begin + trips * step + height, rows = (last + 7) / 8 * 8;
  if (draft.threads * rows * width * num::bytes(dtype) > 8192) return rows_by_steps(draft);
  const std::string shape = fmt::format("{}, {}, {}", draft.threads, rows, width);
  const std::string in = draft.tile_input(shape, dtype, "bits"), s = draft.fresh("S"),
                    out = draft.tile_output(shape, dtype), i = draft.fresh("i");
  draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type_name(dtype));
  draft.line("Tx.cta.fill({}[:, :, :], {})", s, draft.dice.between(0, 7));
  cta_barrier(draft);
  // Rows from a multiple of `apart` on.
  const int apart = std::gcd(begin, step);
  std::string row = i;
  if (draft.dice.chance(50)) {
    draft.line("for {} in range({}, {}, {}):", i, begin, begin + trips * step, step);
  } else {
    draft.line("for {} in range({}):", i, trips);
    row = draft.fresh("r");
  }
  {
    const Draft::Block block(draft);
    if (row != i) {
      draft.line("{}: T.let = {} * {} + {}", row, i, step, begin);
    }
    const int vector = widest(dtype, {apart * width, height * width, rows * width});
    draft.line("Tx.copy({0}[tx, {1}:{1} + {2}, :], {3}[bx, tx, {1}:{1} + {2}, :]){4}", s, row,
               height, in, promise("gmem_smem", vector));
  }
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :, :], {}[:, :, :])", out, s);
  cta_barrier(draft);
  draft.mark("rows by steps");
}

/// A tensor and a tile whose dimensions lie in one order or another: vectors where it is the same.
void orders_of_dimensions(Draft& draft) {
  const DType dtype = draft.dice.pick(kPromisedTypes);
  const int a = draft.dice.one_of({2, 4}), b = draft.dice.one_of({4, 8}), c = draft.threads / 4;
  if (a * b * c * num::bytes(dtype) > 8192) return orders_of_dimensions(draft);
  const auto layout = [&](int order) {
    switch (order) {
      case 0:
        return fmt::format("{}, {}, 1", b * c, c);
      case 1:
        return fmt::format("1, {}, {}", a * c, a);
      case 2:
        return fmt::format("{}, 1, {}", b * c, b);
      default:
        return fmt::format("1, {}, {}", a, a * b);
    }
  };
  const int outside = draft.dice.below(4),
            inside = draft.dice.chance(60) ? outside : draft.dice.below(4);
  const std::string wide = draft.fresh("order"), tile = draft.fresh("order"),
                    in = draft.fresh("Tin"), out = draft.fresh("Tout"), s = draft.fresh("S");
  const std::string shape = fmt::format("({}, {}, {}, {})", draft.ctas, a, b, c);
  draft.host("{} = TileLayout(S[{}:({}, {})])", wide, shape, a * b * c, layout(outside));
  draft.host("{} = TileLayout(S[({}, {}, {}):({})])", tile, a, b, c, layout(inside));
  const std::string type = type_name(dtype);
  draft.parameter(in, shape, dtype,
                  fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"bits\")", shape, type,
                              draft.dice.below(100000)),
                  wide);
  draft.parameter(out, shape, dtype, fmt::format("tirx.zeros({}, \"{}\")", shape, type), wide);
  draft.line("{} = T.alloc_buffer(({}, {}, {}), \"{}\", scope=\"shared\", layout={})", s, a, b, c,
             type, tile);
  const int each = a * b * c / draft.threads;
  // As one run of neighbours; where the threads are a power of two, they are dealt out of any run.
  const bool sure = outside == inside && (draft.threads & (draft.threads - 1)) == 0;
  const std::string lowered = sure ? promise("gmem_smem", widest(dtype, {each})) : "";
  draft.line("Tx.cta.copy({}[:, :, :], {}[bx, :, :, :]){}", s, in, lowered);
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :, :], {}[:, :, :]){}", out, s, lowered);
  cta_barrier(draft);
  draft.mark("dimensions in another order");
}

constexpr auto kPromisedCorners = std::to_array<Corner>({
    {"rows by steps", rows_by_steps},
    {"dimensions in another order", orders_of_dimensions},
});

}  // namespace

std::span<const Corner> promised_corners() {
  return kPromisedCorners;
}

}  // namespace tirx::fuzz
