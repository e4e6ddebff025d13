// Products of register tiles: gemm, with operands from global memory or through shared memory and
// ldmatrix.
#include <array>

#include "fuzz/generate/fragment.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

struct Product {
  MatrixTypes types;
  int m, n, k, instruction_k;
  bool transposed_b;
};

/// A register tile with a layout of its own.
std::string register_tile(Draft& draft, int rows, int columns, DType dtype, const std::string& of) {
  const std::string layout = draft.fresh("layout"), name = draft.fresh("regs");
  draft.host("{} = {}", layout, of);
  draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"local\", layout={})", name, rows,
             columns, type_name(dtype), layout);
  return name;
}

/// tfloat32 is made of float32 in registers.
DType stored(DType dtype) {
  return dtype == DType::tf32 ? DType::f32 : dtype;
}

void load(Draft& draft,
          DType dtype,
          const std::string& to,
          int rows,
          int columns,
          const std::string& layout,
          const std::string& from) {
  if (stored(dtype) == dtype) return draft.line("Tx.warp.copy({}[:, :], {})", to, from);
  const std::string wide = register_tile(draft, rows, columns, stored(dtype), layout);
  draft.line("Tx.warp.copy({}[:, :], {})", wide, from);
  draft.line("Tx.warp.cast({}, {})", to, wide);
}

void scaled_sum(Draft& draft,
                const Product& p,
                const std::string& d,
                const std::string& a,
                const std::string& b) {
  const std::string transposed = p.transposed_b ? ", transpose_B=True" : "";
  const int style = draft.dice.below(4);
  if (style == 0 || p.types.d == DType::i32) {
    draft.line("Tx.warp.gemm({}, {}, {}{})", d, a, b, transposed);
    return;
  }
  // C from memory, in D's layout; D itself may be C.
  const std::string in = draft.tile_input(fmt::format("{}, {}", p.m, p.n), p.types.d, "normal");
  const bool same = draft.dice.chance(50);
  const std::string c = same ? d : register_tile(draft, p.m, p.n, p.types.d, fragment_d(p.m, p.n));
  draft.line("Tx.warp.copy({}[:, :], {}[bx, :, :])", c, in);
  const char* factors = draft.dice.one_of<const char*>(
      {"beta=1.0", "alpha=0.5, beta=1.0", "alpha=-1.25, beta=0.1", "alpha=3.0, beta=-1.0"});
  draft.line("Tx.warp.gemm({}, {}, {}, {}, {}{})", d, a, b, c, factors, transposed);
  draft.mark("gemm with C");
}

void product(Draft& draft) {
  Product p{};
  p.types = matrix_types(draft);
  const int w = p.types.packed;
  p.instruction_k = draft.dice.one_of({4 * w, 8 * w});
  p.m = draft.dice.one_of({16, 32});
  if (p.types.a == DType::f64) {
    // m8n8k4 is the only shape with eight rows.
    p.m = draft.dice.one_of({8, 16});
    p.instruction_k = p.m == 8 ? 4 : draft.dice.one_of({4, 8, 16});
  }
  p.n = draft.dice.one_of({8, 16});
  p.k = p.instruction_k * draft.dice.between(1, 3);
  p.transposed_b = draft.dice.chance(50);
  const int b_rows = p.transposed_b ? p.n : p.k, b_columns = p.transposed_b ? p.k : p.n;
  const std::string in_a = draft.tile_input(fmt::format("{}, {}", p.m, p.k), stored(p.types.a),
                                            operand_kind(draft, p.types.a));
  const std::string in_b = draft.tile_input(fmt::format("{}, {}", b_rows, b_columns),
                                            stored(p.types.b), operand_kind(draft, p.types.b));
  const std::string out = draft.tile_output(fmt::format("{}, {}", p.m, p.n), p.types.d);
  std::string from_a = in_a + "[bx, :, :]";
  if (w == 2 && draft.dice.chance(50)) {
    const std::string shared = draft.fresh("S");
    draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\")", shared, p.m, p.k,
               type_name(p.types.a));
    draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", shared, in_a);
    cta_barrier(draft);
    from_a = shared + "[:, :]";
    draft.mark("gemm through shared memory");
  }
  draft.line("if {}:", one_warp(draft));
  {
    const Draft::Block block(draft);
    const std::string a =
        register_tile(draft, p.m, p.k, p.types.a, fragment_a(p.m, p.k, w, p.instruction_k));
    const std::string b = register_tile(draft, b_rows, b_columns, p.types.b,
                                        fragment_b(p.k, p.n, w, p.instruction_k, p.transposed_b));
    const std::string d = register_tile(draft, p.m, p.n, p.types.d, fragment_d(p.m, p.n));
    load(draft, p.types.a, a, p.m, p.k, fragment_a(p.m, p.k, w, p.instruction_k), from_a);
    load(draft, p.types.b, b, b_rows, b_columns,
         fragment_b(p.k, p.n, w, p.instruction_k, p.transposed_b), in_b + "[bx, :, :]");
    scaled_sum(draft, p, d, a, b);
    draft.line("Tx.warp.copy({}[bx, :, :], {}[:, :])", out, d);
  }
  cta_barrier(draft);
  draft.mark(fmt::format("gemm {} {} {} k{}", type_name(p.types.a), type_name(p.types.b),
                         type_name(p.types.d), p.instruction_k));
}

