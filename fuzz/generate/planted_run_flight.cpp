// Copies that are still in flight behind barriers, and accesses of every pattern that nothing
// orders.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kCopiesOfFlight = R"(ps = T.alloc_shared((3, $T, 4), "int32")
for pi in range(3):
    for pj in range(4):
        ps[pi, tx, pj] = pi * pj + tx
T.cuda.cta_sync())";
constexpr std::string_view kTyped = R"(ps = T.alloc_shared(($T * 4,), "$D")
for pi in range(4):
    ps[pi * $T + tx] = T.cast(tx, "$D")
T.cuda.cta_sync())";
constexpr std::string_view kShared = R"(ps = T.alloc_shared(($T,), "int32")
ps[tx] = 0
T.cuda.cta_sync())";

constexpr auto kRunFlightFaults = std::to_array<PlantedFault>({
    {"in flight: a source behind a barrier", kCopiesOfFlight, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.wait_all()
T.cuda.cta_sync()
if tx == $Z:
    PGlob[bx, $A, $K % 4] = 5)",
     R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! race PGlob[
T.cuda.cta_sync()
if tx == $Z:
    PGlob[bx, $A, $K % 4] = 5  #! race PGlob[
T.cuda.cta_sync()
T.ptx.cp.async_.wait_all())"},
    {"in flight: a destination behind a barrier", kCopiesOfFlight, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.wait_all()
T.cuda.cta_sync()
if tx == $Z:
    ps[0, $A, $K % 4] = 5)",
     R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! race ps[0, $A, 
T.cuda.cta_sync()
T.cuda.cta_sync()
if tx == $Z:
    ps[0, $A, $K % 4] = 5  #! race ps[0, $A, 
T.cuda.cta_sync()
T.ptx.cp.async_.wait_all())"},
    {"in flight: read by others behind a barrier", kCopiesOfFlight, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)
    T.ptx.cp.async_.commit_group()
    T.ptx.cp.async_.wait_group(0)
T.cuda.cta_sync()
if tx == $Z:
    PGlob[bx, tx, 6] = ps[0, $A, $K % 4])",
     R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! async? ps[0, $A, ; race? ps[0, $A, 
    T.ptx.cp.async_.commit_group()
T.cuda.cta_sync()
if tx == $Z:
    PGlob[bx, tx, 6] = ps[0, $A, $K % 4]  #! async? ps[0, $A, ; race? ps[0, $A, 
T.cuda.cta_sync()
T.ptx.cp.async_.wait_all())"},
    {"in flight: the older of two has ended", kCopiesOfFlight, "", R"(for pi in range(2):
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([pi, tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)
    T.ptx.cp.async_.commit_group()
T.ptx.cp.async_.wait_group(1)
T.cuda.cta_sync()
PGlob[bx, tx, 0] = ps[0, tx ^ $K, $Q % 4]
T.cuda.cta_sync()
ps[0, tx ^ $Q, $K % 4] = 7
T.ptx.cp.async_.wait_group(0)
T.cuda.cta_sync()
PGlob[bx, tx, 1] = ps[1, tx ^ $K, $Q % 4])",
     R"(for pi in range(2):
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([pi, tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)  #! async? ps[1, ; race? ps[1, 
    T.ptx.cp.async_.commit_group()
T.ptx.cp.async_.wait_group(1)
T.cuda.cta_sync()
PGlob[bx, tx, 0] = ps[0, tx ^ $K, $Q % 4]
T.cuda.cta_sync()
PGlob[bx, tx, 1] = ps[1, tx ^ $K, $Q % 4]  #! async? ps[1, ; race? ps[1, 
T.ptx.cp.async_.wait_group(0))"},
    {"in flight: exchanges beside a copy", kCopiesOfFlight, "",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)
for pi in range(3):
    ps[0, tx, $K % 4] = tx + pi
    T.cuda.cta_sync()
    ps[1, tx, $Q % 4] = ps[0, tx ^ 1, $K % 4]
    T.cuda.cta_sync()
assert ps[1, tx, $Q % 4] == (tx ^ 1) + 2
T.ptx.cp.async_.wait_all()
PGlob[bx, tx, 0] = ps[2, tx, $Q % 4])",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)
for pi in range(3):
    ps[0, tx, $K % 4] = tx + pi  #! race ps[0, 
    T.cuda.cta_sync()
    ps[1, tx, $Q % 4] = ps[0, tx ^ 1, $K % 4]  #! race ps[0, 
T.ptx.cp.async_.wait_all())"},
    {"in flight: reads that a copy's end must not hide", kCopiesOfFlight, "",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)
T.cuda.cta_sync()
PGlob[bx, tx, 0] = ps[0, tx ^ 1, $K % 4]
T.ptx.cp.async_.wait_all()
T.cuda.cta_sync()
ps[0, tx, $K % 4] = 3)",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)
T.cuda.cta_sync()
PGlob[bx, tx, 0] = ps[0, tx ^ 1, $K % 4]  #! race ps[0, 
T.ptx.cp.async_.wait_all()
ps[0, tx, $K % 4] = 3  #! race ps[0, )"},
    {"in flight: a source of which nothing is read", kCopiesOfFlight, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16, 4)
    PGlob[bx, tx, 1] = $K
    T.ptx.cp.async_.wait_all()
    assert ps[0, tx, 1] == 0
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([1, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16, 0)
    PGlob[bx, tx, 0] = $K
    T.ptx.cp.async_.wait_all()
    assert ps[1, tx, 0] == 0)",
     R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16, 4)  #! race PGlob[
    PGlob[bx, tx, 0] = $K  #! race PGlob[
    T.ptx.cp.async_.wait_all())"},
    {"in flight: beside the bytes of a copy", kCopiesOfFlight, "", R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 1]), PGlob.ptr_to([bx, tx, 1]), 4)
    ps[0, tx, 0] = 5
    ps[0, tx, 2] = 5
    PGlob[bx, tx, 0] = ps[0, tx, 2]
    PGlob[bx, tx, 2] = ps[0, tx, 0]
    T.ptx.cp.async_.wait_all())",
     R"(if tx == $A:
    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 1]), PGlob.ptr_to([bx, tx, 1]), 4)  #! race ps[0, $A, 1]
    ps[0, tx, 1] = 5  #! race ps[0, $A, 1]
    T.ptx.cp.async_.wait_all())"},
    {"race: all read what one writes", kTyped, "", R"(PGlob[bx, tx, 0] = T.cast(ps[$Z], "int32")
T.cuda.cta_sync()
if tx == $A:
    ps[$Z] = T.cast($K, "$D"))",
     R"(if warp == $V:
    PGlob[bx, tx, 0] = T.cast(ps[$Z], "int32")  #! race ps[$Z]
