// Tensors whose sizes only the launch tells (T.match_buffer with symbols), odd ones above all:
// edges that no tile ends at, strides that are a symbol, rows that are not aligned.
#include <algorithm>
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kSymbolicTypes =
    std::to_array<DType>({DType::f32, DType::f16, DType::i32, DType::i64, DType::u8, DType::bf16});

std::string random(Draft& draft, const std::string& shape, DType dtype) {
  return fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"bits\")", shape, type_name(dtype),
                     draft.dice.below(100000));
}

/// A matrix of n rows and m columns, and one of them for each CTA that is written to.
struct Matrices {
  std::string in, out, n, m;
  int rows, columns;
  DType dtype;
};

Matrices matrices(Draft& draft, DType dtype, int rows, int columns) {
  Matrices made{
      draft.fresh("Sym"), draft.fresh("Sym"), draft.symbol(), draft.symbol(), rows, columns, dtype};
  draft.matched(made.in, fmt::format("({}, {})", made.n, made.m), dtype,
                random(draft, fmt::format("({}, {})", rows, columns), dtype));
  draft.matched(
      made.out, fmt::format("({}, {}, {})", draft.ctas, made.n, made.m), dtype,
      fmt::format("tirx.zeros(({}, {}, {}), \"{}\")", draft.ctas, rows, columns, type_name(dtype)));
  return made;
}

/// Element by element, the last threads of the last turn without one.
void by_elements(Draft& draft) {
  const Matrices x = matrices(draft, draft.dice.pick(kSymbolicTypes), draft.dice.between(1, 15),
                              draft.dice.between(1, 23));
  const std::string i = draft.fresh("i"), p = draft.fresh("p");
  draft.line("for {} in range(({} * {} + {}) // {}):", i, x.n, x.m, draft.threads - 1,
             draft.threads);
  const Draft::Block block(draft);
  draft.line("if {} * {} + tx < {} * {}:", i, draft.threads, x.n, x.m);
  const Draft::Block inner(draft);
  draft.line("{}: T.let = {} * {} + tx", p, i, draft.threads);
  if (draft.dice.chance(50)) {
    draft.line("{0}[bx, {1} // {2}, {1} % {2}] = {3}[({1} + bx) % {4}, {2} - 1 - {1} % {2}]", x.out,
               p, x.m, x.in, x.n);
  } else {
    draft.line("{0}[bx, {4} - 1 - {1} % {4}, {1} // {4}] = {3}[{1} * {5} % {4}, {1} // {4}]", x.out,
               p, x.m, x.in, x.n, draft.dice.between(1, 7));
  }
  draft.mark("symbolic size, by elements");
}

/// Tile by tile, over the end of both dimensions.
void by_tiles(Draft& draft) {
  const DType dtype = draft.dice.pick(kSymbolicTypes);
  const int high = draft.dice.one_of({4, 8}), wide = draft.dice.one_of({8, 16, 32});
  const Matrices x =
      matrices(draft, dtype, draft.dice.between(1, 2 * high + 1), draft.dice.between(1, 2 * wide));
  const std::string s = draft.fresh("S"), i = draft.fresh("i"), j = draft.fresh("i");
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", s, high, wide,
             type_name(dtype), random_layout(draft, high, wide));
  draft.line("for {} in range(({} + {}) // {}):", i, x.n, high - 1, high);
  const Draft::Block block(draft);
  draft.line("for {} in range(T.ceildiv({}, {})):", j, x.m, wide);
  const Draft::Block inner(draft);
  const std::string tile =
      fmt::format("{0} * {1}:{0} * {1} + {1}, {2} * {3}:{2} * {3} + {3}", i, high, j, wide);
  draft.line("Tx.cta.copy({}[:, :], {}[{}], fill={})", s, x.in, tile, draft.dice.below(2));
  cta_barrier(draft);
  if (dtype == DType::f32 || dtype == DType::f16 || dtype == DType::i32) {
    draft.line("Tx.cta.{0}({1}[:, :], {1}[:, :], {2})",
               draft.dice.one_of<const char*>({"add", "mul", "maximum"}), s,
               draft.dice.between(1, 3));
    cta_barrier(draft);
  }
  draft.line("Tx.cta.copy({}[bx, {}], {}[:, :], clip=True)", x.out, tile, s);
  cta_barrier(draft);
  draft.mark("symbolic size, by tiles");
}

