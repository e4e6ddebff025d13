// What one thread does wrong alone: bounds, alignment, indices that leave their type, divisors of
// zero, assertions.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kSharedOfThread =
    "ps = T.alloc_shared(($T,), \"int32\")\n"
    "ps[tx] = tx * $K\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kTypedOfThread =
    "ps = T.alloc_shared(($T,), \"$D\")\n"
    "ps[tx] = T.cast(tx, \"$D\")\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kWide =
    "ps = T.alloc_shared(($T, 4), \"float32\")\n"
    "for pi in range(4):\n"
    "    ps[tx, pi] = T.cast(tx * 4 + pi, \"float32\")\n"
    "pr = T.alloc_local((4,), \"float32\")\n"
    "for pi in range(4):\n"
    "    pr[pi] = 0.0\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kFlat =
    "ps = T.alloc_shared(($T * 4 + 4,), \"float32\")\n"
    "for pi in range(4):\n"
    "    ps[tx * 4 + pi] = T.cast(tx * 4 + pi, \"float32\")\n"
    "    if tx == 0:\n"
    "        ps[$T * 4 + pi] = 1.0\n"
    "pr = T.alloc_local((4,), \"float32\")\n"
    "T.cuda.cta_sync()";
constexpr std::string_view kLocal =
    "pl = T.alloc_local((8,), \"int32\")\n"
    "for pi in range(8):\n"
    "    pl[pi] = tx + pi * $K";
constexpr std::string_view kZero =
    "ps = T.alloc_shared(($T,), \"int32\")\n"
    "ps[tx] = T.if_then_else(tx == $A, 0, tx + $K)\n"
    "T.cuda.cta_sync()\n"
    "pz: T.let = ps[tx]";

