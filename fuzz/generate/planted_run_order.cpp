// Accesses of the threads of one CTA that nothing orders.
#include <array>

#include "fuzz/generate/planted.hpp"

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
constexpr std::string_view kMatrices =
    "ps = T.alloc_shared(($T, 4), \"uint32\")\n"
    "pw: T.uint32 = 1\n"
    "px: T.uint32 = 2\n"
    "py: T.uint32 = 3\n"
    "pz: T.uint32 = 4\n"
    "for pi in range(4):\n"
    "    ps[tx, pi] = T.uint32(pi)\n"
    "T.cuda.cta_sync()";

constexpr auto kRunOrderFaults = std::to_array<PlantedFault>({
    {"race: read and write of two warps", kTyped, "",
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[$Z], \"int32\")",
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")  #! race ps[$Z]\n"
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[$Z], \"int32\")  #! race ps[$Z]"},
    {"race: two writes of two warps", kTyped, "",
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if tx == $Z:\n"
     "    ps[$Z] = T.cast($Q, \"$D\")",
     "if tx == $A:\n"
     "    ps[$Z] = T.cast($K, \"$D\")  #! race ps[$Z]\n"
     "if tx == $Z:\n"
     "    ps[$Z] = T.cast($Q, \"$D\")  #! race ps[$Z]"},
    {"race: whole warps, of which one byte is common", kTyped, "",
     "ps[(tx + $K) % $T] = T.cast($K, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")",
     "if warp == 0:\n"
     "    ps[tx + 1] = T.cast($K, \"$D\")  #! race ps[32]\n"
     "if warp == 1:\n"
     "    PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")  #! race ps[32]"},
    {"race: lanes of one warp", kTyped, "",
     "ps[tx ^ 1] = T.cast(tx, \"$D\")\n"
     "T.cuda.warp_sync()\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx ^ $K], \"int32\")",
     "ps[tx ^ 1] = T.cast(tx, \"$D\")  #! race ps[\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")  #! race ps["},
    {"race: two lanes of one warp", kTyped, "",
     "if lane == $L and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")\n"
     "T.cuda.warp_sync()\n"
     "if lane == $M and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")",
     "if lane == $L and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")  #! race ps[$Z]\n"
     "if lane == $M and warp == $W:\n"
     "    ps[$Z] = T.cast(tx, \"$D\")  #! race ps[$Z]"},
    {"race: a shuffle orders nothing", kInts, "",
     "ps[tx ^ 1] = tx\n"
     "T.cuda.warp_sync()\n"
     "PGlob[bx, tx, 0] = ps[tx] + T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $L)",
     "ps[tx ^ 1] = tx  #! race ps[\n"
     "pv: T.let = T.cuda.__shfl_sync(T.uint32(0xffffffff), tx, $L)\n"
     "PGlob[bx, tx, 0] = ps[tx] + pv  #! race ps["},
    {"race: warp_sync of other lanes", kInts, "",
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
    {"race: the same value twice", kTyped, "",
     "if tx == $A:\n"
     "    ps[$K] = T.cast(5, \"$D\")",
     "ps[$K] = T.cast(5, \"$D\")  #! race ps[$K]"},
    {"race: a barrier of other threads", kInts, "",
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
    {"race: who arrives does not wait", kInts, "",
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
    {"race: an atomic and a plain write", kInts, "",
     "T.cuda.atomic_add(ps.ptr_to([$Z]), 1)\n"
     "T.cuda.cta_sync()\n"
     "if tx == $A:\n"
     "    ps[$Z] = 1",
     "if warp == $V:\n"
     "    T.cuda.atomic_add(ps.ptr_to([$Z]), 1)  #! race ps[$Z]\n"
     "if tx == $A:\n"
     "    ps[$Z] = 1  #! race ps[$Z]"},
    {"race: an atomic and a plain read", kInts, "",
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
     "",
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
     "",
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
     "",
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane % 8, 0]))\n"
     "if warp == $V and lane == $M:\n"
     "    ps[8, 0] = T.uint32(1)",
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane % 8, 0]))  #! race "
     "ps[\n"
     "if warp == $V and lane == $M:\n"
     "    ps[$K, $Q % 4] = T.uint32(1)  #! race ps[$K, "},
    {"race: four matrices and a store", kMatrices, "",
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
    {"race: transposed matrices and a store", kMatrices, "",
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
    {"race: stored matrices and a load", kMatrices, "",
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
    {"race: relaxed accesses order nothing", kInts, "",
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
    {"race: fences around relaxed accesses", kInts, "",
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
});

}  // namespace

PlantedList faults_of_order() {
  return planted_list<kRunOrderFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
