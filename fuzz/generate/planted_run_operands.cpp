// Operands that a whole warp must agree upon, or that must lie in a range: numbers and counts of
// barriers, masks of lanes, segments of shuffles, counts and phases of mbarriers (PTX ISA 9.7.13).
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kIntsOfOperands = R"(ps = T.alloc_shared(($T,), "int32")
ps[tx] = tx
T.cuda.cta_sync())";
constexpr std::string_view kMadeOfOperands = R"(pb = T.alloc_shared((2,), "uint64")
ps = T.alloc_shared(($T, 4), "int32")
pt: T.uint64 = 0
pd: T.bool = False
for pi in range(4):
    ps[tx, pi] = pi
if tx == $A:
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([0]), 33)
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), 1)
T.cuda.cta_sync())";
/// Warp $V comes when warp $W is at its barrier.
constexpr std::string_view kSecond = R"(ps = T.alloc_shared((4,), "int32")
pf: T.int32 = 0
pn: T.uint32 = 7
if tx < 4:
    ps[tx] = 0
T.cuda.cta_sync()
if warp == $W:
    if lane == 0:
        T.ptx.st.release.cta.shared.s32(ps.ptr_to([$K % 4]), 1)
    T.cuda.warp_sync()
if warp == $V:
    while pf == 0:
        T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$K % 4])))";