if tx == $A:
    ps[$Z] = T.cast($K, "$D")  #! race ps[$Z])"},
    {"race: a warp backwards", kTyped, "", R"(PGlob[bx, tx, 0] = T.cast(ps[$T - 1 - tx], "int32")
T.cuda.cta_sync()
ps[tx] = T.cast($K, "$D"))",
     R"(PGlob[bx, tx, 0] = T.cast(ps[$T - 1 - tx], "int32")  #! race ps[
ps[tx] = T.cast($K, "$D")  #! race ps[)"},
    {"race: every other element", kTyped, "", R"(ps[2 * tx] = T.cast($K, "$D")
PGlob[bx, tx, 0] = T.cast(ps[2 * tx + 1], "int32")
T.cuda.cta_sync()
PGlob[bx, tx, 1] = T.cast(ps[2 * (tx ^ $K)], "int32"))",
     R"(ps[2 * tx] = T.cast($K, "$D")  #! race ps[
PGlob[bx, tx, 0] = T.cast(ps[2 * (tx ^ 1)], "int32")  #! race ps[)"},
    {"race: two halves of a warp", kTyped, "", R"(if warp == $W:
    ps[lane // 16 * $N + lane % 16] = T.cast($K, "$D")
if warp == $V:
    PGlob[bx, tx, 0] = T.cast(ps[$N + 16], "int32"))",
     R"(if warp == $W:
    ps[lane // 16 * $N + lane % 16] = T.cast($K, "$D")  #! race ps[$N]
if warp == $V:
    PGlob[bx, tx, 0] = T.cast(ps[$N], "int32")  #! race ps[$N])"},
    {"race: the last element of a run", kTyped, "", R"(if warp == $W:
    ps[$K + lane] = T.cast($K, "$D")
if warp == $V:
    PGlob[bx, tx, 0] = T.cast(ps[$K + 32 + lane], "int32"))",
     R"(if warp == $W:
    ps[$K + lane] = T.cast($K, "$D")  #! race ps[32]
if warp == $V:
    PGlob[bx, tx, 0] = T.cast(ps[32], "int32")  #! race ps[32])"},
    {"race: lanes of a part of a warp", kTyped, "", R"(if warp == $W and lane < $L + 1:
    ps[lane] = T.cast($K, "$D")
if warp == $V and lane > $L:
    PGlob[bx, tx, 0] = T.cast(ps[lane], "int32"))",
     R"(if warp == $W and lane < $L + 1:
    ps[lane] = T.cast($K, "$D")  #! race ps[$L]
if warp == $V and lane >= $L:
    PGlob[bx, tx, 0] = T.cast(ps[lane], "int32")  #! race ps[$L])"},
    {"race: the next turn of a loop", kTyped, "", R"(for pi in range($K + 1):
    ps[tx] = T.cast(pi, "$D")
    T.cuda.cta_sync()
    PGlob[bx, tx, 0] = T.cast(ps[tx ^ $Q], "int32")
    T.cuda.cta_sync())",
     R"(for pi in range($K + 1):
    ps[tx] = T.cast(pi, "$D")  #! race ps[
    T.cuda.cta_sync()
    PGlob[bx, tx, 0] = T.cast(ps[tx ^ $Q], "int32")  #! race ps[)"},
    {"race: an element that every warp has read", kTyped, "", R"(for pi in range(4):
    PGlob[bx, tx, pi] = T.cast(ps[pi * $T + $Z], "int32")
    T.cuda.warp_sync()
T.cuda.cta_sync()
if tx == $A:
    ps[$Z] = T.cast($K, "$D"))",
     R"(for pi in range(4):
    PGlob[bx, tx, pi] = T.cast(ps[pi * $T + $Z], "int32")  #! race ps[$Z]
    T.cuda.warp_sync()
if tx == $A:
    ps[$Z] = T.cast($K, "$D")  #! race ps[$Z])"},
    {"race: in global memory, two warps", "", "", R"(PGlob[bx, tx, $K] = tx
T.cuda.cta_sync()
PGlob[bx, tx, 0] = PGlob[bx, (tx + 32) % 64, $K])",
     R"(PGlob[bx, tx, $K] = tx  #! race PGlob[
PGlob[bx, tx, 0] = PGlob[bx, (tx + 32) % 64, $K]  #! race PGlob[)"},
    {"race: in global memory, two lanes", "", "", R"(PGlob[bx, tx, $K] = tx
T.cuda.warp_sync()
PGlob[bx, tx, 0] = PGlob[bx, tx ^ 1, $K])",
     R"(PGlob[bx, tx, $K] = tx  #! race PGlob[
PGlob[bx, tx, 0] = PGlob[bx, tx ^ 1, $K]  #! race PGlob[)"},
    {"race: in global memory, behind a barrier of others", "", "", R"(if warp == $W:
    PGlob[bx, lane, $K] = tx
if warp == $W or warp == $V:
    T.ptx.bar.sync($B, 64)
if warp == $V:
    PGlob[bx, tx, 0] = PGlob[bx, $L, $K])",
     R"(if warp == $W:
    PGlob[bx, lane, $K] = tx  #! race PGlob[
    T.ptx.bar.sync($B, 32)
if warp == $V:
    PGlob[bx, tx, 0] = PGlob[bx, $L, $K]  #! race PGlob[)"},
    {"race: written by a vector, read by an element", R"(ps = T.alloc_shared(($T, 4), "int32")
for pi in range(4):
    ps[tx, pi] = pi
T.cuda.cta_sync())",
     "", R"(if tx == $A:
    T.ptx.st.shared.v2.s32(ps.ptr_to([$Z, 0]), 7, 8)
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$Z, 2 + $K % 2])",
     R"(if tx == $A:
    T.ptx.st.shared.v2.s32(ps.ptr_to([$Z, 2]), 7, 8)  #! race ps[$Z, 
