// Calls that must be refused whatever the operation: part of the threads, a cluster, extents that
// are not known, an edge by a variant that does not look at edges, words cut in half.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

#define TIRX_D "scope=\"local\", layout=TileLayout(S[(2, 8, 4, 2):(2, 4 @ laneid, 1 @ laneid, 1)])"

/// Registers of float32 over the lanes, and their sums; shared tiles of 32 and of 16 bits.
constexpr std::string_view kTiles =
    "pw = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 4):(1 @ "
    "laneid, 1)]))\n"
    "pr = T.alloc_buffer((1, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(1, 4):(1, 1)] "
    "+ "
    "R[32 : 1 @ laneid]))\n"
    "pk = T.alloc_shared(($R, $C), \"float32\")\n"
    "po = T.alloc_shared(($R,), \"float32\")\n"
    "pm = T.alloc_shared((16, 16), \"float16\")\n"
    "pq = T.alloc_buffer((16, 8), \"float16\", " TIRX_D
    ")\n"
    "Tx.warp.fill(pw, 1.0)\n"
    "Tx.warp.fill(pr, 1.0)\n"
    "Tx.cta.fill(pk[:, :], 1.0)\n"
    "Tx.cta.fill(pm[:, :], 1.0)\n"
    "Tx.cta.fill(po[:], 1.0)\n"
    "pn: T.int32 = 2";

constexpr std::string_view kMatricesOfParts =
    "pa = T.alloc_buffer((2, 16, 16), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 2, 8, "
    "2, 4, 2):(17, 2, 4 @ laneid, 4, 1 @ laneid, 1)]))\n"
    "pb = T.alloc_buffer((2, 8, 16), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 8, 2, "
    "4, "
    "2):(9, 4 @ laneid, 2, 1 @ laneid, 1)]))\n"
    "pd = T.alloc_buffer((16, 8), \"float32\", " TIRX_D
    ")\n"
    "ph = T.alloc_buffer((2, 16, 8), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 2, 8, "
    "4, "
    "2):(5, 2, 4 @ laneid, 1 @ laneid, 1)]))\n"
    "pm = T.alloc_shared((16, 16), \"float16\")\n"
    "Tx.cta.fill(pm[:, :], 1.0)\n"
    "Tx.warp.fill(pa, 1.0)\n"
    "Tx.warp.fill(pb, 2.0)";

constexpr std::string_view kProduct =
    "Tx.warp.gemm(pd, pa[0, :, :], pb[0, :, :], transpose_B=True)";
constexpr std::string_view kLoadOfParts = "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :])";
constexpr std::string_view kRowsOfParts = "Tx.warp.copy(pq[:, :], pm[:, 0:8])";
constexpr std::string_view kPart = "only part of the warp reaches the call";
constexpr std::string_view kCluster = "unsupported exec_scope cluster";
constexpr std::string_view kUnknown = "extents are not constants";
constexpr std::string_view kEdge = "clip or fill asks for a copy that looks at the buffers' ends";