constexpr auto kRunThreadFaults = std::to_array<PlantedFault>({
    {"bounds: shared load past the end", kTypedOfThread, "",
     "PGlob[bx, tx, 0] = T.cast(ps[(tx + $K) % $T], \"int32\")",
     "PGlob[bx, tx, 0] = T.cast(ps[tx + $K], \"int32\")  #! bounds ps[$T] times $K*$G"},
    {"bounds: shared store before the start", kTypedOfThread, "",
     "ps[(tx + $T - $K) % $T] = T.cast(tx, \"$D\")\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")",
     "ps[tx - $K] = T.cast(tx, \"$D\")  #! bounds ps[-$K] thread 0 times $K*$G\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx], \"int32\")"},
    {"bounds: what is loaded outside has no value", kSharedOfThread, "",
     "pm: T.let = ps[(tx + $K) % $T]\n"
     "if pm > 3:\n"
     "    PGlob[bx, tx, 1] = 1",
     "pm: T.let = ps[tx + $K]  #! bounds ps[$T]\n"
     "if pm > 3:  #! uninit refused access to ps times $K*$G\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"bounds: the other lanes go on", kSharedOfThread, "",
     "T.cuda.atomic_add(ps.ptr_to([(tx + $K) % $T]), 1)\n"
     "T.cuda.cta_sync()\n"
     "assert ps[tx] == tx * $K + 1",
     "T.cuda.atomic_add(ps.ptr_to([tx + $K]), 1)  #! bounds ps[$T] times $K*$G\n"
     "T.cuda.cta_sync()\n"
     "assert ps[tx] == tx * $K + T.if_then_else(tx < $K, 0, 1)"},
    {"bounds: inner dimension of a tensor", "", "", "PGlob[bx, tx, (lane + $K) % 8] = $Q",
     "PGlob[bx, tx, lane % 8 + $K] = $Q  #! bounds PGlob["},
    {"bounds: outer dimension of a tensor", "", "", "PGlob[bx, tx, 2] = PGlob[bx, tx, 1] + 1",
     "PGlob[bx, tx, 2] = PGlob[bx + 3, tx, 1] + 1  #! bounds PGlob["},
    {"bounds: a uniform index", kSharedOfThread, "", "PGlob[bx, tx, 3] = ps[warp * 32 + $K]",
     "PGlob[bx, tx, 3] = ps[bx + $T]  #! bounds ps[ times $T*$G"},
    {"bounds: an index from memory", kSharedOfThread, "", "PGlob[bx, tx, 3] = ps[ps[$K] % 32]",
     "PGlob[bx, tx, 3] = ps[ps[$K] + $T * 2]  #! bounds ps["},
    {"bounds: local array", kLocal, "", "PGlob[bx, tx, 4] = pl[(lane + $K) % 8]",
     "PGlob[bx, tx, 4] = pl[lane % 8 + $K]  #! bounds pl["},
    {"bounds: local array at 64-bit indices", kLocal, "",
     "pw: T.let = T.cast(lane % 8, \"int64\")\n"
     "PGlob[bx, tx, 4] = pl[(pw + T.int64($K)) % T.int64(8)]",
     "pw: T.let = T.cast(lane % 8, \"int64\")\n"
     "PGlob[bx, tx, 4] = pl[pw + T.int64($K)]  #! bounds pl["},
    {"bounds: local store at a 64-bit index", kLocal, "",
     "pw: T.let = T.cast(lane % 8, \"int64\")\n"
     "pl[(pw + T.int64($K)) % T.int64(8)] = 5\n"
     "PGlob[bx, tx, 4] = pl[$K]",
     "pw: T.let = T.cast(lane % 8, \"int64\")\n"
     "pl[pw - T.int64($K)] = 5  #! bounds pl[-\n"
     "PGlob[bx, tx, 4] = pl[$K]"},
    {"bounds: local array, the same index in all lanes", kLocal, "",
     "PGlob[bx, tx, 4] = pl[(warp + $K) % 8]", "PGlob[bx, tx, 4] = pl[warp + 8]  #! bounds pl["},
    {"bounds: a vector that ends outside", kWide, "",
     "T.ptx.ld.shared.v4.f32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([$T - 1 - tx, 0]))\n"
     "PGlob[bx, tx, 0] = T.cast(pr[3], \"int32\")",
     "T.ptx.ld.shared.v4.f32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([tx + 1, 0]))  #! bounds ps[$T"},
    {"bounds: a vector half outside",
     "ps = T.alloc_shared(($T * 4 + 2,), \"float32\")\n"
     "for pi in range(4):\n"
     "    ps[tx * 4 + pi] = T.cast(tx * 4 + pi, \"float32\")\n"
     "if tx < 2:\n"
     "    ps[$T * 4 + tx] = 1.0\n"
     "pr = T.alloc_local((4,), \"float32\")\n"
     "T.cuda.cta_sync()",
     "",
     "T.ptx.ld.shared.v4.f32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([tx * 4]))\n"
     "PGlob[bx, tx, 0] = T.cast(pr[3], \"int32\")",
     "T.ptx.ld.shared.v4.f32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([tx * 4 + 4]))  #! bounds ps["},
    {"bounds: an atomic", kSharedOfThread, "", "T.cuda.atomic_max(ps.ptr_to([(tx + $K) % $T]), 5)",
     "T.cuda.atomic_max(ps.ptr_to([tx + $N * 4]), 5)  #! bounds ps["},
    {"bounds: an atomic by name gives no value", kSharedOfThread, "",
     "po: T.int32 = 0\n"
     "T.ptx.atom.shared.add.s32(po, ps.ptr_to([(tx + $K) % $T]), 1)\n"
     "if po > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "po: T.int32 = 0\n"
     "T.ptx.atom.shared.add.s32(po, ps.ptr_to([tx + $K]), 1)  #! bounds ps[$T]\n"
     "if po > 3:  #! uninit times $K*$G\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"bounds: an atomic gives no value", kSharedOfThread, "",
     "po: T.int32 = T.cuda.atomic_add(ps.ptr_to([(tx + $K) % $T]), 1)\n"
     "if po > 3:\n"
     "    PGlob[bx, tx, 0] = 1",
     "po: T.int32 = T.cuda.atomic_add(ps.ptr_to([tx + $K]), 1)  #! bounds ps[$T]\n"
     "if po > 3:  #! uninit times $K*$G\n"
     "    PGlob[bx, tx, 0] = 1"},
    {"bounds: cp.async reads outside", kWide, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)\n"
     "T.ptx.cp.async_.wait_all()",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 8]), 16)  #! "
     "bounds PGlob[\n"
     "T.ptx.cp.async_.wait_all()"},
    {"bounds: cp.async writes outside", kWide, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16)\n"
     "T.ptx.cp.async_.wait_all()",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx + $K, 0]), PGlob.ptr_to([bx, tx, 4]), 16)  "
     "#! bounds ps[$T\n"
     "T.ptx.cp.async_.wait_all()"},
    {"bounds: cp.async of more than its size", kWide, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16, tx % "
     "17)\n"
     "T.ptx.cp.async_.wait_all()",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 4]), 16, "
     "T.if_then_else(tx == $A, 17, 16))  #! bounds 17 bytes\n"
     "T.ptx.cp.async_.wait_all()"},
    {"bounds: rows of ldmatrix", kWide, "",
     "pw: T.uint32 = 0\n"
     "T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane, 0]))\n"
     "PGlob[bx, tx, 5] = T.cast(pw, \"int32\")",
     "pw: T.uint32 = 0\n"
     "T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane + $T - $K, 0]))  #! "
     "bounds ps[$T"},
    {"align: a vector in shared memory", kFlat, "",
     "T.ptx.ld.shared.v4.f32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([tx * 4]))\n"
     "PGlob[bx, tx, 0] = T.cast(pr[2], \"int32\")",
     "T.ptx.ld.shared.v4.f32(pr[0], pr[1], pr[2], pr[3], ps.ptr_to([tx * 4 + $K % 3 + 1]))  #! "
     "align "
     "ps["},
    {"align: a vector in global memory", "pr = T.alloc_local((2,), \"int32\")", "",
     "T.ptx.ld.global_.v2.s32(pr[0], pr[1], PGlob.ptr_to([bx, tx, 2]))\n"
     "PGlob[bx, tx, 0] = pr[1]",
     "T.ptx.ld.global_.v2.s32(pr[0], pr[1], PGlob.ptr_to([bx, tx, (tx // 32 % 2) * 2 + 1]))  #! "
     "align "
     "PGlob["},
    {"align: a store of a vector", kWide, "",
     "T.ptx.st.shared.v2.f32(ps.ptr_to([tx, 2]), 1.0, 2.0)\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx, 3], \"int32\")",
     "T.ptx.st.shared.v2.f32(ps.ptr_to([tx, T.if_then_else(tx == $A, 1, 2)]), 1.0, 2.0)  #! align "
     "ps[$A, 1:3]\n"
     "PGlob[bx, tx, 0] = T.cast(ps[tx, 3], \"int32\")"},
    {"align: cp.async", kWide, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, 2]), 8)\n"
     "T.ptx.cp.async_.wait_all()",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([tx, 0]), PGlob.ptr_to([bx, tx, "
     "T.if_then_else(tx == $A, 3, 2)]), 8)  #! align PGlob[\n"
     "T.ptx.cp.async_.wait_all()"},
    {"align: rows of ldmatrix", kFlat, "",
     "pw: T.uint32 = 0\n"
     "T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([lane * 4]))",
     "pw: T.uint32 = 0\n"
     "T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(pw, ps.ptr_to([T.if_then_else(lane == $K, "
     "lane * "
     "4 + 1, lane * 4)]))  #! align ps["},
    {"overflow: a product", "", "", "PGlob[bx, tx, (lane * 3000 + $K) % 8] = 1",
     "PGlob[bx, tx, (lane + 2) * 1073741824 + $K] = 1  #! overflow int32"},
    {"overflow: a sum in all lanes alike", kSharedOfThread, "",
     "PGlob[bx, tx, 1] = ps[(bx * $K + warp) % 32]",
     "PGlob[bx, tx, 1] = ps[(bx + 1073741824) + (warp + 1073741824)]  #! overflow int32"},
    {"overflow: a difference", kSharedOfThread, "", "PGlob[bx, tx, 1] = ps[(lane - $K) % 32]",
     "PGlob[bx, tx, 1] = ps[(lane - 2147483640) - (tx + $N)]  #! overflow int32"},
    {"overflow: a local array's index", kLocal, "", "PGlob[bx, tx, 1] = pl[(lane * $K) % 8]",
     "PGlob[bx, tx, 1] = pl[(lane + $K + 1) * 2147483647]  #! overflow int32"},
    {"overflow: a variable becomes an index", kSharedOfThread, "",
     "pv: T.int32 = lane\n"
     "for pi in range(3):\n"
     "    pv = pv * $K + 3\n"
     "PGlob[bx, tx, 1] = ps[pv % 32]",
     "pv: T.int32 = lane + $K\n"
     "for pi in range(3):\n"
     "    pv = pv * 65536  #! overflow int32\n"
     "PGlob[bx, tx, 1] = ps[pv]"},
    {"overflow: unsigned and does not come back", kSharedOfThread, "",
     "pu: T.let = T.cast(lane, \"uint32\")\n"
     "PGlob[bx, tx, 1] = ps[pu - T.uint32(9) + T.uint32(9)]",
     "pu: T.let = T.cast(lane, \"uint32\")\n"
     "PGlob[bx, tx, 1] = ps[(pu + T.uint32(2)) * T.uint32(2147483648) + pu]  #! overflow uint32"},
    {"overflow: unsigned, the same in all lanes", kSharedOfThread, "",
     "pu: T.let = T.cast(warp, \"uint32\")\n"
     "PGlob[bx, tx, 1] = ps[pu - T.uint32(9) + T.uint32($K) + T.uint32(9)]",
     "pu: T.let = T.cast(warp, \"uint32\")\n"
     "PGlob[bx, tx, 1] = ps[(pu + T.uint32(2)) * T.uint32(2147483648) + pu]  #! overflow uint32"},
    {"overflow: unsigned index of a local array", kLocal, "",
     "pu: T.let = T.cast(lane % 4, \"uint32\")\n"
     "PGlob[bx, tx, 1] = pl[pu - T.uint32(9) + T.uint32(12)]",
     "pu: T.let = T.cast(lane % 4, \"uint32\")\n"
     "PGlob[bx, tx, 1] = pl[(pu + T.uint32(2)) * T.uint32(2147483648) + pu]  #! overflow uint32"},
    {"overflow: an unsigned variable becomes an index", kSharedOfThread, "",
     "pu: T.uint32 = T.cast(lane, \"uint32\")\n"
     "for pi in range(2):\n"
     "    pu = pu + T.uint32($K)\n"
     "PGlob[bx, tx, 1] = ps[pu]",
     "pu: T.uint32 = T.cast(lane, \"uint32\")\n"
     "for pi in range(2):\n"
     "    pu = pu + T.uint32(2147483648)  #! overflow uint32\n"
     "PGlob[bx, tx, 1] = ps[pu]"},
    {"arith: remainder by zero in one lane", kZero, "", "PGlob[bx, tx, 1] = tx * 77 % T.max(pz, 1)",
     "PGlob[bx, tx, 1] = tx * 77 % pz  #! arith thread $A times $G"},
    {"arith: quotient by zero in one lane", kZero, "", "PGlob[bx, tx, 1] = tx * 77 // T.max(pz, 1)",
     "PGlob[bx, tx, 1] = tx * 77 // pz  #! arith thread $A times $G"},
    {"arith: truncated quotient by zero", kZero, "",
     "PGlob[bx, tx, 1] = T.truncdiv(77 - tx, T.max(pz, 1)) + T.truncmod(tx, T.max(pz, 1))",
     "PGlob[bx, tx, 1] = T.truncdiv(77 - tx, pz)  #! arith\n"
     "PGlob[bx, tx, 2] = T.truncmod(tx, pz)  #! arith"},
    {"arith: quotient by zero, the same in all lanes", kZero, "",
     "PGlob[bx, tx, 1] = T.int32(1000) // (ps[$Z] + 1)",
     "PGlob[bx, tx, 1] = T.int32(1000) // ps[$A]  #! arith times $T*$G"},
    {"arith: 64 bits by zero", kZero, "",
     "PGlob[bx, tx, 1] = T.cast(T.int64(1) << T.int64(40), \"int32\")",
     "PGlob[bx, tx, 1] = T.cast((T.int64(1) << T.int64(40)) % T.cast(pz, \"int64\"), \"int32\")  "
     "#! arith"},
    {"arith: unsigned by zero", kZero, "",
     "PGlob[bx, tx, 1] = T.cast(T.cast(tx, \"uint32\") // T.cast(pz + 1, \"uint32\"), \"int32\")",
     "PGlob[bx, tx, 1] = T.cast(T.cast(tx, \"uint32\") // T.cast(pz, \"uint32\"), \"int32\")  #! "
     "arith"},
    {"arith: what comes of it has no value", kZero, "", "",
     "if tx % pz == 0:  #! arith; uninit\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"prints: numbers", kZero, "", "PGlob[bx, tx, 1] = pz",
     "if tx == $A and bx == 0:\n"
     "    T.cuda.printf(\"%d %5d %u %x %% %c|\\n\", tx, 0 - tx, T.cast(tx, \"uint32\"), $N, "
     "65 + $K)  #! prints $A $a $A $n % $k|\n"
     "    T.cuda.printf(\"%.3f %g %e\\n\", T.float32(1.5), T.float64(0.25), T.float32($K.0))  #! "
     "prints 1.500 0.25 $K.000000e+00"},
    {"prints: a value that nobody wrote", "px: T.int32", "", "px = 5\nPGlob[bx, tx, 0] = px",
     "if tx == $A and bx == 0:\n"
     "    T.cuda.printf(\"%d\\n\", px)  #! prints <uninitialised>"},
    {"prints: elements of shared memory",
     "pp = T.alloc_shared((3,), \"int32\")\n"
     "if tx < 2:\n"
     "    pp[tx] = $N - tx * $N * 2\n"
     "T.cuda.cta_sync()",
     "", "PGlob[bx, tx, 1] = pp[tx % 2]",
     "if tx == $A and bx == 0:\n"
     "    T.print_buffer(pp)  #! prints pp = [$N, -$N, <uninitialised>]"},
    {"prints: elements of a local array",
     "pp = T.alloc_local((4,), \"int16\")\n"
     "pp[0] = T.cast($K, \"int16\")\n"
     "pp[1] = T.cast(0 - $Q, \"int16\")\n"
     "pp[3] = T.cast(tx, \"int16\")",
     "", "PGlob[bx, tx, 1] = T.cast(pp[(lane & 1) * 3], \"int32\")",
     "if tx == $A and bx == 0:\n"
     "    T.print_buffer(pp)  #! prints pp = [$K, -$Q, <uninitialised>, $A]"},
    {"incomplete: an approximation without recorded bits", "ph: T.float16 = T.float16(0.5)", "",
     "PGlob[bx, tx, 0] = T.cast(ph * T.float16(4.0), \"int32\")",
     "T.ptx.tanh.approx.f16(ph, ph)  #! incomplete\n"
     "PGlob[bx, tx, 0] = T.cast(ph * T.float16(4.0), \"int32\")"},
    {"trap: an assertion of one thread", kZero, "", "assert pz < 1000, \"small\"",
     "assert pz > 0, \"not zero\"  #! trap not zero"},
    {"trap: an assertion of all threads alike", kZero, "", "assert ps[$Z] >= 0",
     "assert ps[$A] > 0  #! trap assertion failed"},
    {"trap: an assertion after a guard", kZero, "",
     "if tx == $A:\n"
     "    assert pz == 0, \"zero\"",
     "if tx == $A:\n"
     "    assert pz == 1, \"one\"  #! trap one"},
    {"trap: T.cuda.trap", kZero, "",
     "if pz < 0:\n"
     "    T.cuda.trap()",
     "if pz == 0:\n"
     "    T.cuda.trap()  #! trap trapped"},
});

}  // namespace

PlantedList faults_of_one_thread() {
  return planted_list<kRunThreadFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