if tx == $Z:
    PGlob[bx, tx, 0] = ps[$Z, 2 + $K % 2]  #! race ps[$Z, )"},
    {"race: an atomic by its PTX name and a read", kShared, "",
     R"(T.ptx.red.shared.max.s32(ps.ptr_to([$Z]), $K)
T.cuda.cta_sync()
PGlob[bx, tx, 0] = ps[$Z])",
     R"(if warp == $W:
    T.ptx.red.shared.max.s32(ps.ptr_to([$Z]), $K)  #! race ps[$Z]
if warp == $V:
    PGlob[bx, tx, 0] = ps[$Z]  #! race ps[$Z])"},
    {"race: two reads and two atomics", kShared, "", R"(PGlob[bx, tx, 0] = ps[$Z] + ps[$A]
T.cuda.cta_sync()
T.ptx.red.shared.add.s32(ps.ptr_to([$Z]), $K)
T.cuda.atomic_add(ps.ptr_to([$A]), $Q))",
     R"(if warp == $W:
    PGlob[bx, tx, 0] = ps[$Z] + $K  #! race ps[$Z]
if warp == $V:
    T.cuda.atomic_add(ps.ptr_to([$Z]), $Q)  #! race ps[$Z])"},
    {"race: ldmatrix in pieces", R"(ps = T.alloc_shared(($T, 4), "uint32")
pw: T.uint32 = 0
for pi in range(4):
    ps[tx, pi] = T.uint32(pi)
T.cuda.cta_sync())",
     "", R"(if warp == $W:
    T.ptx.ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16(pw, ps.ptr_to([lane % 8, 0]))
if warp == $V and lane == $M:
    ps[8 + $K, $Q % 4] = T.uint32(1))",
     R"(if warp == $W:
    T.ptx.ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16(pw, ps.ptr_to([lane % 8, 0]))  #! race ps[$K, 
if warp == $V and lane == $M:
    ps[$K, $Q % 4] = T.uint32(1)  #! race ps[$K, )"},
});

}  // namespace

PlantedList faults_of_patterns() {
  return planted_list<kRunFlightFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
