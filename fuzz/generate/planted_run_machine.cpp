// What the simulated machine has seldom to do: loops whose step is only known when they run, words
// of 64 bits by name, instructions on an mbarrier that is none, rows that many warps read.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kIntsOfMachine = R"(ps = T.alloc_shared(($T,), "int32")
px: T.int32 = 0
ps[tx] = tx
T.cuda.cta_sync())";
constexpr std::string_view kRows = R"(ps = T.alloc_shared(($T * 8,), "$D")
for pi in range(8):
    ps[pi * $T + tx] = T.cast(pi, "$D")
T.cuda.cta_sync()
if tx == $A:
    ps[$T * 7 + $Z] = T.cast($K, "$D"))";
constexpr std::string_view kNone = R"(pb = T.alloc_shared((4,), "uint64")
pt: T.uint64 = 0
pd: T.bool = False
if tx == $A:
    T.ptx.mbarrier.init.shared.b64(pb.ptr_to([2]), 2)
T.cuda.cta_sync())";
constexpr std::string_view kWords = R"(pw = T.alloc_shared(($T, 2), "uint64")
pu: T.uint64 = 0
pv: T.uint64 = 0
for pi in range(2):
    pw[tx, pi] = T.cast(tx + pi, "uint64") * T.uint64(4294967297)
T.cuda.cta_sync())";

constexpr auto kRunMachineFaults = std::to_array<PlantedFault>({
    {"loop: of no trip", kIntsOfMachine, "", R"(for pi in range(ps[$K], ps[0], 3):
    px = px + 1
for pi in range(ps[0], ps[$K], -2):
    px = px + 1
assert px == 0)",
     R"(for pi in range(ps[$K], ps[0] - 1, -3):
    px = px + 1
assert px == 0  #! trap)"},
    {"loop: each lane its own end", kIntsOfMachine, "", R"(for pi in range(ps[lane], $N, 3):
    px = px + 1
assert px == ($N - lane + 2) // 3)",
     R"(for pi in range(ps[lane], $N, 3):
    if pi > $N - 3:
        continue
    px = px + 1
assert px == ($N - lane + 2) // 3  #! trap)"},
    {"words: 64 bits by name", kWords, "",
     R"(T.ptx.ld.shared.v2.u64(pu, pv, pw.ptr_to([tx ^ $K, 0]))
assert pu == T.cast(tx ^ $K, "uint64") * T.uint64(4294967297)
assert pv == pu + T.uint64(4294967297))",
     R"(T.ptx.ld.shared.u64(pu, pw.ptr_to([tx ^ $K, 1]))
assert pu == T.cast(tx ^ $K, "uint64") * T.uint64(4294967297)  #! trap)"},
    {"words: 64 bits in atomics by name", kWords, "",
     R"(T.ptx.atom.shared.add.u64(pu, pw.ptr_to([tx, 0]), T.uint64(4294967297))
assert pu + T.uint64(4294967297) == pw[tx, 0]
T.ptx.atom.shared.exch.b64(pu, pw.ptr_to([tx, 1]), T.uint64(7))
assert pu == T.cast(tx + 1, "uint64") * T.uint64(4294967297)
assert pw[tx, 1] == T.uint64(7))",
     R"(T.ptx.atom.shared.add.u64(pu, pw.ptr_to([tx, 0]), T.uint64(4294967296))
assert pu + T.uint64(1) == pw[tx, 0]  #! trap)"},
    {"words: stored by name", kWords, "",
     R"(T.ptx.st.shared.v2.u64(pw.ptr_to([tx, 0]), pu + T.uint64(4294967298), pv + T.uint64(3))
assert pw[tx, 0] == T.uint64(4294967298) and pw[tx, 1] == T.uint64(3))",
     R"(T.ptx.st.shared.u64(pw.ptr_to([tx, 1]), pu + T.uint64(4294967298))
assert pw[tx, 1] == T.uint64(2)  #! trap)"},
    {"words: counters that start again", kIntsOfMachine, "", R"(py: T.uint32 = 0
pn = ps.view("uint32")
T.ptx.atom.shared.inc.u32(py, pn.ptr_to([tx]), T.cast(tx, "uint32"))
assert ps[tx] == 0
T.ptx.atom.shared.dec.u32(py, pn.ptr_to([tx]), T.uint32($N))
assert ps[tx] == $N and py == T.uint32(0)
T.ptx.atom.shared.dec.u32(py, pn.ptr_to([tx]), T.uint32($K))
assert ps[tx] == $K
T.ptx.atom.shared.inc.u32(py, pn.ptr_to([tx]), T.uint32($N))
assert ps[tx] == $K + 1)",
     R"(py: T.uint32 = 0
pn = ps.view("uint32")
T.ptx.atom.shared.inc.u32(py, pn.ptr_to([tx]), T.cast(tx + 1, "uint32"))
assert ps[tx] == tx  #! trap)"},
    {"words: an address without a value", kWords, "", R"(pi: T.int32 = 1
T.ptx.ld.shared.u64(pu, pw.ptr_to([tx, pi])))",
     R"(pi: T.int32
T.ptx.ld.shared.u64(pu, pw.ptr_to([tx, pi % 2]))  #! uninit pi)"},
    {"lanes: that run now", "pm: T.uint32 = 0", "", R"(T.ptx.activemask.b32(pm)
assert (pm >> T.cast(lane, "uint32") & T.uint32(1)) == T.uint32(1)
pm = T.cuda.__activemask()
assert (pm >> T.cast(lane, "uint32") & T.uint32(1)) == T.uint32(1))",
     R"(if lane != $L:
    T.ptx.activemask.b32(pm)
    assert (pm >> T.uint32($L) & T.uint32(1)) == T.uint32(1)  #! trap; beyond tile)"},
    {"mbarrier: no state where there is none", kNone, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([2]))
    if pt > T.uint64(3):
        PGlob[bx, tx, 0] = 0)",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([3]))  #! trap no mbarrier at pb[3] thread $A times $G
    if pt > T.uint64(3):  #! uninit thread $A times $G
        PGlob[bx, tx, 0] = 0)"},
    {"mbarrier: bytes where there is none", kNone, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([2]), 0)
    if pt > T.uint64(3):
        PGlob[bx, tx, 0] = 0)",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive.expect_tx.shared.b64(pt, pb.ptr_to([1]), 16)  #! trap no mbarrier at pb[1] thread $A times $G
    T.ptx.mbarrier.expect_tx.shared.b64(pb.ptr_to([3]), 16)  #! trap no mbarrier at pb[3] thread $A times $G
    if pt > T.uint64(3):  #! uninit thread $A times $G
        PGlob[bx, tx, 0] = 0)"},
    {"mbarrier: outside of memory", kNone, "", R"(if tx == $A:
    T.ptx.mbarrier.test_wait.parity.shared.b64(pd, pb.ptr_to([2]), 0)
    assert not pd)",
     R"(if tx == $A:
    T.ptx.mbarrier.test_wait.parity.shared.b64(pd, pb.ptr_to([T.if_then_else(tx == $A, 4, 2)]), 0)  #! bounds pb[4] thread $A times $G
    if pd:  #! uninit thread $A times $G
        PGlob[bx, tx, 0] = 1)"},
    {"mbarrier: an arrival outside of memory", kNone, "", R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([2])))",
     R"(if tx == $A:
    T.ptx.mbarrier.arrive.shared.b64(pt, pb.ptr_to([T.if_then_else(tx == $A, 3 + $K, 2)]))  #! bounds pb[ thread $A times $G
    if pt > T.uint64(3):  #! uninit thread $A times $G
        PGlob[bx, tx, 0] = 0)"},
    {"mbarrier: three warps for two", R"(pc = T.alloc_shared((1,), "uint64")
if tx == $A:
    T.ptx.mbarrier.init.shared.b64(pc.ptr_to([0]), $T)
T.cuda.cta_sync())",
     "", R"(T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pc.ptr_to([0]))
