// What must be refused about grids, blocks, registers that lie over threads, places in memory, and
// before a launch (docs/language.md, "Threads", "Memory", "What a launch means").
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kRegistersOfThreads =
    "pr = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 4):(1 @ "
    "laneid, 1)]))\n"
    "if warp == $W:\n"
    "    Tx.warp.fill(pr[:, :], 1.0)";

#define TIRX_SPREAD(layout) \
  "pq = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(" layout "))\n"

constexpr std::string_view kAdded = TIRX_SPREAD("S[(32, 4):(1 @ laneid, 1)]")
    "if warp == $W:\n"
    "    Tx.warp.fill(pq[:, :], 2.0)\n"
    "    Tx.warp.add(pr[:, :], pr[:, :], pq[:, :])";

#define TIRX_ADDED(layout) \
  TIRX_SPREAD(layout)      \
  "if warp == $W:\n"       \
  "    Tx.warp.add(pr[:, :], pr[:, :], pq[:, :])"

constexpr auto kThreadsFaults = std::to_array<PlantedFault>({
    // Grids and blocks.
    {"grid: a part of a cluster", "", "", "pc = T.cta_id_in_cluster([1])",
     "#! refused non-divisible extents\n"
     "pc = T.cta_id_in_cluster([4])"},
    {"grid: ids of a size that the launch knows", "^PSym", "", "pw = T.warp_id([$T // 32])",
     "pw = T.warp_id([PSym.shape[0]])  #! refused must be constants"},
    {"grid: floats", "^PSym", "", "^grid T.ceildiv(PSym.shape[0], 5)",
     "#! refused computed with floats\n"
     "^grid T.cast(T.cast(PSym.shape[0], \"float32\") * 0.2, \"int32\")"},
    {"grid: no CTA", "^PSym", "", "^grid PSym.shape[0] - 4",
     "#! refused grid dimension 0 is 0\n"
     "^grid PSym.shape[0] - 5"},
    {"grid: fewer than no CTA", "^PSym", "", "^grid T.max(PSym.shape[0] - 6, 1)",
     "#! refused grid dimension 0 is -1\n"
     "^grid PSym.shape[0] - 6"},
    {"grid: too many CTAs", "", "", "^grid 1",
     "#! refused the grid has at most 2147483647\n"
     "^grid 2147483648"},
    {"grid: not a multiple of the cluster", "^PSym", "",
     "pc = T.cta_id_in_cluster([1])\n^grid PSym.shape[0] - 4",
     "#! refused no multiple of the cluster's 2\n"
     "pc = T.cta_id_in_cluster([2])\n^grid PSym.shape[0] - 4"},
    {"block: too many threads", "", "", "^threads 0",
     "#! refused 1056 threads per CTA\n"
     "^threads 1056"},
    // Before the launch.
    {"launch: an assertion", "^PSym", "", "^assert PSym.shape[0] == 5, \"five of them\"",
     "^assert PSym.shape[0] != 5, \"not five\"  #! refused assertion failed before the launch: not "
     "five"},
    {"launch: an assertion without words", "^PSym", "", "^assert PSym.shape[0] * 2 > 9",
     "^assert PSym.shape[0] * 2 > 10  #! refused assertion failed before the launch"},
    {"launch: an assertion with a cast", "^PSym", "",
     "^assert T.cast(PSym.shape[0], \"int64\") * T.int64(3) == T.int64(15)",
     "^assert T.cast(PSym.shape[0], \"int64\") * T.int64(3) != T.int64(15)  #! refused assertion "
     "failed before the launch"},
    {"launch: an assertion with a cast that cuts", "^PSym", "",
     "^assert T.cast(T.cast(PSym.shape[0] + 254, \"uint8\"), \"int32\") == 3",
     "^assert T.cast(T.cast(PSym.shape[0] + 254, \"uint16\"), \"int32\") == 3  #! refused "
     "assertion "
     "failed before the launch"},
    {"launch: an assertion with a cast of a float", "^PSym", "",
     "^assert T.cast(T.cast(PSym.shape[0], \"float32\") * T.float32(0.5), \"int32\") == 2, "
     "\"half\"",
     "^assert T.cast(T.cast(PSym.shape[0], \"float32\") * T.float32(0.5), \"int32\") == 3, "
     "\"half\"  "
     "#! refused assertion failed before the launch: half"},
    {"grid: no CTA, by a cast", "^PSym", "",
     "^grid T.cast(T.cast(PSym.shape[0], \"int64\") - T.int64(4), \"int32\")",
     "#! refused grid dimension 0 is 0\n"
     "^grid T.cast(T.cast(PSym.shape[0], \"int64\") - T.int64(5), \"int32\")"},
    {"launch: an assertion in a branch", "^PSym", "",
     "^if PSym.shape[0] > 4:\n^    assert PSym.shape[0] % 2 == 1\n^else:\n^    assert "
     "PSym.shape[0] > 9",
     "^if PSym.shape[0] > 5:\n"
     "^    assert PSym.shape[0] % 2 == 1\n"
     "^else:\n"
     "^    assert PSym.shape[0] > 9  #! refused assertion failed before the launch"},
    {"launch: an assertion about a name", "^PSym", "",
     "^pl: T.let = PSym.shape[0] * 3\n^assert pl == 15 and (pl > 20 or pl // 2 == 7), \"thrice\"",
     "^pl: T.let = PSym.shape[0] * 3\n"
     "^assert pl == 15 and (pl > 20 or pl // 2 == 8), \"thrice\"  #! refused assertion failed "
     "before the launch: thrice"},
    {"launch: an assertion about a choice", "^PSym", "",
     "^assert T.if_then_else(PSym.shape[0] > 4, PSym.shape[0], 0) == 5, \"chosen\"",
     "^assert T.if_then_else(PSym.shape[0] < 5, PSym.shape[0], 0) == 5, \"chosen\"  #! refused "
     "assertion failed before the launch: chosen"},
    // Registers that lie over the lanes of a warp.
    {"registers: spread, added by one thread", kRegistersOfThreads, "", kAdded,
     "Tx.add(pr[:, :], pr[:, :], 1.0)  #! refused is spread over threads"},
    {"registers: each thread's own, by a warp", kRegistersOfThreads, "", kAdded,
     "pq = T.alloc_local((32, 4), \"float32\")\n"
     "if warp == $W:\n"
     "    Tx.warp.fill(pq[:, :], 2.0)  #! refused no thread axes"},
    {"registers: over warps, by a warp", kRegistersOfThreads, "", kAdded,
     TIRX_ADDED("S[(32, 4):(1 @ warpid, 1)]") "  #! refused does not count the threads"},
    {"registers: every other lane", kRegistersOfThreads, "", kAdded,
     TIRX_ADDED("S[(16, 2, 4):(2 @ laneid, 4, 1)]") "  #! refused do not tile a complete"},
    {"registers: half of the lanes", kRegistersOfThreads, "", kAdded,
     TIRX_ADDED(
         "S[(16, 2, 4):(1 @ laneid, 4, 1)]") "  #! refused spans 16 threads, not the full 32"},
    {"registers: lanes in another order", kRegistersOfThreads, "", kAdded,
     TIRX_ADDED("S[(8, 4, 4):(1 @ laneid, 8 @ laneid, 1)]") "  #! refused thread part mismatch "
                                                            "between anchor and operand"},
    {"registers: lanes along the other dimension", kRegistersOfThreads, "", kAdded,
     TIRX_ADDED("S[(4, 8, 4):(8, 4 @ laneid, 1 @ laneid)]") "  #! refused thread part mismatch "
                                                            "between anchor and operand"},
    {"registers: held by fewer lanes than need it", kRegistersOfThreads, "", kAdded,
     TIRX_ADDED(
         "S[(4, 8, 4):(8 @ laneid, 4, 1)] + R[8:1 @ laneid]") "  #! refused thread part mismatch "
                                                              "between anchor and operand"},
    {"registers: a part that begins at a lane", kRegistersOfThreads, "", kAdded,
     "if warp == $W:\n"
     "    Tx.warp.add(pr[8:16, :], pr[8:16, :], 1.0)  #! refused the region of pr starts at laneid "
     "= 8"},
    {"registers: a part at a lane that nobody knows", kRegistersOfThreads, "", kAdded,
     "if warp == $W:\n"
     "    Tx.warp.add(pr[bx:bx + 1, :], pr[bx:bx + 1, :], 1.0)  #! refused starts at a thread that "
     "is not known before the kernel runs"},
    {"registers: indexed across lanes", kRegistersOfThreads, "", kAdded,
     "pm: T.let = pr[lane, 0]  #! refused cannot be indexed directly"},
    // Places in memory.
    {"memory: two dynamic allocations", "",
     "pz = T.alloc_buffer((64,), \"float32\", scope=\"shared.dyn\")", "pw: T.let = tx + 1",
     "py = T.alloc_buffer((64,), \"float32\", scope=\"shared.dyn\")  #! refused one allocation in "
     "shared.dyn"},
    {"memory: less dynamic memory than is allocated", "",
     "pz = T.alloc_buffer((64,), \"float32\", scope=\"shared.dyn\")",
     "T.attr({\"tirx.dyn_smem_bytes\": 256})",
     "#! refused allocation has 256 bytes\n"
     "T.attr({\"tirx.dyn_smem_bytes\": 255})"},
    {"memory: atomics in registers", "", "pz = T.alloc_local((2,), \"int32\")\npz[0] = 1",
     "pz[1] = pz[0]", "T.cuda.atomic_add(pz.ptr_to([0]), 1)  #! refused is local to a thread"},
    {"memory: read-only loads of shared memory", "", "",
     "pw: T.let = T.cuda.ldg(PIn.ptr_to([bx, 0, 0]))",
     "pw: T.let = T.cuda.ldg(ps.ptr_to([0, 0]))  #! refused read-only path leads to global memory "
     "only"},
});

