// Single elements that nobody wrote among many that were: at each place of a run, in arrays of
// every width, behind each operation, and where they must not be noticed.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// Element $T + $A of four times $T is the only one without a value.
constexpr std::string_view kHole = R"(ps = T.alloc_shared(($T * 4,), "$D")
for pi in range(4):
    if pi != 1 or tx != $A:
        ps[pi * $T + tx] = T.cast(tx + 1, "$D")
T.cuda.cta_sync())";
constexpr std::string_view kIntsOfValidity = R"(ps = T.alloc_shared(($T * 4,), "int32")
for pi in range(4):
    if pi != 1 or tx != $A:
        ps[pi * $T + tx] = tx + 1
T.cuda.cta_sync())";
constexpr std::string_view kRegisterOfValidity = R"(px: T.int32
pf: T.float32
pw: T.uint32
if tx != $A:
    px = tx + 1
    pf = T.float32(2.5)
    pw = T.uint32($N))";
constexpr std::string_view kCopies = R"(ps = T.alloc_shared(($T, 4), "int32")
for pi in range(8):
    if pi != 5 or tx != $A:
        PNone[bx, tx, pi] = tx + pi)";

constexpr auto kRunValidityFaults = std::to_array<PlantedFault>({
    {"hole: at the first lane", kHole, "", R"(if lane > 0 and ps[$T + $A + lane] > T.cast(3, "$D"):
    PGlob[bx, tx, 0] = 1)",
     R"(if ps[$T + $A + lane] > T.cast(3, "$D"):  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: in the middle of a run", kHole, "", R"(if lane != $M:
    if ps[$T + $A - $M + lane] > T.cast(3, "$D"):
        PGlob[bx, tx, 0] = 1)",
     R"(if ps[$T + $A - $M + lane] > T.cast(3, "$D"):  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: in a run backwards", kHole, "", R"(if lane != $M:
    if ps[$T + $A + $M - lane] > T.cast(3, "$D"):
        PGlob[bx, tx, 0] = 1)",
     R"(if ps[$T + $A + $M - lane] > T.cast(3, "$D"):  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: among every other element", kHole, "",
     R"(if ps[$T + $A + (lane - $M) * 2 + 1] > T.cast(3, "$D"):
    PGlob[bx, tx, 0] = 1)",
     R"(if ps[$T + $A + (lane - $M) * 2] > T.cast(3, "$D"):  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: in a part of a warp", kHole, "", R"(if lane > $M:
    if ps[$T + $A - $M + lane] > T.cast(3, "$D"):
        PGlob[bx, tx, 0] = 1)",
     R"(if lane >= $M:
    if ps[$T + $A - $M + lane] > T.cast(3, "$D"):  #! uninit
        PGlob[bx, tx, 0] = 1)"},
    {"hole: one warp's element", kHole, "", R"(if warp == $W and lane != $L:
    if ps[$T + warp * 32 + lane] > T.cast(3, "$D"):
        PGlob[bx, tx, 0] = 1)",
     R"(if warp == $W:
    if ps[$T + warp * 32 + lane] > T.cast(3, "$D"):  #! uninit
        PGlob[bx, tx, 0] = 1)"},
    {"hole: at an index from memory", kIntsOfValidity, "", R"(if tx != $A:
    if ps[$T + ps[2 * $T + tx] - 1] > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(if ps[$T + ps[2 * $T + tx] - 1] > 3:  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: filled by the thread itself", kHole, "", R"(if tx == $A:
    ps[$T + $A] = T.cast($K, "$D")
T.cuda.cta_sync()
if ps[$T + tx] > T.cast(3, "$D"):
    PGlob[bx, tx, 0] = 1)",
     R"(if tx == $A:
    ps[2 * $T + $A] = T.cast($K, "$D")
T.cuda.cta_sync()
if ps[$T + tx] > T.cast(3, "$D"):  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the last of a tensor", R"(for pi in range(8):
    if pi != 7 or tx != $Z or bx != 0:
        PNone[bx, tx, pi] = tx + pi
T.cuda.cta_sync())",
     "", R"(if PNone[bx, tx, 6] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if bx == 0 and tx == $Z:
    if PNone[0, $Z, 7] > 3:  #! uninit PNone[0, $Z, 7]
        PGlob[bx, tx, 0] = 1)"},
    {"hole: the only one of a tensor, seen from the next CTA",
     R"(for pi in range(8):
    if pi != $K or tx != $Z or bx != 0:
        PNone[bx, tx, pi] = tx + pi)",
     "",
     R"(if bx == 1:
    if PNone[1, tx, $K] > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(if bx == 1:
    if PNone[0, $Z, $K] > 3:  #! uninit PNone[0, $Z, $K]
        PGlob[bx, tx, 0] = 1)",
     {2}},
    {"hole: a local array of 16 bits", R"(pl = T.alloc_local((8,), "int16")
for pi in range(8):
    if pi != $K:
        pl[pi] = T.cast(pi + 3, "int16"))",
     "", R"(if pl[(lane & 1) * 0 + ($K + 1) % 8] > T.int16(3):
    PGlob[bx, tx, 0] = 1)",
     R"(if pl[(lane + $K) % 8] > T.int16(3):  #! uninit pl
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a local array of bytes", R"(pl = T.alloc_local((12,), "uint8")
for pi in range(12):
    if pi != $K or lane != $L:
        pl[pi] = T.cast(pi + 3, "uint8"))",
     "", R"(if lane != $L:
    if pl[(lane + $K) % 12] > T.uint8(3):
        PGlob[bx, tx, 0] = 1)",
     R"(if pl[(lane - $L + $K + 32) % 32 % 12] > T.uint8(3):  #! uninit pl
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a local array of 64 bits", R"(pl = T.alloc_local((6,), "float64")
for pi in range(6):
    if pi != $K % 6:
        pl[pi] = T.float64(4.5))",
     "", R"(if pl[(bx + $K + 1) % 6] > T.float64(3.0) and bx == 0:
    PGlob[bx, tx, 0] = 1)",
     R"(if pl[(bx + $K) % 6] > T.float64(3.0):  #! uninit pl
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a local array, at places that are known", R"(pl = T.alloc_local((4,), "int32")
pl[0] = tx
pl[1] = tx
pl[3] = tx)",
     "", R"(if pl[0] + pl[1] + pl[3] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if pl[0] + pl[2] > 3:  #! uninit pl
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a local array, stored from a register without a value", R"(px: T.int32
pl = T.alloc_local((4,), "int32")
for pi in range(4):
    pl[pi] = tx)",
     "", R"(pl[(lane + $K) % 4] = px
