// permute_layout: a shared tile of one warp changes its layout in place, a register tile the order
// of its registers.
#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void in_shared(Draft& draft) {
  // Words of 32 bits: for these layouts the exchange without bank conflicts exists.
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::u32});
  const std::string type = type_name(dtype);
  const int rows = draft.dice.one_of({1, 2, 4, 8, 16});
  const std::string shape = fmt::format("{}, 32", rows);
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype),
                    flat = draft.tile_output(fmt::format("{}", rows * 32), dtype);
  const std::string layout = draft.fresh("layout"), tile = draft.fresh("S"),
                    view = draft.fresh("S"), memory = draft.fresh("S");
  switch (draft.dice.below(3)) {
    case 0:
      draft.host("{0} = TileLayout(S[({1}, 32):(1, {1})])", layout, rows);
      break;
    case 1:
      draft.host("{0} = TileLayout(S[({1}, 4, 8):(8, {2}, 1)])", layout, rows, rows * 8);
      break;
    default:
      draft.host("{0} = TileLayout(S[({1}, 8, 4):(4, {2}, 1)])", layout, rows, rows * 4);
  }
  draft.line("{} = T.alloc_shared(({}, 32), \"{}\")", tile, rows, type);
  draft.line("{} = {}.view({}, 32, layout={})", view, tile, rows, layout);
  draft.line("{} = {}.view({})", memory, tile, rows * 32);
  draft.line("if {}:", one_warp(draft));
  {
    const Draft::Block block(draft);
    draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", tile, in);
    draft.line("T.cuda.warp_sync()");
    draft.line("Tx.warp.permute_layout({}, {}){}{}", view, tile, promise("warp_xor_swizzle"),
               kNoConflicts);
    draft.line("Tx.warp.copy({}[bx, :, :], {}[:, :])", out, view);
    draft.line("Tx.warp.copy({}[bx, :], {}[:])", flat, memory);
    if (draft.dice.chance(30)) {
      draft.line("T.cuda.warp_sync()");
      draft.line("Tx.warp.permute_layout({}, {}){}{}", tile, view, promise("warp_xor_swizzle"),
                 kNoConflicts);
      draft.line("{}[bx, lane] = {}[lane]", flat, memory);
    }
  }
  cta_barrier(draft);
  draft.mark("permute_layout shared " + type);
}

void in_registers(Draft& draft) {
  const DType dtype =
      draft.dice.one_of({DType::f16, DType::f32, DType::i8, DType::u16, DType::i64});
  const std::string type = type_name(dtype);
  const int columns = draft.dice.one_of({4, 8});
  const std::string shape = fmt::format("32, {}", columns);
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype);
  const std::string from = draft.fresh("layout"), to = draft.fresh("layout"),
                    a = draft.fresh("regs"), b = draft.fresh("regs");
  draft.host("{} = TileLayout(S[(32, {}):(1 @ laneid, 1)])", from, columns);
  draft.host("{} = TileLayout(S[(32, 2, {}):(1 @ laneid, {})])", to, columns / 2,
             draft.dice.chance(50) ? "1, 2" : fmt::format("{}, 1", columns / 2));
  draft.line("if {}:", one_warp(draft));
  const Draft::Block block(draft);
  draft.line("{} = T.alloc_buffer((32, {}), \"{}\", scope=\"local\", layout={})", a, columns, type,
             from);
  draft.line("{} = T.alloc_buffer((32, {}), \"{}\", scope=\"local\", layout={})", b, columns, type,
             to);
  draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", a, in);
  draft.line("Tx.warp.permute_layout({}, {})", b, a);
  draft.line("Tx.warp.copy({}[bx, :, :], {}[:, :])", out, b);
  draft.mark("permute_layout registers " + type);
}

}  // namespace

void permutations(Draft& draft) {
  if (draft.dice.chance(40)) return in_registers(draft);
  in_shared(draft);
}

}  // namespace tirx::fuzz
