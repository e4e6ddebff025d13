// Calls that must be refused: tiles that lie in registers, and everything that reads them
// (docs/language/tile_ops.md, tile_matrix.md).  Each says words of its own, so that it is this rule
// that refuses and not another further on.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// One row a lane; in another order; on half of the lanes, on every other one; swizzled; private.
constexpr std::string_view kTiles =
    "pw = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 4):(1 @ "
    "laneid, 1)]))\n"
    "pv = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(8, 4, 4):(1 @ "
    "laneid, 8 @ laneid, 1)]))\n"
    "ph = T.alloc_buffer((16, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(16, 4):(1 @ "
    "laneid, 1)]))\n"
    "pg = T.alloc_buffer((16, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(16, 4):(2 @ "
    "laneid, 1)]))\n"
    "pz = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=ComposeLayout(0, 1, 1, "
    "TileLayout(S[(32, 4):(1 @ laneid, 1)])))\n"
    "pr = T.alloc_buffer((1, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(1, 4):(1, 1)] "
    "+ "
    "R[32 : 1 @ laneid]))\n"
    "pp = T.alloc_local((4,), \"float32\")\n"
    "for pi in range(4):\n"
    "    pp[pi] = 1.0\n"
    "Tx.warp.fill(pw, 1.0)\n"
    "Tx.warp.fill(pv, 1.0)\n"
    "Tx.warp.fill(pr, 1.0)";

/// Rows over all threads of the CTA.
constexpr std::string_view kOverWarps =
    "px = T.alloc_buffer(($T, 4), \"float32\", scope=\"local\", layout=TileLayout(S[($T // 32, 32, "
    "4):(1 @ warpid, 1 @ laneid, 1)]))\n"
    "py = T.alloc_buffer((1, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(1, 4):(1, 1)] "
    "+ "
    "R[$T // 32 : 1 @ warpid] + R[32 : 1 @ laneid]))\n"
    "pt = T.alloc_buffer(($T,), \"float32\", scope=\"local\", layout=TileLayout(S[($T // 32, "
    "32):(1 "
    "@ warpid, 1 @ laneid)]))\n"
    "Tx.cta.fill(px, 1.0)\n"
    "Tx.cta.fill(pt, 1.0)\n"
    "Tx.cta.fill(py, 1.0)";

constexpr std::string_view kWide =
    "pk = T.alloc_shared(($R, $C), \"float32\")\n"
    "ph = T.alloc_shared(($R, $C), \"float16\")\n"
    "Tx.cta.fill(pk[:, :], 1.0)\n"
    "Tx.cta.fill(ph[:, :], 1.0)";

constexpr std::string_view kRows =
    "pl = T.alloc_shared(($T, 4), \"float32\")\n"
    "pc = T.alloc_buffer(($T, 4), \"float32\", scope=\"shared\", layout=TileLayout(S[($T, 4):(1, "
    "$T)]))\n"
    "Tx.cta.fill(pl[:, :], 1.0)\n"
    "Tx.cta.fill(pc[:, :], 1.0)\n"
    "T.cuda.cta_sync()";

/// 8 x 8 matrices of 16-bit elements in shared memory and in registers.
constexpr std::string_view kRowsOfMatrices =
    "pm = T.alloc_shared((16, 16), \"float16\")\n"
    "pn = T.alloc_buffer((16, 16), \"float16\", scope=\"shared\", layout=ComposeLayout(1, 2, 3, "
    "TileLayout(S[16, 16])))\n"
    "pq = T.alloc_buffer((16, 8), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 8, 4, "
    "2):(2, 4 @ laneid, 1 @ laneid, 1)]))\n"
    "pu = T.alloc_buffer((16, 8), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 8, 2, "
    "4):(1, 4 @ laneid, 2, 1 @ laneid)]))\n"
    "pf = T.alloc_buffer((16, 8), \"float32\", scope=\"local\", layout=TileLayout(S[(2, 8, 4, "
    "2):(2, 4 @ laneid, 1 @ laneid, 1)]))\n"
    "pg = T.alloc_shared((16, 8), \"float32\")\n"
    "Tx.cta.fill(pm[:, :], 1.0)\n"
    "Tx.cta.fill(pn[:, :], 1.0)\n"
    "Tx.cta.fill(pg[:, :], 1.0)";

