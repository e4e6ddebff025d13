// One scale for a block of elements: parameters whose layout has strides of 0, read element by
// element, and products of register tiles with scales and promotion.
#include "fuzz/generate/fragment.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// A parameter of `rows` x `columns` elements that holds one for each gr x gc of them.
std::string scales(Draft& draft, int rows, int columns, int gr, int gc, DType dtype) {
  const std::string name = draft.fresh("SF"), layout = draft.fresh("layout");
  // A square of scales would not show which major it has.
  if (rows / gr > 1 && rows / gr == columns / gc) gc = columns;
  const int blocks_down = rows / gr, blocks_across = columns / gc;
  const bool by_rows = draft.dice.chance(60);
  draft.host("{} = TileLayout(S[({}, {}, {}, {}):({}, 0, {}, 0)])", layout, blocks_down, gr,
             blocks_across, gc, by_rows ? blocks_across : 1, by_rows ? 1 : blocks_down);
  const std::string stored = by_rows ? fmt::format("({}, {})", blocks_down, blocks_across)
                                     : fmt::format("({}, {})", blocks_across, blocks_down);
  std::string made =
      fmt::format("tirx.random({}, \"float32\", seed={}, kind=\"{}\")", stored,
                  draft.dice.below(100000), draft.dice.one_of<const char*>({"dyadic", "normal"}));
  if (dtype == DType::e8m0)
    made =
        fmt::format("tirx.arange(({},), \"uint8\", start={}).reshape({}).view(\"float8_e8m0fnu\")",
                    blocks_down * blocks_across, draft.dice.between(110, 128), stored);
  draft.parameter(name, fmt::format("({}, {})", rows, columns), dtype, made, layout);
  return name;
}

void by_elements(Draft& draft) {
  const int rows = draft.dice.one_of({4, 8, 16}), columns = draft.dice.one_of({16, 32});
  const int gr = draft.dice.one_of({1, 2, rows}), gc = draft.dice.one_of({1, 4, 8, columns});
  const std::string shape = fmt::format("{}, {}", rows, columns);
  const std::string in = draft.tile_input(shape, DType::f32, "normal"),
                    out = draft.tile_output(shape, DType::f32);
  const std::string sf = scales(draft, rows, columns, gr, gc, DType::f32);
  const std::string i = draft.fresh("i"), flat = draft.fresh("w");
  const int elements = rows * columns;
  draft.line("for {} in range({}):", i, (elements + draft.threads - 1) / draft.threads);
  const Draft::Block block(draft);
  draft.line("{}: T.let = {} * {} + tx", flat, i, draft.threads);
  draft.line("if {} < {}:", flat, elements);
  const Draft::Block inner(draft);
  draft.line(
      "{0}[bx, {1} // {2}, {1} % {2}] = {3}[bx, {1} // {2}, {1} % {2}] * {4}[{1} // {2}, {1} % "
      "{2}]",
      out, flat, columns, in, sf);
  draft.mark(fmt::format("scales {}x{}",
                         gr == 1      ? "1"
                         : gr == rows ? "all"
                                      : "block",
                         gc == 1         ? "1"
                         : gc == columns ? "all"
                                         : "block"));
}

void in_a_product(Draft& draft) {
  constexpr int m = 16, n = 8;
  const bool narrow = draft.dice.chance(60);
  const DType type = narrow ? draft.dice.one_of({DType::e4m3, DType::e5m2}) : DType::bf16;
  const int packed = narrow ? 4 : 2, instruction_k = 8 * packed, interval = 32;
  const int k = interval * draft.dice.between(1, 3);
  const std::string in_a = draft.tile_input(fmt::format("{}, {}", m, k), type, "normal"),
                    in_b = draft.tile_input(fmt::format("{}, {}", n, k), type, "normal"),
                    out = draft.tile_output(fmt::format("{}, {}", m, n), DType::f32);
  std::string factors;
  const int which = draft.dice.between(1, 3);
  const DType scale_type = draft.dice.chance(70) ? DType::f32 : DType::e8m0;
  if ((which & 1) != 0)
    factors += ", SFA=" + scales(draft, m, k, draft.dice.one_of({1, m}), interval, scale_type);
  if ((which & 2) != 0)
    factors += ", SFB=" + scales(draft, n, k, draft.dice.one_of({1, n}), interval, scale_type);
  const std::string la = draft.fresh("layout"), lb = draft.fresh("layout"),
                    ld = draft.fresh("layout");
  draft.host("{} = {}", la, fragment_a(m, k, packed, instruction_k));
  draft.host("{} = {}", lb, fragment_b(k, n, packed, instruction_k, true));
  draft.host("{} = {}", ld, fragment_d(m, n));
  const std::string a = draft.fresh("regs"), b = draft.fresh("regs"), d = draft.fresh("regs");
  draft.line("if {}:", one_warp(draft));
  const Draft::Block block(draft);
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"local\", layout={})", a, m, k,
             type_name(type), la);
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"local\", layout={})", b, n, k,
             type_name(type), lb);
  draft.line("{} = T.alloc_buffer(({}, {}), \"float32\", scope=\"local\", layout={})", d, m, n, ld);
  draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", a, in_a);
  draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", b, in_b);
  draft.line("Tx.warp.gemm({}, {}, {}, transpose_B=True{}, promotion_interval={})", d, a, b,
             factors, interval);
  draft.line("Tx.warp.copy({}[bx, :, :], {}[:, :])", out, d);
  draft.mark(fmt::format("gemm scaled {} by {}", type_name(type), type_name(scale_type)));
}

}  // namespace

void block_scales(Draft& draft) {
  if (draft.dice.chance(45)) return by_elements(draft);
  if (draft.dice.chance(65)) return shared_out_products(draft);
  in_a_product(draft);
}

}  // namespace tirx::fuzz
