// Threads that return: who still waits for them, what they leave behind, and who learns of it
// (PTX ISA 9.7.13, "bar", "barrier.cluster").
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kIntsOfExits = R"(ps = T.alloc_shared(($T,), "int32")
ps[tx] = tx
T.cuda.cta_sync())";
/// A flag that warp $V raises and warp $W looks at before it returns: it returns last.
constexpr std::string_view kLast = R"(ps = T.alloc_shared((4,), "int32")
pf: T.int32 = 0
if tx < 4:
    ps[tx] = 0
T.cuda.cta_sync()
if warp == $W:
    while pf == 0:
        T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$K % 4]))
    return
if tx == $Z:
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$K % 4]), $Q))";

constexpr auto kRunExitsFaults = std::to_array<PlantedFault>({
    {"exit: a warp that a counted barrier waits for", "", "", R"(if warp == $W:
    return
T.cuda.cta_sync())",
     R"(if warp == $W:
    return
T.ptx.bar.sync($B, $T)  #! deadlock)"},
    {"exit: the last warp lets the others through", kLast, "", "T.cuda.cta_sync()",
     "T.ptx.bar.sync($B, $T)  #! deadlock"},
    {"exit: a barrier without a count", kLast, "", "T.ptx.bar.sync($B)",
     "T.ptx.bar.sync($B, $T)  #! deadlock"},
    {"exit: a reduction at a barrier without a count", R"(pn: T.uint32 = 0
if warp == $W:
    return)",
     "", R"(T.ptx.bar.red.popc.u32(pn, $B, lane > $L)
assert pn == T.uint32(($T - 32) // 32 * (31 - $L)))",
     R"(T.ptx.bar.red.popc.u32(pn, $B, lane >= $L)
assert pn == T.uint32(($T - 32) // 32 * (31 - $L))  #! trap)"},
    {"exit: after an arrival", "", "", R"(if warp == $W:
    T.ptx.bar.arrive(0, $T)
    return
T.ptx.bar.sync(0, $T))",
     R"(if warp == $W:
    T.ptx.bar.arrive(0, $T)  #! trap; beyond tile
    return
T.cuda.cta_sync()  #! trap)"},
    {"exit: a warp's writes at a barrier of the CTA", kIntsOfExits, "", R"(if warp == $W:
    ps[tx] = 5
    return
T.cuda.cta_sync()
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if warp == $W:
    ps[tx] = 5  #! race ps[$A]
    return
if warp == $V:
    T.ptx.bar.sync($B, 32)
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"exit: a lane's writes at a barrier of the CTA", kIntsOfExits, "", R"(if tx == $A:
    ps[$A] = 5
    return
T.cuda.cta_sync()
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    return
T.ptx.bar.sync($B, $T)
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"exit: a lane's writes at a barrier of its warp", kIntsOfExits, "", R"(if tx == $A:
    ps[$A] = 5
    return
T.cuda.warp_sync()
if lane == $M and warp == $W:
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    return
if lane == $M and warp == $W:
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"exit: what a lane that returns had learnt", kIntsOfExits, "", R"(if warp == $V:
    ps[tx] = 3
if warp == $W or warp == $V:
    T.ptx.bar.sync($B, 64)
if tx == $A:
    return
T.cuda.warp_sync()
if lane == $M and warp == $W:
    PGlob[bx, tx, 0] = ps[$Z])",
     R"(if warp == $V:
    ps[tx] = 3  #! race ps[$Z]
if tx == $A:
    return
T.cuda.warp_sync()
if lane == $M and warp == $W:
    PGlob[bx, tx, 0] = ps[$Z]  #! race ps[$Z])"},
    {"exit: reads of a warp that returns", kIntsOfExits, "", R"(if warp == $W:
    PGlob[bx, tx, 0] = ps[$Z]
    return
T.cuda.cta_sync()
if tx == $Z:
    ps[$Z] = 5)",
     R"(if warp == $W:
    PGlob[bx, tx, 0] = ps[$Z]  #! race ps[$Z]
    return
if tx == $Z:
    ps[$Z] = 5  #! race ps[$Z])"},
    {"exit: the value of a lane that has returned", "", "", R"(if lane == $L:
    return
if T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $M) > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if lane == $L:
    return
if T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $L) > 3:  #! uninit takes no part
    PGlob[bx, tx, 0] = 1)"},
    {"exit: votes without those who have returned", "", "", R"(if lane == $L:
    return
assert T.cuda.__ballot_sync(T.uint32(0xffffffff), lane != $M) == ~((T.uint32(1) << T.uint32($L)) | (T.uint32(1) << T.uint32($M))))",
     R"(if lane == $L:
    return
assert T.cuda.__ballot_sync(T.uint32(0xffffffff), True) == T.uint32(0xffffffff)  #! trap)"},
    {"exit: a lane that others wait for", "", "", R"(if lane != $L:
    T.cuda.warp_sync()
else:
    PGlob[bx, tx, 0] = $K
    return)",
     R"(if lane == $M:
    return
if lane != $L:
    T.cuda.warp_sync()  #! divergence)"},
    {"exit: a lane that a shuffle waits for", "", "", R"(pv: T.int32 = 0
if lane != $L:
    pv = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $M)
else:
    for pi in range($K):
        PGlob[bx, tx, pi] = $K
    return
assert pv == tx - lane + $M)",
     R"(pv: T.int32 = 0
if lane != $L:
    pv = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $M)
