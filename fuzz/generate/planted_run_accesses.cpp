// Which accesses there are at all, and in which order: strong ones and weak ones, parts of words,
// the bounds of loops that change meanwhile, values on their first trip.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kInts = R"(ps = T.alloc_shared(($T,), "int32")
px: T.int32 = 0
ps[tx] = tx
T.cuda.cta_sync())";
constexpr std::string_view kHalves = R"(ps = T.alloc_shared(($T, 4), "uint32")
ph = ps.view("uint16")
pw: T.uint32 = 1
for pi in range(4):
    ps[tx, pi] = T.uint32(pi)
T.cuda.cta_sync())";

constexpr auto kRunAccessesFaults = std::to_array<PlantedFault>({
    {"strong: volatile accesses of two CTAs",
     "pf: T.int32 = 0",
     "",
     R"(if bx == 0 and tx == $A:
    T.ptx.st.volatile.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    T.ptx.ld.volatile.global_.s32(pf, PFlag.ptr_to([$K])))",
     R"(if bx == 0 and tx == $A:
    T.ptx.st.global_.s32(PFlag.ptr_to([$K]), 1)  #! race PFlag[$K]
if bx == 1 and tx == $Z:
    T.ptx.ld.volatile.global_.s32(pf, PFlag.ptr_to([$K]))  #! race PFlag[$K])",
     {2}},
    {"strong: a load that is none",
     "pf: T.int32 = 0",
     "",
     R"(if bx == 0 and tx == $A:
    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    T.ptx.ld.relaxed.sys.global_.s32(pf, PFlag.ptr_to([$K])))",
     R"(if bx == 0 and tx == $A:
    T.ptx.st.relaxed.gpu.global_.s32(PFlag.ptr_to([$K]), 1)  #! race PFlag[$K]
if bx == 1 and tx == $Z:
    T.ptx.ld.weak.global_.s32(pf, PFlag.ptr_to([$K]))  #! race PFlag[$K])",
     {2}},
    {"strong: an addition releases",
     "pf: T.int32 = 0",
     "",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42
    T.ptx.red.release.gpu.global_.add.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[1, 0, 1] = PGlob[0, 0, 0])",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42  #! race PGlob[0, 0, 0]
    T.ptx.red.relaxed.gpu.global_.add.s32(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        T.ptx.ld.acquire.gpu.global_.s32(pf, PFlag.ptr_to([$K]))
    PGlob[1, 0, 1] = PGlob[0, 0, 0]  #! race PGlob[0, 0, 0])",
     {2}},
    {"strong: a fence between CTAs by its CUDA name",
     "pf: T.int32 = 0",
     "",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42
    T.cuda.thread_fence()
    T.cuda.atomic_add(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        pf = T.cuda.atomic_add(PFlag.ptr_to([$K]), 0)
    T.cuda.thread_fence()
    PGlob[1, 0, 1] = PGlob[0, 0, 0])",
     R"(if bx == 0 and tx == $A:
    PGlob[0, 0, 0] = 42  #! race PGlob[0, 0, 0]
    T.cuda.atomic_add(PFlag.ptr_to([$K]), 1)
if bx == 1 and tx == $Z:
    while pf == 0:
        pf = T.cuda.atomic_add(PFlag.ptr_to([$K]), 0)
    T.cuda.thread_fence()
    PGlob[1, 0, 1] = PGlob[0, 0, 0]  #! race PGlob[0, 0, 0])",
     {2}},
    {"weak: ldg and a write", "", "",
     R"(PGlob[bx, tx, 0] = T.cuda.ldg(PGlob.ptr_to([bx, $Z, $K]))
T.cuda.cta_sync()
if tx == $A:
    PGlob[bx, $Z, $K] = $Q)",
     R"(if tx == $Z:
    PGlob[bx, tx, 0] = T.cuda.ldg(PGlob.ptr_to([bx, $Z, $K]))  #! race PGlob[
if tx == $A:
    PGlob[bx, $Z, $K] = $Q  #! race PGlob[)"},
    {"parts: halves of a word", kHalves, "",
     R"(if tx == $A:
    ph[$Z, $K] = T.uint16(3)
if tx == $Z:
    ph[$Z, ($K + 1) % 8] = T.uint16(4))",
     R"(if tx == $A:
    ph[$Z, $K] = T.uint16(3)  #! race
