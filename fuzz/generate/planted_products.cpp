// Calls that must be refused: reductions, permute_layout and gemm (docs/language/tile_ops.md and
// tile_matrix.md).
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kSumsOfProducts =
    "po = T.alloc_shared(($R,), \"$D\")\n"
    "pq = T.alloc_shared(($R,), \"$E\")";

constexpr std::string_view kPermuted =
    "pt = T.alloc_shared((4, 32), \"float32\")\n"
    "pv = pt.view(4, 32, layout=TileLayout(S[(4, 32):(1, 4)]))\n"
    "Tx.cta.fill(pt[:, :], 1.0)";

constexpr std::string_view kFragments =
    "pa = T.alloc_buffer((16, 16), \"float16\", scope=\"local\", layout=TileLayout(S[(1, 2, 8, 1, "
    "2, 4, 2):(8, 2, 4 @ laneid, 8, 4, 1 @ laneid, 1)]))\n"
    "pb = T.alloc_buffer((8, 16), \"float16\", scope=\"local\", layout=TileLayout(S[(1, 8, 1, 2, "
    "4, 2):(4, 4 @ laneid, 4, 2, 1 @ laneid, 1)]))\n"
    "pd = T.alloc_buffer((16, 8), \"float32\", scope=\"local\", layout=TileLayout(S[(1, 2, 8, 1, "
    "4, 2):(4, 2, 4 @ laneid, 4, 1 @ laneid, 1)]))\n"
    "pc = T.alloc_buffer((16, 8), \"float16\", scope=\"local\", layout=TileLayout(S[(1, 2, 8, 1, "
    "4, 2):(4, 2, 4 @ laneid, 4, 1 @ laneid, 1)]))\n"
    "Tx.warp.fill(pa, 1.0)\n"
    "Tx.warp.fill(pb, 2.0)\n"
    "Tx.warp.fill(pc, 3.0)\n"
    "Tx.warp.fill(pd, 3.0)";

constexpr auto kProductsFaults = std::to_array<PlantedFault>({
    {"reduction: no such axis", kSumsOfProducts, "", "Tx.cta.sum(po, ps, axes=1)",
     "Tx.cta.sum(po, ps, axes=2)  #! refused axis 2 is not one of the 2 dimensions"},
    {"reduction: an axis twice", kSumsOfProducts, "", "Tx.cta.sum(po, ps, axes=-1)",
     "Tx.cta.sum(po, ps, axes=(1, 1))  #! refused named twice"},
    {"reduction: other extents", kSumsOfProducts, "", "Tx.cta.max(po, ps, axes=1)",
     "Tx.cta.max(po[0:$R // 2], ps, axes=1)  #! refused without the axes reduced is not po of "
     "extents"},
    {"reduction: other dtype", kSumsOfProducts, "", "Tx.cta.sum(po, ps, axes=1)",
     "Tx.cta.sum(pq, ps, axes=1)  #! refused is accumulated in"},
    {"reduction: in place", kSumsOfProducts, "", "Tx.cta.min(po, ps[:, 1:$C], axes=1)",
     "Tx.cta.min(ps[:, 0:1], ps[:, 0:$C], axes=1)  #! refused overlaps the destination"},
    {"reduction: thread_reduce in memory", kSumsOfProducts, "", "Tx.cta.sum(po, ps, axes=1)",
     "Tx.cta.sum(po, ps, axes=1, thread_reduce=True)  #! refused the threads always share the work "
     "in shared memory"},
    {"permute_layout: scope", kPermuted, "",
     "if warp == $W:\n"
     "    Tx.warp.permute_layout(pv, pt)",
     "Tx.cta.permute_layout(pv, pt)  #! refused needs warp scope, not cta"},
    {"permute_layout: size", kPermuted,
     "pw = T.alloc_shared((3, 8), \"float32\")\n"
     "px = pw.view(3, 8, layout=TileLayout(S[(3, 8):(1, 3)]))\n"
     "Tx.cta.fill(pw[:, :], 1.0)",
     "if warp == $W:\n"
     "    Tx.warp.permute_layout(pv, pt)",
     "if warp == $W:\n"
     "    Tx.warp.permute_layout(px, pw)  #! refused 24 elements are not 32 times a power of two"},
    {"gemm: matrices that do not multiply", kFragments, "",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pb)  #! refused they do not multiply"},
    {"gemm: C of another dtype", kFragments, "",
     "Tx.warp.gemm(pd, pa, pb, pd, beta=1.0, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pb, pc, beta=1.0, transpose_B=True)  #! refused C is float16, but D is "
     "float32"},
    {"gemm: beta without C", kFragments, "", "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pb, beta=1.0, transpose_B=True)  #! refused beta is not 0, but there is "
     "no C"},
    {"gemm: operands of two dtypes", kFragments,
     "pe = T.alloc_buffer((8, 16), \"bfloat16\", scope=\"local\", layout=TileLayout(S[(1, 8, 1, 2, "
     "4, 2):(4, 4 @ laneid, 4, 2, 1 @ laneid, 1)]))\n"
     "Tx.warp.fill(pe, 2.0)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pe, transpose_B=True)  #! refused no mma.sync multiplies float16 by "
     "bfloat16"},
    {"gemm: operand in shared memory", kFragments,
     "pe = T.alloc_shared((8, 16), \"float16\")\n"
     "Tx.cta.fill(pe[:, :], 2.0)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pe, transpose_B=True)  #! refused mma.sync takes registers"},
    {"gemm: another fragment", kFragments,
     "pe = T.alloc_buffer((8, 16), \"float16\", scope=\"local\", layout=TileLayout(S[(8, 4, 4):(4 "
     "@ laneid, 1 @ laneid, 1)]))\n"
     "Tx.warp.fill(pe, 2.0)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pe, transpose_B=True)  #! refused does not lie as the instruction asks"},
    {"gemm: D is A", kFragments, "", "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pa[:, 0:8], pa, pb, transpose_B=True)  #! refused D and pa share registers"},
    {"gemm: by one thread", kFragments, "", "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.gemm(pd, pa, pb, transpose_B=True)  #! refused mma.sync is executed by whole warps, got "
     "thread"},
    {"gemm: interval that does not divide K", kFragments, "",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, promotion_interval=16)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, promotion_interval=24)  #! refused is no multiple "
     "of the promotion interval 24"},
    {"gemm: promotion in float16", kFragments, "",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, promotion_interval=16)",
     "Tx.warp.gemm(pc, pa, pb, transpose_B=True, promotion_interval=16)  #! refused promotion "
     "needs float32 accumulators, D is float16"},
    {"gemm: unknown option", kFragments, "", "Tx.warp.gemm(pd, pa, pb, transpose_B=True)",
     "Tx.warp.gemm(pd, pa, pb, transpose_B=True, transpose_D=True)  #! refused Tx.gemm takes no "
     "keyword 'transpose_D'"},
});

}  // namespace

PlantedList planted_in_products() {
  return planted_list<kProductsFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
