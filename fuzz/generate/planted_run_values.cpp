// Values that nobody wrote, on every way to the place where they are noticed.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// Element $T + $A is written where it should be, and others always.
constexpr std::string_view kHoleOfValues =
    "ps = T.alloc_shared(($T * 4,), \"$D\")\n"
    "for pi in range(4):\n"
    "    if pi != 1 or tx != $A:\n"
    "        ps[pi * $T + tx] = T.cast(tx + 1, \"$D\")";
constexpr std::string_view kIntsOfValues =
    "ps = T.alloc_shared(($T * 4,), \"int32\")\n"
    "for pi in range(4):\n"
    "    if pi != 1 or tx != $A:\n"
    "        ps[pi * $T + tx] = tx + 1";
constexpr std::string_view kRegisterOfValues =
    "px: T.int32\n"
    "pl = T.alloc_local((4,), \"int32\")\n"
    "pl[0] = tx\n"
    "pl[2] = tx + 1";

constexpr auto kRunValuesFaults = std::to_array<PlantedFault>({
    {"uninit: one element of a run", kHoleOfValues, "",
     "ps[tx + $T] = T.cast(tx + 1, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if ps[tx + $T - $K] > T.cast(3, \"$D\"):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "if ps[(tx + $Q) % $T + $T] > T.cast(3, \"$D\"):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: one element of the last lane", kHoleOfValues, "",
     "ps[tx + $T] = T.cast(tx + 1, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "pv: T.let = ps[lane + $T + $A - 31]\n"
     "if pv > T.cast(3, \"$D\"):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "pv: T.let = ps[lane + $T + $A - 31]\n"
     "if pv > T.cast(3, \"$D\"):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: one element for all lanes", kHoleOfValues, "",
     "ps[tx + $T] = T.cast(tx + 1, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if ps[$T + $A] > T.cast(3, \"$D\"):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "if ps[$T + $A] > T.cast(3, \"$D\"):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: one element of two halves", kHoleOfValues, "",
     "ps[tx + $T] = T.cast(tx + 1, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if ps[$T + $A - lane % 16 + lane // 16 * $N] > T.cast(3, \"$D\"):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "if ps[$T + $A - 15 + lane % 16 + lane // 16 * $N] > T.cast(3, \"$D\"):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: one element for half a warp", kHoleOfValues, "",
     "ps[tx + $T] = T.cast(tx + 1, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if ps[$T + $A - lane // 16 * $K] > T.cast(3, \"$D\"):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "if ps[$T + $A - $K + lane // 16 * $K] > T.cast(3, \"$D\"):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: one element of any lane", kHoleOfValues, "",
     "ps[tx + $T] = T.cast(tx + 1, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "if ps[$T + tx * 5 % $T] > T.cast(3, \"$D\"):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "if ps[$T + tx * 5 % $T] > T.cast(3, \"$D\"):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: through memory and registers", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "ps[tx] = ps[tx + $T] * $K\n"
     "T.cuda.cta_sync()\n"
     "if ps[tx] > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "ps[tx] = ps[tx + $T] * $K\n"
     "T.cuda.cta_sync()\n"
     "if ps[tx] > 3:  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: through a shuffle", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "if T.cuda.__shfl_sync(T.uint32(0xffffffff), ps[tx + $T], $L) > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "if T.cuda.__shfl_sync(T.uint32(0xffffffff), ps[tx + $T], $L) > 3:  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: through a vote", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "if T.cuda.__ballot_sync(T.uint32(0xffffffff), ps[tx + $T] > $K) > T.uint32(3):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "if T.cuda.__ballot_sync(T.uint32(0xffffffff), ps[tx + $T] > $K) > T.uint32(3):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: through a sum over lanes", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "pd: T.int32 = 0\n"
     "T.ptx.redux.sync.add.s32(pd, ps[tx + $T], T.uint32(0xffffffff))\n"
     "if pd > $K:\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "pd: T.int32 = 0\n"
     "T.ptx.redux.sync.add.s32(pd, ps[tx + $T], T.uint32(0xffffffff))\n"
     "if pd > $K:  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: through an atomic", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "T.cuda.atomic_add(ps.ptr_to([tx + $T]), $K)\n"
     "T.cuda.cta_sync()\n"
     "if ps[tx + $T] > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "T.cuda.atomic_add(ps.ptr_to([tx + $T]), $K)\n"
     "T.cuda.cta_sync()\n"
     "if ps[tx + $T] > 3:  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: through ldmatrix", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "pw: T.uint32 = 0\n"
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([$T + warp * 32 + lane % 8 "
     "* "
     "4]))\n"
     "if pw > T.uint32(3):\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.cuda.cta_sync()\n"
     "pw: T.uint32 = 0\n"
     "if warp == $W:\n"
     "    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([$T + warp * 32 + lane % 8 "
     "* "
     "4]))\n"
     "if pw > T.uint32(3):  #! uninit\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: a vector by name",
     "ps = T.alloc_shared(($T, 4), \"int32\")\n"
     "pr = T.alloc_local((4,), \"int32\")\n"
     "for pi in range(4):\n"
     "    if pi != $K % 4 or tx != $A:\n"
     "        ps[tx, pi] = tx + 1",
     "",
     "ps[tx, $K % 4] = 2\n"
     "T.ptx.ld.shared.v4.s32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([tx, 0]))\n"
     "if pr[0] + pr[1] + pr[2] + pr[3] > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "T.ptx.ld.shared.v4.s32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([tx, 0]))\n"
     "if pr[0] + pr[1] + pr[2] + pr[3] > 3:  #! uninit ps[$A, \n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: an element that stays unread", kIntsOfValues, "",
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = T.if_then_else(tx == $A, 0, ps[tx + $T])",
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = T.if_then_else(tx == $Z, 0, ps[tx + $T])\n"
     "if PGlob[bx, tx, 0] > 2:  #! uninit ps[\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"uninit: left in a tensor", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = ps[tx + $T] * $K",
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = ps[tx + $T] * $K  #! origin ps["},
    {"uninit: left in a tensor by name", kIntsOfValues, "",
     "ps[tx + $T] = tx + 1\n"
     "T.cuda.cta_sync()\n"
     "T.ptx.st.global_.s32(PGlob.ptr_to([bx, tx, $K % 4]), ps[tx + $T])",
     "T.cuda.cta_sync()\n"
     "T.ptx.st.global_.s32(PGlob.ptr_to([bx, tx, $K % 4]), ps[tx + $T])  #! origin ps["},
    {"uninit: left in a tensor by an atomic", kRegisterOfValues, "",
     "px = 2\n"
     "T.cuda.atomic_add(PFlag.ptr_to([$K]), px)",
     "if tx == $A and bx == 0:\n"
     "    T.cuda.atomic_add(PFlag.ptr_to([$K]), px)  #! origin px"},
    {"uninit: a register", kRegisterOfValues, "",
     "px = tx\n"
     "if px > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "if px > 3:  #! uninit px\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: an element of a local array", kRegisterOfValues, "",
     "if pl[(lane + $K) % 2 * 2] > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "if pl[(lane + $K) % 4] > 3:  #! uninit pl\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: a register of some lanes", kRegisterOfValues, "",
     "px = 4\n"
     "if lane > $L:\n"
     "    px = tx\n"
     "PGlob[bx, tx, 0] = T.if_then_else(px > 3, 1, 0)",
     "if lane != $L:\n"
     "    px = tx\n"
     "if px > 3:  #! uninit px\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"uninit: an index", kRegisterOfValues, "",
     "px = lane\n"
     "PGlob[bx, tx, px % 8] = 1",
     "PGlob[bx, tx, px % 8] = 1  #! uninit px"},
    {"uninit: an index of a local array", kRegisterOfValues, "",
     "px = lane\n"
     "PGlob[bx, tx, 0] = pl[px % 2 * 2]",
     "PGlob[bx, tx, 0] = pl[px % 2 * 2]  #! uninit px"},
    {"uninit: a loop's end", kRegisterOfValues, "",
     "px = lane % 4\n"
     "for pi in range(px):\n"
     "    PGlob[bx, tx, pi] = 1",
     "for pi in range(px):  #! uninit px\n"
     "    PGlob[bx, tx, pi % 8] = 1\n"
     "    if pi > 3:\n"
     "        break"},
    {"uninit: an assertion", kRegisterOfValues, "",
     "px = lane\n"
     "assert px >= 0",
     "assert px == px + 1 or pl[0] >= 0  #! uninit px"},
    {"uninit: the address of an atomic", kRegisterOfValues, "",
     "px = lane\n"
     "T.cuda.atomic_add(PFlag.ptr_to([px % 8]), 1)",
     "T.cuda.atomic_add(PFlag.ptr_to([px % 8]), 1)  #! uninit px"},
    {"uninit: the mask of a shuffle", "px: T.uint32", "",
     "px = T.uint32(0xffffffff)\n"
     "PGlob[bx, tx, 0] = T.cuda.__shfl_sync(px, tx, $L)",
     "PGlob[bx, tx, 0] = T.cuda.__shfl_sync(px, tx, $L)  #! uninit; beyond tile"},
    {"uninit: the size of a copy",
     "ps = T.alloc_shared(($T, 4), \"int32\")\n"
     "px: T.int32",
     "",
     "px = $K * 2\n"
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16, px)\n"
     "T.ptx.cp.async_.wait_all()",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16, px)  #! "
     "uninit\n"
     "T.ptx.cp.async_.wait_all()"},
    {"uninit: a tensor's element", "PGlob[bx, tx, 0] = tx", "",
     "PNone[bx, tx, 1] = tx\n"
     "if PNone[bx, tx, 1] > 3:\n"
     "    PGlob[bx, tx, 1] = 1",
     "PNone[bx, tx, 1] = tx\n"
     "if PNone[bx, tx, T.if_then_else(tx == $A, 2, 1)] > 3:  #! uninit PNone[\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"uninit: a copied element",
     "ps = T.alloc_shared(($T, 4), \"int32\")\n"
     "for pi in range(4):\n"
     "    PNone[bx, tx, pi] = tx + pi",
     "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, 0]), 16)\n"
     "T.ptx.cp.async_.wait_all()\n"
     "if ps[tx, 2] > 3:\n"
     "    PGlob[bx, tx, 1] = 1",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, "
     "T.if_then_else(tx == $A, 4, 0)]), 16)\n"
     "T.ptx.cp.async_.wait_all()\n"
     "if ps[tx, 2] > 3:  #! uninit ps[$A, 2]\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"uninit: a lane that takes no part", "", "",
     "if lane < 16:\n"
     "    if T.cuda.__shfl_sync(T.uint32(0xffff), tx, $K) > 3:\n"
     "        PGlob[bx, tx, 1] = 1",
     "if lane < 16:\n"
     "    if T.cuda.__shfl_sync(T.uint32(0xffff), tx, 16 + $K) > 3:  #! uninit takes no part\n"
     "        PGlob[bx, tx, 1] = 1"},
});

}  // namespace

PlantedList faults_of_values() {
  return planted_list<kRunValuesFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
