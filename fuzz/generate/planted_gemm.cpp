// Calls of gemm that must be refused, beside planted_products.cpp: dtypes, fragments, shared
// registers, promotion and scales (docs/language/tile_matrix.md, "gemm").
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

#define TIRX_A "layout=TileLayout(S[(2, 8, 1, 2, 4, 2):(2, 4 @ laneid, 8, 4, 1 @ laneid, 1)])"
#define TIRX_B "layout=TileLayout(S[(8, 2, 4, 2):(4 @ laneid, 2, 1 @ laneid, 1)])"
#define TIRX_D "layout=TileLayout(S[(2, 8, 4, 2):(2, 4 @ laneid, 1 @ laneid, 1)])"

/// D (16, 8), A (16, 16), B (8, 16) of float16, and scales for the 16 rows.
constexpr std::string_view kMatrices =
    "pa = T.alloc_buffer((16, 16), \"float16\", scope=\"local\", " TIRX_A
    ")\n"
    "pb = T.alloc_buffer((8, 16), \"float16\", scope=\"local\", " TIRX_B
    ")\n"
    "pd = T.alloc_buffer((16, 8), \"float32\", scope=\"local\", " TIRX_D
    ")\n"
    "pf = T.alloc_shared((16, 2), \"float32\")\n"
    "Tx.cta.fill(pf[:, :], 1.0)\n"
    "Tx.warp.fill(pa, 1.0)\n"
    "Tx.warp.fill(pb, 2.0)\n"
    "Tx.warp.fill(pd, 3.0)";

constexpr std::string_view kProduct = "Tx.warp.gemm(pd, pa, pb, transpose_B=True)";
constexpr std::string_view kScaled =
    "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pf, promotion_interval=8)";