if tx == $Z:
    ps[$Z, $K // 2] = T.uint32(4)  #! race)"},
    {"parts: what a matrix leaves beside itself", kHalves, "",
     R"(if warp == $W:
    T.ptx.stmatrix.sync.aligned.m8n8.x1.trans.shared.b16(ps.ptr_to([lane % 8, 0]), pw)
if warp == $V:
    ph[8 + lane % 8, lane // 8] = T.uint16(4))",
     R"(if warp == $W:
    T.ptx.stmatrix.sync.aligned.m8n8.x1.trans.shared.b16(ps.ptr_to([lane % 8, 0]), pw)  #! race
if tx == $Z:
    ph[$K, $Q] = T.uint16(4)  #! race)"},
    {"parts: pairs of bytes by name", R"(pb = T.alloc_shared(($T, 4), "uint8")
for pi in range(4):
    pb[tx, pi] = T.uint8(pi)
T.cuda.cta_sync())",
     "",
     R"(if tx == $A:
    T.ptx.st.shared.v2.u8(pb.ptr_to([$Z, 0]), T.uint8(1), T.uint8(2))
if tx == $Z:
    pb[$Z, 2 + $K % 2] = T.uint8(3))",
     R"(if tx == $A:
    T.ptx.st.shared.v2.u8(pb.ptr_to([$Z, 2]), T.uint8(1), T.uint8(2))  #! race pb[$Z, 
if tx == $Z:
    pb[$Z, 2 + $K % 2] = T.uint8(3)  #! race pb[$Z, )"},
    {"loop: near the end of its type", kInts, "",
     R"(for pi in range(2147483640 + ps[lane] % 3, 2147483647, 5):
    px = px + 1
for pi in range(-2147483640 - ps[lane] % 3, -2147483648, -5):
    px = px + 10
assert px == 22 - lane % 3 // 2)",
     R"(for pi in range(2147483640 + ps[lane] % 3, 2147483647, 5):
    px = px + 1
assert px == 2  #! trap)"},
    {"loop: its end changes meanwhile", kInts, "",
     R"(pe: T.int32 = $N
for pi in range(pe):
    pe = pe - 1
    px = px + 1
assert px == $N and pe == 0
pe = lane
for pi in range(pe):
    pe = pe - 1
    px = px + 1
assert px == $N + lane and pe == 0)",
     R"(pe: T.int32 = $N
for pi in range(pe):
    pe = pe - 1
    px = px + 1
assert px == $N // 2  #! trap)"},
    {"loop: a value on the first trip", "px: T.int32", "",
     R"(px = 7
for pi in range($K):
    if px > 3:
        PGlob[bx, tx, 0] = 1
    px = 5)",
     R"(for pi in range($K):
    if px > 3000:  #! uninit px times $T*$G
        PGlob[bx, tx, 0] = 1
    px = 5)"},
    {"loop: a value from the trip before", "px: T.int32", "",
     R"(for pi in range($K + 1):
    if pi > 0:
        if px > 3:
            PGlob[bx, tx, 0] = 1
    px = tx)",
     R"(for pi in range($K + 1):
    if pi > 0:
        if px > 3000:  #! uninit px thread $A times $G
            PGlob[bx, tx, 0] = 1
    if tx != $A or pi > 0:
        px = tx)"},
    {"value: of itself", "px: T.int32", "",
     "px = 3\npx = px + 1\nif px > 9:\n    PGlob[bx, tx, 0] = 1",
     "px = px + 1\nif px > 3000:  #! uninit px\n    PGlob[bx, tx, 0] = 1"},
    {"value: exchanged between registers", R"(pl = T.alloc_local((4,), "int32")
for pi in range(4):
    pl[pi] = tx + pi)",
     "",
     R"(pa: T.int32 = pl[0]
pl[0] = pl[3]
pl[3] = pa
pb: T.let = pl[1]
pl[1] = pl[2]
assert pl[0] == tx + 3 and pl[3] == tx and pl[1] == tx + 2 and pb == tx + 1)",
     R"(pb: T.let = pl[1]
pl[1] = pl[2]
assert pb == tx + 2  #! trap)"},
    {"value: a vector over itself", R"(pl = T.alloc_local((6,), "int32")
for pi in range(6):
    pl[pi] = tx + pi * $K)",
     "",
     R"(pl.vstore([1], pl.vload([0], "int32x4"))
assert pl[1] == tx and pl[2] == tx + $K and pl[4] == tx + 3 * $K and pl[5] == tx + 5 * $K)",
     R"(pl.vstore([1], pl.vload([0], "int32x4"))
assert pl[2] == tx  #! trap)"},
    {"overflow: the address of a copy that reads nothing",
     R"(ps = T.alloc_shared(($T, 4), "int32")
pn: T.int32 = T.if_then_else(bx < 9, 0, 16)
pm: T.int32 = T.if_then_else(bx < 9, 16, 0))",
     "",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, T.min(T.max((tx + $N) * 100000000, 0), $T - 1), 0]), 16, pn)
T.ptx.cp.async_.wait_all()
assert ps[tx, $K % 4] == 0)",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, T.min(T.max((tx + $N) * 100000000, 0), $T - 1), 0]), 16, pm)  #! overflow int32
T.ptx.cp.async_.wait_all())"},
    {"overflow: of 64 bits", kInts, "",
     "PGlob[bx, tx, 1] = ps[T.cast(lane, \"int64\") * T.int64(1)]",
     "PGlob[bx, tx, 1] = ps[(T.cast(lane, \"int64\") + T.int64(2)) * T.int64(4611686018427387904)] "
     " "
     "#! overflow int64"},
});

}  // namespace

PlantedList faults_of_accesses() {
  return planted_list<kRunAccessesFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