pl[(lane + $K) % 4] = 5
if pl[(lane + $Q) % 4] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(pl[(lane + $K) % 4] = px
if pl[(lane + $K) % 4] > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: an exchanged value", kIntsOfValidity, "",
     R"(po: T.int32 = T.cuda.atomic_exch(ps.ptr_to([$T + tx]), tx)
if ps[$T + tx] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(po: T.int32 = T.cuda.atomic_exch(ps.ptr_to([$T + tx]), tx)
if po > 3:  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: an exchange by its PTX name", kIntsOfValidity, "", R"(po: T.int32 = 0
T.ptx.atom.shared.exch.b32(po, ps.ptr_to([$T + tx]), tx)
if ps[$T + tx] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(po: T.int32 = 0
T.ptx.atom.shared.exch.b32(po, ps.ptr_to([$T + tx]), tx)
if po > 3:  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: exchanged into memory", kIntsOfValidity, "", R"(px: T.int32
px = tx
T.cuda.atomic_exch(ps.ptr_to([tx]), px)
if ps[tx] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(px: T.int32
T.cuda.atomic_exch(ps.ptr_to([tx]), px)
if ps[tx] > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: compared with memory", kIntsOfValidity, "", R"(px: T.int32
px = tx + 1
T.cuda.atomic_cas(ps.ptr_to([tx]), px, 5)
assert ps[tx] == 5)",
     R"(px: T.int32
T.ptx.red.shared.add.s32(ps.ptr_to([tx]), px)
if ps[tx] > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: swapped into memory", kIntsOfValidity, "", R"(px: T.int32
T.cuda.atomic_cas(ps.ptr_to([tx]), 0, px)
if ps[tx] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(px: T.int32
T.cuda.atomic_cas(ps.ptr_to([tx]), tx + 1, px)
if ps[tx] > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: swapped into memory by its PTX name", kIntsOfValidity, "", R"(px: T.int32
po: T.int32 = 0
T.ptx.atom.shared.cas.b32(po, ps.ptr_to([tx]), 0, px)
if ps[tx] + po > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(px: T.int32
po: T.int32 = 0
T.ptx.atom.shared.cas.b32(po, ps.ptr_to([tx]), tx + 1, px)
if ps[tx] > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: an ordered store", kIntsOfValidity, "", R"(px: T.int32
px = tx
T.ptx.st.release(ps.ptr_to([$T + tx]), px)
if T.ptx.ld.acquire(ps.ptr_to([$T + tx])) > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(px: T.int32
T.ptx.st.release(ps.ptr_to([tx]), px)
if T.ptx.ld.acquire(ps.ptr_to([tx])) > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a load that acquires", kIntsOfValidity, "", R"(if tx != $A:
    if T.ptx.ld.acquire(ps.ptr_to([$T + tx])) > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(if T.ptx.ld.acquire(ps.ptr_to([$T + tx])) > 3:  #! uninit
    PGlob[bx, tx, 0] = 1)"},
    {"hole: ldg", "PGlob[bx, tx, 0] = 1", "",
     "PGlob[bx, tx, 2] = T.cuda.ldg(PFlag.ptr_to([lane % 8]))",
     R"(if T.cuda.ldg(PNone.ptr_to([bx, tx, $K])) > 3:  #! uninit PNone
    PGlob[bx, tx, 0] = 1)"},
    {"hole: one element of a copy", kCopies, "",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, 4]), 16)
T.ptx.cp.async_.wait_all()
if ps[tx, 0] + ps[tx, 2] + ps[tx, 3] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, 4]), 16)
T.ptx.cp.async_.wait_all()
if ps[tx, 1] > 3:  #! uninit ps[$A, 1]
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the last byte of a copy", R"(ps = T.alloc_shared(($T, 4), "int32"))", "",
     R"(for pi in range(4):
    PNone[bx, tx, pi] = tx
T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, 0]), 8, 8)
T.ptx.cp.async_.wait_all()
if ps[tx, 1] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, 0]), 8, 4)
T.ptx.cp.async_.wait_all()
if ps[tx, 1] > 3:
    PGlob[bx, tx, 0] = 1
if ps[tx, 0] > 3:  #! uninit ps[
    PGlob[bx, tx, 0] = 1)"},
    {"hole: zeros behind the end of a copy", kCopies, "",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, 4]), 16, 4)
