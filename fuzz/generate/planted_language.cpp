// What must be refused outside of tile calls: expressions, statements, memory, layouts,
// instructions by their PTX names (docs/language.md, docs/language/ptx.md).
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr auto kLanguageFaults = std::to_array<PlantedFault>({
    {"language: assignment to a let", "", "pl: T.let = tx + 1", "pm: T.let = pl + 1",
     "pl = pl + 1  #! refused 'pl' cannot be reassigned"},
    {"language: int / int", "", "", "pm: T.let = (tx + 1) // 2",
     "pm: T.let = (tx + 1) / 2  #! refused '/' on two integers is ambiguous"},
    {"language: comparison of int and unsigned", "", "",
     "pm: T.let = T.cast(tx, \"uint32\") > T.uint32(3)",
     "pm: T.let = T.cast(tx, \"uint32\") > T.cast(tx, \"int32\")  #! refused comparison of uint32 "
     "with int32"},
    {"language: arithmetic on float8", "", "pe: T.let = T.cast(T.float32(1.5), \"float8_e4m3fn\")",
     "pm: T.let = T.cast(pe, \"float32\") + 1.0",
     "pm: T.let = pe + pe  #! refused float8_e4m3fn is a storage type: 'add' is not defined on it"},
    {"language: unknown name", "", "", "pm: T.let = tx + bx",
     "pm: T.let = tx + by  #! refused name 'by' is not defined"},
    {"language: too many indices", "", "", "pm: T.let = PIn[bx, 0, 0]",
     "pm: T.let = PIn[bx, 0, 0, 0]  #! refused 'PIn' has 3 dimensions, not 4"},
    {"language: index that is a float", "", "",
     "pm: T.let = PIn[bx, 0, T.cast(T.float32(1.0), \"int32\")]",
     "pm: T.let = PIn[bx, 0, T.float32(1.0)]  #! refused an index must be an integer, not float32"},
    {"language: break outside of a loop", "", "",
     "for pi in range(2):\n"
     "    if pi == 1:\n"
     "        break",
     "break  #! refused 'break' outside a loop"},
    {"language: too many arguments", "", "", "pm: T.let = T.popc(T.uint32(3))",
     "pm: T.let = T.popc(T.uint32(3), T.uint32(4))  #! refused T.popc() takes 1 argument, not 2"},
    {"language: bits of another size", "", "",
     "pm: T.let = T.reinterpret(\"uint32\", T.float32(1.0))",
     "pm: T.let = T.reinterpret(\"uint16\", T.float32(1.0))  #! refused float32 has 32 of them, "
     "uint16 has 16"},
    {"language: shift of a float", "", "", "pm: T.let = tx << 1",
     "pm: T.let = T.float32(1.0) << 1  #! refused 'shl' is not defined on float32"},
    {"atomic: dtype without the operation", "",
     "px = T.alloc_shared((1,), \"$D\")\n"
     "py = T.alloc_shared((1,), \"int32\")\n"
     "if tx == 0:\n"
     "    px[0] = 0.0\n"
     "    py[0] = 0\n"
     "T.cuda.cta_sync()",
     "T.cuda.atomic_and(py.ptr_to([0]), 1)",
     "T.cuda.atomic_and(px.ptr_to([0]), T.$D(1.0))  #! refused cuda.atomic_and has no form for $D"},
    {"ptx: unknown modifier", "", "pw: T.uint32 = 0", "T.ptx.prmt.b32.f4e(pw, pw, pw, pw)",
     "T.ptx.prmt.b32.f4f(pw, pw, pw, pw)  #! refused '.f4f' is not a valid modifier of prmt"},
    {"ptx: too few operands", "", "pw: T.uint32 = 0", "T.ptx.mad.lo.u32(pw, pw, pw, pw)",
     "T.ptx.mad.lo.u32(pw, pw, pw)  #! refused 'mad.lo.u32' expects 4 operands (d, a, b, c), not "
     "3"},
    {"ptx: destination of another width", "",
     "pw: T.uint32 = 0\n"
     "ph: T.uint16 = 0",
     "T.ptx.mul.lo.u32(pw, pw, pw)",
     "T.ptx.mul.lo.u32(ph, pw, pw)  #! refused destination d of 'mul.lo.u32' must have dtype "
     "uint32, not uint16"},
    {"ptx: operand of another type", "", "pw: T.uint32 = 0",
     "T.ptx.cvt.rni.s32.f32(pw, T.float32(1.5))",
     "T.ptx.cvt.rni.s32.f32(pw, pw)  #! refused operand a of 'cvt.rni.s32.f32' must have dtype "
     "float32, not uint32"},
    {"ptx: state space", "", "py = T.alloc_shared((4,), \"int32\")",
     "T.ptx.st.shared.s32(py.ptr_to([0]), 1, pred=tx == 0)",
     "T.ptx.st.global_.s32(py.ptr_to([0]), 1, pred=tx == 0)  #! refused must point into the global "
     "state space, and py is shared"},
    {"ptx: predicate without preserve_dst", "", "pw: T.uint32 = 0",
     "T.ptx.mul.lo.u32(pw, pw, pw, pred=tx == 0, preserve_dst=True)",
     "T.ptx.mul.lo.u32(pw, pw, pw, pred=tx == 0)  #! refused where the predicate is false, the "
     "destinations of 'mul.lo.u32' are undefined"},
    {"ptx: size of a copy", "", "",
     "T.ptx.cp.async_.cg.shared.global_(ps.ptr_to([0, 0]), PIn.ptr_to([bx, 0, 0]), 16, pred=tx == "
     "0)\n"
     "T.ptx.cp.async_.wait_all()",
     "T.ptx.cp.async_.cg.shared.global_(ps.ptr_to([0, 0]), PIn.ptr_to([bx, 0, 0]), 8, pred=tx == "
     "0)  #! refused operand cp_size of 'cp.async.cg.shared.global' must be 16, not 8\n"
     "T.ptx.cp.async_.wait_all()"},
    {"ptx: matrix form", "",
     "pw: T.uint32 = 0\n"
     "pf = T.alloc_local((4,), \"float32\")\n"
     "for pi in range(4):\n"
     "    pf[pi] = 0.0",
     "T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"](pf[0], pf[1], pf[2], pf[3], pw, "
     "pw, pw, pw, pw, pw, pf[0], pf[1], pf[2], pf[3])",
     "T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32\"](pf[0], pf[1], pf[2], pf[3], "
     "pw, pw, pw, pw, pw, pw, pf[0], pf[1], pf[2], pf[3])  #! refused mma has no form .m16n8k16 "
     "for f16 x bf16 + f32"},
    {"memory: too much shared memory", "", "", "pz = T.alloc_shared((64,), \"float32\")",
     "pz = T.alloc_shared((131072,), \"float32\")  #! refused bytes of static shared memory"},
    {"memory: size from data", "", "", "pz = T.alloc_local((4,), \"float32\")",
     "pz = T.alloc_local((tx,), \"float32\")  #! refused the size of local memory pz must be a "
     "constant"},
    {"layout: more elements than the shape", "", "",
     "pz = T.alloc_buffer(($R, $C), \"$D\", scope=\"shared\", layout=TileLayout(S[$R, $C]))",
     "pz = T.alloc_buffer(($R, $C), \"$D\", scope=\"shared\", layout=TileLayout(S[$R, 3]))  #! "
     "refused elements, the shape ($R, $C) has\n"
     "pz[0, 0] = PIn[bx, 0, 0]"},
    {"layout: thread axis in memory", "", "",
     "pz = T.alloc_buffer(($R, $C), \"$D\", scope=\"shared\", layout=TileLayout(S[($R, $C):($C, "
     "1)]))",
     "pz = T.alloc_buffer(($R, $C), \"$D\", scope=\"shared\", layout=TileLayout(S[($R, $C):($C, 1 "
     "@ laneid)]))\n"
     "pz[0, 0] = PIn[bx, 0, 0]  #! refused pz has a thread-axis layout"},
});

}  // namespace

PlantedList planted_in_language() {
  return planted_list<kLanguageFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
