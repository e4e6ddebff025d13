// Tiles: global to shared to global, by copies of a random scope, type, shape and layout; and
// register tiles spread over the lanes.
#include <array>

#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kMoved = std::to_array<DType>(
    {DType::f32, DType::f16, DType::bf16, DType::i8, DType::u8, DType::i32, DType::i64, DType::f64,
     DType::e4m3, DType::e5m2, DType::u16, DType::boolean});

struct Tile {
  DType dtype = DType::f32;
  int rows = 8, columns = 8;
  std::string in, out;
};

Tile global_tile(Draft& draft, int rows, int columns) {
  Tile tile;
  tile.dtype = kMoved[static_cast<std::size_t>(draft.dice.below(static_cast<int>(kMoved.size())))];
  tile.rows = rows;
  tile.columns = columns;
  tile.in = draft.fresh("Tin");
  tile.out = draft.fresh("Tout");
  const std::string shape = fmt::format("({}, {}, {})", draft.ctas, rows, columns);
  const std::string type = type_name(tile.dtype);
  draft.parameter(tile.in, shape, tile.dtype,
                  fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"bits\")", shape, type,
                              draft.dice.below(100000)));
  draft.parameter(tile.out, shape, tile.dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type));
  return tile;
}

struct Region {
  int row_begin, row_end, column_begin, column_end;
};

/// Copies a region from one buffer (with `prefix` indices in front) to another, at a random scope.
void copy(Draft& draft,
          const std::string& to,
          const std::string& to_prefix,
          const std::string& from,
          const std::string& from_prefix,
          const Region& r,
          DType dtype) {
  const auto region = [&](const std::string& name, const std::string& prefix,
                          const std::string& rows) {
    return fmt::format("{}[{}{}, {}:{}]", name, prefix, rows, r.column_begin, r.column_end);
  };
  const std::string rows = fmt::format("{}:{}", r.row_begin, r.row_end);
  const std::string type = type_name(dtype);
  const int height = r.row_end - r.row_begin;
  switch (draft.dice.below(4)) {
    case 0: {
      draft.mark("copy warp " + type);
      draft.line("if {}:", one_warp(draft));
      const Draft::Block block(draft);
      draft.line("Tx.warp.copy({}, {})", region(to, to_prefix, rows),
                 region(from, from_prefix, rows));
      return;
    }
    case 1:
      if (height <= draft.threads) {
        draft.mark("copy thread " + type);
        draft.line("if tx < {}:", height);
        const Draft::Block block(draft);
        const std::string mine = r.row_begin == 0 ? "tx" : fmt::format("tx + {}", r.row_begin);
        draft.line("Tx.copy({}, {})", region(to, to_prefix, mine), region(from, from_prefix, mine));
        return;
      }
      [[fallthrough]];
    case 2:
      if (draft.threads == 128 && draft.dice.chance(50)) {
        draft.mark("copy warpgroup " + type);
        draft.line("Tx.wg.copy({}, {})", region(to, to_prefix, rows),
                   region(from, from_prefix, rows));
        return;
      }
      [[fallthrough]];
    default:
      draft.mark("copy cta " + type);
      draft.line("Tx.cta.copy({}, {})", region(to, to_prefix, rows),
                 region(from, from_prefix, rows));
  }
}

void through_shared(Draft& draft) {
  const int rows = draft.dice.one_of({4, 8, 16, 32, 5, 12}),
            columns = draft.dice.one_of({8, 16, 32, 7, 24});
  const Tile tile = global_tile(draft, rows, columns);
  const std::string shared = draft.fresh("S");
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", shared, rows,
             columns, type_name(tile.dtype), random_layout(draft, rows, columns));
  Region region{0, rows, 0, columns};
  if (draft.dice.chance(30)) {
    region.row_begin = draft.dice.below(rows / 2);
    region.column_begin = draft.dice.below(columns / 2) / 2 * 2;
    region.column_end = columns - draft.dice.below(columns / 2) / 2 * 2;
    draft.mark("copy of a part");
  }
  copy(draft, shared, "", tile.in, "bx, ", region, tile.dtype);
  cta_barrier(draft);
  if (draft.dice.chance(40) && region.row_begin == 0 && region.column_begin == 0 &&
      region.column_end == columns) {
    // Element by element through the layout instead: the transposed way round.
    const std::string i = draft.fresh("i");
    const int elements = rows * columns;
    draft.line("for {} in range({}):", i, (elements + draft.threads - 1) / draft.threads);
    const Draft::Block block(draft);
    draft.line("if {} * {} + tx < {}:", i, draft.threads, elements);
    const Draft::Block inner(draft);
    const std::string flat = fmt::format("({} * {} + tx)", i, draft.threads);
    draft.line("{0}[bx, {1} % {2}, {1} // {2}] = {3}[{1} % {2}, {1} // {2}]", tile.out, flat, rows,
               shared);
    draft.mark("shared tile by elements");
  } else {
    copy(draft, tile.out, "bx, ", shared, "", region, tile.dtype);
  }
  cta_barrier(draft);
}

void through_registers(Draft& draft) {
  const int columns = draft.dice.one_of({1, 2, 4, 8});
  const Tile tile = global_tile(draft, 32, columns);
  const std::string layout = draft.fresh("layout");
  const bool by_rows = draft.dice.chance(60) || columns == 1;
  draft.host("{} = TileLayout(S[(32, {}):(1 @ laneid, 1)])", layout, columns);
  const std::string regs = draft.fresh("regs");
  draft.line("{} = T.alloc_buffer((32, {}), \"{}\", scope=\"local\", layout={})", regs, columns,
             type_name(tile.dtype), layout);
  draft.line("if {}:", one_warp(draft));
  const Draft::Block block(draft);
  const std::string lowered =
      promise("reg", widest_vector(8 * num::bytes(tile.dtype), columns, columns));
  draft.line("Tx.warp.copy({}[0:32, 0:{}], {}[bx, 0:32, 0:{}]){}", regs, columns, tile.in, columns,
             lowered);
  if (by_rows) {
    draft.line("Tx.warp.copy({}[bx, 0:32, 0:{}], {}[0:32, 0:{}]){}", tile.out, columns, regs,
               columns, lowered);
  } else {
    const std::string mine = draft.fresh("mine");
    const std::string i = draft.fresh("i");
    draft.line("{} = {}.local({})", mine, regs, columns);
    draft.line("for {} in range({}):", i, columns);
    const Draft::Block inner(draft);
    draft.line("{}[bx, lane, {}] = {}[{} - {}]", tile.out, i, mine, columns - 1, i);
  }
  draft.mark("copy registers " + type_name(tile.dtype));
}

}  // namespace

void tile_copies(Draft& draft) {
  if (draft.dice.chance(30)) return pieces(draft);
  if (draft.dice.chance(25)) return through_registers(draft);
  through_shared(draft);
}

}  // namespace tirx::fuzz