else:
    for pi in range($K):
        PGlob[bx, tx, pi] = $K
    return
assert pv == tx - lane + $L  #! trap)"},
    {"exit: out of loops and branches", "", "", R"(px: T.int32 = 0
for pi in range(40):
    for pj in range(3):
        if pi == lane and pj == $K % 3:
            if tx == $A:
                return
            break
        px = px + 1
    if pi == lane:
        break
T.cuda.warp_sync()
assert px == lane * 3 + $K % 3)",
     R"(px: T.int32 = 0
for pi in range(40):
    for pj in range(3):
        if pi == lane and pj == $K % 3:
            if tx == $A:
                return
            break
        px = px + 1
    if pi == lane:
        break
T.cuda.warp_sync()
assert px != $M * 3 + $K % 3  #! trap)"},
    {"exit: of the CTA before",
     R"(ps = T.alloc_shared(($T,), "int32"))",
     "",
     R"(if bx == 0 and warp == $W:
    T.ptx.bar.arrive($B, 64)
if bx == 1 and (warp == $W or warp == $V):
    T.ptx.bar.sync($B, 64))",
     R"(if bx == 0 and warp == $W:
    T.ptx.bar.arrive($B, 64)
if bx == 1 and warp == $V:
    T.ptx.bar.sync($B, 64)  #! deadlock)",
     {2}},
    {"exit: mbarriers of the CTA before",
     R"(pb = T.alloc_shared((2,), "uint64")
if tx == $A and bx != 1:
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), $K + 1))",
     "",
     R"(if tx == $A and bx == 1:
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), $K + 1)
    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([1])))",
     R"(if tx == $A and bx == 1:
    T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pb.ptr_to([1]))  #! trap no mbarrier at pb[1])",
     {2}},
    {"exit: shared memory of the CTA before",
     R"(ps = T.alloc_shared(($T,), "int32")
if bx != 1 or tx != $A:
    ps[tx] = 7
T.cuda.cta_sync())",
     "",
     "PGlob[bx, tx, 0] = ps[T.if_then_else(bx == 1, $Z, tx)]",
     R"(if ps[tx] > 300:  #! uninit ps[$A]
    PGlob[bx, tx, 0] = 1)",
     {2}},
    {"exit: registers of the CTA before",
     R"(px: T.int32
pu: T.int32
if bx != 1 or tx != $A:
    px = tx + 4
if bx != 1:
    pu = bx + 4)",
     "",
     "PGlob[bx, tx, 0] = T.if_then_else(bx == 1, 1, px + pu)",
     R"(if px > 3000:  #! uninit px
    PGlob[bx, tx, 0] = 1
