// Where an element lies: layouts whose digits and dimensions do not end together, swizzles at
// coordinates that are differences, buffers without a layout, parts and other orders of buffers.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// A number of 0 … bits that no compiler knows.
std::string unknown(Draft& draft, int mask) {
  return fmt::format("({}[({} * {} + {}) % {}] & {})", draft.input(DType::i32),
                     draft.dice.one_of<const char*>({"tx", "lane", "row"}),
                     draft.dice.between(1, 5), draft.dice.below(9), Draft::kInputs, mask);
}

void fill(Draft& draft, const std::string& s, int rows, int columns, DType dtype) {
  const std::string i = draft.fresh("i"), p = draft.fresh("p");
  draft.line("for {} in range({}):", i, (rows * columns + draft.threads - 1) / draft.threads);
  {
    const Draft::Block block(draft);
    draft.line("if {} * {} + tx < {}:", i, draft.threads, rows * columns);
    const Draft::Block inner(draft);
    draft.line("{}: T.let = {} * {} + tx", p, i, draft.threads);
    draft.line("{0}[{1} // {2}, {1} % {2}] = T.cast({1} * {3} + bx, \"{4}\")", s, p, columns,
               draft.dice.between(1, 9), type_name(dtype));
  }
  cta_barrier(draft);
}

DType any(Draft& draft) {
  return draft.dice.one_of({DType::i32, DType::f32, DType::u8, DType::f16, DType::i64, DType::u16});
}

/// Extents that no product of the shape's meets.
void apart(Draft& draft) {
  struct Split {
    int rows, columns;
    const char* layout;
  };

  static constexpr auto kSplits = std::to_array<Split>({
      {6, 4, "S[(8, 3):(3, 1)]"},
      {6, 4, "S[(8, 3):(1, 8)]"},
      {4, 6, "S[(3, 8):(16, 2)]"},
      {4, 9, "S[(6, 6):(6, 1)]"},
      {10, 6, "S[(4, 15):(1, 4)]"},
      {9, 8, "S[(4, 6, 3):(18, 3, 1)]"},
      {9, 8, "S[(6, 4, 3):(1, 18, 6)]"},
      {15, 4, "S[(6, 10):(10, 1)]"},
  });
  const Split& split = draft.dice.pick(kSplits);
  const DType dtype = any(draft);
  const std::string s = draft.fresh("S"), layout = draft.fresh("apart");
  draft.host("{} = TileLayout({})", layout, split.layout);
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", s, split.rows,
             split.columns, type_name(dtype), layout);
  fill(draft, s, split.rows, split.columns, dtype);
  draft.mark("layout across the dimensions");
  keep_result(draft,
              fmt::format("{}[(tx * {} + {}) % {}, (lane + bx) % {}]", s, draft.dice.between(1, 5),
                          draft.dice.below(9), split.rows, split.columns),
              dtype);
  keep_result(draft,
              fmt::format("{}[{} % {}, {} - tx % {}]", s, unknown(draft, 15), split.rows,
                          split.columns - 1, split.columns),
              dtype);
  cta_barrier(draft);
}