/// Who comes to a call: conditions on what differs between threads, and exits before it.
constexpr auto kGuards = std::to_array<PlantedFault>({
    {"guard: a variable of a loop that threads leave apart", "", "",
     "pk: T.int32 = 0\npn: T.int32 = 0\nwhile pn < 2:\n    pn = pn + 1\n    pk = 1\nif pk == 1:\n  "
     "  Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "pk: T.int32 = 0\n"
     "pn: T.int32 = 0\n"
     "while pn < tx % 2 + 1:\n"
     "    pn = pn + 1\n"
     "    pk = 1\n"
     "if pk == 1:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: a variable of a loop over threads", "", "",
     "pk: T.int32 = 0\nfor pi in range(2):\n    pk = pi\nif pk == 1:\n    Tx.cta.mul(ps[:, :], "
     "ps[:, :], 2.0)",
     "pk: T.int32 = 0\n"
     "for pi in range(tx % 3):\n"
     "    pk = pi\n"
     "if pk == 1:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: a variable of a loop that begins apart", "", "",
     "pk: T.int32 = 0\nfor pi in range(0, 4, 3):\n    pk = 1\nif pk == 1:\n    Tx.cta.mul(ps[:, "
     ":], ps[:, :], 2.0)",
     "pk: T.int32 = 0\n"
     "for pi in range(tx % 3, 4, 3):\n"
     "    pk = 1\n"
     "if pk == 1:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: a variable that some threads assign", "", "",
     "pk: T.int32 = 0\nif bx >= 0:\n    pk = 1\nif pk == 1:\n    Tx.cta.mul(ps[:, :], ps[:, :], "
     "2.0)",
     "pk: T.int32 = 0\n"
     "if tx >= 5:\n"
     "    pk = 1\n"
     "if pk == 1:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: a variable assigned beside a branch", "", "",
     "pk: T.int32 = 0\nif bx > 5:\n    pk = 2\nelse:\n    pk = 1\nif pk == 1:\n    "
     "Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "pk: T.int32 = 0\n"
     "if lane > 5:\n"
     "    pk = 2\n"
     "else:\n"
     "    pk = 1\n"
     "if pk == 1:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: a variable with the value of a lane", "", "",
     "pk: T.int32 = 0\npk = bx * 0 + 1\nif pk == 1:\n    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "pk: T.int32 = 0\n"
     "pk = lane * 0 + 1\n"
     "if pk == 1:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: a name for what lanes exchange", "", "",
     "pk: T.let = 1 + bx * 0\nif pk == 1:\n    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "pk: T.let = T.min(T.cuda.__shfl_sync(T.uint32(0xFFFFFFFF), bx, 0), 0) + 1\n"
     "if pk == 1:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: data that the kernel writes", "", "",
     "if PIn[bx, 0, 0] > 0.0:\n    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "POut[bx, 0, 0] = PIn[bx, 0, 0]\n"
     "if POut[bx, 0, 0] > 0.0:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: data in shared memory", "", "",
     "if PIn[bx, 0, 0] > 0.0:\n    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "if ps[lane % 2, 0] > 0.0:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"guard: a name that is negated", "", "",
     "if not (warp > 64):\n    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "if not (tx % 3 != 0):\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused filter on thread_id is non-rectangular"},
    {"exit: a loop of other lengths", "", "",
     "for pi in range(bx + 1):\n    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "for pi in range(tx % 2 + 1):\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused may leave this loop at different times"},
    {"exit: a while loop of other lengths", "", "",
     "pn: T.int32 = 0\nwhile pn < bx + 1:\n    pn = pn + 1\n    Tx.cta.mul(ps[:, :], ps[:, :], "
     "2.0)",
     "pn: T.int32 = 0\n"
     "while pn < lane:\n"
     "    pn = pn + 1\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused may leave this loop at different times"},
    {"exit: break", "", "",
     "for pi in range(3):\n    if bx > pi + 5:\n        break\n    Tx.cta.mul(ps[:, :], ps[:, :], "
     "2.0)",
     "for pi in range(3):\n"
     "    if $G:\n"
     "        break\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused may leave this loop at different times"},
    {"exit: break behind the call", "", "",
     "for pi in range(3):\n    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)\n    if bx > pi + 5:\n        "
     "break",
     "for pi in range(3):\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused may leave this loop at different times\n"
     "    if $G:\n"
     "        break"},
    {"exit: continue", "", "",
     "for pi in range(3):\n    if bx > pi + 5:\n        continue\n    Tx.cta.mul(ps[:, :], ps[:, "
     ":], 2.0)",
     "for pi in range(3):\n"
     "    if $G:\n"
     "        continue\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused cannot be represented"},
    {"exit: return", "", "", "if bx > 7:\n    return\nTx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "if $G:\n"
     "    return\n"
     "Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused cannot be represented"},
    {"exit: return in a loop", "", "",
     "for pi in range(3):\n    if bx > 7:\n        return\nTx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "for pi in range(3):\n"
     "    if $G:\n"
     "        return\n"
     "Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have returned in this loop"},
    {"exit: return in a branch of a branch", "", "",
     "if bx >= 0:\n    if bx > 7:\n        return\nTx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "if bx >= 0:\n"
     "    if $G:\n"
     "        return\n"
     "Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have left here"},
    {"exit: return beside a branch", "", "",
     "if bx < 7:\n    pw: T.let = tx\nelse:\n    return\nTx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "if $G:\n"
     "    pw: T.let = tx\n"
     "else:\n"
     "    return\n"
     "Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"exit: return inside of the other branch", "", "",
     "if bx > 7:\n    pw: T.let = tx\nelse:\n    if bx > 8:\n        return\nTx.cta.mul(ps[:, :], "
     "ps[:, :], 2.0)",
     "if bx > 7:\n"
     "    pw: T.let = tx\n"
     "else:\n"
     "    if $G:\n"
     "        return\n"
     "Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused some threads may have left here"},
});

#undef TIRX_ADDED
#undef TIRX_SPREAD

}  // namespace

PlantedList planted_in_threads() {
  return planted_list<kThreadsFaults>(Ground::tile);
}

PlantedList planted_in_guards() {
  return planted_list<kGuards>(Ground::tile);
}

}  // namespace tirx::fuzz