T.cuda.mbarrier_wait(pc.ptr_to([0]), 0))",
     R"(T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pc.ptr_to([0]))  #! race made for $T
T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, pc.ptr_to([0]))  #! race? made for $T
T.cuda.mbarrier_wait(pc.ptr_to([0]), 0)  #! race? left to chance)"},
    {"prints: letters and signs", kIntsOfMachine, "", "PGlob[bx, tx, 1] = px",
     R"(if tx == $A and bx == 0:
    T.cuda.printf("%i|%+d|%03d|%X|%o|%ld\n", tx - $A - $K, $K, $Q, T.uint32($N), T.uint32(9), T.int64($N))  #! prints -$K|+$K|00$Q|$H|11|$N)"},
    {"prints: a float as a number", "pf: T.float32 = T.float32(3.75)", "", "PGlob[bx, tx, 1] = 1",
     R"(if tx == $A and bx == 0:
    T.cuda.printf("%d %.2f %a %G\n", pf, pf, T.float32(1.0), T.float32(0.5))  #! prints 3 3.75 0x1p+0 0.5)"},
    {"race: rows that every warp reads", kRows, "", R"(for pi in range(6):
    PGlob[bx, tx, 0] = T.cast(ps[pi * 32 + lane], "int32")
T.cuda.cta_sync()
if tx == $A:
    ps[$K % 6 * 32 + $M] = T.cast($Q, "$D"))",
     R"(for pi in range(6):
    PGlob[bx, tx, 0] = T.cast(ps[pi * 32 + lane], "int32")  #! race ps[
if tx == $A:
    ps[$K % 6 * 32 + $M] = T.cast($Q, "$D")  #! race ps[)"},
    {"race: elements that every lane reads", kRows, "", R"(for pi in range(6):
    PGlob[bx, tx, 0] = T.cast(ps[pi], "int32")
T.cuda.cta_sync()
if tx == $A:
    ps[$K % 6] = T.cast($Q, "$D"))",
     R"(for pi in range(6):
    PGlob[bx, tx, 0] = T.cast(ps[pi], "int32")  #! race ps[
if tx == $A:
    ps[$K % 6] = T.cast($Q, "$D")  #! race ps[)"},
    {"race: elements that two lanes read", kRows, "", R"(for pi in range(6):
    PGlob[bx, tx, 0] = T.cast(ps[pi * 16 + lane // 2], "int32")
T.cuda.cta_sync()
if tx == $A:
    ps[$K % 6 * 16 + $M // 2] = T.cast($Q, "$D"))",
     R"(for pi in range(6):
    PGlob[bx, tx, 0] = T.cast(ps[pi * 16 + lane // 2], "int32")  #! race ps[
if tx == $A:
    ps[$K % 6 * 16 + $M // 2] = T.cast($Q, "$D")  #! race ps[)"},
    {"race: rows that are read twice", kRows, "", R"(for pj in range(2):
    for pi in range(5):
        PGlob[bx, tx, pj] = T.cast(ps[pi * 32 + lane], "int32")
    T.cuda.warp_sync()
T.cuda.cta_sync()
if tx == $A:
    ps[$K % 5 * 32 + $M] = T.cast($Q, "$D"))",
     R"(for pj in range(2):
    for pi in range(5):
        PGlob[bx, tx, pj] = T.cast(ps[pi * 32 + lane], "int32")  #! race ps[
    T.cuda.warp_sync()
if tx == $A:
    ps[$K % 5 * 32 + $M] = T.cast($Q, "$D")  #! race ps[)"},
    {"race: rows of global memory that every warp reads", "PGlob[bx, tx, 0] = 1\nT.cuda.cta_sync()",
     "", R"(for pi in range(1, 6):
    PGlob[bx, tx, 7] = PGlob[bx, pi + lane % 8, 0]
T.cuda.cta_sync()
if tx == $A:
    PGlob[bx, $K + 1, 0] = 5)",
     R"(for pi in range(1, 6):
    PGlob[bx, tx, 7] = PGlob[bx, pi + lane % 8, 0]  #! race PGlob[
if tx == $A:
    PGlob[bx, $K + 1, 0] = 5  #! race PGlob[)"},
    {"race: more reads than are put down", R"(ps = T.alloc_shared(($T * 8,), "int32")
for pi in range(8):
    ps[pi * $T + tx] = pi
T.cuda.cta_sync())",
     "", R"(for pi in range(1100):
    PGlob[bx, tx, 0] = ps[pi % 8 * 32 + lane]
T.cuda.cta_sync()
if tx == $A:
    ps[$K * 32 + $M] = 7)",
     R"(for pi in range(1100):
    PGlob[bx, tx, 0] = ps[pi % 8 * 32 + lane]  #! race ps[
if tx == $A:
    ps[$K * 32 + $M] = 7  #! race ps[)"},
    {"race: an element that all threads have read apart", kRows, "", R"(for pi in range(32):
    if lane == pi:
        PGlob[bx, tx, 0] = T.cast(ps[$Z], "int32")
    T.cuda.warp_sync()
T.cuda.cta_sync()
if tx == $A:
    ps[$Z] = T.cast($Q, "$D"))",
     R"(for pi in range(32):
    if lane == pi:
        PGlob[bx, tx, 0] = T.cast(ps[$Z], "int32")  #! race ps[$Z]
    T.cuda.warp_sync()
if tx == $A:
    ps[$Z] = T.cast($Q, "$D")  #! race ps[$Z])"},
    {"race: a read that other reads hide", kRows, "", R"(if tx == $Z:
    PGlob[bx, tx, 0] = T.cast(ps[$K], "int32")
T.cuda.cta_sync()
if warp == $W:
    PGlob[bx, tx, 1] = T.cast(ps[$K], "int32")
    T.cuda.warp_sync()
    if lane == $L:
        ps[$K] = T.cast($Q, "$D"))",
     R"(if tx == $Z:
    PGlob[bx, tx, 0] = T.cast(ps[$K], "int32")  #! race ps[$K]
if warp == $W:
    PGlob[bx, tx, 1] = T.cast(ps[$K], "int32")
    T.cuda.warp_sync()
    if lane == $L:
        ps[$K] = T.cast($Q, "$D")  #! race ps[$K])"},
    {"race: a write that its reader has hidden", kRows, "", R"(if tx == $A:
    ps[$K] = T.cast($Q, "$D")
if warp == $W or warp == $V:
    T.ptx.bar.sync($B, 64)
if tx == $Z:
    PGlob[bx, tx, 0] = T.cast(ps[$K], "int32")
    ps[$K] = T.cast($K, "$D"))",
     R"(if tx == $A:
    ps[$K] = T.cast($Q, "$D")  #! race? ps[$K]
T.cuda.warp_sync()
if warp == $W and lane == $M:
    PGlob[bx, tx, 0] = T.cast(ps[$K], "int32")  #! race? ps[$K]
if tx == $Z:
    ps[$K] = T.cast($K, "$D")  #! race ps[$K])"},
});

}  // namespace

PlantedList faults_of_machine() {
  return planted_list<kRunMachineFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