constexpr auto kGemmFaults = std::to_array<PlantedFault>({
    {"gemm: one row", kMatrices, "", kProduct,
     "Tx.warp.gemm(pd[0:1, :], pa[0:1, :], pb, transpose_B=True)  #! refused dimensions of more "
     "than one element, not 2"},
    {"gemm: half a tile", kMatrices, "", kProduct,
     "Tx.warp.gemm(pd[0:8, :], pa[0:8, :], pb, transpose_B=True)  #! refused no mma instruction "
     "fits M=8, N=8, K=16"},
    {"gemm: float32 operands", kMatrices,
     "pe = T.alloc_buffer((16, 16), \"float32\", scope=\"local\", " TIRX_A ")\n"
     "pg = T.alloc_buffer((8, 16), \"float32\", scope=\"local\", " TIRX_B ")\n"
     "Tx.warp.fill(pe, 1.0)\n"
     "Tx.warp.fill(pg, 1.0)",
     kProduct,
     "Tx.warp.gemm(pd, pe, pg, transpose_B=True)  #! refused cast the operands to tfloat32"},
    {"gemm: int16 operands", kMatrices,
     "pe = T.alloc_buffer((16, 16), \"int16\", scope=\"local\", " TIRX_A ")\n"
     "pg = T.alloc_buffer((8, 16), \"int16\", scope=\"local\", " TIRX_B ")\n"
     "Tx.warp.fill(pe, 1)\n"
     "Tx.warp.fill(pg, 1)",
     kProduct,
     "Tx.warp.gemm(pd, pe, pg, transpose_B=True)  #! refused mma.sync does not multiply int16"},
    {"gemm: float16 summed in int32", kMatrices,
     "pe = T.alloc_buffer((16, 8), \"int32\", scope=\"local\", " TIRX_D ")", kProduct,
     "Tx.warp.gemm(pe, pa, pb, transpose_B=True)  #! refused no mma.sync accumulates float16 x "
     "float16 in int32"},
    {"gemm: float16 by bfloat16", kMatrices,
     "pe = T.alloc_buffer((8, 16), \"bfloat16\", scope=\"local\", " TIRX_B ")\n"
     "Tx.warp.fill(pe, 1.0)",
     kProduct,
     "Tx.warp.gemm(pd, pa, pe, transpose_B=True)  #! refused no mma.sync multiplies float16 by "
     "bfloat16"},
    {"gemm: float8 by k = 8", kMatrices,
     "pe = T.alloc_buffer((16, 32), \"float8_e4m3fn\", scope=\"local\", layout=TileLayout(S[(2, 8, "
     "2, 4, 4):(4, 4 @ laneid, 8, 1 @ laneid, 1)]))\n"
     "pg = T.alloc_buffer((8, 32), \"float8_e4m3fn\", scope=\"local\", layout=TileLayout(S[(8, 2, "
     "4, 4):(4 @ laneid, 4, 1 @ laneid, 1)]))\n"
     "Tx.warp.fill(pe, 0)\n"
     "Tx.warp.fill(pg, 0)",
     "Tx.warp.gemm(pd, pe, pg, transpose_B=True)",
     "Tx.warp.gemm(pd, pe, pg, transpose_B=True, dispatch=\"mma.m16n8k8\")  #! refused no m16n8k8 "
     "for dtypes (float8_e4m3fn, float8_e4m3fn, float32, float32): k is 16, 32"},
    {"gemm: float16 by k = 32", kMatrices, "",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, dispatch=\"mma.m16n8k8\")",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, dispatch=\"mma.m16n8k32\")  #! refused no "
     "m16n8k32 for dtypes (float16, float16, float32, float32): k is 8, 16"},
    {"gemm: swizzled operand", kMatrices,
     "pe = T.alloc_buffer((16, 16), \"float16\", scope=\"local\", layout=ComposeLayout(0, 1, 1, "
     "TileLayout(S[(2, 8, 1, 2, 4, 2):(2, 4 @ laneid, 8, 4, 1 @ laneid, 1)])))",
     kProduct, "Tx.warp.gemm(pd, pe, pb, transpose_B=True)  #! refused pe is swizzled"},
    {"gemm: private operand", kMatrices, "pe = T.alloc_local((16, 16), \"float16\")", kProduct,
     "Tx.warp.gemm(pd, pe, pb, transpose_B=True)  #! refused pe is private to each thread"},
    {"gemm: pairs apart", kMatrices,
     "pe = T.alloc_buffer((16, 16), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 8, 1, 2, "
     "4, 2):(1, 4 @ laneid, 8, 4, 1 @ laneid, 2)]))\n"
     "Tx.warp.fill(pe, 1.0)",
     kProduct,
     "Tx.warp.gemm(pd, pe, pb, transpose_B=True)  #! refused the elements of a register are no "
     "neighbours"},
    {"gemm: float16 sums apart", kMatrices,
     "pe = T.alloc_buffer((16, 8), \"float16\", scope=\"local\", " TIRX_D ")\n"
     "pg = T.alloc_buffer((16, 8), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 8, 4, "
     "2):(1, 4 @ laneid, 1 @ laneid, 2)]))",
     "Tx.warp.gemm(pe, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pg, pa, pb, transpose_B=True)  #! refused the float16 pairs of a register are "
     "no aligned neighbours"},
    {"gemm: rows in other lanes", kMatrices,
     "pe = T.alloc_buffer((16, 8), \"float32\", scope=\"local\", layout=TileLayout(S[(8, 2, 4, "
     "2):(4 @ laneid, 2, 1 @ laneid, 1)]))",
     kProduct,
     "Tx.warp.gemm(pe, pa, pb, transpose_B=True)  #! refused does not lie as the instruction asks"},
    {"gemm: C in other registers of D", kMatrices,
     "pe = pd.view(16, 8, layout=TileLayout(S[(2, 8, 4, 2):(1, 4 @ laneid, 1 @ laneid, 2)]))",
     "Tx.warp.gemm(pd, pa, pb, pd, beta=1.0, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pb, pe, beta=1.0, transpose_B=True)  #! refused share registers, but "
     "not element by element"},
    {"gemm: scales in D", kMatrices, "", kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pd[:, 0:2], promotion_interval=8)  #! refused "
     "D and pd share registers"},
    {"gemm: whole factors", kMatrices,
     "pe = T.alloc_buffer((16, 32), \"int8\", scope=\"local\", layout=TileLayout(S[(2, 8, 2, 4, "
     "4):(4, 4 @ laneid, 8, 1 @ laneid, 1)]))\n"
     "pg = T.alloc_buffer((8, 32), \"int8\", scope=\"local\", layout=TileLayout(S[(8, 2, 4, 4):(4 "
     "@ "
     "laneid, 4, 1 @ laneid, 1)]))\n"
     "ph = T.alloc_buffer((16, 8), \"int32\", scope=\"local\", " TIRX_D ")\n"
     "Tx.warp.fill(pe, 1)\n"
     "Tx.warp.fill(pg, 1)",
     "Tx.warp.gemm(ph, pe, pg, transpose_B=True, alpha=2)",
     "Tx.warp.gemm(ph, pe, pg, transpose_B=True, alpha=0.5)  #! refused alpha is 0.5, but D is "
     "int32"},
    {"gemm: a computed factor of another kind", kMatrices,
     "pe = T.alloc_buffer((16, 32), \"uint8\", scope=\"local\", layout=TileLayout(S[(2, 8, 2, 4, "
     "4):(4, 4 @ laneid, 8, 1 @ laneid, 1)]))\n"
     "pg = T.alloc_buffer((8, 32), \"uint8\", scope=\"local\", layout=TileLayout(S[(8, 2, 4, 4):(4 "
     "@ "
     "laneid, 4, 1 @ laneid, 1)]))\n"
     "ph = T.alloc_buffer((16, 8), \"int32\", scope=\"local\", " TIRX_D ")\n"
     "Tx.warp.fill(pe, 1)\n"
     "Tx.warp.fill(pg, 1)",
     "Tx.warp.gemm(ph, pe, pg, transpose_B=True, alpha=bx + 1)",
     "Tx.warp.gemm(ph, pe, pg, transpose_B=True, alpha=T.cast(bx, \"float32\"))  #! refused alpha "
     "is float32, but D is int32"},
    {"gemm: transposed or not", kMatrices, "", kProduct,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=2)  #! refused transpose_B must be True or False"},
    {"gemm: no interval at all", kMatrices, "", kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, promotion_interval=0)  #! refused "
     "promotion_interval is a positive number"},
    {"gemm: interval inside of a step", kMatrices, "", kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, promotion_interval=4)  #! refused a k step of 8 "
     "would straddle the promotion interval 4"},
    {"gemm: another fill_mode", kMatrices, "", kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pf, promotion_interval=8, fill_mode=\"one\")  "
     "#! refused fill_mode is \"zero\""},
    {"scales: of float16", kMatrices,
     "pe = T.alloc_shared((16, 2), \"float16\")\n"
     "Tx.cta.fill(pe[:, :], 1.0)",
     kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused scales "
     "are float32 or float8_e8m0fnu"},
    {"scales: one dimension", kMatrices,
     "pe = T.alloc_shared((16,), \"float32\")\n"
     "Tx.cta.fill(pe[:], 1.0)",
     kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused SFA "
     "needs two dimensions"},
    {"scales: three dimensions", kMatrices,
     "pe = T.alloc_shared((2, 16, 2), \"float32\")\n"
     "Tx.cta.fill(pe[:, :, :], 1.0)",
     kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused SFA has "
     "more than two dimensions"},
    {"scales: fewer rows", kMatrices, "", kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pf[0:8, :], promotion_interval=8)  #! refused "
     "SFA has 8 rows for 16 of the matrix"},
    {"scales: too many columns", kMatrices,
     "pe = T.alloc_shared((16, 3), \"float32\")\n"
     "Tx.cta.fill(pe[:, :], 1.0)",
     kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused SFA has "
     "3 scales along K"},
    {"scales: transposed", kMatrices,
     "pe = T.alloc_shared((2, 16), \"float32\")\n"
     "Tx.cta.fill(pe[:, :], 1.0)",
     kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused SFA is "
     "(2, 16), transposed"},
    {"scales: changing inside of an interval", kMatrices,
     "pe = T.alloc_shared((16, 16), \"float32\")\n"
     "Tx.cta.fill(pe[:, :], 1.0)",
     kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused SFA "
     "changes after 1 along K, inside a promotion interval of 8"},
    {"scales: of the columns, fewer", kMatrices, "",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFB=pf[0:8, :], promotion_interval=8)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFB=pf[0:4, :], promotion_interval=8)  #! refused "
     "SFB has 4 columns for 8 of the matrix"},
    {"scales: in one lane of a row", kMatrices,
     "pe = T.alloc_buffer((16, 2), \"float32\", scope=\"local\", layout=TileLayout(S[(2, 8, 2):(2, "
     "4 "
     "@ laneid, 1)] + R[4 : 1 @ laneid]))\n"
     "pg = T.alloc_buffer((16, 2), \"float32\", scope=\"local\", layout=TileLayout(S[(2, 8, 2):(2, "
     "4 "
     "@ laneid, 1)]))\n"
     "Tx.warp.fill(pe, 1.0)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pg, promotion_interval=8)  #! refused pg[0, "
     "0] is needed in lane 1 of warp 0"},
    {"scales: in other registers", kMatrices,
     "pe = T.alloc_buffer((16, 2), \"float32\", scope=\"local\", layout=TileLayout(S[(8, 2, 2):(4 "
     "@ "
     "laneid, 2, 1)] + R[4 : 1 @ laneid]))\n"
     "Tx.warp.fill(pe, 1.0)",
     kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused lie in "
     "different registers of the lanes that need them"},
    {"scales: private", kMatrices, "pe = T.alloc_local((16, 2), \"float32\")", kScaled,
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, SFA=pe, promotion_interval=8)  #! refused pe is "
     "private to each thread"},
});

#undef TIRX_A
#undef TIRX_B
#undef TIRX_D

}  // namespace

PlantedList planted_in_gemm() {
  return planted_list<kGemmFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