constexpr auto kPartsFaults = std::to_array<PlantedFault>({
    {"part of a warp: copy to registers", kTiles, "", kLoadOfParts,
     "if lane < 16:\n"
     "    Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :])  #! refused only part of the warp reaches the "
     "call"},
    {"part of a warp: copy behind tests", kTiles, "",
     "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :], clip=True)",
     "if lane > 7:\n"
     "    Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :], clip=True)  #! refused only part of the warp "
     "reaches the call"},
    {"part of a warp: ldmatrix", kTiles, "", kRowsOfParts,
     "if lane >= 16:\n"
     "    Tx.warp.copy(pq[:, :], pm[:, 0:8], dispatch=\"ldstmatrix\")  #! refused only part of the "
     "warp reaches the call"},
    {"part of a warp: elementwise in registers", kTiles, "", "Tx.warp.add(pw, pw, 1.0)",
     "if lane < 31:\n"
     "    Tx.warp.add(pw, pw, 1.0)  #! refused only part of the warp reaches the call"},
    {"part of a warp: elementwise in shared memory", kTiles, "",
     "if warp == $W:\n"
     "    Tx.warp.zero(pk[:, :])",
     "if warp == $W:\n"
     "    if lane < 16:\n"
     "        Tx.warp.zero(pk[:, :])  #! refused only part of the warp reaches the call"},
    {"part of a warp: elementwise in global memory", kTiles, "",
     "if warp == $W:\n"
     "    Tx.warp.zero(POut[bx, :, :])",
     "if lane >= 1:\n"
     "    Tx.warp.zero(POut[bx, :, :])  #! refused only part of the warp reaches the call"},
    {"part of a warp: sum of registers", kTiles, "", "Tx.warp.sum(pr, pw, axes=0)",
     "if lane % 2 == 0:\n"
     "    Tx.warp.sum(pr, pw, axes=0)  #! refused reaches the call"},
    {"part of a warp: sum in shared memory", kTiles, "",
     "if warp == $W:\n"
     "    Tx.warp.sum(po, pk, axes=1)",
     "if tx == 0:\n"
     "    Tx.warp.sum(po, pk, axes=1)  #! refused only part of the warp reaches the call"},
    {"part of a warp: permute_layout", kTiles, "", "Tx.warp.permute_layout(pw, pw[:, :])",
     "if lane < 8:\n"
     "    Tx.warp.permute_layout(pw, pw[:, :])  #! refused only part of the warp reaches the call"},
    {"part of a warp: gemm", kMatricesOfParts, "", kProduct,
     "if lane < 16:\n"
     "    Tx.warp.gemm(pd, pa[0, :, :], pb[0, :, :], transpose_B=True)  #! refused only part of "
     "the warp reaches the call"},
    {"part of a CTA: copy_async", "", "",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :])\n"
     "T.ptx.cp.async_.wait_all()",
     "if warp == $W:\n"
     "    Tx.cta.copy_async(ps[:, :], PIn[bx, :, :])  #! refused only part of the cta reaches the "
     "call\n"
     "T.ptx.cp.async_.wait_all()"},
    {"by thread: a number", kTiles, "",
     "if warp == $W:\n"
     "    Tx.warp.fill(pk[:, :], T.cast(bx + warp, \"float32\"))",
     "if warp == $W:\n"
     "    Tx.warp.fill(pk[:, :], T.cast(bx - lane * 2, \"float32\"))  #! refused an operand "
     "differs between the threads of the warp: it depends on lane"},
    {"by thread: a region", "", "", "Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "Tx.cta.copy(ps[:, :], PIn[tx - bx, :, :])  #! refused the region of PIn differs between the "
     "threads of the cta: it depends on tx"},
    {"cluster: copy", kTiles, "", kLoadOfParts,
     "Tx.cluster.copy(ps[:, :], PIn[bx, :, :])  #! refused unsupported exec_scope cluster"},
    {"cluster: copy_async", "", "",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :])\n"
     "T.ptx.cp.async_.wait_all()",
     "Tx.cluster.copy_async(ps[:, :], PIn[bx, :, :])  #! refused unsupported exec_scope cluster\n"
     "T.ptx.cp.async_.wait_all()"},
    {"cluster: registers", kTiles, "", "Tx.warp.add(pw, pw, 1.0)",
     "Tx.cluster.add(pw, pw, 1.0)  #! refused unsupported exec_scope cluster"},
    {"cluster: global memory", kTiles, "", "Tx.cta.zero(POut[bx, :, :])",
     "Tx.cluster.zero(POut[bx, :, :])  #! refused unsupported exec_scope cluster"},
    {"cluster: sum", kTiles, "", "Tx.cta.sum(po, pk, axes=1)",
     "Tx.cluster.sum(po, pk, axes=1)  #! refused unsupported exec_scope cluster"},
    {"cluster: gemm", kMatricesOfParts, "", kProduct,
     "Tx.cluster.gemm(pd, pa[0, :, :], pb[0, :, :], transpose_B=True)  #! refused unsupported "
     "exec_scope cluster"},
    {"extents not known: gmem_smem", kTiles, "", "Tx.cta.copy(ps[0:pn, :], PIn[bx, 0:pn, :])",
     "Tx.cta.copy(ps[0:pn, :], PIn[bx, 0:pn, :], dispatch=\"gmem_smem\")  #! refused extents are "
     "not constants"},
    {"extents not known: predicated", kTiles, "", "Tx.cta.copy(ps[0:pn, :], PIn[bx, 0:pn, :])",
     "Tx.cta.copy(ps[0:pn, :], PIn[bx, 0:pn, :], dispatch=\"predicated\")  #! refused extents are "
     "not constants"},
    {"extents not known: copy_async", kTiles, "", "Tx.cta.copy(ps[0:pn, :], PIn[bx, 0:pn, :])",
     "Tx.cta.copy_async(ps[0:pn, :], PIn[bx, 0:pn, :])  #! refused extents are not constants\n"
     "T.ptx.cp.async_.wait_all()"},
    {"extents not known: elementwise", kTiles, "", "Tx.cta.copy(ps[0:pn, :], PIn[bx, 0:pn, :])",
     "Tx.cta.mul(pk[0:pn, :], pk[0:pn, :], 2.0)  #! refused extents are not constants"},
    {"extents not known: registers", kTiles, "", kLoadOfParts,
     "Tx.warp.copy(pw[:, 0:pn], PVec[bx, 0:32, 0:pn], dispatch=\"reg\")  #! refused extents are "
     "not constants"},
    {"edge: by registers", kTiles, "", kLoadOfParts,
     "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :], clip=True, dispatch=\"reg\")  #! refused clip or "
     "fill asks for a copy that looks at the buffers' ends"},
    {"edge: by ldmatrix", kTiles, "", kRowsOfParts,
     "Tx.warp.copy(pq[:, :], pm[:, 0:8], clip=True, dispatch=\"ldstmatrix\")  #! refused clip or "
     "fill asks for a copy that looks at the buffers' ends"},
    {"edge: by one thread", kTiles, "", "Tx.cta.copy(ps[:, :], PIn[bx, :, :], clip=True)",
     "Tx.cta.copy(ps[:, :], PIn[bx, :, :], clip=True, dispatch=\"fallback\")  #! refused clip or "
     "fill asks for a copy that looks at the buffers' ends"},
    {"edge: in one access", "", "pl = T.alloc_local((4,), \"float32\")",
     "Tx.copy(pl[0:4], PVec[bx, tx, 0:4], dispatch=\"vec_128b\")",
     "Tx.copy(pl[0:4], PVec[bx, tx, 0:4], fill=0, dispatch=\"vec_128b\")  #! refused clip or fill "
     "asks for a copy that looks at the buffers' ends"},
    {"half a word: A", kMatricesOfParts, "", kProduct,
     "Tx.warp.gemm(pd, pa[1, :, :], pb[0, :, :], transpose_B=True)  #! refused pa: a register "
     "would start inside a 32-bit word"},
    {"half a word: B", kMatricesOfParts, "", kProduct,
     "Tx.warp.gemm(pd, pa[0, :, :], pb[1, :, :], transpose_B=True)  #! refused pb: a register "
     "would start inside a 32-bit word"},
    {"half a word: D", kMatricesOfParts, "",
     "Tx.warp.gemm(ph[0, :, :], pa[0, :, :], pb[0, :, :], transpose_B=True)",
     "Tx.warp.gemm(ph[1, :, :], pa[0, :, :], pb[0, :, :], transpose_B=True)  #! refused ph: the "
     "float16 pairs of a register are no aligned neighbours"},
    {"half a word: ldmatrix", kMatricesOfParts, "",
     "Tx.warp.copy(ph[0, :, :], pm[:, 0:8], dispatch=\"ldstmatrix\")",
     "Tx.warp.copy(ph[1, :, :], pm[:, 0:8], dispatch=\"ldstmatrix\")  #! refused the register "
     "region starts inside a 32-bit word"},
    {"half a word: cp.async of bytes apart", "",
     "pu = T.alloc_shared(($T, 16), \"uint8\")\n"
     "pv = T.alloc_buffer(($T, 16), \"uint8\", scope=\"shared\", layout=TileLayout(S[($T, 16):(1, "
     "$T)]))",
     "pg = PVec.view(\"uint8\")\n"
     "Tx.cta.copy_async(pu[:, :], pg[bx, :, :])\n"
     "T.ptx.cp.async_.wait_all()",
     "pg = PVec.view(\"uint8\")\n"
     "Tx.cta.copy_async(pv[:, :], pg[bx, :, :])  #! refused cannot find a cp.async-compatible "
     "vec_len\n"
     "T.ptx.cp.async_.wait_all()"},
});

#undef TIRX_D

}  // namespace

PlantedList planted_in_parts() {
  return planted_list<kPartsFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
