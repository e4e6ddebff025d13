// Indices and addresses that go wrong by one where a range or a multiple is derived from what is
// known of them: conditions, loops, quotients, bits.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// px is tx, from memory, of which only the range is known; pg has fewer elements than there are
/// threads.
constexpr std::string_view kIndex = R"(ps = T.alloc_shared(($T,), "int32")
pg = T.alloc_shared(($N,), "int32")
ps[tx] = tx
if tx < $N:
    pg[tx] = tx
T.cuda.cta_sync()
px: T.let = ps[tx] % $T)";
/// Vectors of pq begin at multiples of four.
constexpr std::string_view kAlign = R"(ps = T.alloc_shared(($T,), "int32")
pq = T.alloc_shared(($T * 4 + 8,), "float32")
pr = T.alloc_local((4,), "float32")
ps[tx] = tx
for pi in range(4):
    pq[tx * 4 + pi] = T.float32(1.5)
    if tx < 2:
        pq[$T * 4 + tx * 4 + pi] = T.float32(2.5)
T.cuda.cta_sync()
px: T.let = ps[tx] % $T)";

constexpr auto kRunFactsFaults = std::to_array<PlantedFault>({
    {"facts: less than", kIndex, "", "if px < $N:\n    PGlob[bx, tx, 0] = pg[px]",
     "if px <= $N:\n    PGlob[bx, tx, 0] = pg[px]  #! bounds pg[$N]"},
    {"facts: greater than, on the other side", kIndex, "",
     "if $N > px:\n    PGlob[bx, tx, 0] = pg[px]",
     "if $N >= px:\n    PGlob[bx, tx, 0] = pg[px]  #! bounds pg[$N]"},
    {"facts: at least", kIndex, "", R"(if px >= $K and px < $N:
    PGlob[bx, tx, 0] = pg[px - $K])",
     R"(if px >= $K - 1 and px < $N:
    PGlob[bx, tx, 0] = pg[px - $K]  #! bounds pg[-1])"},
    {"facts: more than", kIndex, "", R"(if px > $K - 1:
    if px < $N:
        PGlob[bx, tx, 0] = pg[px - $K])",
     R"(if px > $K - 2:
    if px < $N:
        PGlob[bx, tx, 0] = pg[px - $K]  #! bounds pg[-1])"},
    {"facts: otherwise", kIndex, "", R"(if px >= $N:
    PGlob[bx, tx, 1] = 1
else:
    PGlob[bx, tx, 0] = pg[px])",
     R"(if px > $N:
    PGlob[bx, tx, 1] = 1
else:
    PGlob[bx, tx, 0] = pg[px]  #! bounds pg[$N])"},
    {"facts: otherwise, from below", kIndex, "", R"(if px < $K or px > $N:
    PGlob[bx, tx, 1] = 1
else:
    PGlob[bx, tx, 0] = pg[px - $K])",
     R"(if px <= $K - 2:
    PGlob[bx, tx, 1] = 1
else:
    if px < $N:
        PGlob[bx, tx, 0] = pg[px - $K]  #! bounds pg[-1])"},
    {"facts: equal", kIndex, "", "if px == $N - 1:\n    PGlob[bx, tx, 0] = pg[px]",
     "if px == $N:\n    PGlob[bx, tx, 0] = pg[px]  #! bounds pg[$N]"},
    {"facts: not different", kIndex, "", R"(if px != $N - 1:
    PGlob[bx, tx, 1] = 1
else:
    PGlob[bx, tx, 0] = pg[px])",
     R"(if px != $N:
    PGlob[bx, tx, 1] = 1
else:
    PGlob[bx, tx, 0] = pg[px]  #! bounds pg[$N])"},
    {"facts: less than another number", kIndex, "",
     "if px < ps[$N]:\n    PGlob[bx, tx, 0] = pg[px]",
     "if px < ps[$N] + 1:\n    PGlob[bx, tx, 0] = pg[px]  #! bounds pg[$N]"},
    {"facts: a remainder", kIndex, "", "PGlob[bx, tx, 0] = pg[px % $N]",
     "PGlob[bx, tx, 0] = pg[px % ($N + 1)]  #! bounds pg[$N]"},
    {"facts: a remainder of less than nothing", kIndex, "", "PGlob[bx, tx, 0] = pg[(px - $T) % $N]",
     "PGlob[bx, tx, 0] = pg[T.truncmod(px - $T, $N)]  #! bounds pg[-"},
    {"facts: a sum behind a remainder", kIndex, "", "PGlob[bx, tx, 0] = pg[px % ($N - $K) + $K]",
     "PGlob[bx, tx, 0] = pg[px % ($N - $K) + $K + 1]  #! bounds pg[$N]"},
    {"facts: a quotient", kIndex, "", "PGlob[bx, tx, 0] = pg[px * 4 // ($T * 4) + $N - 1]",
     "PGlob[bx, tx, 0] = pg[(px * 4 + 4) // ($T * 4) + $N - 1]  #! bounds pg[$N]"},
    {"facts: a quotient below nothing", kIndex, "", "PGlob[bx, tx, 0] = pg[(px - $T) // $T + 1]",
     "PGlob[bx, tx, 0] = pg[(px - 1) // $T]  #! bounds pg[-1]"},
    {"facts: the smaller one", kIndex, "", "PGlob[bx, tx, 0] = pg[T.min(px, $N - 1)]",
     "PGlob[bx, tx, 0] = pg[T.min(px, $N)]  #! bounds pg[$N]"},
    {"facts: the larger one", kIndex, "", "PGlob[bx, tx, 0] = pg[T.max($N - 1 - px, 0)]",
     "PGlob[bx, tx, 0] = pg[T.max($N - 1 - px, -1)]  #! bounds pg[-1]"},
    {"facts: a choice", kIndex, "", "PGlob[bx, tx, 0] = pg[T.if_then_else(px < $N, px, 0)]",
     "PGlob[bx, tx, 0] = pg[T.if_then_else(px <= $N, px, 0)]  #! bounds pg[$N]"},
    {"facts: one of two", kIndex, "", "PGlob[bx, tx, 0] = pg[T.Select(px < $K, $N - 1, 0)]",
     "PGlob[bx, tx, 0] = pg[T.Select(px < $K, $N - 1, $N)]  #! bounds pg[$N]"},
    {"facts: low bits", kIndex, "", "PGlob[bx, tx, 0] = pg[px & 31]",
     "PGlob[bx, tx, 0] = pg[px & 63]  #! bounds pg[$N]"},
    {"facts: both bits", kIndex, "", "PGlob[bx, tx, 0] = pg[px & 15 | 16]",
     "PGlob[bx, tx, 0] = pg[px & 31 | 32]  #! bounds pg["},
    {"facts: either bit", kIndex, "", "PGlob[bx, tx, 0] = pg[(px & 31) ^ 21]",
     "PGlob[bx, tx, 0] = pg[(px & 63) ^ 1]  #! bounds pg["},
    {"facts: shifted right", kIndex, "", "PGlob[bx, tx, 0] = pg[(px & 63) >> 1]",
     "PGlob[bx, tx, 0] = pg[((px & 63) * 4) >> 2]  #! bounds pg[$N]"},
    {"facts: shifted left", kIndex, "", "PGlob[bx, tx, 0] = pg[(px & 15) << 1]",
     "PGlob[bx, tx, 0] = pg[(px & 15) << 2]  #! bounds pg["},
    {"facts: negated", kIndex, "", "if px < $N:\n    PGlob[bx, tx, 0] = pg[-px + $N - 1]",
     "if px < $N:\n    PGlob[bx, tx, 0] = pg[-px + $N]  #! bounds pg[$N]"},
    {"facts: without its sign", kIndex, "", "PGlob[bx, tx, 0] = pg[T.abs(px % 32 - 31)]",
     "PGlob[bx, tx, 0] = pg[T.abs(px % 32 - $N)]  #! bounds pg[$N]"},
    {"facts: a loop's last trip", kIndex, "", R"(for pi in range(px % 4, $N):
    PGlob[bx, tx, 0] = pg[pi])",
     R"(for pi in range(px % 4, $N + 1):
    PGlob[bx, tx, 0] = pg[pi]  #! bounds pg[$N])"},
    {"facts: a loop's end from memory", kIndex, "", R"(for pi in range(ps[$N]):
    PGlob[bx, tx, 0] = pg[pi])",
     R"(for pi in range(ps[$N] + 1):
    PGlob[bx, tx, 0] = pg[pi]  #! bounds pg[$N])"},
    {"facts: a loop that counts down", kIndex, "", R"(for pi in range($N - 1, px % 2 - 1, -1):
    PGlob[bx, tx, 0] = pg[pi])",
     R"(for pi in range($N - 1, px % 2 - 2, -1):
    PGlob[bx, tx, 0] = pg[pi]  #! bounds pg[-1])"},
    {"facts: a loop that counts down from too far", kIndex, "",
     R"(for pi in range($N - 1, px % 2 - 1, -2):
    PGlob[bx, tx, 0] = pg[pi])",
     R"(for pi in range($N, px % 2 + 1, -2):
    PGlob[bx, tx, 0] = pg[pi]  #! bounds pg[$N])"},
    {"facts: a loop with a step", kIndex, "", R"(for pi in range(px % 2, $N - 3, 3):
    PGlob[bx, tx, 0] = pg[pi + 3])",
     R"(for pi in range(px % 3, $N - 2, 3):
    PGlob[bx, tx, 0] = pg[pi + 3]  #! bounds pg[$N])"},
    {"facts: a variable that grows", kIndex, "", R"(pv: T.int32 = px % 2
while pv < $N - 1:
    pv = pv + 1
PGlob[bx, tx, 0] = pg[pv])",
     R"(pv: T.int32 = px % 2
while pv < $N:
    pv = pv + 1
PGlob[bx, tx, 0] = pg[pv]  #! bounds pg[$N])"},
    {"facts: the end of a row", R"(ps = T.alloc_shared(($T,), "int32")
pg = T.alloc_shared(($N, 4), "int32")
ps[tx] = tx
if tx < $N:
    for pi in range(4):
        pg[tx, pi] = tx
T.cuda.cta_sync()
px: T.let = ps[tx])",
     "", "PGlob[bx, tx, 0] = pg[px % ($N - 1), px % 4]",
     "PGlob[bx, tx, 0] = pg[px % ($N - 1), px % 5]  #! bounds , 4] is outside"},
    {"facts: a byte", kIndex, "",
     "PGlob[bx, tx, 0] = pg[T.cast(T.cast(px + $T, \"uint8\"), \"int32\") % $N]",
     "PGlob[bx, tx, 0] = pg[T.cast(T.cast(px % 64, \"uint8\"), \"int32\")]  #! bounds pg[$N]"},
    {"facts: 64 bits", kIndex, "",
     "PGlob[bx, tx, 0] = pg[T.min(T.cast(px, \"int64\") - T.int64(3000000000), T.int64(-3000000000 "
     "+ $N - 1)) + T.int64(3000000000)]",
     "PGlob[bx, tx, 0] = pg[T.min(T.cast(px, \"int64\") - T.int64(3000000000), T.int64(-3000000000 "
     "+ $N)) + T.int64(3000000000)]  #! bounds pg[$N]"},
    {"multiples: from memory", kAlign, "", R"(pi: T.let = ps[tx ^ $K] * 4 // 4
pr.vstore([0], pq.vload([ps[pi] * 2 + ps[tx ^ $K] * 2], "float32x4")))",
     R"(pr.vstore([0], pq.vload([ps[$A] * 4 + T.if_then_else(tx == $A, 2, 0)], "float32x4"))  #! align pq[)"},
    {"multiples: a quotient", kAlign, "pm: T.int32 = px * 8",
     "pr.vstore([0], pq.vload([pm // 2], \"float32x4\"))",
     "pr.vstore([0], pq.vload([pm // 4], \"float32x4\"))  #! align pq["},
    {"multiples: a truncated quotient", kAlign, "pm: T.int32 = px * 8",
     "pr.vstore([0], pq.vload([T.truncdiv(pm, 2)], \"float32x4\"))",
     "pr.vstore([0], pq.vload([T.truncdiv(pm, 8) * 2], \"float32x4\"))  #! align pq["},
    {"multiples: of a variable", kAlign, "pm: T.int32 = px * 4",
     "pr.vstore([0], pq.vload([pm % 16 + (pm | 8) - pm * 1], \"float32x4\"))",
     "pr.vstore([0], pq.vload([pm % 16 + 2 * (pm // 4 % 2)], \"float32x4\"))  #! align pq["},
    {"multiples: a sum", kAlign, "", "pr.vstore([0], pq.vload([px * 4 + 4], \"float32x4\"))",
     "pr.vstore([0], pq.vload([px * 4 + 6], \"float32x4\"))  #! align pq["},
    {"multiples: a difference", kAlign, "",
     "pr.vstore([0], pq.vload([$T * 4 - px * 4], \"float32x4\"))",
     "pr.vstore([0], pq.vload([$T * 4 - px * 2], \"float32x4\"))  #! align pq["},
    {"multiples: a product", kAlign, "",
     "pr.vstore([0], pq.vload([(px // 2 * 2) * 2], \"float32x4\"))",
     "pr.vstore([0], pq.vload([(px // 2 * 2) * 3], \"float32x4\"))  #! align pq["},
    {"multiples: a remainder", kAlign, "", "pr.vstore([0], pq.vload([px * 4 % 24], \"float32x4\"))",
     "pr.vstore([0], pq.vload([px * 4 % 6], \"float32x4\"))  #! align pq["},
    {"multiples: a bit", kAlign, "", "pr.vstore([0], pq.vload([px * 4 | 8], \"float32x4\"))",
     "pr.vstore([0], pq.vload([px * 4 | 2], \"float32x4\"))  #! align pq["},
    {"multiples: either bit", kAlign, "", "pr.vstore([0], pq.vload([(px * 4) ^ 4], \"float32x4\"))",
     "pr.vstore([0], pq.vload([(px * 4) ^ 2], \"float32x4\"))  #! align pq["},
    {"multiples: shifted left", kAlign, "", "pr.vstore([0], pq.vload([px << 2], \"float32x4\"))",
     "pr.vstore([0], pq.vload([px << 1], \"float32x4\"))  #! align pq["},
    {"multiples: the smaller one", kAlign, "",
     "pr.vstore([0], pq.vload([T.min(px * 4, 8)], \"float32x4\"))",
     "pr.vstore([0], pq.vload([T.min(px * 4, 6)], \"float32x4\"))  #! align pq[6"},
    {"multiples: the larger one", kAlign, "",
     "pr.vstore([0], pq.vload([T.max(px * 4, 8)], \"float32x4\"))",
     "pr.vstore([0], pq.vload([T.max(px * 4, 6)], \"float32x4\"))  #! align pq[6"},
    {"multiples: a choice", kAlign, "",
     "pr.vstore([0], pq.vload([T.Select(px < $K, px * 4, 8)], \"float32x4\"))",
     "pr.vstore([0], pq.vload([T.Select(px < $K, px * 4, 6)], \"float32x4\"))  #! align pq[6"},
    {"multiples: a loop's variable", kAlign, "", R"(for pi in range(0, px % 2 * 4 + 4, 4):
    pr.vstore([0], pq.vload([pi], "float32x4")))",
     R"(for pi in range(0, px % 2 * 4 + 4, 2):
    pr.vstore([0], pq.vload([pi], "float32x4"))  #! align pq[2)"},
    {"lanes: another one waits at an mbarrier", R"(pb = T.alloc_shared((2,), "uint64")
ps = T.alloc_shared(($T,), "int32")
pt: T.uint64 = 0
ps[tx] = tx
if tx == $A:
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), 1)
T.cuda.cta_sync())",
     "", R"(if tx == $A:
    ps[$A] = $K
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
if warp == $V:
    if lane == 1 + $M % 31:
        T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
    T.cuda.warp_sync()
    if lane == 0:
        PGlob[bx, tx, 0] = ps[$A])",
     R"(if tx == $A:
    ps[$A] = $Q  #! race ps[$A]
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
if warp == $V:
    if lane == 1 + $M % 31:
        T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
    if lane == 0:
        PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"lanes: another one arrives at an mbarrier", R"(pb = T.alloc_shared((2,), "uint64")