constexpr auto kRunOperandsFaults = std::to_array<PlantedFault>({
    {"operands: two numbers of a barrier in one warp", "", "", "T.ptx.bar.sync($B, $T)",
     "T.ptx.bar.sync(T.if_then_else(lane == $L, $B - 1, $B), $T)  #! divergence; beyond tile"},
    {"operands: two counts of a barrier in one warp", "", "", "T.ptx.bar.sync($B, $T)",
     "T.ptx.bar.sync($B, T.if_then_else(lane == $L, 32, $T))  #! divergence; race? barrier; beyond "
     "tile"},
    {"operands: two numbers of a barrier, in halves", kIntsOfOperands, "",
     "T.ptx.bar.sync(ps[tx] + $B - tx, ps[tx ^ 1] - (tx ^ 1) + $T)",
     "T.ptx.bar.sync($B - ps[lane] // 16, $T)  #! divergence; beyond tile"},
    {"operands: two numbers of an arrival", "", "", R"(if warp == $W:
    T.ptx.bar.arrive($B, 64)
if warp == $V:
    T.ptx.bar.sync($B, 64))",
     R"(if warp == $W:
    T.ptx.bar.arrive(T.if_then_else(lane == $L, $B - 1, $B), 64)  #! divergence
if warp == $V:
    T.ptx.bar.sync($B, 64)  #! deadlock?)"},
    {"operands: two counts of a reduction", "pn: T.uint32 = 0", "",
     "T.ptx.bar.red.popc.u32(pn, $B, $T, lane > $L)",
     "T.ptx.bar.red.popc.u32(pn, $B, T.if_then_else(lane == $L, 32, $T), lane > 3)  #! "
     "divergence; race? barrier; beyond tile"},
    {"operands: a barrier's count that one lane does not know", "pn: T.int32", "",
     "pn = $T\nT.ptx.bar.sync($B, pn)", R"(if lane != $L:
    pn = $T
T.ptx.bar.sync($B, pn)  #! uninit thread count; beyond tile)"},
    {"operands: a barrier's number that one lane does not know", "pn: T.int32", "",
     "pn = $B\nT.ptx.bar.sync(pn, $T)", R"(if lane != $L:
    pn = $B
T.ptx.bar.sync(pn, $T)  #! uninit number; beyond tile)"},
    {"operands: a barrier below the first", kIntsOfOperands, "", "T.ptx.bar.sync(15 - ps[0], $T)",
     "T.ptx.bar.sync($K - 1 - ps[$K], $T)  #! trap barrier -1 does not exist; beyond tile"},
    {"operands: a barrier for nobody", kIntsOfOperands, "", "T.ptx.bar.sync(ps[0], ps[0] + $T)",
     "T.ptx.bar.sync($B, ps[$Z] - $Z)  #! trap for 0 threads; beyond tile"},
    {"operands: a barrier for less than nobody", kIntsOfOperands, "",
     "T.ptx.bar.sync($B, ps[$T - 1] + 1)",
     "T.ptx.bar.sync($B, ps[$Z] - $Z - 32)  #! trap for -32 threads; beyond tile"},
    {"operands: another count, second", kSecond, "", R"(if warp == $W or warp == $V:
    T.ptx.bar.sync($B, 64))",
     R"(if warp == $W:
    T.ptx.bar.sync($B, 64)  #! divergence? barrier $B
if warp == $V:
    T.ptx.bar.sync($B, 96)  #! divergence barrier $B)"},
    {"operands: bar.sync where a reduction waits", kSecond, "", R"(if warp == $W or warp == $V:
    T.ptx.bar.red.popc.u32(pn, $B, 64, lane > $L)
    assert pn == T.uint32(62 - 2 * $L))",
     R"(if warp == $W:
    T.ptx.bar.red.popc.u32(pn, $B, 64, lane > $L)
if warp == $V:
    T.ptx.bar.sync($B, 64)  #! divergence bar.red meets; beyond tile)"},
    {"operands: a reduction where bar.sync waits", kSecond, "", R"(if warp == $W or warp == $V:
    T.ptx.bar.sync($B, 64))",
     R"(if warp == $W:
    T.ptx.bar.sync($B, 64)
if warp == $V:
    T.ptx.bar.red.popc.u32(pn, $B, 64, lane > $L)  #! divergence bar.red meets; beyond tile)"},
    {"operands: whether it holds everywhere", "pd: T.bool = False", "",
     R"(T.ptx.bar.red.and_.pred(pd, $B, $T, lane >= 0)
assert pd
T.ptx.bar.red.or_.pred(pd, $B, $T, tx == $A)
assert pd)",
     R"(T.ptx.bar.red.and_.pred(pd, $B, $T, tx != $A)
assert pd  #! trap)"},
    {"operands: whether it holds somewhere", "pd: T.bool = True", "",
     R"(T.ptx.bar.red.or_.pred(pd, $B, $T, tx > $T)
assert not pd
T.ptx.bar.red.and_.pred(pd, $B, $T, tx != $A)
assert not pd)",
     R"(T.ptx.bar.red.or_.pred(pd, $B, $T, tx == $Z)
assert not pd  #! trap)"},
    {"operands: how often it holds", "pn: T.uint32 = 0", "",
     R"(T.ptx.bar.red.popc.u32(pn, $B, $T, lane > $L)
assert pn == T.uint32($T // 32 * (31 - $L)))",
     R"(T.ptx.bar.red.popc.u32(pn, $B, $T, lane > $L or tx == $A)
assert pn == T.uint32($T // 32 * (31 - $L))  #! trap)"},
    {"operands: a condition that nobody wrote", R"(pn: T.uint32 = 0
px: T.int32)",
     "", R"(px = tx
T.ptx.bar.red.popc.u32(pn, $B, $T, px > $K)
if pn > T.uint32(3):
    PGlob[bx, tx, 0] = 1)",
     R"(if tx != $A:
    px = tx
T.ptx.bar.red.popc.u32(pn, $B, $T, px > $K)
if pn > T.uint32(3):  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"masks: a lane that its mask does not name", "", "",
     "PGlob[bx, tx, 0] = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $M)",
     "PGlob[bx, tx, 0] = T.cuda.__shfl_sync(T.if_then_else(lane == $L, T.uint32(1) << "
     "T.uint32($M), T.uint32(0xffffffff)), tx, $M)  #! divergence; beyond tile"},
    {"masks: another one in one lane", "", "",
     "PGlob[bx, tx, 0] = T.cuda.__reduce_add_sync(T.uint32(0xffffffff), tx)",
     "PGlob[bx, tx, 0] = T.cuda.__reduce_add_sync(T.if_then_else(lane == $L, T.uint32(1) << "
     "T.uint32($L), T.uint32(0xffffffff)), tx)  #! divergence; beyond tile"},
    {"masks: halves that have a lane in common", "pm: T.uint32 = 0", "",
     R"(pm = T.cuda.__ballot_sync(T.if_then_else(lane < 16, T.uint32(0xffff), T.uint32(0xffff0000)), lane != $L)
assert pm == (T.if_then_else(lane < 16, T.uint32(0xffff), T.uint32(0xffff0000)) & ~(T.uint32(1) << T.uint32($L))))",
     "pm = T.cuda.__ballot_sync(T.if_then_else(lane < 16, T.uint32(0x1ffff), "
     "T.uint32(0xffff0000)), lane != $L)  #! divergence; beyond tile"},
    {"masks: one that a lane does not know", "pm: T.uint32", "", R"(pm = T.uint32(0xffffffff)
PGlob[bx, tx, 0] = T.cuda.__shfl_xor_sync(pm, tx, 1))",
     R"(if lane != $L:
    pm = T.uint32(0xffffffff)
PGlob[bx, tx, 0] = T.cuda.__shfl_xor_sync(pm, tx, 1)  #! uninit mask; beyond tile)"},
    {"masks: a set from two branches", "pr: T.int32 = 0", "", R"(if lane % 8 < $K:
    pr = T.cuda.__reduce_add_sync(T.uint32(0xff) << T.cast(lane // 8 * 8, "uint32"), lane)
else:
    pr = T.cuda.__reduce_add_sync(T.uint32(0xff) << T.cast(lane // 8 * 8, "uint32"), lane)
assert pr == lane // 8 * 64 + 28)",
     R"(if lane % 8 < $K:
    pr = T.cuda.__reduce_add_sync(T.uint32(0xff) << T.cast(lane // 8 * 8, "uint32"), lane)
else:
    pr = T.cuda.__reduce_add_sync(T.uint32(0xff) << T.cast(lane // 8 * 8, "uint32"), lane)
assert pr != $L // 8 * 64 + 28  #! trap)"},
    {"masks: a lane too many, in one of two branches", "pr: T.int32 = 0", "", R"(if lane % 2 == 0:
    pr = T.cuda.__reduce_add_sync(T.uint32(0x55555555), 1)
else:
    pr = T.cuda.__reduce_add_sync(T.uint32(0xaaaaaaaa), 1)
assert pr == 16)",
     R"(if lane % 2 == 0:
    pr = T.cuda.__reduce_add_sync(T.if_then_else(lane == 6, T.uint32(0x155555555 & 0xffffffff) | T.uint32(2), T.uint32(0x55555555)), 1)  #! divergence; beyond tile
else:
    pr = T.cuda.__reduce_add_sync(T.uint32(0xaaaaaaaa), 1))"},
    {"masks: of an exchange by its PTX name", "pn: T.uint32 = 0", "", R"(if lane >= 16:
    T.ptx.vote.sync.ballot.b32(pn, lane != $L, T.uint32(0xffff0000))
    assert pn == (T.uint32(0xffff0000) & ~(T.uint32(1) << T.uint32($L))))",
     R"(T.ptx.vote.sync.ballot.b32(pn, lane != $L, T.uint32(0xffff0000))  #! divergence; beyond tile)"},
    {"masks: an exchange that waits for a lane", "pn: T.uint32 = 0", "", R"(if lane != $L:
    T.ptx.match.any.sync.b32(pn, T.uint32(7), ~(T.uint32(1) << T.uint32($L)))
    assert pn == ~(T.uint32(1) << T.uint32($L)))",
     R"(if lane != $L:
    T.ptx.match.any.sync.b32(pn, T.uint32(7), T.uint32(0xffffffff))  #! divergence)"},
    {"masks: bar.warp.sync without a lane", "", "", R"(if lane != $L:
    T.ptx.bar.warp.sync(~(T.uint32(1) << T.uint32($L))))",
     R"(if lane != $L:
    T.ptx.bar.warp.sync(T.uint32(0xffffffff))  #! divergence)"},
    {"masks: segments that are none", kIntsOfOperands, "",
     R"(pv: T.int32 = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $K, ps[16])
assert pv == tx // 16 * 16 + $K)",
     R"(pv: T.int32 = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $K, T.if_then_else(tx == $A, ps[24], 16))  #! trap segments of 24; beyond tile
if pv > 3:  #! uninit?
    PGlob[bx, tx, 0] = 1)"},
    {"masks: a step that one lane does not know", "px: T.int32", "", R"(px = $K
if T.cuda.__shfl_up_sync(T.uint32(0xffffffff), tx, px) > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if tx != $A:
    px = $K
if T.cuda.__shfl_up_sync(T.uint32(0xffffffff), tx, px) > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"masks: stmatrix without a lane", R"(ps = T.alloc_shared(($T, 4), "uint32")
pw: T.uint32 = 0)",
     "", R"(if warp == $W:
    T.ptx.stmatrix.sync.aligned.m8n8.x1.shared.b16(ps.ptr_to([lane % 8, 0]), pw))",
     R"(if warp == $W and lane != $L:
    T.ptx.stmatrix.sync.aligned.m8n8.x1.shared.b16(ps.ptr_to([lane % 8, 0]), pw)  #! divergence; beyond tile)"},
    {"mbarrier: a phase that either wait could mean", kMadeOfOperands, "", R"(if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
T.cuda.cta_sync()
if tx == $A:
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
T.cuda.cta_sync()
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1])))",
     R"(if tx == $A:
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 1)  #! race left to chance
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1])))"},
    {"mbarrier: a phase that may be over", kMadeOfOperands, "", R"(if tx == $A:
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
T.cuda.cta_sync()
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1])))",
     R"(if tx == $A:
    T.cuda.atomic_add(ps.ptr_to([0, 0]), 1)
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)  #! race? left to chance; deadlock?
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
    T.cuda.atomic_add(ps.ptr_to([0, 0]), 1)
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1])))"},
    {"mbarrier: arrivals by number", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), 33 - $K)
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), $K)
T.cuda.mbarrier_wait(pb.ptr_to([0]), 0))",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), 32 - $K)
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), $K)
T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)  #! deadlock)"},
    {"mbarrier: dropped arrivals by number", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive_drop.shared.b64(pt, pb.ptr_to([0]), $K)
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), 33 - $K)
    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), 33 - $K)
