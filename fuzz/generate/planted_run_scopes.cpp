// How far an order reaches: scopes of fences and of ordered accesses, release sequences, the lanes
// of a warp (PTX ISA 8, "Memory Consistency Model").
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kFlag = "pf: T.int32 = 0";
constexpr std::string_view kShared = R"(ps = T.alloc_shared(($T,), "int32")
pf: T.int32 = 0
pg: T.int32 = 0
ps[tx] = 0
T.cuda.cta_sync())";

constexpr auto kRunScopesFaults = std::to_array<PlantedFault>({
    {"scope: membar of a CTA before a flag",
     kFlag,
     "",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42
    T.ptx.membar.gl()
    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[1, 0, 1] = PGlob[0, 0, 0])",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42  #! race PGlob[0, 0, 0]
    T.ptx.membar.cta()
    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[1, 0, 1] = PGlob[0, 0, 0]  #! race PGlob[0, 0, 0])",
     {2}},
    {"scope: membar of a CTA behind a flag",
     kFlag,
     "",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42
    T.ptx.st.release.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.relaxed.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    T.ptx.membar.sys()
    PGlob[1, 0, 1] = PGlob[0, 0, 0])",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42  #! race PGlob[0, 0, 0]
    T.ptx.st.release.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.relaxed.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    T.ptx.membar.cta()
    PGlob[1, 0, 1] = PGlob[0, 0, 0]  #! race PGlob[0, 0, 0])",
     {2}},
    {"scope: a fence of a cluster, between clusters",
     kFlag,
     "",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42
    T.ptx.fence.sc.gpu()
    T.ptx.st.relaxed.sys.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.relaxed.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    T.ptx.fence.acq_rel.sys()
    PGlob[1, 0, 1] = PGlob[0, 0, 0])",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42  #! race PGlob[0, 0, 0]
    T.ptx.fence.acq_rel.cluster()
    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[1, 0, 1] = PGlob[0, 0, 0]  #! race PGlob[0, 0, 0])",
     {2}},
    {"scope: a fence of a cluster, within it",
     kFlag,
     "",
     R"(if rank == 0 and tx == $A:
    PGlob[bx, 0, 0] = 42
    T.ptx.fence.acq_rel.cluster()
    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if rank == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.cluster.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[bx, 0, 1] = PGlob[bx - 1, 0, 0])",
     R"(if rank == 0 and tx == $A:
    PGlob[bx, 0, 0] = 42  #! race PGlob[0, 0, 0]
    T.ptx.fence.sc.cta()
    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if rank == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.cluster.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[bx, 0, 1] = PGlob[bx - 1, 0, 0]  #! race PGlob[0, 0, 0])",
     {2, true}},
    {"scope: a release to a cluster",
     kFlag,
     "",
     R"(if rank == 0 and tx == $A:
    PGlob[bx, 0, 0] = 42
    T.ptx.st.release.cluster.global_.s32(PFlag.ptr_to([$K]), 1)
if rank == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[bx, 0, 1] = PGlob[bx - 1, 0, 0])",
     R"(if rank == 0 and tx == $A:
    PGlob[bx, 0, 0] = 42  #! race PGlob[0, 0, 0]
    T.ptx.st.relaxed.cluster.global_.s32(PFlag.ptr_to([$K]), 1)
if rank == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[bx, 0, 1] = PGlob[bx - 1, 0, 0]  #! race PGlob[0, 0, 0])",
     {2, true}},
    {"scope: an atomic of a cluster",
     "",
     "",
     R"(if tx == $A:
    T.ptx.red.relaxed.cluster.global_.add.s32(PGlob.ptr_to([bx // 2, 0, $K]), 1))",
     R"(if tx == $A:
    T.ptx.red.relaxed.cta.global_.add.s32(PGlob.ptr_to([bx // 2, 0, $K]), 1)  #! race PGlob[0, 0, $K])",
     {2, true}},
    {"scope: an atomic of a cluster, between clusters",
     "",
     "",
     R"(if tx == $A:
    T.ptx.red.relaxed.gpu.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1))",
     R"(if tx == $A and bx < 2:
    T.ptx.red.relaxed.cluster.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1)  #! race PGlob[0, 0, $K])",
     {2}},
    {"scope: one of two atomics is of a CTA",
     "",
     "",
     R"(if tx == $A:
    T.ptx.red.relaxed.sys.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1))",
     R"(if tx == $A and bx == 0:
    T.ptx.red.relaxed.sys.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1)  #! race PGlob[0, 0, $K]
if tx == $A and bx == 1:
    T.ptx.red.relaxed.cta.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1)  #! race PGlob[0, 0, $K])",
     {2}},
    {"scope: within a CTA each one reaches", kShared, "", R"(if tx == $A:
    ps[$A] = 5
    T.ptx.fence.acq_rel.cta()
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77)
if tx == $Z:
    while pf != 77:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.ptx.fence.acq_rel.cta()
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77)
    T.ptx.fence.acq_rel.cta()
