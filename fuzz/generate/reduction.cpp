// Reductions of tiles: every axis, accumulated or not, in shared memory and in the fragments of a
// warp (docs/language/tile_ops.md, "Reductions"), whose order decides how floats round.
#include <array>

#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kReduced = std::to_array<DType>(
    {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::u32, DType::i64});

const char* kind_of(Draft& draft, DType dtype) {
  if (!num::is_float(dtype)) return "int";
  return draft.dice.chance(30) ? "bits" : "normal";
}

void in_shared(Draft& draft) {
  const DType dtype = draft.dice.pick(kReduced);
  const std::string type = type_name(dtype);
  const int rows = draft.dice.one_of({2, 4, 8, 12, 16}),
            columns = draft.dice.one_of({4, 8, 24, 32, 50});
  const bool over_rows = draft.dice.chance(40);
  const int left = over_rows ? columns : rows;
  const std::string in =
      draft.tile_input(fmt::format("{}, {}", rows, columns), dtype, kind_of(draft, dtype));
  const std::string out = draft.tile_output(fmt::format("{}", left), dtype);
  const std::string tile = draft.fresh("S"), result = draft.fresh("S");
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", tile, rows,
             columns, type, random_layout(draft, rows, columns));
  draft.line("{} = T.alloc_shared(({},), \"{}\")", result, left, type);
  draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", tile, in);
  cta_barrier(draft);
  const auto reduce = [&](const char* scope, const std::string& to, const std::string& from,
                          bool accumulate) {
    const char* op = draft.dice.one_of<const char*>({"sum", "max", "min"});
    draft.mark(fmt::format("tile {} {}", op, type));
    if (accumulate) draft.mark("tile reduction, accumulated");
    draft.line("Tx.{}{}({}, {}, axes={}{})", scope, op, to, from, over_rows ? 0 : 1,
               accumulate ? ", accum=True" : "");
  };
  if (draft.dice.chance(25) && draft.warps() > 1 && !over_rows) {
    // Each warp reduces a row.
    const std::string i = draft.fresh("i");
    draft.line("for {} in range({}):", i, (rows + draft.warps() - 1) / draft.warps());
    {
      const Draft::Block block(draft);
      const std::string row = fmt::format("{} * {} + warp", i, draft.warps());
      draft.line("if {} < {}:", row, rows);
      const Draft::Block inner(draft);
      reduce("warp.", fmt::format("{0}[{1} : {1} + 1]", result, row),
             fmt::format("{0}[{1} : {1} + 1, :]", tile, row), false);
    }
    cta_barrier(draft);
  } else {
    reduce("cta.", result, tile, false);
  }
  if (draft.dice.chance(40)) reduce("cta.", result, tile, true);
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :], {}[:])", out, result);
  cta_barrier(draft);
}

void in_fragments(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::f16, DType::bf16, DType::i32});
  const std::string type = type_name(dtype);
  const std::string in = draft.tile_input("16, 8", dtype, kind_of(draft, dtype));
  const std::string out = draft.tile_output("16, 8", dtype),
                    rows = draft.tile_output("32, 2", dtype);
  const std::string layout = draft.fresh("layout"), row_layout = draft.fresh("layout");
  draft.host("{} = TileLayout(S[(2, 8, 4, 2):(2, 4 @ laneid, 1 @ laneid, 1)])", layout);
  draft.host("{} = TileLayout(S[(2, 8, 1):(1, 4 @ laneid, 1)] + R[4:1 @ laneid])", row_layout);
  draft.line("if {}:", one_warp(draft));
  const Draft::Block block(draft);
  const std::string tile = draft.fresh("regs"), per_row = draft.fresh("regs"),
                    own = draft.fresh("mine"), i = draft.fresh("i");
  draft.line("{} = T.alloc_buffer((16, 8), \"{}\", scope=\"local\", layout={})", tile, type,
             layout);
  draft.line("{} = T.alloc_buffer((16, 1), \"{}\", scope=\"local\", layout={})", per_row, type,
             row_layout);
  draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", tile, in);
  const int count = draft.dice.between(1, 2);
  for (int n = 0; n < count; ++n) {
    const char* op = draft.dice.one_of<const char*>({"sum", "max", "min"});
    draft.mark(fmt::format("fragment {} {}", op, type));
    draft.line("Tx.warp.{}({}, {}, axes=1{})", op, per_row, tile, n == 0 ? "" : ", accum=True");
  }
  const char* back = draft.dice.one_of<const char*>({"sub", "mul", "maximum", "minimum"});
  draft.line("Tx.warp.{}({}, {}, {})", back, tile, tile, per_row);
  draft.line("{} = {}.local(2)", own, per_row);
  draft.line("for {} in range(2):", i);
  {
    const Draft::Block inner(draft);
    draft.line("{}[bx, lane, {}] = {}[{}]", rows, i, own, i);
  }
  draft.line("Tx.warp.copy({}[bx, :, :], {}[:, :])", out, tile);
}

}  // namespace

void tile_reductions(Draft& draft) {
  if (draft.dice.chance(25)) return register_tiles(draft);
  if (draft.dice.chance(15)) return shapes_and_scalars(draft);
  if (draft.dice.chance(35)) return in_fragments(draft);
  in_shared(draft);
}

}  // namespace tirx::fuzz