T.cuda.cta_sync()
T.cuda.mbarrier_wait(pb.ptr_to([0]), 1))",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive_drop.shared.b64(pt, pb.ptr_to([0]), $K)
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), 33 - $K)
    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), 32 - $K)
T.cuda.cta_sync()
T.cuda.mbarrier_wait(pb.ptr_to([0]), 1)  #! deadlock)"},
    {"mbarrier: bytes by lane", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([1]), T.if_then_else(tx == $A, 0, $K * 16))
T.cuda.mbarrier_wait(pb.ptr_to([1]), 0))",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([1]), T.if_then_else(tx != $A, 0, $K * 16))
T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)  #! deadlock)"},
    {"mbarrier: bytes that nobody wrote", kMadeOfOperands, "", R"(pn: T.int32 = 0
if tx == $A:
    T.ptx.mbarrier.expect_tx.shared.b64(pb.ptr_to([1]), pn))",
     R"(pn: T.int32
if tx == $A:
    T.ptx.mbarrier.expect_tx.shared.b64(pb.ptr_to([1]), pn)  #! uninit bytes thread $A times $G; beyond tile)"},
    {"mbarrier: bytes of an arrival that nobody wrote", kMadeOfOperands, "", R"(pn: T.int32 = 0
if tx == $A:
    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([1]), pn))",
     R"(pn: T.int32
