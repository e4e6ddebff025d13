// Accesses of two CTAs that nothing orders, in a cluster or not.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr auto kRunCtasFaults = std::to_array<PlantedFault>({
    {"race: a flag between CTAs, of too small a scope",
     "pf: T.int32 = 0",
     "",
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
     {2}},
    {"race: two CTAs write",
     "",
     "",
     "if tx == $A:\n"
     "    PGlob[bx, 0, $K] = bx",
     "if tx == $A:\n"
     "    PGlob[0, 0, $K] = bx  #! race PGlob[0, 0, $K]",
     {2}},
    {"race: two CTAs, one reads",
     "",
     "",
     "if tx == $A:\n"
     "    PGlob[bx, tx, $K] = bx\n"
     "    PGlob[bx, tx, 0] = PGlob[bx, tx, $K] + 1",
     "if tx == $A:\n"
     "    PGlob[bx, tx, $K] = bx  #! race PGlob[\n"
     "    PGlob[bx, tx, 0] = PGlob[1 - bx % 2, tx, $K] + 1  #! race PGlob[",
     {2}},
    {"race: an atomic and a plain write of two CTAs",
     "",
     "",
     "if tx == $A:\n"
     "    T.cuda.atomic_add(PGlob.ptr_to([0, 0, $K]), 1)",
     "if tx == $A:\n"
     "    if bx == 0:\n"
     "        PGlob[0, 0, $K] = 5  #! race PGlob[0, 0, $K]\n"
     "    if bx == 1:\n"
     "        T.cuda.atomic_add(PGlob.ptr_to([0, 0, $K]), 1)  #! race PGlob[0, 0, $K]",
     {2}},
    {"race: an atomic whose scope is a CTA",
     "",
     "",
     "if tx == $A and bx < 2:\n"
     "    T.ptx.red.relaxed.gpu.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1)",
     "if tx == $A and bx < 2:\n"
     "    T.ptx.red.relaxed.cta.global_.add.s32(PGlob.ptr_to([0, 0, $K]), 1)  #! race PGlob[0, 0, "
     "$K]",
     {2}},
    {"race: CTAs of a cluster",
     "",
     "",
     "PGlob[bx, tx, 0] = tx\n"
     "T.cuda.cluster_sync()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]",
     "PGlob[bx, tx, 0] = tx  #! race PGlob[\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[",
     {2, true}},
    {"race: a cluster's arrival without the wait",
     "",
     "",
     "PGlob[bx, tx, 0] = tx\n"
     "T.ptx.barrier.cluster.arrive()\n"
     "T.ptx.barrier.cluster.wait()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]",
     "PGlob[bx, tx, 0] = tx  #! race PGlob[\n"
     "T.ptx.barrier.cluster.arrive()\n"
     "PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[\n"
     "T.ptx.barrier.cluster.wait()",
     {2, true}},
});

}  // namespace

PlantedList faults_between_ctas() {
  return planted_list<kRunCtasFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