/// Coordinates of a swizzled tile that are a difference, or whose range nobody knows.
void swizzled(Draft& draft) {
  struct Swizzle {
    int element, length, atom;
    const char* inner;
  };

  static constexpr auto kSwizzles = std::to_array<Swizzle>({
      {1, 2, 3, ""},
      {0, 1, 1, ""},
      {2, 2, 2, ""},
      {3, 1, 2, ""},
      {0, 3, 3, ""},
      {1, 1, 2, ""},
      {1, 2, 3, ", swizzle_inner=False"},
      {0, 2, 2, ", swizzle_inner=False"},
      {2, 1, 3, ", swizzle_inner=False"},
  });
  const Swizzle& swizzle = draft.dice.pick(kSwizzles);
  const DType dtype = any(draft);
  const int rows = draft.dice.one_of({8, 16}), columns = draft.dice.one_of({16, 32});
  const std::string s = draft.fresh("S"), layout = draft.fresh("mixed");
  draft.host("{} = ComposeLayout({}, {}, {}, TileLayout(S[{}, {}]){})", layout, swizzle.element,
             swizzle.length, swizzle.atom, rows, columns, swizzle.inner);
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", s, rows, columns,
             type_name(dtype), layout);
  fill(draft, s, rows, columns, dtype);
  draft.mark("swizzle at differences");
  const std::string a = draft.fresh("v"), b = draft.fresh("v");
  draft.line("{}: T.let = {}", a, unknown(draft, 7));
  draft.line("{}: T.let = {}", b, unknown(draft, 7));
  draft.values.push_back({a, DType::i32});
  draft.values.push_back({b, DType::i32});
  keep_result(draft, fmt::format("{}[{}, {} - {} + 7]", s, b, a, b), dtype);
  keep_result(
      draft,
      fmt::format("{}[{} - {} % {}, {} - (tx % {})]", s, rows - 1,
                  draft.dice.one_of<const char*>({"tx", "lane"}), rows, columns - 1, columns),
      dtype);
  keep_result(draft, fmt::format("{}[7 - {}, {}]", s, a, draft.dice.below(columns)), dtype);
  cta_barrier(draft);
}

/// One number is the place: no layout at all; and rows that are further apart than they are long.
void without_layout(Draft& draft) {
  const DType dtype = any(draft);
  const std::string type = type_name(dtype), s = draft.fresh("S"), in = draft.fresh("Flat"),
                    out = draft.fresh("Far");
  const int columns = draft.dice.between(2, 5), pitch = columns * 2 + draft.dice.below(4);
  const int rows = draft.ctas * draft.threads;
  draft.parameter(in, fmt::format("({},)", rows), dtype,
                  fmt::format("tirx.random(({},), \"{}\", seed={}, kind=\"bits\")", rows, type,
                              draft.dice.below(100000)),
                  "None");
  draft.parameter(out, fmt::format("({}, {})", rows, columns), dtype,
                  fmt::format("tirx.zeros(({},), \"{}\")", rows * pitch, type));
  draft.strides_of_last(fmt::format("({}, 2)", pitch));
  draft.line("{} = T.alloc_buffer(({},), \"{}\", scope=\"shared\", layout=None)", s,
             2 * draft.threads, type);
  if (draft.dice.chance(50)) {
    draft.line("{}[T.cast(tx, \"int64\") * 2] = {}[T.cast(row, \"int64\")]", s, in);
  } else {
    draft.line("{}[tx * 2] = {}[row]", s, in);
  }
  draft.line("{}[tx * 2 + 1] = {}", s, expression(draft, dtype, 1));
  cta_barrier(draft);
  draft.line("{}[row, {}] = {}[{} - tx]", out, draft.dice.below(columns), s, 2 * draft.threads - 1);
  draft.line("{}[row, tx % {}] = {}[tx]", out, columns, s);
  draft.mark("buffer without a layout");
  keep_result(draft, fmt::format("{}[row, tx % {}]", out, columns), dtype);
  cta_barrier(draft);
}