if tx == $A:
    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([1]), pn)  #! uninit bytes thread $A times $G; beyond tile)"},
    {"mbarrier: a count beyond the largest", kMadeOfOperands, "",
     R"(pn: T.int32 = 1048575 - ps[tx, 0]
if tx == $A:
    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), pn))",
     R"(pn: T.int32 = 1048575 + ps[tx, 1]
if tx == $A:
    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), pn)  #! trap 1048576 is no count thread $A times $G; beyond tile)"},
    {"mbarrier: an arrival of none", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), ps[tx, 1]))",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]), ps[tx, 0])  #! trap 0 is no count thread $A times $G; beyond tile)"},
    {"mbarrier: one for each lane", R"(pc = T.alloc_shared(($T,), "uint64")
pt: T.uint64 = 0
T.ptx.mbarrier.init.shared.b64(pc.ptr_to([tx]), 2)
T.cuda.cta_sync()
T.ptx.mbarrier.arrive.shared.b64(pt, pc.ptr_to([tx ^ $K])))",
     "", R"(T.ptx.mbarrier.arrive.shared.b64(pt, pc.ptr_to([tx]))
T.cuda.mbarrier_wait(pc.ptr_to([tx ^ 1]), 0))",
     R"(if tx != $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pc.ptr_to([tx]))