/// Parts that lie inside wherever the matrix ends, elementwise in global memory.
void elementwise_parts(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::f16, DType::i32});
  const int high = draft.dice.between(1, 4), wide = draft.dice.one_of({3, 4, 8, 16});
  const Matrices x = matrices(draft, dtype, high + draft.dice.below(6), wide + draft.dice.below(9));
  const std::string corner = fmt::format("0:{}, 0:{}", high, wide),
                    end = fmt::format("{0} - {1}:{0}, {2} - {3}:{2}", x.n, high, x.m, wide);
  const bool from_end = draft.dice.chance(60), to_end = draft.dice.chance(60);
  const std::string from = fmt::format("{}[{}]", x.in, from_end ? end : corner),
                    to = fmt::format("{}[bx, {}]", x.out, to_end ? end : corner);
  draft.line("Tx.cta.copy({}, {})", to, from);
  cta_barrier(draft);
  draft.line("Tx.cta.{0}({1}, {1}, {2})", draft.dice.one_of<const char*>({"add", "mul", "minimum"}),
             to, draft.dice.chance(50) ? from : std::to_string(draft.dice.between(1, 4)));
  cta_barrier(draft);
  draft.mark("symbolic size, elementwise");
}

/// Strides that are a symbol, and an offset, through vectors where a row is aligned.
void strided(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::f16});
  const int lanes = draft.dice.one_of({1, 2, 4});
  const int rows = draft.dice.between(2, 9), pitch = 8 * draft.dice.between(1, 3);
  const int columns = pitch - draft.dice.below(5);
  const std::string n = draft.symbol(), pitch_name = draft.symbol(), in = draft.fresh("Sym"),
                    plain = draft.fresh("Sym"), out = draft.fresh("Vec"), type = type_name(dtype);
  const int offset = lanes * draft.dice.below(4);
  draft.matched(plain, fmt::format("({}, {})", n, pitch_name), dtype,
                random(draft, fmt::format("({}, {})", rows, pitch), dtype));
  draft.matched(in, fmt::format("({}, {})", n, columns), dtype,
                random(draft, fmt::format("({},)", rows * pitch + offset), dtype),
                fmt::format(", strides=({}, 1), elem_offset={}", pitch_name, offset));
  const std::string shape = fmt::format("({}, {})", draft.ctas * draft.threads, 2 * lanes);
  draft.parameter(out, shape, dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type));
  const std::string row = fmt::format("(tx * {} + bx) % {}", draft.dice.one_of({1, 3, 5}), n);
  const std::string column = fmt::format("tx % {} * {}", columns / lanes, lanes);
  if (lanes == 1) {
    draft.line("{}[row, 0] = {}[{}, {}]", out, in, row, column);
    draft.line("{}[row, 1] = {}[{}, {} - 1 - {}]", out, plain, row, pitch_name, column);
  } else {
    draft.line("{}.vstore([row, 0], {}.vload([{}, {}], \"{}x{}\"))", out, in, row, column, type,
               lanes);
    draft.line("{}.vstore([row, {}], {}.vload([{}, {}], \"{}x{}\"))", out, lanes, plain, row,
               column, type, lanes);
  }
  draft.mark("symbolic stride");
}

