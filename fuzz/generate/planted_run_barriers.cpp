// Who never comes, who comes too often, and who is let through too early: barriers of the CTA and
// of clusters, mbarriers, exchanges between lanes (PTX ISA, "bar", "mbarrier").
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// An mbarrier for 33 arrivals.
constexpr std::string_view kMade =
    "pb = T.alloc_shared((2,), \"uint64\")\n"
    "ps = T.alloc_shared(($T,), \"int32\")\n"
    "pt: T.uint64 = 0\n"
    "pd: T.bool = False\n"
    "ps[tx] = tx\n"
    "if tx == $A:\n"
    "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([0]), 33)\n"
    "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), 1)\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kInts =
    "ps = T.alloc_shared(($T,), \"int32\")\n"
    "ps[tx] = tx\n"
    "T.cuda.cta_sync()";

constexpr auto kRunBarriersFaults = std::to_array<PlantedFault>({
    {"mbarrier: an arrival is missing", kMade, "",
     "if warp == $W:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)",
     "if warp == $W:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)  #! deadlock"},
    {"mbarrier: the phase after the next", kMade, "",
     "if warp == $W:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)",
     "if warp == $W:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([0]), 1)  #! deadlock"},
    {"mbarrier: the phase before lets through", kMade, "",
     "if warp == $W:\n"
     "    ps[$T - 32 + lane] = 5\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)\n"
     "    PGlob[bx, tx, 0] = ps[$T - 32 + $K]",
     "if warp == $W:\n"
     "    ps[$T - 32 + lane] = 5  #! race ps[\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 1)\n"
     "    PGlob[bx, tx, 0] = ps[$T - 32 + $K]  #! race ps[\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))"},
    {"mbarrier: the writer arrives first", kMade, "",
     "if warp == $W:\n"
     "    ps[$T - 32 + lane] = 5\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)\n"
     "    PGlob[bx, tx, 0] = ps[$T - 32 + $K]",
     "if warp == $W:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "    ps[$T - 32 + lane] = 5  #! race ps[\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)\n"
     "    PGlob[bx, tx, 0] = ps[$T - 32 + $K]  #! race ps["},
    {"mbarrier: relaxed arrivals release nothing", kMade, "",
     "if warp == $W:\n"
     "    ps[$T - 32 + lane] = 5\n"
     "    T.ptx.fence.acq_rel.cta()\n"
     "    T.ptx.mbarrier.arrive.relaxed.cta.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "    while not pd:\n"
     "        T.ptx.mbarrier.try_wait.parity.relaxed.cta.shared.b64(pd, pb.ptr_to([0]), 0)\n"
     "    T.ptx.fence.acq_rel.cta()\n"
     "    PGlob[bx, tx, 0] = ps[$T - 32 + $K]",
     "if warp == $W:\n"
     "    ps[$T - 32 + lane] = 5  #! race ps[\n"
     "    T.ptx.mbarrier.arrive.relaxed.cta.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([0]))\n"
     "    while not pd:\n"
     "        T.ptx.mbarrier.try_wait.parity.shared.b64(pd, pb.ptr_to([0]), 0)\n"
     "    PGlob[bx, tx, 0] = ps[$T - 32 + $K]  #! race ps["},
    {"mbarrier: two warps for one",
     "pc = T.alloc_shared((1,), \"uint64\")\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.init.shared.b64(pc.ptr_to([0]), 32)\n"
     "T.cuda.cta_sync()",
     "",
     "if warp == $W:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pc.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pc.ptr_to([0]), 0)",
     "if warp == $W or warp == $V:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pc.ptr_to([0]))  #! race warps $i and $j "
     "arrive "
     "at the mbarrier pc[0], made for 32"},
    {"mbarrier: a copy's arrival that comes too late",
     "pc = T.alloc_shared((2,), \"uint64\")\n"
     "ps = T.alloc_shared(($T, 4), \"int32\")\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.init.shared.b64(pc.ptr_to([1]), 2)\n"
     "T.cuda.cta_sync()",
     "",
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pc.ptr_to([1]))\n"
     "    T.ptx.cp.async_.wait_all()\n"
     "    T.ptx.mbarrier.inval.shared.b64(pc.ptr_to([1]))",
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pc.ptr_to([1]))  #! trap is gone; "
     "beyond "
     "tile\n"
     "    T.ptx.mbarrier.inval.shared.b64(pc.ptr_to([1]))\n"
     "    T.ptx.cp.async_.wait_all()"},
    {"mbarrier: nobody made it", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))",
     "pc = T.alloc_shared((2,), \"uint64\")\n"
     "if tx == $A:\n"
     "    pc[1] = T.uint64(0)\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pc.ptr_to([1]))  #! trap no mbarrier at pc[1]"},
    {"mbarrier: waited for, and nobody made it", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)",
     "pc = T.alloc_shared((2,), \"uint64\")\n"
     "if tx == $A:\n"
     "    pc[1] = T.uint64(0)\n"
     "    T.cuda.mbarrier_wait(pc.ptr_to([1]), 0)  #! trap no mbarrier at pc[1]"},
    {"mbarrier: waited for by a parity that nobody wrote", kMade, "",
     "pn: T.int32 = 1\n"
     "if tx == $A:\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([1]), pn)",
     "pn: T.int32\n"
     "if tx == $A:\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([1]), pn)  #! uninit phase"},
    {"mbarrier: made twice", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))\n"
     "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), 2)",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), 2)  #! trap pb[1] is an mbarrier already"},
    {"mbarrier: used after its end", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))  #! trap no mbarrier at pb[1]"},
    {"mbarrier: overwritten", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))\n"
     "    pb[1] = T.uint64($K)",
     "if tx == $A:\n"
     "    pb[1] = T.uint64($K)\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))  #! trap pb[1] was overwritten; "
     "beyond tile"},
    {"mbarrier: a count that is none", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))\n"
     "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), 1048575)",
     "pn: T.int32 = T.if_then_else(tx == $A, 0, 1)\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))\n"
     "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), pn)  #! trap 0 is no count; beyond tile"},
    {"mbarrier: a count that nobody wrote", kMade, "",
     "pn: T.int32 = $K\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))\n"
     "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), pn)",
     "pn: T.int32\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))\n"
     "    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), pn)  #! uninit count; beyond tile"},
    {"mbarrier: a parity that is none", kMade, "",
     "pn: T.int32 = 1\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.test_wait.parity.shared.b64(pd, pb.ptr_to([1]), pn)",
     "pn: T.int32 = $K + 1\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.test_wait.parity.shared.b64(pd, pb.ptr_to([1]), pn)  #! trap no parity; "
     "beyond tile"},
    {"mbarrier: a parity that nobody wrote", kMade, "",
     "pn: T.int32 = 1\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.test_wait.parity.shared.b64(pd, pb.ptr_to([1]), pn)",
     "pn: T.int32\n"
     "if tx == $A:\n"
     "    T.ptx.mbarrier.test_wait.parity.shared.b64(pd, pb.ptr_to([1]), pn)  #! uninit phase"},
    {"mbarrier: more arrivals than are left", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.noComplete.shared.b64(pt, pb.ptr_to([0]), 30 + $K % 3)",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.noComplete.shared.b64(pt, pb.ptr_to([0]), 33 + $K)  #! trap whose "
     "phase misses 33 of 33"},
    {"mbarrier: the last arrival must not be the last", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.noComplete.shared.b64(pt, pb.ptr_to([0]), 32)",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.noComplete.shared.b64(pt, pb.ptr_to([0]), 33)  #! trap noComplete; "
     "beyond tile"},
    {"mbarrier: init that is not published",
     "pc = T.alloc_shared((2,), \"uint64\")\n"
     "pt: T.uint64 = 0",
     "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.init.shared.b64(pc.ptr_to([1]), $K + 1)\n"
     "T.cuda.cta_sync()\n"
     "if tx == $Z:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pc.ptr_to([1]))",
     "if warp == $W:\n"
     "    if lane == $L:\n"
     "        T.ptx.mbarrier.init.shared.b64(pc.ptr_to([1]), $K + 1)  #! race pc[1]\n"
     "    T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, 3)\n"
     "    if lane == $M:\n"
     "        T.ptx.mbarrier.arrive.shared.b64(pt, pc.ptr_to([1]))  #! race pc[1]"},
    {"mbarrier: bytes that never come", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([1]), 0)\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([1]), $K * 16)\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)  #! deadlock"},
    {"mbarrier: expected bytes that never come", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.expect_tx.shared.b64(pb.ptr_to([1]), 0)\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.expect_tx.shared.b64(pb.ptr_to([1]), $K * 16)\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))\n"
     "T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)  #! deadlock"},
    {"mbarrier: polled for ever", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))\n"
     "while not pd:\n"
     "    T.ptx.mbarrier.try_wait.parity.shared.b64(pd, pb.ptr_to([1]), 0)",
     "while not pd:\n"
     "    T.ptx.mbarrier.try_wait.parity.shared.b64(pd, pb.ptr_to([1]), 0)  #! deadlock"},
    {"mbarrier: a count of arrivals that are dropped", kMade, "",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive_drop.shared.b64(pt, pb.ptr_to([0]))\n"
     "if warp == $V:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)\n"
     "    T.cuda.warp_sync()\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 1)",
     "if tx == $A:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "if warp == $V:\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)\n"
     "    T.cuda.warp_sync()\n"
     "    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))\n"
     "    T.cuda.mbarrier_wait(pb.ptr_to([0]), 1)  #! deadlock"},
    {"barrier: some lanes are missing", "", "",
     "if warp == $W:\n"
     "    T.cuda.warp_sync()\n"
     "T.cuda.cta_sync()",
     "if lane != $L or warp != $W:\n"
     "    T.cuda.cta_sync()  #! divergence"},
    {"barrier: a warp that never comes", "", "",
     "if warp == $W or warp == $V:\n"
     "    T.ptx.bar.sync($B, 64)",
     "if warp == $W:\n"
     "    T.ptx.bar.sync($B, 64)  #! deadlock"},
    {"barrier: nobody waits for those who arrive", "", "",
     "if warp == $W:\n"
     "    T.ptx.bar.arrive($B, 64)\n"
     "if warp == $V:\n"
     "    T.ptx.bar.sync($B, 64)",
     "if warp == $W:\n"
     "    T.ptx.bar.arrive($B, 96)\n"
     "if warp == $V:\n"
     "    T.ptx.bar.sync($B, 96)  #! deadlock"},
    {"barrier: it does not exist", kInts, "",
     "T.ptx.bar.sync(T.if_then_else(ps[$Z] == $Z, $B, 16), $T)",
     "T.ptx.bar.sync(T.if_then_else(ps[$Z] == $Z, 16, $B), $T)  #! trap barrier 16 does not exist; "
     "beyond tile"},
    {"barrier: a count that is no multiple of a warp", kInts, "",
     "T.ptx.bar.sync($B, T.if_then_else(ps[$Z] == $Z, $T, 33))",
     "T.ptx.bar.sync($B, T.if_then_else(ps[$Z] == $Z, $T + $K, 33))  #! trap threads; beyond tile"},
    {"barrier: an id that nobody wrote", "pn: T.int32", "",
     "pn = $B\n"
     "T.ptx.bar.sync(pn, $T)",
     "T.ptx.bar.sync(pn, $T)  #! uninit; beyond tile"},
    {"barrier: two counts", "", "",
     "if warp == $W:\n"
     "    T.ptx.bar.arrive($B, 64)\n"
     "if warp == $V:\n"
     "    T.ptx.bar.sync($B, 64)",
     "if warp == $W:\n"
     "    T.ptx.bar.arrive($B, 96)  #! divergence? barrier $B\n"
     "if warp == $V:\n"
     "    T.ptx.bar.sync($B, 64)  #! divergence? barrier $B"},
    {"barrier: more come than it takes", "", "",
     "if warp == $W or warp == $V:\n"
     "    T.ptx.bar.sync($B, 64)",
     "if warp == $W or warp == $V:\n"
     "    T.ptx.bar.sync($B, 32)  #! race warps $i and $j arrive at barrier $B, which takes 32"},
    {"barrier: a reduction that meets a plain one",
     "pn: T.uint32 = 0\n"
     "pd: T.bool = False",
     "",
     "if warp == $W or warp == $V:\n"
     "    T.ptx.bar.red.popc.u32(pn, $B, 64, lane > $L)\n"
     "    PGlob[bx, tx, 0] = T.cast(pn, \"int32\")",
     "if warp == $W:\n"
     "    T.ptx.bar.red.popc.u32(pn, $B, 64, lane > $L)  #! divergence? barrier $B\n"
     "if warp == $V:\n"
     "    T.ptx.bar.red.or_.pred(pd, $B, 64, lane > $L)  #! divergence? barrier $B"},
    {"barrier: with a count and without", kInts, "",
     "if warp == $W:\n"
     "    T.ptx.bar.arrive(0, $T)\n"
     "else:\n"
     "    T.ptx.bar.sync(0, $T)\n"
     "T.ptx.bar.sync($B, $T)",
     "if warp == $W:\n"
     "    T.ptx.bar.arrive(0, $T)  #! trap; beyond tile\n"
     "else:\n"
     "    T.cuda.cta_sync()  #! trap\n"
     "T.ptx.bar.sync($B, $T)"},
    {"cluster: a CTA never comes",
     "",
     "",
     "if rank == 0:\n"
     "    T.cuda.cta_sync()\n"
     "T.cuda.cluster_sync()",
     "if rank == 1 and warp == 0:\n"
     "    T.ptx.bar.sync($B, 64)  #! deadlock\n"
     "T.cuda.cluster_sync()  #! deadlock?",
     {2, true}},
    {"cluster: arrives twice",
     "",
     "",
     "T.ptx.barrier.cluster.arrive()\n"
     "T.ptx.barrier.cluster.wait()\n"
     "T.ptx.barrier.cluster.arrive()\n"
     "T.ptx.barrier.cluster.wait()",
     "T.ptx.barrier.cluster.arrive()\n"
     "if rank == 1:\n"
     "    T.ptx.barrier.cluster.arrive()  #! trap; beyond tile\n"
     "T.ptx.barrier.cluster.wait()",
     {2, true}},
    {"cluster: waits twice",
     "",
     "",
     "T.ptx.barrier.cluster.arrive()\n"
     "T.ptx.barrier.cluster.wait()",
     "T.ptx.barrier.cluster.arrive()\n"
     "T.ptx.barrier.cluster.wait()\n"
     "T.ptx.barrier.cluster.wait()  #! trap; beyond tile",
     {2, true}},
    {"lanes: one that never comes to a shuffle", "", "",
     "if lane != $L:\n"
     "    PGlob[bx, tx, 0] = T.cuda.__shfl_sync(T.uint32(0xffffffff) ^ (T.uint32(1) << "
     "T.uint32($L)), "
     "tx, $M)",
     "if lane != $L:\n"
     "    PGlob[bx, tx, 0] = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $M)  #! divergence"},
    {"lanes: one that never comes to warp_sync", "", "", "T.cuda.warp_sync()",
     "if lane != $L:\n"
     "    T.cuda.warp_sync()  #! divergence"},
    {"lanes: a matrix instruction without some",
     "ps = T.alloc_shared(($T, 4), \"uint32\")\n"
     "for pi in range(4):\n"
     "    ps[tx, pi] = T.uint32(0)\n"
     "pw: T.uint32 = 0\n"
     "T.cuda.cta_sync()",
     "", "T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane, 0]))",
     "if lane != $L:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane, 0]))  #! divergence"},
    {"flag: nobody raises it", "pf: T.int32 = 0", "",
     "if tx == $A:\n"
     "    T.ptx.st.release.gpu.global_.s32(PFlag.ptr_to([$K]), 1)\n"
     "if tx == $Z and bx == 0:\n"
     "    while pf == 0:\n"
     "        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))",
     "if tx == $Z and bx == 0:\n"
     "    while pf == 0:\n"
     "        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))  #! deadlock"},
    {"flag: of a CTA, by acquiring loads",
     "pf: T.int32 = 0",
     "",
     "if bx == 0 and tx == $A:\n"
     "    PGlob[0, 0, 0] = 42\n"
     "    T.cuda.thread_fence()\n"
     "    T.cuda.atomic_exch(PFlag.ptr_to([$K]), 1)\n"
     "if bx == 1 and tx == $Z:\n"
     "    while pf == 0:\n"
     "        pf = T.ptx.ld.acquire(PFlag.ptr_to([$K]))\n"
     "    PGlob[1, 0, 1] = PGlob[0, 0, 0]",
     "if bx == 1 and tx == $Z:\n"
     "    while pf == 0:\n"
     "        pf = T.ptx.ld.acquire(PFlag.ptr_to([$K]))  #! deadlock",
     {2}},
});

}  // namespace

PlantedList faults_at_barriers() {
  return planted_list<kRunBarriersFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