if tx == $Z:
    while pf != 77:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.ptx.fence.acq_rel.cta()
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: the fence must follow the load", kShared, "", R"(if tx == $A:
    ps[$A] = 5
    T.ptx.membar.cta()
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77)
if tx == $Z:
    while pf != 77:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.ptx.membar.cta()
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    T.ptx.membar.cta()
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77)
if tx == $Z:
    T.ptx.membar.cta()
    while pf != 77:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: a fence of another lane", kShared, "", R"(if warp == $W:
    if lane == $L:
        ps[$A] = 5
        T.ptx.fence.acq_rel.cta()
        T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77)
if tx == $Z:
    while pf != 77:
        T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if warp == $W:
    if lane == $L:
        ps[$A] = 5  #! race ps[$A]
    if lane == $M:
        T.ptx.fence.acq_rel.cta()
        T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 77)
if tx == $Z:
    while pf != 77:
        T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: warp_sync hands on what a fence covers", kShared, "", R"(if warp == $W:
    if lane == $L:
        ps[$A] = 5
    T.cuda.warp_sync()
    if lane == $M:
        T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 77)
if tx == $Z:
    while pf != 77:
        T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if warp == $W:
    if lane == $L:
        ps[$A] = 5  #! race ps[$A]
    if lane == $M:
        T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 77)
    T.cuda.warp_sync()
if tx == $Z:
    while pf != 77:
        T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: a lane acquires for itself", kShared, "", R"(if tx == $A:
    ps[$A] = 5
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 77)
if warp == $V:
    if lane == $M:
        while pf != 77:
            T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.cuda.warp_sync()
    if lane == $L:
        PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 77)
if warp == $V:
    if lane == $M:
        while pf != 77:
            T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$Z]))
    if lane == $L:
        PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: atomics continue a release", kShared, "", R"(if tx == $A:
    ps[$A] = 5
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pf != 1:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.ptx.red.relaxed.cta.shared.add.s32(ps.ptr_to([$Z]), $K)
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z ^ 1]), 1)
if warp == $W and lane == $M:
    while pg == 0:
        T.ptx.ld.relaxed.cta.shared.s32(pg, ps.ptr_to([$Z ^ 1]))
    T.ptx.ld.acquire.cta.shared.s32(pg, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pf != 1:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), $K + 1)
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z ^ 1]), 1)
if warp == $W and lane == $M:
    while pg == 0:
        T.ptx.ld.relaxed.cta.shared.s32(pg, ps.ptr_to([$Z ^ 1]))
    T.ptx.ld.acquire.cta.shared.s32(pg, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: what an acquire learnt goes on", kShared, "", R"(if tx == $A:
    ps[$A] = 5
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pf != 1:
        T.ptx.ld.acquire.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), $K + 1)
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z ^ 1]), 1)
if warp == $W and lane == $M:
    while pg == 0:
        T.ptx.ld.relaxed.cta.shared.s32(pg, ps.ptr_to([$Z ^ 1]))
    T.ptx.ld.acquire.cta.shared.s32(pg, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pf != 1:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))
    T.ptx.st.release.cta.shared.s32(ps.ptr_to([$Z]), $K + 1)
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z ^ 1]), 1)
if warp == $W and lane == $M:
    while pg == 0:
        T.ptx.ld.relaxed.cta.shared.s32(pg, ps.ptr_to([$Z ^ 1]))
    T.ptx.ld.acquire.cta.shared.s32(pg, ps.ptr_to([$Z]))
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: an exchange releases and acquires", kShared, "", R"(if tx == $A:
    ps[$A] = 5
    T.ptx.atom.acq_rel.cta.shared.exch.b32(pf, ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pg == 0:
        T.ptx.atom.acq_rel.cta.shared.cas.b32(pg, ps.ptr_to([$Z]), 1, 2)
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    T.ptx.atom.acquire.cta.shared.exch.b32(pf, ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pg == 0:
        T.ptx.atom.acq_rel.cta.shared.cas.b32(pg, ps.ptr_to([$Z]), 1, 2)
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: an exchange that does not acquire", kShared, "", R"(if tx == $A:
    ps[$A] = 5
    T.ptx.atom.release.cta.shared.exch.b32(pf, ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pg == 0:
        T.ptx.atom.acquire.cta.shared.exch.b32(pg, ps.ptr_to([$Z]), 0)
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = 5  #! race ps[$A]
    T.ptx.atom.release.cta.shared.exch.b32(pf, ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pg == 0:
        T.ptx.atom.relaxed.cta.shared.exch.b32(pg, ps.ptr_to([$Z]), 0)
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: a compare-and-swap that fails only reads", kShared, "", R"(if tx == $A:
    T.ptx.atom.relaxed.cta.shared.cas.b32(pf, ps.ptr_to([$A]), 9, 2)
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    T.ptx.atom.relaxed.cta.shared.cas.b32(pf, ps.ptr_to([$A]), 0, 2)  #! race ps[$A]
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"scope: a plain store where others poll", kShared, "", R"(if tx == $A:
    T.ptx.st.relaxed.cta.shared.s32(ps.ptr_to([$Z]), 1)
if tx == $Z:
    while pf != 1:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z])))",
     R"(if tx == $A:
    ps[$Z] = 1  #! race ps[$Z]
if tx == $Z:
    while pf != 1:
        T.ptx.ld.relaxed.cta.shared.s32(pf, ps.ptr_to([$Z]))  #! race ps[$Z])"},
});

}  // namespace

PlantedList faults_of_scopes() {
  return planted_list<kRunScopesFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