constexpr std::string_view kCopyFrom = "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :])";
constexpr std::string_view kAsync =
    "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :])\n"
    "T.ptx.cp.async_.wait_all()";
constexpr std::string_view kAddLanes = "Tx.warp.add(pw, pw, 1.0)";
constexpr std::string_view kSumRows = "Tx.warp.sum(pr, pw, axes=0)";
constexpr std::string_view kLoadMatrices =
    "Tx.warp.copy(pq[:, :], pm[:, 0:8], dispatch=\"ldstmatrix\")";

constexpr auto kFragmentsFaults = std::to_array<PlantedFault>({
    {"registers: some of the lanes, by their layout", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pw[16:32, :], PVec[bx, 0:16, :], dispatch=\"reg\")  #! refused R sliced offset "
     "on thread axis 'laneid' is 16"},
    {"registers: some of the lanes, behind tests", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pw[16:32, :], PVec[bx, 0:16, :], dispatch=\"predicated\")  #! refused starts at "
     "laneid = 16"},
    {"registers: copied to swizzled ones", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pz[:, :], PVec[bx, 0:32, :])  #! refused the register tile pz is swizzled"},
    {"registers: copied to swizzled ones, clipped", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pz[:, :], PVec[bx, 0:32, :], clip=True)  #! refused the register tile pz is "
     "swizzled"},
    {"registers: on half of the lanes", kTiles, "", kCopyFrom,
     "Tx.warp.copy(ph[:, :], PVec[bx, 0:16, :])  #! refused spans 16 instances, not all 32 of the "
     "warp"},
    {"registers: on every other lane", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pg[:, :], PVec[bx, 0:16, :])  #! refused is not tiled without gaps"},
    {"registers: replicas stored", kTiles, "", "Tx.warp.copy(pr[:, :], PVec[bx, 0:1, :])",
     "Tx.warp.copy(PVec[bx, 0:1, :], pr[:, :])  #! refused each element is held by 32 threads"},
    {"registers: replicas stored over an edge", kTiles, "",
     "Tx.warp.copy(pr[:, :], PVec[bx, 0:1, :], clip=True)",
     "Tx.warp.copy(PVec[bx, 0:1, :], pr[:, :], clip=True)  #! refused each element is held by "
     "several"},
    {"registers: of a CTA by a warp", kOverWarps, "", "Tx.cta.copy(px[:, :], PVec[bx, 0:$T, :])",
     "Tx.warp.copy(px[:, :], PVec[bx, 0:$T, :])  #! refused is above the op's scope warp"},
    {"registers: to registers", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pw[:, :], pv[:, :])  #! refused both sides are registers"},
    {"registers: spread, by one thread", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :], dispatch=\"fallback\")  #! refused is spread over "
     "threads"},
    {"copy: as many rows, but not known to be", "",
     "pm: T.int32 = 2\n"
     "pn: T.int32 = 3",
     "Tx.cta.copy(ps[0:pm, :], PIn[bx, 0:pm, :])",
     "Tx.cta.copy(ps[0:pm, :], PIn[bx, 0:pn, :])  #! refused extents differ"},
    {"copy: of a cluster", "", "", "Tx.cta.zero(ps[:, :])",
     "Tx.cluster.zero(ps[:, :])  #! refused unsupported exec_scope cluster"},
    {"copy: vec_128b across memory", kRows, "",
     "Tx.copy(pl[tx, 0:4], PVec[bx, tx, 0:4], dispatch=\"vec_128b\")",
     "Tx.copy(pc[tx, 0:4], PVec[bx, tx, 0:4], dispatch=\"vec_128b\")  #! refused elements of pc "
     "are not neighbours in memory"},
    {"copy: vec_16b of words", kRows, "",
     "Tx.copy(pl[tx, 0:1], PVec[bx, tx, 0:1], dispatch=\"vec_32b\")",
     "Tx.copy(pl[tx, 0:1], PVec[bx, tx, 0:1], dispatch=\"vec_16b\")  #! refused an element of 32 "
     "bits is wider than 16 bits"},
    {"copy: half bytes that are no bytes", "",
     "pe = T.alloc_shared(($T, 64), \"float4_e2m1fn\")\n"
     "pf = T.alloc_shared(($T, 64), \"float4_e2m1fn\")\n"
     "pb = pe.view(\"uint8\")\n"
     "for pi in range(32):\n"
     "    pb[tx, pi] = T.uint8(pi)\n"
     "T.cuda.cta_sync()",
     "Tx.cta.copy(pf[:, 2:34], pe[:, 4:36], dispatch=\"fallback\")",
     "Tx.cta.copy(pf[:, 2:34], pe[:, 3:35], dispatch=\"fallback\")  #! refused 4-bit elements move "
     "in pairs along the last dimension"},
    {"copy_async: direct by a CTA", "", "", kAsync,
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :], direct=True)  #! refused one transfer of one "
     "thread\n"
     "T.ptx.cp.async_.wait_all()"},
    {"copy_async: direct, 12 bytes", kRows, "",
     "Tx.copy_async(pl[tx, 0:4], PVec[bx, tx, 0:4], direct=True)\n"
     "T.ptx.cp.async_.wait_all()",
     "Tx.copy_async(pl[tx, 0:3], PVec[bx, tx, 0:3], direct=True)  #! refused has 12 bytes, not 4, "
     "8 or 16\n"
     "T.ptx.cp.async_.wait_all()"},
    {"copy_async: another prefetch", "", "", kAsync,
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :], prefetch_size=32)  #! refused prefetch_size is "
     "64, 128 or 256\n"
     "T.ptx.cp.async_.wait_all()"},
    {"copy_async: a predicate that is none", "", "", kAsync,
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :], predicate=\"yes\")  #! refused predicate must be "
     "a condition\n"
     "T.ptx.cp.async_.wait_all()"},
    {"copy_async: direct or not", "", "", kAsync,
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :], direct=2)  #! refused direct is True or False\n"
     "T.ptx.cp.async_.wait_all()"},
    {"ldmatrix: 32-bit elements", kRowsOfMatrices, "", kLoadMatrices,
     "Tx.warp.copy(pf[:, :], pg[:, :], dispatch=\"ldstmatrix\")  #! refused the matrices have "
     "16-bit elements, not float32"},
    {"ldmatrix: rows in pieces", kRowsOfMatrices, "", kLoadMatrices,
     "Tx.warp.copy(pq[:, :], pn[:, 0:8], dispatch=\"ldstmatrix\")  #! refused it keeps only 2 "
     "elements"},
    {"ldmatrix: between rows", kRowsOfMatrices, "", kLoadMatrices,
     "Tx.warp.copy(pq[:, :], pm[:, 4:12], dispatch=\"ldstmatrix\")  #! refused does not start at a "
     "multiple of 8 elements"},
    {"ldmatrix: another fragment", kRowsOfMatrices, "", kLoadMatrices,
     "Tx.warp.copy(pu[:, :], pm[:, 0:8], dispatch=\"ldstmatrix\")  #! refused do not hold 8 x 8 "
     "matrices of rows"},
    {"ldmatrix: by a thread", kRowsOfMatrices, "", kLoadMatrices,
     "Tx.copy(pq[:, :], pm[:, 0:8], dispatch=\"ldstmatrix\")  #! refused ldmatrix is executed by "
     "whole warps, got thread"},
    {"ldmatrix: from global memory", kTiles, "", kCopyFrom,
     "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :], dispatch=\"ldstmatrix\")  #! refused needs one "
     "side in registers and one shared"},
    {"permute_layout: to other threads", kTiles, "", "Tx.warp.permute_layout(pw, pw[:, :])",
     "Tx.warp.permute_layout(pw, pv)  #! refused thread part mismatch"},
    {"permute_layout: swizzled registers", kTiles, "", "Tx.warp.permute_layout(pw, pw[:, :])",
     "Tx.warp.permute_layout(pz, pw)  #! refused the register tile pz is swizzled"},
    {"permute_layout: bank conflicts", "",
     "pt = T.alloc_shared((4, 32), \"float32\")\n"
     "pu = T.alloc_shared((4, 32), \"float16\")\n"
     "Tx.cta.fill(pt[:, :], 1.0)\n"
     "Tx.cta.fill(pu[:, :], 1.0)",
     "if warp == $W:\n"
     "    Tx.warp.permute_layout(pt.view(4, 32, layout=TileLayout(S[(4, 32):(1, 4)])), pt)",
     "if warp == $W:\n"
     "    Tx.warp.permute_layout(pu.view(4, 32, layout=TileLayout(S[(4, 32):(1, 4)])), pu)  #! "
     "refused no xor of the lanes avoids bank conflicts"},
    {"permute_layout: a swizzle", "",
     "pt = T.alloc_shared((4, 32), \"float32\")\n"
     "pu = T.alloc_buffer((4, 32), \"float32\", scope=\"shared\", layout=ComposeLayout(0, 2, 3, "
     "TileLayout(S[4, 32])))\n"
     "Tx.cta.fill(pt[:, :], 1.0)\n"
     "Tx.cta.fill(pu[:, :], 1.0)",
     "if warp == $W:\n"
     "    Tx.warp.permute_layout(pt.view(4, 32, layout=TileLayout(S[(4, 32):(1, 4)])), pt)",
     "if warp == $W:\n"
     "    Tx.warp.permute_layout(pt, pu)  #! refused pu must have a plain layout"},
    {"reduction: across warps", kOverWarps, "", "Tx.cta.sum(pt, px, axes=1)",
     "Tx.cta.sum(py, px, axes=0)  #! refused a reduced dimension lies across the warps of the cta"},
    {"reduction: replicas on half of the lanes", kTiles,
     "pq = T.alloc_buffer((1, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(1, 4):(1, 1)] "
     "+ "
     "R[16 : 1 @ laneid]))",
     kSumRows, "Tx.warp.sum(pq, pw, axes=0)  #! refused 16 threads, not the full 32 of the warp"},
    {"reduction: parts of other lanes", kTiles,
     "pq = T.alloc_buffer((16, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(16, 4):(1 @ "
     "laneid, 1)] + R[2 : 16 @ laneid]))",
     kSumRows, "Tx.warp.sum(pq, pw, axes=0)  #! refused mismatch dst/src layout for reduction"},
    {"reduction: thread_reduce by a CTA", kOverWarps, "", "Tx.cta.sum(pt, px, axes=1)",
     "Tx.cta.sum(pt, px, axes=1, thread_reduce=True)  #! refused only supported in warp scope"},
    {"reduction: swizzled registers", kTiles, "", kSumRows,
     "Tx.warp.sum(pr, pz, axes=0)  #! refused the register tile pz is swizzled"},
    {"reduction: global memory", kWide, "po = T.alloc_shared(($R,), \"$D\")",
     "Tx.cta.max(po, ps, axes=1)",
     "Tx.cta.max(po, PIn[bx, :, :], axes=1)  #! refused both operands must be in shared memory, "
     "and PIn is global"},
    {"reduction: a storage type", "",
     "po = T.alloc_shared(($R, $C), \"float8_e4m3fn\")\n"
     "pq = T.alloc_shared(($R,), \"float8_e4m3fn\")\n"
     "pk = T.alloc_shared(($R,), \"$D\")\n"
     "Tx.cta.cast(po[:, :], ps[:, :])",
     "Tx.cta.sum(pk, ps, axes=1)", "Tx.cta.sum(pq, po, axes=1)  #! refused sum is not defined on"},
    {"reduction: extents that are not known", kWide,
     "po = T.alloc_shared(($R,), \"$D\")\n"
     "pm: T.int32 = 4",
     "Tx.cta.max(po[0:4], ps[0:4, :], axes=1)",
     "Tx.cta.max(po[0:pm], ps[0:pm, :], axes=1)  #! refused the region's extents are not "
     "constants"},
    {"elementwise: approximation that is not known", kWide, "", "Tx.cta.exp(pk[:, :], approx=True)",
     "Tx.cta.silu(pk[:, :], pk[:, :], approx=True)  #! refused silu has no hardware approximation"},
    {"elementwise: approximation of float16", kWide, "", "Tx.cta.exp(pk[:, :], approx=True)",
     "Tx.cta.exp(ph[:, :], approx=True)  #! refused is for float32, not float16"},
    {"elementwise: smaller on the left", kWide, "", "Tx.cta.sub(pk[:, :], pk[:, :], ph[0:1, :])",
     "Tx.cta.sub(pk[:, :], ph[0:1, :], pk[:, :])  #! refused cannot broadcast its lhs"},
    {"elementwise: a row of the destination", kWide, "",
     "Tx.cta.sub(pk[:, :], pk[:, :], ph[0:1, :])",
     "Tx.cta.sub(pk[:, :], pk[:, :], pk[0:1, :])  #! refused overlaps the destination"},
    {"elementwise: half bytes", kWide, "pe = T.alloc_shared(($R, $C), \"float4_e2m1fn\")",
     "Tx.cta.zero(pk[:, :])",
     "Tx.cta.zero(pe[:, :])  #! refused which share a byte with a neighbour"},
    {"elementwise: bias of another dtype", kWide, "", "Tx.cta.exp(ph[:, :], ph[:, :], ph[:, :])",
     "Tx.cta.exp(ph[:, :], ph[:, :], pk[:, :])  #! refused the bias of exp must be float16 like "
     "its source"},
    {"elementwise: scale of another dtype", kWide, "",
     "Tx.cta.sqrt(pk[:, :], pk[:, :], 0.5, pk[:, :])",
     "Tx.cta.sqrt(pk[:, :], pk[:, :], 0.5, ph[:, :])  #! refused the scale of sqrt must be float32 "
     "like its source"},
    {"elementwise: fma of a constant", kWide, "", "Tx.cta.fma(pk[:, :], pk[:, :], 1.0, 2.0)",
     "Tx.cta.fma(pk[:, :], 1.0, pk[:, :], 2.0)  #! refused fma needs a region as src"},
    {"elementwise: private registers", kTiles, "", kAddLanes,
     "Tx.warp.add(pp, pp, 1.0)  #! refused got a thread-local view with no thread axes"},
    {"elementwise: spread registers by one thread", kTiles, "", kAddLanes,
     "Tx.add(pw, pw, 1.0)  #! refused use the op at a larger scope"},
    {"elementwise: lanes by a CTA", kTiles, "", kAddLanes,
     "Tx.cta.add(pw, pw, 1.0)  #! refused which does not count the threads of the cta"},
    {"elementwise: half of the lanes", kTiles, "", kAddLanes,
     "Tx.warp.add(ph, ph, 1.0)  #! refused spans 16 threads, not the full 32 of the warp"},
    {"elementwise: every other lane", kTiles, "", kAddLanes,
     "Tx.warp.add(pg, pg, 1.0)  #! refused do not tile a complete 32:1"},
    {"elementwise: a part of the lanes", kTiles, "", kAddLanes,
     "Tx.warp.add(pw[0:16, :], pw[0:16, :], 1.0)  #! refused spans 16 threads, not the full 32 of "
     "the warp"},
    {"elementwise: the last lanes", kTiles, "", kAddLanes,
     "Tx.warp.add(pw[16:32, :], pw[16:32, :], 1.0)  #! refused starts at laneid = 16"},
    {"elementwise: other threads", kTiles, "", kAddLanes,
     "Tx.warp.add(pw, pw, pv)  #! refused thread part mismatch"},
    {"elementwise: swizzled registers", kTiles, "", kAddLanes,
     "Tx.warp.add(pz, pz, 1.0)  #! refused the register tile pz is swizzled"},
    {"elementwise: registers not cut alike", kTiles,
     "pq = T.alloc_local((6,), \"float32\")\n"
     "pu = T.alloc_local((3, 2), \"float32\")\n"
     "pr = T.alloc_local((6,), \"float32\")\n"
     "for pi in range(6):\n"
     "    pq[pi] = 1.0\n"
     "    pr[pi] = 2.0\n"
     "pt = pq.view(6, layout=TileLayout(S[(2, 3):(3, 1)]))\n"
     "pm = pr.view(6, layout=TileLayout(S[(2, 3):(1, 2)]))\n"
     "pn = pq.view(6, layout=TileLayout(S[(3, 2):(1, 3)]))",
     "Tx.add(pt, pt, pm)", "Tx.add(pm, pm, pn)  #! refused are not cut alike"},
});

}  // namespace

PlantedList planted_in_fragments() {
  return planted_list<kFragmentsFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