/// Columns side by side instead of rows: a vector along a row is no run in memory.
void transposed(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::f16});
  const int lanes = draft.dice.one_of({2, 4}), rows = draft.dice.between(2, 9);
  const int columns = 4 * draft.dice.between(1, 3), step = draft.dice.between(1, 2);
  const std::string in = draft.fresh("Sym"), plain = draft.fresh("Sym"), out = draft.fresh("Vec"),
                    n = draft.symbol(), m = draft.symbol(), type = type_name(dtype);
  draft.matched(plain, fmt::format("({}, {})", m, n), dtype,
                random(draft, fmt::format("({}, {})", columns, rows), dtype));
  draft.matched(in, fmt::format("({}, {})", n, m), dtype,
                random(draft, fmt::format("({},)", rows * columns * step), dtype),
                fmt::format(", strides=({}, {} * {})", step, n, step));
  const std::string shape = fmt::format("({}, {})", draft.ctas * draft.threads, 2 * lanes);
  draft.parameter(out, shape, dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type));
  const std::string row = fmt::format("(tx * {} + bx) % {}", draft.dice.one_of({1, 3, 5}), n);
  draft.line("{}.vstore([row, 0], {}.vload([{}, {} - {}], \"{}x{}\"))", out, in, row, m, lanes,
             type, lanes);
  for (int lane = 0; lane < lanes; ++lane)
    draft.line("{}[row, {}] = {}[{} - 1 - tx % {}, {}]", out, lanes + lane, plain, m, m, row);
  draft.mark("symbolic stride, transposed");
}

/// Sizes that follow from others, worked out in another type.
void computed(Draft& draft) {
  const DType dtype = draft.dice.pick(kSymbolicTypes);
  const std::string n = draft.symbol(), in = draft.fresh("Sym"), out = draft.fresh("Sym"),
                    type = type_name(dtype);
  const int rows = draft.dice.between(2, 9), k = draft.dice.between(2, 5), c = draft.dice.below(3);
  std::string width;
  int columns = 0;
  switch (draft.dice.below(4)) {
    case 0:
      width = fmt::format("T.cast(T.cast({}, \"int64\") * T.int64({}) - T.int64({}), \"int32\")", n,
                          k, c);
      columns = rows * k - c;
      break;
    case 1:
      width = fmt::format("T.cast(T.cast({} + {}, \"uint8\"), \"int32\") + {}", n, 256 - 2, k);
      columns = rows - 2 + k;
      break;
    case 2:
      width = fmt::format("T.if_then_else(T.cast({} - {}, \"bool\"), {}, {})", n, k, 3 + c, 7);
      columns = rows != k ? 3 + c : 7;
      break;
    default:
      width = fmt::format("T.max(T.cast(T.cast({}, \"int16\") - T.int16({}), \"int32\"), 2)", n, k);
      columns = std::max(rows - k, 2);
  }
  draft.matched(in, fmt::format("({}, {})", n, width), dtype,
                random(draft, fmt::format("({}, {})", rows, columns), dtype));
  draft.matched(out, fmt::format("({}, {}, {})", draft.ctas, n, width), dtype,
                fmt::format("tirx.zeros(({}, {}, {}), \"{}\")", draft.ctas, rows, columns, type));
  draft.line("if tx < {}.shape[1]:", in);
  const Draft::Block block(draft);
  const std::string i = draft.fresh("i");
  draft.line("for {} in range({}):", i, n);
  const Draft::Block inner(draft);
  draft.line("{0}[bx, {1}, tx] = {2}[{3} - 1 - {1}, {2}.shape[1] - 1 - tx]", out, i, in, n);
  draft.mark("symbolic size, computed with casts");
}

constexpr auto kSymbolicCorners = std::to_array<Corner>({
    {"symbolic size, computed with casts", computed},
    {"symbolic size, by elements", by_elements},
    {"symbolic size, by tiles", by_tiles},
    {"symbolic size, elementwise", elementwise_parts},
    {"symbolic stride", strided},
    {"symbolic stride, transposed", transposed},
});

}  // namespace

std::span<const Corner> symbolic_corners() {
  return kSymbolicCorners;
}

}  // namespace tirx::fuzz