ps = T.alloc_shared(($T,), "int32")
pt: T.uint64 = 0
ps[tx] = tx
if tx == $A:
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([1]), 1)
T.cuda.cta_sync())",
     "", R"(if warp == $W:
    if lane == 0:
        ps[$A] = $K
    T.cuda.warp_sync()
    if lane == 1 + $L % 31:
        T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
if tx == $Z:
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
    PGlob[bx, tx, 0] = ps[$A])",
     R"(if warp == $W:
    if lane == 0:
        ps[$A] = $K  #! race ps[$A]
    if lane == 1 + $L % 31:
        T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([1]))
if tx == $Z:
    T.cuda.mbarrier_wait(pb.ptr_to([1]), 0)
    PGlob[bx, tx, 0] = ps[$A]  #! race ps[$A])"},
    {"cluster: an arrival, then one lane's exit",
     "",
     "",
     R"(PGlob[bx, tx, 0] = tx
T.ptx.barrier.cluster.arrive()
if rank == 1 and tx == $A:
    return
T.ptx.barrier.cluster.wait()
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0])",
     R"(PGlob[bx, tx, 0] = tx  #! race PGlob[
T.ptx.barrier.cluster.arrive()
if rank == 1 and tx == $A:
    return
PGlob[bx, tx, 1] = PGlob[1 - bx, tx, 0]  #! race PGlob[
T.ptx.barrier.cluster.wait())",
     {2, true}},
    {"cluster: a warp of one lane",
     "",
     "",
     R"(PGlob[bx, tx, 0] = tx
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
if rank == 1 and warp == $W and lane != $L:
    return
PGlob[bx, tx, 2] = PGlob[1 - bx, tx, 0]
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
PGlob[bx, tx, 0] = $K
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
if rank == 0:
    PGlob[bx, tx, 1] = PGlob[1, $A, 0])",
     R"(PGlob[bx, tx, 0] = tx
T.ptx.barrier.cluster.arrive()
T.ptx.barrier.cluster.wait()
if rank == 1 and warp == $W and lane != $L:
    return
PGlob[bx, tx, 0] = $K  #! race PGlob[
T.ptx.barrier.cluster.arrive()
if rank == 0:
    PGlob[bx, tx, 1] = PGlob[1, $A, 0]  #! race PGlob[
T.ptx.barrier.cluster.wait())",
     {2, true}},
    {"barrier: two counts, whoever comes first", R"(ps = T.alloc_shared(($T,), "int32")
ps[tx] = tx
T.cuda.cta_sync())",
     "", R"(if warp == $W or warp == $V:
    T.ptx.bar.sync($B, 64))",
     R"(if warp == $W:
    T.ptx.bar.sync($B, 32)  #! divergence is used for; race? barrier $B
if warp == $V:
    T.ptx.bar.sync($B, 64)  #! divergence? is used for; race? barrier $B; deadlock?)"},
});

}  // namespace

PlantedList faults_of_facts() {
  return planted_list<kRunFactsFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