T.ptx.cp.async_.wait_all()
assert ps[tx, 0] == tx + 4
assert ps[tx, 1] == 0 and ps[tx, 2] == 0 and ps[tx, 3] == 0)",
     R"(T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PNone.ptr_to([bx, tx, 4]), 16, 8)
T.ptx.cp.async_.wait_all()
if ps[tx, 2] + ps[tx, 3] > 3:
    PGlob[bx, tx, 0] = 1
if ps[tx, 1] > 3:  #! uninit ps[$A, 1]
    PGlob[bx, tx, 0] = 1)"},
    {"hole: through stmatrix", R"(ps = T.alloc_shared(($T, 4), "uint32")
pw: T.uint32)",
     "", R"(pw = T.uint32(lane)
if warp == $W:
    T.ptx.stmatrix.sync.aligned.m8n8.x1.shared.b16(ps.ptr_to([lane % 8, 0]), pw)
    T.cuda.warp_sync()
    if ps[lane % 8, lane // 8] > T.uint32(3):
        PGlob[bx, tx, 0] = 1)",
     R"(if lane != $L:
    pw = T.uint32(lane)
if warp == $W:
    T.ptx.stmatrix.sync.aligned.m8n8.x1.shared.b16(ps.ptr_to([lane % 8, 0]), pw)
    T.cuda.warp_sync()
    if ps[lane % 8, lane // 8] > T.uint32(3):  #! uninit ps[
        PGlob[bx, tx, 0] = 1)"},
    {"hole: through ldmatrix, transposed", R"(ps = T.alloc_shared((16, 4), "uint32")
pw: T.uint32 = 0
px: T.uint32 = 0
if tx < 16:
    for pi in range(4):
        if pi != $K % 4 or tx != 8 + $Q % 8:
            ps[tx, pi] = T.uint32(pi)
T.cuda.cta_sync())",
     "", R"(if warp == $W:
    T.ptx.ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16(pw, px, ps.ptr_to([lane % 16, 0]))
    if pw > T.uint32(3):
        PGlob[bx, tx, 0] = 1)",
     R"(if warp == $W:
    T.ptx.ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16(pw, px, ps.ptr_to([lane % 16, 0]))
    if px > T.uint32(3):  #! uninit
        PGlob[bx, tx, 0] = 1)"},
    {"hole: a matrix that is multiplied", R"(pa = T.alloc_local((4,), "uint32")
pb = T.alloc_local((2,), "uint32")
pc = T.alloc_local((4,), "float32")
for pi in range(4):
    if pi != $K % 4 or tx != $A:
        pa[pi] = T.uint32(0)
    pc[pi] = T.float32(0.0)
for pi in range(2):
    pb[pi] = T.uint32(0))",
     "", R"(if warp == $V:
    T.ptx.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(pc[0], pc[1], pc[2], pc[3], pa[0], pa[1], pa[2], pa[3], pb[0], pb[1], pc[0], pc[1], pc[2], pc[3])
    if pc[0] + pc[1] + pc[2] + pc[3] > T.float32(3.0):
        PGlob[bx, tx, 0] = 1)",
     R"(if warp == $W:
    T.ptx.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(pc[0], pc[1], pc[2], pc[3], pa[0], pa[1], pa[2], pa[3], pb[0], pb[1], pc[0], pc[1], pc[2], pc[3])
    if pc[2 - $K % 2 * 2] + pc[3 - $K % 2 * 2] > T.float32(3.0) and lane // 4 != $L // 4:
        PGlob[bx, tx, 0] = 1
    if pc[$K % 2 * 2] + pc[$K % 2 * 2 + 1] > T.float32(3.0):  #! uninit pa
        PGlob[bx, tx, 0] = 1)"},
    {"hole: a matrix that is multiplied, its columns", R"(pa = T.alloc_local((4,), "uint32")
pb = T.alloc_local((2,), "uint32")
pc = T.alloc_local((4,), "float32")
for pi in range(4):
    pa[pi] = T.uint32(0)
    pc[pi] = T.float32(0.0)
for pi in range(2):
    if pi != $K % 2 or tx != $A:
        pb[pi] = T.uint32(0))",
     "", R"(if warp == $V:
    T.ptx.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(pc[0], pc[1], pc[2], pc[3], pa[0], pa[1], pa[2], pa[3], pb[0], pb[1], pc[0], pc[1], pc[2], pc[3])
    if pc[0] + pc[1] + pc[2] + pc[3] > T.float32(3.0):
        PGlob[bx, tx, 0] = 1)",
     R"(if warp == $W:
    T.ptx.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(pc[0], pc[1], pc[2], pc[3], pa[0], pa[1], pa[2], pa[3], pb[0], pb[1], pc[0], pc[1], pc[2], pc[3])
    if lane % 4 * 2 != $L // 4 and pc[0] + pc[2] > T.float32(3.0):
        PGlob[bx, tx, 0] = 1
    if pc[$L // 4 % 2] > T.float32(3.0):  #! uninit pb
        PGlob[bx, tx, 0] = 1)"},
    {"hole: a sum that a product is added to", R"(pa = T.alloc_local((4,), "uint32")
pc = T.alloc_local((4,), "float32")
for pi in range(4):
    pa[pi] = T.uint32(0)
    if pi != $K % 4 or tx != $A:
        pc[pi] = T.float32(0.0))",
     "", R"(if warp == $V:
    T.ptx.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(pc[0], pc[1], pc[2], pc[3], pa[0], pa[1], pa[2], pa[3], pa[0], pa[1], pc[0], pc[1], pc[2], pc[3])
    if pc[$K % 4] > T.float32(3.0):
        PGlob[bx, tx, 0] = 1)",
     R"(if warp == $W:
    T.ptx.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(pc[0], pc[1], pc[2], pc[3], pa[0], pa[1], pa[2], pa[3], pa[0], pa[1], pc[0], pc[1], pc[2], pc[3])
    if pc[($K + 1) % 4] + pc[($K + 2) % 4] + pc[($K + 3) % 4] > T.float32(3.0):
        PGlob[bx, tx, 0] = 1
    if pc[$K % 4] > T.float32(3.0):  #! uninit pc
        PGlob[bx, tx, 0] = 1)"},
    {"hole: a print without it", kRegisterOfValidity, "",
     R"(PGlob[bx, tx, 0] = T.if_then_else(tx == $A, 1, px))", R"(if tx == $A and bx == 0:
    T.cuda.printf("%d %d\n", tx, px)  #! prints $A <uninitialised>)"},
});

}  // namespace

PlantedList faults_of_holes() {
  return planted_list<kRunValidityFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
