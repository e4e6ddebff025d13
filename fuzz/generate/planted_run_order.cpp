// Accesses that nothing orders, and copies that are read too early.
#include <array>

#include "fuzz/generate/planted_run.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kTyped =
    "ps = T.alloc_shared(($T,), \"$D\")\n"
    "ps[tx] = T.cast(tx, \"$D\")\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kInts =
    "ps = T.alloc_shared(($T,), \"int32\")\n"
    "ps[tx] = tx\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kCopies =
    "ps = T.alloc_shared((3, $T, 4), \"int32\")\n"
    "for pi in range(3):\n"
    "    for pj in range(4):\n"
    "        ps[pi, tx, pj] = pi * pj + tx\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kMatrices =
    "ps = T.alloc_shared(($T, 4), \"uint32\")\n"
    "pw: T.uint32 = 1\n"
    "px: T.uint32 = 2\n"
    "py: T.uint32 = 3\n"
    "pz: T.uint32 = 4\n"
    "for pi in range(4):\n"
    "    ps[tx, pi] = T.uint32(pi)\n"
    "T.cuda.cta_sync()";

constexpr auto kFaults = std::to_array<RunFault>({
    {"race: read and write of two warps", kTyped,
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[$Z], \"int32\")",
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")  #! race ps[$Z]\n"
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[$Z], \"int32\")  #! race ps[$Z]"},
    {"race: two writes of two warps", kTyped,
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if tx == $Z:\n"
     "    ps[$Z] = T.cast($Q, \"$D\")",
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")  #! race ps[$Z]\n"
     "if tx == $Z:\n"
     "    ps[$Z] = T.cast($Q, \"$D\")  #! race ps[$Z]"},
    {"race: whole warps, of which one byte is common", kTyped,
     "ps[(tx + $K) % $T] = T.cast($K, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")",
     "if warp == 0:\n"
     "    ps[tx + 1] = T.cast($K, \"$D\")  #! race ps[32]\n"
     "if warp == 1:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")  #! race ps[32]"},
    {"race: lanes of one warp", kTyped,
     "ps[tx ^ 1] = T.cast(tx, \"$D\")\n"
     "T.cuda.warp_sync()\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx ^ $K], \"int32\")",
     "ps[tx ^ 1] = T.cast(tx, \"$D\")  #! race ps[\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")  #! race ps["},
    {"race: two lanes of one warp", kTyped,
     "if lane == $L and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")\n"
     "T.cuda.warp_sync()\n"
     "if lane == $M and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")",
     "if lane == $L and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")  #! race ps[$Z]\n"
     "if lane == $M and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")  #! race ps[$Z]"},
    {"race: a shuffle orders nothing", kInts,
     "ps[tx ^ 1] = tx\n"
     "T.cuda.warp_sync()\n"
     "PGlob[bx, tx, 0] = ps[tx] + T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $L)",
     "ps[tx ^ 1] = tx  #! race ps[\n"
     "pv: T.let = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $L)\n"
     "PGlob[bx, tx, 0] = ps[tx] + pv  #! race ps["},
    {"race: warp_sync of other lanes", kInts,
     "if warp == $W:\n"
     "    if lane == $L:\n"
     "        ps[$Z] = 1\n"
     "    T.cuda.warp_sync()\n"
     "    if lane == $M:\n"
     "        ps[$Z] = 2",
     "if warp == $W:\n"
     "    if lane == $L:\n"
     "        ps[$Z] = 1  #! race ps[$Z]\n"
     "    if lane != $M:\n"
     "        T.cuda.warp_sync(T.uint32(0xffffffff) ^ (T.uint32(1) << T.uint32($M)))\n"
     "    if lane == $M:\n"
     "        ps[$Z] = 2  #! race ps[$Z]"},
    {"race: the same value twice", kTyped,
     "if tx == $A:\n"
     "    ps[$K] = T.cast(5, \"$D\")",
     "ps[$K] = T.cast(5, \"$D\")  #! race ps[$K]"},
    {"race: a barrier of other threads", kInts,
     "if tx == $A:\n"
     "    ps[$Z] = 1\n"
     "if warp == $W or warp == $V:\n"
     "    T.ptx.bar.sync($B, 64)\n"
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 0] = ps[$Z]",
     "if tx == $A:\n"
     "    ps[$Z] = 1  #! race ps[$Z]\n"
     "if warp == $W:\n"
     "    T.ptx.bar.sync($B, 32)\n"
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 0] = ps[$Z]  #! race ps[$Z]"},
    {"race: who arrives does not wait", kInts,
     "if warp == $W:\n"
     "    if lane == $L:\n"
     "        ps[$Z] = 1\n"
     "    T.ptx.bar.arrive($B, 64)\n"
     "if warp == $V:\n"
     "    T.ptx.bar.sync($B, 64)\n"
     "    if lane == $M:\n"
     "        PGlob[bx, tx, 0] = ps[$Z]",
     "if warp == $W:\n"
     "    T.ptx.bar.arrive($B, 64)\n"
     "    if lane == $L:\n"
     "        PGlob[bx, tx, 0] = ps[$Z]  #! race ps[$Z]\n"
     "if warp == $V:\n"
     "    if lane == $M:\n"
     "        ps[$Z] = 1  #! race ps[$Z]\n"
     "    T.ptx.bar.sync($B, 64)"},
    {"race: an atomic and a plain write", kInts,
     "T.cuda.atomic_add(ps.ptr_to([$Z]), 1)\n"
     "T.cuda.cta_sync()\n"
     "if tx == $A:\n"
     "    ps[$Z] = 1",
     "if warp == $V:\n"
     "    T.cuda.atomic_add(ps.ptr_to([$Z]), 1)  #! race ps[$Z]\n"
     "if tx == $A:\n"
     "    ps[$Z] = 1  #! race ps[$Z]"},
    {"race: an atomic and a plain read", kInts,
     "T.cuda.atomic_add(ps.ptr_to([$Z]), 1)\n"
     "T.cuda.atomic_max(ps.ptr_to([$Z]), 1)",
     "if tx == $A:\n"
     "    PGlob[bx, tx, 0] = ps[$Z]  #! race ps[$Z]\n"
     "if warp == $V:\n"
     "    T.cuda.atomic_max(ps.ptr_to([$Z]), $K)  #! race ps[$Z]"},
    {"race: parts of one word",
     "ps = T.alloc_shared(($T,), \"int32\")\n"
     "pb = ps.view(\"uint8\")\n"
     "ps[tx] = tx\n"
     "T.cuda.cta_sync()",
     "if tx == $A:\n"
     "    pb[$Z * 4 + $K % 4] = T.uint8(3)\n"
     "if tx == $Z:\n"
     "    pb[$Z * 4 + ($K + 1) % 4] = T.uint8(4)",
     "if tx == $A:\n"
     "    pb[$Z * 4 + $K % 4] = T.uint8(3)  #! race\n"
     "if tx == $Z:\n"
     "    ps[$Z] = 4  #! race"},
    {"race: a vector and an element",
     "ps = T.alloc_shared(($T, 4), \"int32\")\n"
     "pr = T.alloc_local((4,), \"int32\")\n"
     "for pi in range(4):\n"
     "    ps[tx, pi] = pi\n"
     "T.cuda.cta_sync()",
     "if tx == $A:\n"
     "    T.ptx.ld.shared.v2.s32(pr[0], pr[1], ps.ptr_to([$Z, 0]))\n"
     "if tx == $Z:\n"
     "    ps[$Z, 2 + $K % 2] = 5",
     "if tx == $A:\n"
     "    T.ptx.ld.shared.v4.s32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([$Z, 0]))  #! race ps[$Z, \n"
     "if tx == $Z:\n"
     "    ps[$Z, $K % 4] = 5  #! race ps[$Z, "},
    {"race: ldmatrix and a store",
     "ps = T.alloc_shared(($T, 4), \"uint32\")\npw: T.uint32 = 0\n"
     "for pi in range(4):\n"
     "    ps[tx, pi] = T.uint32(pi)\n"
     "T.cuda.cta_sync()",
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane % 8, 0]))\n"
     "if warp == $V and lane == $M:\n"
     "    ps[8, 0] = T.uint32(1)",
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane % 8, 0]))  #! race "
     "ps[\n"
     "if warp == $V and lane == $M:\n"
     "    ps[$K, $Q % 4] = T.uint32(1)  #! race ps[$K, "},
    {"race: four matrices and a store", kMatrices,
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(pw, px, py, pz, ps.ptr_to([lane, 0]))\n"
     "T.cuda.cta_sync()\n"
     "if warp == $V and lane == $M:\n"
     "    ps[31 - $K, $Q % 4] = T.uint32(1)",
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(pw, px, py, pz, ps.ptr_to([lane, 0]))  #! "
     "race "
     "ps[\n"
     "if warp == $V and lane == $M:\n"
     "    ps[$L, $Q % 4] = T.uint32(1)  #! race ps[$L, "},
    {"race: transposed matrices and a store", kMatrices,
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16(pw, px, ps.ptr_to([lane % 16, 0]))\n"
     "if warp == $V and lane == $M:\n"
     "    ps[16 + $K, $Q % 4] = T.uint32(1)",
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16(pw, px, ps.ptr_to([lane % 16, 0]))  "
     "#! "
     "race ps[\n"
     "if warp == $V and lane == $M:\n"
     "    ps[8 + $K, $Q % 4] = T.uint32(1)  #! race ps["},
    {"race: stored matrices and a load", kMatrices,
     "if warp == $W:\n"
     "    T.ptx.stmatrix.sync.aligned.m8n8.x4.shared.b16(ps.ptr_to([lane, 0]), pw, px, py, pz)\n"
     "T.cuda.cta_sync()\n"
     "if warp == $V and lane == $M:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[$L, $Q % 4], \"int32\")",
     "if warp == $W:\n"
     "    T.ptx.stmatrix.sync.aligned.m8n8.x4.shared.b16(ps.ptr_to([lane, 0]), pw, px, py, pz)  #! "
     "race "
     "ps[\n"
     "if warp == $V and lane == $M:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[$L, $Q % 4], \"int32\")  #! race ps["},
    {"race: copies of two threads into one place", kCopies,
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "    T.ptx.cp.async_.wait_all()\n"
     "T.cuda.cta_sync()\n"
     "if tx == $Z:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 4]), 16)\n"
     "    T.ptx.cp.async_.wait_all()",
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  "
     "#! "
     "race ps[0, $Z, \n"
     "    T.ptx.cp.async_.wait_all()\n"
     "if tx == $Z:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 4]), 16)  "
     "#! "
     "race ps[0, $Z, \n"
     "    T.ptx.cp.async_.wait_all()"},
    {"race: relaxed accesses order nothing", kInts,
     "pf: T.int32 = 0\n"
     "if tx == $A:\n"
     "    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77777)\n"
     "if tx == $Z:\n"
     "    T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))",
     "pf: T.int32 = 0\n"
     "if tx == $A:\n"
     "    ps[$A] = 5  #! race ps[$A]\n"
     "    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77777)\n"
     "if tx == $Z:\n"
     "    while pf != 77777:\n"
     "        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))\n"
     "    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A]"},
    {"race: fences around relaxed accesses", kInts,
     "pf: T.int32 = 0\n"
     "if tx == $A:\n"
     "    ps[$A] = 5\n"
     "    T.ptx.fence.acq_rel.cta()\n"
     "    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77777)\n"
     "if tx == $Z:\n"
     "    while pf != 77777:\n"
     "        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))\n"
     "    T.ptx.fence.acq_rel.cta()\n"
     "    PGlob[bx, tx, 0] = ps[$A]",
     "pf: T.int32 = 0\n"
     "if tx == $A:\n"
     "    ps[$A] = 5  #! race ps[$A]\n"
     "    T.ptx.fence.acq_rel.cta()\n"
     "    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77777)\n"
     "if tx == $Z:\n"
     "    while pf != 77777:\n"
     "        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))\n"
     "    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A]"},
    {"race: a flag between CTAs, of too small a scope", "pf: T.int32 = 0",
     "if bx == 0 and tx == $A:\n"
     "    PGlob[0, 0, 0] = 42\n"
     "    T.ptx.st.release.gpu.global_.s32(PFlag.ptr_to([$K]), 1)\n"
     "if bx == 1 and tx == $Z:\n"
     "    while pf == 0:\n"
     "        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))\n"
     "    PGlob[1, 0, 1] = PGlob[0, 0, 0]",
     "if bx == 0 and tx == $A:\n"
     "    PGlob[0, 0, 0] = 42  #! race PGlob[0, 0, 0]\n"
     "    T.ptx.fence.acq_rel.cta()\n"
     "    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)\n"
     "if bx == 1 and tx == $Z:\n"
     "    while pf == 0:\n"
     "        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))\n"
     "    PGlob[1, 0, 1] = PGlob[0, 0, 0]  #! race PGlob[0, 0, 0]",
     2},
    {"race: two CTAs write", "",
     "if tx == $A:\n"
     "    PGlob[bx, 0, $K] = bx",
     "if tx == $A:\n"
     "    PGlob[0, 0, $K] = bx  #! race PGlob[0, 0, $K]",
     2},
    {"race: two CTAs, one reads", "",
     "if tx == $A:\n"
     "    PGlob[bx, tx, $K] = bx\n"
     "    PGlob[bx, tx, 0] = PGlob[bx, tx, $K] + 1",
     "if tx == $A:\n"
     "    PGlob[bx, tx, $K] = bx  #! race PGlob[\n"
     "    PGlob[bx, tx, 0] = PGlob[1 - bx % 2, tx, $K] + 1  #! race PGlob[",
     2},
    {"race: an atomic and a plain write of two CTAs", "",
     "if tx == $A:\n"
     "    T.cuda.atomic_add(PGlob.ptr_to([0, 0, $K]), 1)",
     "if tx == $A:\n"
     "    if bx == 0:\n"
     "        PGlob[0, 0, $K] = 5  #! race PGlob[0, 0, $K]\n"
     "    if bx == 1:\n"
     "        T.cuda.atomic_add(PGlob.ptr_to([0, 0, $K]), 1)  #! race PGlob[0, 0, $K]",
     2},
    {"race: an atomic whose scope is a CTA", "",
     "if tx == $A and bx < 2:\n"
     "    T.ptx.red.relaxed.gpu.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1)",
     "if tx == $A and bx < 2:\n"
     "    T.ptx.red.relaxed.cta.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1)  #! race PGlob[0, 0, "
     "$K]",
     2},
    {"race: CTAs of a cluster", "",
     "PGlob[bx, tx, 0] = tx\n"
     "T.cuda.cluster_sync()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]",
     "PGlob[bx, tx, 0] = tx  #! race PGlob[\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[",
     2, true},
    {"race: a cluster's arrival without the wait", "",
     "PGlob[bx, tx, 0] = tx\n"
     "T.ptx.barrier.cluster.arrive()\n"
     "T.ptx.barrier.cluster.wait()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]",
     "PGlob[bx, tx, 0] = tx  #! race PGlob[\n"
     "T.ptx.barrier.cluster.arrive()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[\n"
     "T.ptx.barrier.cluster.wait()",
     2, true},
    {"race: a copy that others read behind the wait", kCopies,
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "T.ptx.cp.async_.wait_all()\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 6] = ps[0, tx ^ 1, $K % 4]",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! "
     "race ps[0, \n"
     "T.ptx.cp.async_.wait_all()\n"
     "PGlob[bx, tx, 6] = ps[0, tx ^ 1, $K % 4]  #! race ps[0, "},
    {"race: a copy into what is still read", kCopies,
     "PGlob[bx, tx, 6] = ps[0, $Z, $K % 4]\n"
     "T.cuda.cta_sync()\n"
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "    T.ptx.cp.async_.wait_all()",
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 6] = ps[0, $Z, $K % 4]  #! race ps[0, $Z, \n"
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  "
     "#! "
     "race ps[0, $Z, \n"
     "    T.ptx.cp.async_.wait_all()"},
    {"race: a copy's source is written again", kCopies,
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "T.ptx.cp.async_.wait_all()\n"
     "PGlob[bx, tx, $K % 4] = 5",
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  "
     "#! "
     "race PGlob[\n"
     "    PGlob[bx, tx, $K % 4] = 5  #! race PGlob[\n"
     "    T.ptx.cp.async_.wait_all()"},
    {"async: read before the wait", kCopies,
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(0)\n"
     "PGlob[bx, tx, 6] = ps[0, tx, $K % 4]",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! "
     "async\n"
     "PGlob[bx, tx, 6] = ps[0, tx, $K % 4]  #! async ps[0, \n"
     "T.ptx.cp.async_.wait_all()"},
    {"async: a wait that leaves one group more", kCopies,
     "for pi in range(3):\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([pi, tx, 0]), PGlob.ptr_to([bx, tx, 4]), "
     "16)\n"
     "    T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(1)\n"
     "PGlob[bx, tx, 0] = ps[1, tx, $K % 4] + ps[0, tx, $K % 4]\n"
     "T.ptx.cp.async_.wait_group(0)",
     "for pi in range(3):\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([pi, tx, 0]), PGlob.ptr_to([bx, tx, 4]), "
     "16)  #! async\n"
     "    T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(2)\n"
     "PGlob[bx, tx, 0] = ps[0, tx, $K % 4]\n"
     "PGlob[bx, tx, 1] = ps[1, tx, $K % 4]  #! async ps[1, \n"
     "T.ptx.cp.async_.wait_group(0)"},
    {"async: what was not committed", kCopies,
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 8)\n"
     "T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(0)\n"
     "PGlob[bx, tx, 6] = ps[2, tx, $K % 2]",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 8)  #! "
     "async\n"
     "T.ptx.cp.async_.wait_group(0)\n"
     "PGlob[bx, tx, 6] = ps[2, tx, $K % 2]  #! async ps[2, \n"
     "T.ptx.cp.async_.wait_all()"},
});

}  // namespace

std::span<const RunFault> faults_of_order() {
  return kFaults;
}

}  // namespace tirx::fuzz