/// 16-bit tiles through ldmatrix and stmatrix, straight and transposed.
void fragments(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f16, DType::bf16, DType::i16, DType::u16});
  const std::string type = type_name(dtype);
  const std::string in = draft.tile_input("16, 16", dtype, "bits"),
                    out = draft.tile_output("16, 16", dtype);
  const bool swizzled = draft.dice.chance(50), crossed = draft.dice.chance(50);
  const std::string shared_layout = draft.fresh("layout");
  draft.host("{} = {}", shared_layout,
             swizzled ? "ComposeLayout(3, 1, 2, TileLayout(S[16, 16]))" : "TileLayout(S[16, 16])");
  const std::string s = draft.fresh("S"), t = draft.fresh("S");
  for (const std::string& name : {s, t})
    draft.line("{} = T.alloc_buffer((16, 16), \"{}\", scope=\"shared\", layout={})", name, type,
               shared_layout);
  draft.line("Tx.cta.copy({}[:, :], {}[bx, :, :])", s, in);
  cta_barrier(draft);
  draft.line("if {}:", one_warp(draft));
  {
    const Draft::Block block(draft);
    const std::string regs =
        register_tile(draft, 16, 16, dtype,
                      crossed ? "TileLayout(S[(2, 4, 2, 2, 8):(4, 1 @ laneid, 1, 2, 4 @ laneid)])"
                              : "TileLayout(S[(2, 8, 2, 4, 2):(2, 4 @ laneid, 4, 1 @ laneid, 1)])");
    draft.line("Tx.warp.copy({}[:, :], {}[:, :])", regs, s);
    draft.line("Tx.warp.copy({}[:, :], {}[:, :])", t, regs);
  }
  cta_barrier(draft);
  draft.line("Tx.cta.copy({}[bx, :, :], {}[:, :])", out, t);
  cta_barrier(draft);
  draft.mark(fmt::format("fragments {}{}", crossed ? "crossed" : "straight",
                         swizzled ? ", swizzled" : ""));
}

}  // namespace

std::string fragment_a(int m, int k, int packed, int instruction_k) {
  if (m == 8) return fmt::format("TileLayout(S[(8, {}, 4):(4 @ laneid, 1, 1 @ laneid)])", k / 4);
  const int q = instruction_k / (4 * packed);
  return fmt::format(
      "TileLayout(S[({}, 2, 8, {}, {}, 4, {}):({}, {}, 4 @ laneid, {}, {}, 1 @ laneid, 1)])",
      m / 16, k / instruction_k, q, packed, k / 2, packed, 2 * q * packed, 2 * packed);
}

std::string fragment_b(int k, int n, int packed, int instruction_k, bool transposed) {
  const int q = instruction_k / (4 * packed);
  if (transposed)
    return fmt::format(
        "TileLayout(S[({}, 8, {}, {}, 4, {}):({}, 4 @ laneid, {}, {}, 1 @ laneid, 1)])", n / 8,
        k / instruction_k, q, packed, k / 4, q * packed, packed);
  return fmt::format(
      "TileLayout(S[({}, {}, 4, {}, {}, 8):({}, {}, 1 @ laneid, 1, {}, 4 @ laneid)])",
      k / instruction_k, q, packed, n / 8, q * packed, packed, k / 4);
}

std::string fragment_d(int m, int n) {
  if (m == 8)
    return fmt::format("TileLayout(S[(8, {}, 4, 2):(4 @ laneid, 2, 1 @ laneid, 1)])", n / 8);
  return fmt::format("TileLayout(S[({}, 2, 8, {}, 4, 2):({}, 2, 4 @ laneid, 4, 1 @ laneid, 1)])",
                     m / 16, n / 8, n / 2);
}

MatrixTypes matrix_types(Draft& draft) {
  const auto one = [&](DType first, DType second) { return draft.dice.one_of({first, second}); };
  switch (draft.dice.below(7)) {
    case 6:
      return {DType::f64, DType::f64, DType::f64, 1};
    case 5:
      return {DType::tf32, DType::tf32, DType::f32, 1};
    case 0:
      return {DType::f16, DType::f16, one(DType::f32, DType::f16), 2};
    case 1:
      return {DType::bf16, DType::bf16, DType::f32, 2};
    case 2:
      return {one(DType::i8, DType::u8), one(DType::i8, DType::u8), DType::i32, 4};
    default:
      return {one(DType::e4m3, DType::e5m2), one(DType::e4m3, DType::e5m2),
              one(DType::f32, DType::f16), 4};
  }
}

const char* operand_kind(Draft& draft, DType dtype) {
  if (!num::is_float(dtype)) return draft.dice.one_of<const char*>({"int", "bits"});
  return draft.dice.one_of<const char*>({"normal", "normal", "int", "bits"});
}

void matrix_products(Draft& draft) {
  if (draft.dice.chance(45)) return shared_out_products(draft);
  if (draft.dice.chance(40)) return matrix_rows(draft);
  if (draft.dice.chance(25)) return fragments(draft);
  product(draft);
}

}  // namespace tirx::fuzz