/// Parts and other orders of a tensor, by the methods of a buffer.
void parts(Draft& draft) {
  const DType dtype = any(draft);
  const std::string in = draft.tile_input("16, 24", dtype, "bits"), x = draft.fresh("x");
  const std::string a = draft.dice.one_of<const char*>({"tx", "lane", "row"}), b = "(tx + bx)";
  switch (draft.dice.below(6)) {
    case 0: {
      const int row = draft.dice.below(8), column = draft.dice.below(16);
      draft.line("{} = {}.sub[bx, {}:{}, {}:{}]", x, in, row, row + 8, column, column + 8);
      keep_result(draft, fmt::format("{}[{} % 8, {} % 8]", x, a, b), dtype);
      break;
    }
    case 1:
      draft.line("{} = {}.chunk(({}, 4, 3))[bx, {}, {}]", x, in, draft.ctas, draft.dice.below(4),
                 draft.dice.below(3));
      keep_result(draft, fmt::format("{}[0, {} % 4, {} % 8]", x, a, b), dtype);
      break;
    case 2:
      draft.line("{} = {}.rearrange(\"c (a b) d -> b (a d) c\", a={})", x, in,
                 draft.dice.one_of({2, 4, 8}));
      keep_result(draft, fmt::format("{}[{} % 2, {} % 48, bx]", x, a, b), dtype);
      break;
    case 3:
      draft.line("{} = {}.permute(2, 0, 1)", x, in);
      keep_result(draft, fmt::format("{}[{} % 24, bx, {} % 16]", x, a, b), dtype);
      break;
    case 4:
      draft.line("{} = {}.view({}, 12, 32)", x, in, draft.ctas);
      keep_result(draft, fmt::format("{}[bx, {} % 12, {} % 32]", x, a, b), dtype);
      break;
    default: {
      const std::string whole = draft.fresh("S");
      draft.line("{} = T.alloc_shared(({}, 4), \"float32\")", whole, draft.threads);
      draft.line("{} = T.decl_buffer(({}, 2), \"uint64\", data={}.data, scope=\"shared\")", x,
                 draft.threads, whole);
      draft.line("{}[tx, {}] = {}", x, draft.dice.below(2), expression(draft, DType::u64, 1));
      draft.line("{}[tx, {}] = {}", x, draft.dice.below(2), expression(draft, DType::u64, 1));
      draft.line("{0}[tx, 0] = {0}[tx, 1] ^ {1}", x, expression(draft, DType::u64, 0));
      break;
    }
  }
  draft.mark("part of a buffer");
}

/// Allocations of odd sizes and small alignment, one behind the other: what vectors may move them?
void small_alignment(Draft& draft) {
  const DType dtype = draft.dice.one_of(
      {DType::u8, DType::u8, DType::i8, DType::u16, DType::f16, DType::i32, DType::f32});
  const int bytes = num::bytes(dtype), rows = draft.dice.one_of({2, 3, 4, 8}),
            columns = draft.dice.one_of({2, 4, 6, 8, 16, 32});
  const std::string shape = fmt::format("{}, {}", rows, columns);
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype);
  std::string last;
  for (int count = draft.dice.between(1, 3); count > 0; --count) {
    const std::string gap = draft.fresh("S");
    draft.line("{} = T.alloc_shared(({},), \"uint8\", align=1)", gap, draft.dice.between(1, 9));
    draft.line("if tx == 0:");
    const Draft::Block block(draft);
    draft.line("{}[0] = T.uint8({})", gap, draft.dice.below(200));
    last = gap;
  }
  const std::string s = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({}), \"{}\", align={})", s, shape, type_name(dtype),
             bytes * draft.dice.one_of({1, 1, 2, 4}));
  const bool by_warp = draft.dice.chance(30);
  const std::string guard = one_warp(draft);
  const auto copy = [&](const std::string& to, const std::string& from) {
    if (!by_warp) return draft.line("Tx.cta.copy({}, {})", to, from);
    draft.line("if {}:", guard);
    const Draft::Block block(draft);
    draft.line("Tx.warp.copy({}, {})", to, from);
  };
  copy(s + "[:, :]", in + "[bx, :, :]");
  cta_barrier(draft);
  if (dtype == DType::i32 || dtype == DType::f32 || dtype == DType::f16) {
    draft.line("Tx.cta.add({0}[:, :], {0}[:, :], {1})", s, draft.dice.between(1, 5));
    cta_barrier(draft);
  }
  copy(out + "[bx, :, :]", s + "[:, :]");
  draft.mark("memory of small alignment");
  keep_result(draft, fmt::format("T.cast({}[0], \"int32\")", last), DType::i32);
  cta_barrier(draft);
}

constexpr auto kPlacesCorners = std::to_array<Corner>({
    {"memory of small alignment", small_alignment},
    {"layout across the dimensions", apart},
    {"swizzle at differences", swizzled},
    {"buffer without a layout", without_layout},
    {"part of a buffer", parts},
});

}  // namespace

std::span<const Corner> place_corners() {
  return kPlacesCorners;
}

}  // namespace tirx::fuzz