if pu > 3000:  #! uninit pu
    PGlob[bx, tx, 1] = 1)",
     {2}},
    {"exit: copies of the CTA before",
     R"(ps = T.alloc_shared(($T, 4), "int32")
for pi in range(4):
    ps[tx, pi] = pi)",
     "",
     R"(if bx == 0 and tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
T.cuda.cta_sync()
if bx != 0 and tx == $Z:
    PGlob[bx, tx, 4] = ps[$A, 1])",
     R"(if bx == 0 and tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([$A, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! async
T.cuda.cta_sync()
if tx == $Z:
    PGlob[bx, tx, 4] = ps[$A, 1]  #! async ps[$A, 1])",
     {2}},
    {"cluster: an arrival, then an exit",
     "",
     "",
     R"(PGlob[bx, tx, 0] = tx
T.ptx.barrier.cluster.arrive()
if rank == 1 and warp == $W:
    return
T.ptx.barrier.cluster.wait()
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0])",
     R"(PGlob[bx, tx, 0] = tx  #! race PGlob[
if rank == 1 and warp == $W:
    return
T.ptx.barrier.cluster.arrive()
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[
T.ptx.barrier.cluster.wait())",
     {2, true}},
    {"cluster: an exit between two phases",
     "",
     "",
     R"(PGlob[bx, tx, 0] = tx
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
if rank == 0 and warp == $W:
    return
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
PGlob[bx, tx, 0] = $K)",
     R"(PGlob[bx, tx, 0] = tx
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
if rank == 0 and warp == $W:
    return
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[
T.ptx.barrier.cluster.arrive()
PGlob[bx, tx, 0] = $K  #! race PGlob[
T.ptx.barrier.cluster.wait())",
     {2, true}},
    {"cluster: the last exit lets the others through",
     "pf: T.int32 = 0",
     "",
     R"(if rank == 1 and warp == $W:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    return
T.ptx.barrier.cluster.arrive()
if rank == 0 and tx == $Z:
    T.ptx.st.release.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
T.ptx.barrier.cluster.wait())",
     R"(if rank == 1 and warp == $W:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))  #! deadlock?
    return
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()  #! deadlock)",
     {2, true}},
    {"cluster: what returns is known behind the barrier",
     "",
     "",
     R"(PGlob[bx, tx, 0] = tx
if rank == 1 and warp == $W:
    return
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0])",
     R"(PGlob[bx, tx, 0] = tx  #! race PGlob[
if rank == 1 and warp == $W:
    return
T.cuda.cta_sync()
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[)",
     {2, true}},
    {"cluster: an arrival without some lanes",
     "",
     "",
     R"(T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait())",
     R"(if lane != $L:
    T.ptx.barrier.cluster.arrive()  #! divergence
    T.ptx.barrier.cluster.wait()  #! divergence
else:
    T.ptx.barrier.cluster.arrive()  #! divergence
    T.ptx.barrier.cluster.wait()  #! divergence)",
     {2, true}},
    {"cluster: shared memory of each CTA is its own",
     kIntsOfExits,
     "",
     R"(T.cuda.cluster_sync()
ps[tx] = rank + $K
T.cuda.cluster_sync()
assert ps[tx ^ 1] == rank + $K)",
     R"(T.cuda.cluster_sync()
ps[tx] = rank + $K  #! race ps[
T.ptx.barrier.cluster.arrive()
assert ps[tx ^ 1] == rank + $K  #! race ps[
T.ptx.barrier.cluster.wait())",
     {2, true}},
});

}  // namespace

PlantedList faults_of_exits() {
  return planted_list<kRunExitsFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