T.cuda.mbarrier_wait(pc.ptr_to([tx ^ 1]), 0)  #! deadlock)"},
    {"mbarrier: by the state of an arrival", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
    while not pd:
        T.ptx.mbarrier.test_wait.shared.b64(pd, pb.ptr_to([1]), pt))",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))
    while not pd:
        T.ptx.mbarrier.test_wait.shared.b64(pd, pb.ptr_to([0]), pt)  #! deadlock)"},
    {"mbarrier: free again", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))
    pb[1] = T.uint64($K)
    assert pb[1] == T.uint64($K))",
     R"(if tx == $A:
    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))
    T.ptx.mbarrier.inval.shared.b64(pb.ptr_to([1]))  #! trap no mbarrier at pb[1] thread $A times $G)"},
    {"mbarrier: tied to copies", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([1]))
T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
if tx == $Z:
    PGlob[bx, tx, 4] = ps[$A, $K % 4])",
     R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.shared.b64(pb.ptr_to([1]))
T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)  #! deadlock)"},
    {"mbarrier: tied to copies, and one more", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.shared.b64(pb.ptr_to([1]))
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
if tx == $Z:
    PGlob[bx, tx, 4] = ps[$A, $K % 4])",
     R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.shared.b64(pb.ptr_to([1]))
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
T.cuda.mbarrier_wait(pb.ptr_to([1]), 1)  #! deadlock)"},
    {"mbarrier: a copy behind its arrival", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([1]))
    T.ptx.cp.async_.wait_all()
if tx == $Z:
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
    PGlob[bx, tx, 4] = ps[$A, $K % 4])",
     R"(if tx == $A:
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([1]))
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! race? ps[$A, ; async? ps[$A, 
    T.ptx.cp.async_.wait_all()
if tx == $Z:
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
    PGlob[bx, tx, 4] = ps[$A, $K % 4]  #! race? ps[$A, ; async? ps[$A, )"},
    {"mbarrier: copies of all lanes", kMadeOfOperands, "", R"(if warp == $W:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
if tx == $Z:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))
    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)
    PGlob[bx, tx, 4] = ps[$A, $K % 4])",
     R"(if warp == $W:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
if tx == $Z:
    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)  #! deadlock)"},
    {"mbarrier: copies of a warp while another waits for its own", kMadeOfOperands, "",
     R"(if warp == $W:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
T.cuda.cta_sync()
if tx == $Z:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.wait_all()
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))
    T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)
    PGlob[bx, tx, 4] = ps[$A, $K % 4])",
     R"(if warp == $W:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! race? ps[$A, ; async? ps[$A, 
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
T.cuda.cta_sync()
if tx == $Z:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.wait_all()
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([0]))
    PGlob[bx, tx, 4] = ps[$A, $K % 4]  #! race? ps[$A, ; async? ps[$A, )"},
    {"mbarrier: an arrival of copies too few", kMadeOfOperands, "", R"(if warp == $W:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
    T.ptx.cp.async_.wait_all()
if tx == $Z:
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
T.cuda.mbarrier_wait(pb.ptr_to([0]), 0))",
     R"(if warp == $W and lane != $L:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
    T.ptx.cp.async_.wait_all()
if tx == $Z:
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([0]))
T.cuda.mbarrier_wait(pb.ptr_to([0]), 0)  #! deadlock)"},
    {"mbarrier: a copy's arrival once too often", kMadeOfOperands, "", R"(if tx == $A:
    T.ptx.mbarrier.expect_tx.shared.b64(pb.ptr_to([1]), 0)
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([1]))
    T.ptx.cp.async_.wait_all())",
     R"(if tx == $A:
    T.ptx.mbarrier.expect_tx.shared.b64(pb.ptr_to([1]), $K * 16)
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(pb.ptr_to([1]))  #! trap once too often thread $A times $G; beyond tile
    T.ptx.cp.async_.wait_all())"},
});

}  // namespace

PlantedList faults_of_operands() {
  return planted_list<kRunOperandsFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
