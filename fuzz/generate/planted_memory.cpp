// What must be refused about memory, scope ids, vectors and the order of effects, beside
// planted_language.cpp (docs/language.md, "Threads", "Memory").
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kHalfBytes =
    "pe = T.alloc_shared(($T, 64), \"float4_e2m1fn\")\n"
    "pb = pe.view(\"uint8\")\n"
    "for pi in range(32):\n"
    "    pb[tx, pi] = T.uint8(pi)";

constexpr std::string_view kCounter =
    "pc = T.alloc_shared(($T,), \"int32\")\n"
    "pc[tx] = tx";

constexpr std::string_view kPadded =
    "pv = T.alloc_local((16,), \"float32\")\n"
    "for pi in range(16):\n"
    "    pv[pi] = 1.0";

constexpr auto kMemoryFaults = std::to_array<PlantedFault>({
    {"memory: too much local memory", "", "", "pz = T.alloc_local((4096,), \"float32\")",
     "pz = T.alloc_local((1048576,), \"float32\")  #! refused local memory pz has 1048576 elements "
     "of float32"},
    {"memory: one local element too many", "", "", "pz = T.alloc_local((131072,), \"uint8\")",
     "pz = T.alloc_local((524289,), \"uint8\")  #! refused local memory pz has 524289 elements of "
     "uint8"},
    {"memory: local size from a CTA", "", "", "pz = T.alloc_local((2,), \"int32\")",
     "pz = T.alloc_local((bx + 1,), \"int32\")  #! refused the size of local memory pz must be a "
     "constant"},
    {"memory: shared size from a CTA", "", "", "pz = T.alloc_shared((2,), \"int32\")",
     "pz = T.alloc_shared((bx + 1,), \"int32\")  #! refused the size of shared memory pz must be a "
     "constant"},
    {"memory: more dynamic memory than there is", "", "",
     "T.attr({\"tirx.dyn_smem_bytes\": 65536})",
     "#! refused static, 4194304 dynamic)\n"
     "T.attr({\"tirx.dyn_smem_bytes\": 4194304})"},
    {"memory: dynamic memory beside static memory", "", "pz = T.alloc_shared((8192,), \"int32\")",
     "T.attr({\"tirx.dyn_smem_bytes\": 65536})",
     "#! refused static, 227328 dynamic)\n"
     "T.attr({\"tirx.dyn_smem_bytes\": 227328})"},
    {"memory: a pointer as a number", "", "", "pm: T.let = T.cuda.ldg(PVec.ptr_to([bx, tx, 0]))",
     "pm: T.let = T.reinterpret(\"uint64\", PVec.ptr_to([bx, tx, 0]))  #! refused a pointer can "
     "only be an operand of a machine operation"},
    {"memory: ld of registers", kCounter, "pl = T.alloc_local((2,), \"int32\")\npl[0] = tx",
     "T.ptx.ld.s32(pl[0], pc.ptr_to([tx]))",
     "T.ptx.ld.s32(pl[1], pl.ptr_to([0]))  #! refused must point into the shared or global state "
     "space, and pl is local to a thread"},
    {"float4: one element stored", kHalfBytes, "",
     "pe.vstore([tx, 2], pe.vload([tx, 0], \"float4_e2m1fnx2\"))",
     "pe[tx, 2] = pe[tx, 0]  #! refused storing to pe: two float4_e2m1fn elements share a byte"},
    {"float4: six elements", kHalfBytes, "",
     "pe.vstore([tx, 8], pe.vload([tx, 0], \"float4_e2m1fnx8\"))",
     "pe.vstore([tx, 8], pe.vload([tx, 0], \"float4_e2m1fnx6\"))  #! refused storing to pe: two "
     "float4_e2m1fn elements share a byte"},
    {"float4: three elements", kHalfBytes, "",
     "pe.vstore([tx, 8], pe.vload([tx, 0], \"float4_e2m1fnx4\"))",
     "pe.vstore([tx, 8], pe.vload([tx, 0], \"float4_e2m1fnx3\"))  #! refused storing to pe: two "
     "float4_e2m1fn elements share a byte"},
    {"float4: every other element", kHalfBytes, "",
     "pe[tx, 8:12] = pe.vload([tx, 0], \"float4_e2m1fnx4\")",
     "pe[tx, 8:16:2] = pe[tx, 0:8:2]  #! refused storing to pe: two float4_e2m1fn elements share a "
     "byte"},
    {"vector: lanes that do not go together", kPadded, "", "pv[0:4:2] = pv[1:5:2]",
     "pv[0:4:2] = pv[1:7:2]  #! refused a vector of 3 lanes cannot become float32x2"},
    {"vector: a step backwards", kPadded, "", "pv[0:4:2] = pv[4:8:2]",
     "pv[0:4:2] = pv[8:4:-2]  #! refused the step of a slice must be a positive int"},
    {"vector: length from data", kPadded, "", "pv[0:4:2] = pv[4:8:2]",
     "pv[0:4:2] = pv[4:tx + 8:2]  #! refused the length of a stepped slice must be known when the "
     "kernel is built"},
    {"ids: warps of a warpgroup", "", "", "pw = T.warp_id([$T // 32])",
     "pw = T.warp_id_in_wg([2])  #! refused warpgroup->warp: 2 declared, but the hardware has 4"},
    {"ids: extents that do not multiply", "", "", "pw = T.lane_id([32])",
     "pw = T.warp_id([$T // 32 + 1])  #! refused Inconsistent extents for scope binding cta->warp"},
    {"order: several effects in one branch", kCounter, "",
     "pm: T.let = T.if_then_else(tx < 8, T.cuda.atomic_add(pc.ptr_to([tx]), 1), 0)",
     "pm: T.let = T.if_then_else(tx < 8, T.cuda.atomic_add(pc.ptr_to([tx]), 1) - "
     "T.cuda.atomic_exch(pc.ptr_to([tx]), 2), 0)  #! refused several effects in one part of a "
     "conditional expression"},
    {"order: a read beside an effect in one branch", kCounter, "",
     "pm: T.let = T.if_then_else(tx < 8, pc[tx] + pc[tx], 0)",
     "pm: T.let = T.if_then_else(tx < 8, pc[tx] - T.cuda.atomic_exch(pc.ptr_to([tx]), 2), 0)  #! "
     "refused several effects in one part of a conditional expression"},
    {"guard: half warps by residue", "", "",
     "if tx // 32 % 2 == 1:\n    Tx.warp.fill(ps[warp, :], 1.0)",
     "if tx // 16 % 2 == 1:\n"
     "    Tx.warp.fill(ps[warp, :], 1.0)  #! refused `tx // 16 % 2 == 1` is no range of a scope "
     "id"},
    {"guard: warps that are moved", "", "",
     "if (warp + 1) % 2 == 1:\n    Tx.warp.fill(ps[warp, :], 1.0)",
     "if (tx + 8) // 32 % 2 == 1:\n"
     "    Tx.warp.fill(ps[warp, :], 1.0)  #! refused `(tx + 8) // 32 % 2 == 1` is no range of a "
     "scope id"},
    {"guard: a residue of threads", "", "",
     "if tx // 32 % 3 != 0:\n    Tx.warp.fill(ps[warp, :], 1.0)",
     "if tx % 3 != 0:\n"
     "    Tx.warp.fill(ps[warp, :], 1.0)  #! refused filter on thread_id is non-rectangular"},
    {"guard: ranges of threads", "", "", "if tx >= 32:\n    Tx.warp.fill(ps[warp, :], 1.0)",
     "if tx >= 24:\n"
     "    Tx.warp.fill(ps[warp, :], 1.0)  #! refused filter on thread_id is non-rectangular"},
    {"guard: a residue of lanes", "", "", "if warp == $W:\n    Tx.warp.fill(ps[:, :], 1.0)",
     "if warp == $W:\n"
     "    if lane % 2 == 1:\n"
     "        Tx.warp.fill(ps[:, :], 1.0)  #! refused only part of the warp reaches the call"},
    {"guard: one of two ids", "", "", "if warp == $W:\n    Tx.warp.fill(ps[:, :], 1.0)",
     "if warp == $W or lane == 3:\n"
     "    Tx.warp.fill(ps[:, :], 1.0)  #! refused `warp == $W or lane == 3` is no range of a scope "
     "id"},
    {"print: more conversions than arguments", "", "",
     "if PVec[bx, tx, 0] > 1.0:\n    T.cuda.printf(\"%d %d\\n\", tx, bx)",
     "if PVec[bx, tx, 0] > 1.0:\n"
     "    T.cuda.printf(\"%d %d\\n\", tx)  #! refused the format has 2 conversions, and 1 values "
     "follow"},
});

}  // namespace

PlantedList planted_in_memory() {
  return planted_list<kMemoryFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
