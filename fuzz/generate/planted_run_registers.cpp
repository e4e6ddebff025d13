// Registers that nobody wrote, in one thread or in all: behind each kind of operation, and where
// they are not chosen.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// In one thread, the registers have no value; pu has none in any.
constexpr std::string_view kRegister = R"(px: T.int32
pf: T.float32
pw: T.uint32
if tx != $A:
    px = tx + 1
    pf = T.float32(2.5)
    pw = T.uint32($N))";
constexpr std::string_view kUniform = R"(pu: T.int32
pf: T.float32)";

constexpr auto kRunRegistersFaults = std::to_array<PlantedFault>({
    {"hole: the same in all threads", kUniform, "", R"(pu = bx + $K
if pu * 2 - 1 > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if pu * 2 - 1 > 3:  #! uninit pu
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the same in all threads, second operand", kUniform, "", R"(pu = bx + $K
if T.min(bx + $K, pu) > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if T.min(bx + $K, pu) > 3:  #! uninit pu
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the same in all threads, third operand", kUniform, "", R"(pf = T.float32(1.5)
if T.fma(T.float32(2.0), T.cast(bx, "float32"), pf) > T.float32(3.0):
    PGlob[bx, tx, 0] = 1)",
     R"(if T.fma(T.float32(2.0), T.cast(bx, "float32"), pf) > T.float32(3.0):  #! uninit pf
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the same in all threads, converted", kUniform, "", R"(pu = bx + $K
if T.cast(pu, "float32") > T.float32(3.0):
    PGlob[bx, tx, 0] = 1)",
     R"(if T.cast(pu, "float32") > T.float32(3.0):  #! uninit pu
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the same in all threads, chosen", kUniform, "",
     R"(if T.if_then_else(bx < 9, bx, pu) > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if T.if_then_else(bx < 9, pu, bx) > 3:  #! uninit pu
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the same in all threads, the choice", kUniform, "", R"(pu = 1
if T.Select(pu > 0, bx, bx + 1) > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if T.Select(pu > 0, bx, bx + 1) > 3:  #! uninit pu
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a number that is overwritten", kUniform, "", R"(pv: T.int32 = pu
pv = bx
if pv > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(pv: T.int32 = bx
pv = pu
if pv > 3:  #! uninit pu
    PGlob[bx, tx, 0] = 1)"},
    {"hole: second operand", kRegister, "", R"(if tx != $A:
    if T.max(tx, px) > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(if T.max(tx, px) > 3:  #! uninit px thread $A times $G
    PGlob[bx, tx, 0] = 1)"},
    {"hole: third operand", kRegister, "", R"(if tx != $A:
    if T.fma(T.cast(tx, "float32"), T.float32(0.5), pf) > T.float32(3.0):
        PGlob[bx, tx, 0] = 1)",
     R"(if T.fma(T.cast(tx, "float32"), T.float32(0.5), pf) > T.float32(3.0):  #! uninit pf thread $A times $G
    PGlob[bx, tx, 0] = 1)"},
    {"hole: converted and back", kRegister, "", R"(if tx != $A:
    if T.reinterpret("int32", T.cast(px, "float32")) > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(if T.reinterpret("int32", T.cast(px, "float32")) > 3:  #! uninit px thread $A times $G
    PGlob[bx, tx, 0] = 1)"},
    {"hole: what is not chosen", kRegister, "",
     R"(if T.if_then_else(tx == $A, 4, px) + T.Select(tx != $A, px, 4) > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(if T.Select(tx == $Z, 4, px) > 3:  #! uninit px thread $A times $G
    PGlob[bx, tx, 0] = 1)"},
    {"hole: what chooses", kRegister, "", R"(if tx != $A:
    if T.Select(px > 3, tx, tx + 1) > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(pv: T.let = T.Select(px > 3, tx, tx + 1)
if pv > 3:  #! uninit px thread $A times $G
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a comparison that is kept", R"(pb: T.bool
if tx != $A:
    pb = tx > 3)",
     "", R"(if tx != $A:
    if pb:
        PGlob[bx, tx, 0] = 1)",
     R"(if pb:  #! uninit pb
    PGlob[bx, tx, 0] = 1)"},
    {"hole: an instruction by its PTX name, first operand", kRegister, "", R"(if tx != $A:
    T.ptx.prmt.b32(pw, pw, T.uint32(5), T.uint32($N))
    if pw > T.uint32(3):
        PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.prmt.b32(pw, pw, T.uint32(5), T.uint32($N))
if pw > T.uint32(3):  #! uninit ptx.prmt thread $A times $G
    PGlob[bx, tx, 0] = 1)"},
    {"hole: an instruction by its PTX name, last operand", kRegister, "", R"(if tx != $A:
    T.ptx.mad.lo.u32(pw, T.uint32(3), T.cast(lane, "uint32"), pw)
    if pw > T.uint32(3):
        PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.mad.lo.u32(pw, T.uint32(3), T.cast(lane, "uint32"), pw)
if pw > T.uint32(3):  #! uninit ptx.mad thread $A times $G
    PGlob[bx, tx, 0] = 1)"},
    {"hole: from the lane above", kRegister, "",
     R"(pv: T.let = T.cuda.__shfl_down_sync(T.uint32(0xffffffff), px, 1)
if tx != $A and tx != $A - 1 and pv > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(pv: T.let = T.cuda.__shfl_xor_sync(T.uint32(0xffffffff), px, $K)
if pv > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: shfl by its PTX name", "px: T.int32\npy: T.int32 = 0\nif tx != $A:\n    px = tx", "",
     R"(T.ptx.shfl.sync.bfly.b32(py, px, $K, 31, T.uint32(0xffffffff))
if tx != $A ^ $K and warp != $W and py > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.shfl.sync.idx.b32(py, px, $L, 31, T.uint32(0xffffffff))
if py > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a step of shfl by its PTX name",
     "px: T.int32\npy: T.int32 = 0\nif tx != $A:\n    px = 1", "", R"(if warp != $W:
    T.ptx.shfl.sync.down.b32(py, tx, px, 31, T.uint32(0xffffffff))
    if py > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.shfl.sync.down.b32(py, tx, px, 31, T.uint32(0xffffffff))
if py > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: vote by its PTX name", "px: T.int32\npd: T.bool = False\nif tx != $A:\n    px = tx", "",
     R"(if warp != $W:
    T.ptx.vote.sync.any.pred(pd, px > $K, T.uint32(0xffffffff))
    if pd:
        PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.vote.sync.any.pred(pd, px > $K, T.uint32(0xffffffff))
if pd:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: match by its PTX name", kRegister, "", R"(if warp != $W:
    T.ptx.match.any.sync.b32(pw, px, T.uint32(0xffffffff))
    if pw > T.uint32(3):
        PGlob[bx, tx, 0] = 1)",
     R"(pn: T.uint32 = 0
T.ptx.match.any.sync.b32(pn, px, T.uint32(0xffffffff))
if pn > T.uint32(3):  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: match", kRegister, "", R"(if warp != $W:
    if T.cuda.__match_any_sync(T.uint32(0xffffffff), px) > T.uint32(3):
        PGlob[bx, tx, 0] = 1)",
     R"(if T.cuda.__match_any_sync(T.uint32(0xffffffff), px) > T.uint32(3):  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: a sum over lanes", kRegister, "", R"(if warp != $W:
    if T.cuda.__reduce_max_sync(T.uint32(0xffffffff), px) > 3:
        PGlob[bx, tx, 0] = 1)",
     R"(if T.cuda.__reduce_max_sync(T.uint32(0xffffffff), px) > 3:  #! uninit px
    PGlob[bx, tx, 0] = 1)"},
    {"hole: the last registers of one warp, the first of another",
     R"(ps = T.alloc_shared((64,), "int32")
pl = T.alloc_local((24,), "int32")
if tx == $A:
    for pi in range(32):
        ps[pi] = pi)",
     "", R"(T.cuda.cta_sync()
if tx == $A:
    for pi in range(32, 64):
        ps[pi] = pi
T.cuda.cta_sync()
pa: T.let = ps[1] + ps[33]
if pa + ps[$N] > 3:
    PGlob[bx, tx, 1] = 1)",
     R"(T.cuda.cta_sync()
pa: T.let = ps[33] + lane
pb: T.let = ps[34] + lane
pc: T.let = ps[35] + lane
pd: T.let = ps[36] + lane
pe: T.let = ps[37] + lane
pf: T.let = ps[38] + lane
pg: T.let = ps[39] + lane
ph: T.let = ps[40] + lane
if warp == 1:
    for pi in range(24):
        pl[pi] = ps[61] + lane
T.cuda.cta_sync()
if warp == 0:
    if pa > 3:  #! uninit ps[33]
        PGlob[bx, tx, 1] = 1
    if pb > 3:  #! uninit ps[34]
        PGlob[bx, tx, 2] = 1
    if pc > 3:  #! uninit ps[35]
        PGlob[bx, tx, 3] = 1
    if pd > 3:  #! uninit ps[36]
        PGlob[bx, tx, 4] = 1
    if pe > 3:  #! uninit ps[37]
        PGlob[bx, tx, 5] = 1
    if pf > 3:  #! uninit ps[38]
        PGlob[bx, tx, 6] = 1
    if pg > 3:  #! uninit ps[39]
        PGlob[bx, tx, 7] = 1
    if ph > 3:  #! uninit ps[40]
        PGlob[bx, tx, 0] = 1
if warp == 1:
    if pl[0] > 3:  #! uninit ps[61]
        PGlob[bx, tx, 0] = 2
    if pl[23] > 3:  #! uninit ps[61]
        PGlob[bx, tx, 1] = 2)"},
    {"hole: a vector by name, one of its elements",
     "ps = T.alloc_shared(($T, 4), \"int32\")\npx: T.int32", "", R"(px = tx
T.ptx.st.shared.v4.s32(ps.ptr_to([tx, 0]), tx, px, tx, tx)
if ps[tx, 1] > 3:
    PGlob[bx, tx, 0] = 1)",
     R"(T.ptx.st.shared.v4.s32(ps.ptr_to([tx, 0]), tx, px, tx, tx)
if ps[tx, 0] + ps[tx, 2] > 3:
    PGlob[bx, tx, 0] = 1
if ps[tx, 1] > 3:  #! uninit px
    PGlob[bx, tx, 1] = 1)"},
});

}  // namespace

PlantedList faults_of_registers() {
  return planted_list<kRunRegistersFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
