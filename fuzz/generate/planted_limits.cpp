// What must be refused one step beyond the last that is allowed: sizes, forms of instructions,
// layouts that almost fit.  The right lines are that last step.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kAtomics =
    "pa = T.alloc_shared((4,), \"uint16\")\n"
    "pb = T.alloc_shared((4,), \"int64\")\n"
    "pc = T.alloc_shared((4,), \"float16\")\n"
    "pd = T.alloc_shared((4,), \"float32\")\n"
    "pe = T.alloc_shared((4,), \"uint8\")\n"
    "pf = T.alloc_shared((4,), \"bfloat16\")\n"
    "pg = T.alloc_shared((4,), \"uint64\")\n"
    "if tx < 4:\n"
    "    pa[tx] = T.uint16(0)\n"
    "    pb[tx] = T.int64(0)\n"
    "    pc[tx] = T.float16(0.0)\n"
    "    pd[tx] = 0.0\n"
    "    pe[tx] = T.uint8(0)\n"
    "    pf[tx] = T.bfloat16(0.0)\n"
    "    pg[tx] = T.uint64(0)\n"
    "T.cuda.cta_sync()";

/// Rows over the lanes, two or one of them each; and their sums.
constexpr std::string_view kRows =
    "pw = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 4):(1 @ "
    "laneid, 1)]))\n"
    "px = T.alloc_buffer((64, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(2, 32, 4):(4, "
    "1 @ laneid, 1)]))\n"
    "pr = T.alloc_buffer((1, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(1, 4):(1, 1)] "
    "+ R[32 : 1 @ laneid]))\n"
    "pp = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 4):(1 @ "
    "laneid, 1)]))\n"
    "Tx.warp.fill(pw, 1.0)\n"
    "Tx.warp.fill(px, 1.0)\n"
    "Tx.warp.fill(pp, 1.0)\n"
    "Tx.warp.fill(pr, 1.0)";

constexpr std::string_view kAddRows = "Tx.warp.add(pw, pw, 1.0)";
constexpr std::string_view kSumParts = "Tx.warp.sum(pp, px, axes=0)";
constexpr std::string_view kSumRows = "Tx.warp.sum(pr, pw, axes=0)";

constexpr std::string_view kSums =
    "pt = T.alloc_shared((4, 8, 16), \"float32\")\n"
    "pu = T.alloc_shared((8,), \"float32\")\n"
    "pv = T.alloc_shared((1, 8, 1), \"float32\")\n"
    "px = T.alloc_shared((2, 8), \"float32\")\n"
    "Tx.cta.fill(pt[:, :, :], 1.0)\n"
    "Tx.cta.fill(px[:, :], 1.0)";

constexpr std::string_view kWideRows =
    "pe = T.alloc_shared(($T, 256), \"float4_e2m1fn\")\n"
    "pb = pe.view(\"uint8\")\n"
    "for pi in range(128):\n"
    "    pb[tx, pi] = T.uint8(pi)";

/// 8 x 8 matrices in shared memory: aligned, not aligned, in two pieces; a fragment.
constexpr std::string_view kMatrices =
    "pm = T.alloc_shared((16, 16), \"float16\")\n"
    "pn = T.alloc_shared((16, 16), \"float16\", align=8)\n"
    "pc = T.alloc_buffer((16, 8), \"float16\", scope=\"shared\", layout=TileLayout(S[(2, 8, "
    "8):(72, 9, 1)]))\n"
    "pq = T.alloc_buffer((16, 8), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 8, 4, "
    "2):(2, 4 @ laneid, 1 @ laneid, 1)]))\n"
    "Tx.cta.fill(pm[:, :], 1.0)\n"
    "Tx.cta.fill(pn[:, :], 1.0)\n"
    "Tx.cta.fill(pc[:, :], 1.0)";

constexpr std::string_view kLoad = "Tx.warp.copy(pq[:, :], pm[:, 8:16], dispatch=\"ldstmatrix\")";

constexpr auto kLimitsFaults = std::to_array<PlantedFault>({
    {"limit: threads of a CTA", "", "", "^threads 1024",
     "#! refused 1056 threads per CTA\n"
     "^threads 1056"},
    {"limit: local bytes", "", "", "pz = T.alloc_local((131072,), \"float32\")",
     "pz = T.alloc_local((131073,), \"float32\")  #! refused a thread has 524288 bytes"},
    {"limit: shared elements", "", "", "pz = T.alloc_shared((8,), \"uint8\")",
     "pz = T.alloc_shared((1099511627777,), \"uint8\")  #! refused more than any CTA has"},
    // Forms of atomics.
    {"atomic: added to 16 bits", kAtomics, "", "T.cuda.atomic_add(pb.ptr_to([0]), T.int64(1))",
     "T.cuda.atomic_add(pa.ptr_to([0]), T.uint16(1))  #! refused atomic_add has no form for "
     "uint16"},
    {"atomic: added to 8 bits", kAtomics, "", "T.cuda.atomic_add(pc.ptr_to([0]), T.float16(1.0))",
     "T.cuda.atomic_add(pe.ptr_to([0]), T.uint8(1))  #! refused atomic_add has no form for uint8"},
    {"atomic: least of floats", kAtomics, "", "T.cuda.atomic_min(pg.ptr_to([0]), T.uint64(1))",
     "T.cuda.atomic_min(pd.ptr_to([0]), 1.0)  #! refused atomic_min has no form for float32"},
    {"atomic: bits of 16 bits", kAtomics, "", "T.cuda.atomic_or(pb.ptr_to([0]), T.int64(1))",
     "T.cuda.atomic_or(pa.ptr_to([0]), T.uint16(1))  #! refused atomic_or has no form for uint16"},
    {"atomic: 16 bits exchanged", kAtomics, "",
     "pm: T.let = T.cuda.atomic_exch(pg.ptr_to([tx % 4]), T.uint64(0))",
     "pm: T.let = T.cuda.atomic_exch(pa.ptr_to([tx % 4]), T.uint16(0))  #! refused atomic_exch has "
     "no form for uint16"},
    {"atomic: 8 bits compared", kAtomics, "",
     "pm: T.let = T.cuda.atomic_cas(pa.ptr_to([0]), T.uint16(0), T.uint16(0))",
     "pm: T.let = T.cuda.atomic_cas(pe.ptr_to([0]), T.uint8(0), T.uint8(0))  #! refused atomic_cas "
     "has no form for uint8"},
    // Half bytes.
    {"float4: more than one instruction moves", kWideRows, "",
     "pe.vstore([tx, 64], pe.vload([tx, 0], \"float4_e2m1fnx64\"))",
     "pe.vstore([tx, 128], pe.vload([tx, 0], \"float4_e2m1fnx128\"))  #! refused float4_e2m1fn"},
    // Axes and extents of reductions.
    {"reduction: an axis before the first", kSums, "", "Tx.cta.sum(pu, pt, axes=(0, -1))",
     "Tx.cta.sum(pu, pt, axes=(-4, -1))  #! refused axis -4 is not one of the 3 dimensions"},
    {"reduction: an axis behind the last", kSums, "", "Tx.cta.sum(pu, pt, axes=(0, 2))",
     "Tx.cta.sum(pu, pt, axes=(0, 3))  #! refused axis 3 is not one of the 3 dimensions"},
    {"reduction: no axis", kSums, "", "Tx.cta.sum(pv, pt, axes=(0, 2))",
     "Tx.cta.sum(pv, pt, axes=())  #! refused axes"},
    {"reduction: one dimension too many", kSums, "", "Tx.cta.sum(pv, pt, axes=(0, 2))",
     "Tx.cta.sum(px, pt, axes=(0, 2))  #! refused without the axes reduced is not px of extents"},
    {"reduction: half of what is left", kSums, "", "Tx.cta.sum(pu, pt, axes=(0, 2))",
     "Tx.cta.sum(pu[0:4], pt, axes=(0, 2))  #! refused without the axes reduced is not pu of "
     "extents"},
    {"reduction: a list of what is no axis", kSums, "", "Tx.cta.sum(pu, pt, axes=(0, 2))",
     "Tx.cta.sum(pu, pt, axes=\"rows\")  #! refused axes"},
    // Registers that keep a part of a reduced dimension.
    {"reduction: parts that keep registers", kRows, "", kSumParts,
     "Tx.warp.sum(px, px, axes=0, accum=True)  #! refused mismatch dst/src layout for reduction"},
    {"reduction: parts at other distances", kRows,
     "pq = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(8, 4, 4):(1 "
     "@ laneid, 8 @ laneid, 1)]))",
     kSumParts, "Tx.warp.sum(pq, px, axes=0)  #! refused mismatch dst/src layout for reduction"},
    {"reduction: parts of half of the lanes", kRows,
     "pq = T.alloc_buffer((16, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(16, 4):(2 @ "
     "laneid, 1)] + R[2 : 1 @ laneid]))",
     kSumParts, "Tx.warp.sum(pq, px, axes=0)  #! refused mismatch dst/src layout for reduction"},
    {"reduction: other columns", kRows,
     "pq = T.alloc_buffer((32, 2), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 2):(1 @ "
     "laneid, 1)]))",
     kSumParts,
     "Tx.warp.sum(pq, px, axes=0)  #! refused without the axes reduced is not pq of extents"},
    {"reduction: replicas of the second half", kRows,
     "pq = T.alloc_buffer((1, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(1, 4):(1, 1)] "
     "+ R[16 : 2 @ laneid]))",
     kSumRows, "Tx.warp.sum(pq, pw, axes=0)  #! refused do not tile a complete 32:1"},
    // Registers that begin at the second thread.
    {"registers: from the second lane on", kRows, "", kAddRows,
     "Tx.warp.add(pw[1:32, :], pw[1:32, :], 1.0)  #! refused starts at laneid = 1"},
    {"registers: one lane, the second", kRows, "", "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :])",
     "Tx.warp.copy(pw[1:2, :], PVec[bx, 0:1, :], dispatch=\"reg\")  #! refused R sliced offset on "
     "thread axis 'laneid' is 1"},
    {"registers: all lanes but the last", kRows, "", kAddRows,
     "Tx.warp.add(pw[0:31, :], pw[0:31, :], 1.0)  #! refused thread"},
    {"registers: summed from the second lane on", kRows, "", kSumRows,
     "Tx.warp.sum(pr, pw[1:32, :], axes=0)  #! refused starts at laneid = 1"},
    {"registers: copied from fewer rows", kRows, "", "Tx.warp.copy(pw[:, :], PVec[bx, 0:32, :])",
     "Tx.warp.copy(pw[:, :], PVec[bx, 0:16, :])  #! refused differ"},
    // ldmatrix.
    {"ldmatrix: memory of 8 bytes' alignment", kMatrices, "", kLoad,
     "Tx.warp.copy(pq[:, :], pn[:, 8:16], dispatch=\"ldstmatrix\")  #! refused is not aligned to "
     "16 bytes"},
    {"ldmatrix: rows at odd places", kMatrices, "", kLoad,
     "Tx.warp.copy(pq[:, :], pc[:, :], dispatch=\"ldstmatrix\")  #! refused do not hold 8 x 8 "
     "matrices of rows"},
    {"ldmatrix: from the second lane on", kMatrices, "", kLoad,
     "Tx.warp.copy(pq[:, 2:4], pm[:, 8:10], dispatch=\"ldstmatrix\")  #! refused R sliced offset "
     "on thread axis 'laneid' is 1"},
    {"ldmatrix: words of a thread", kMatrices, "pl = T.alloc_local((16, 8), \"float16\")", kLoad,
     "Tx.warp.copy(pl[:, :], pm[:, 8:16], dispatch=\"ldstmatrix\")  #! refused do not hold 8 x 8 "
     "matrices of rows"},
    {"ldmatrix: replicas", kMatrices,
     "pl = T.alloc_buffer((16, 8), \"float16\", scope=\"local\", layout=TileLayout(S[(2, 8, 4, "
     "2):(2, 4 @ laneid, 1 @ laneid, 1)] + R[2 : 4]))",
     kLoad,
     "Tx.warp.copy(pl[:, :], pm[:, 8:16], dispatch=\"ldstmatrix\")  #! refused has replicas"},
    // Who comes to a call of a CTA.
    {"guard: a residue that no warp has", "", "",
     "^threads 128\nif warp % 2 == 1:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "^threads 128\n"
     "if warp % 2 == 2:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: a residue before the first", "", "",
     "^threads 128\nif warp % 2 == 0:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "^threads 128\n"
     "if warp % 2 == -1:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: residues in a row", "", "",
     "^threads 128\nif warp % 2 != 1:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "^threads 128\n"
     "if warp % 2 > 0:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: a quotient that is truncated", "", "",
     "^threads 128\nif T.truncdiv(warp + 4, 4) != 0:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "^threads 128\n"
     "if T.truncdiv(warp - 4, 4) != 0:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: a remainder that is truncated", "", "",
     "^threads 128\nif T.truncmod(warp + 4, 4) == 3:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "^threads 128\n"
     "if T.truncmod(warp - 4, 4) == 3:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: warps that are counted from within one", "", "",
     "^threads 128\nif ((tx + 32) // 32) % 3 == 1:\n    Tx.warp.fill(ps[warp, :], 1.0)",
     "^threads 128\n"
     "if ((tx + 33) // 32) % 3 == 1:\n"
     "    Tx.warp.fill(ps[warp, :], 1.0)  #! refused is no range of a scope id"},
    {"guard: warps that are counted down and truncated", "", "",
     "^threads 128\nif (tx - 64) // 32 % 3 == 1:\n    Tx.warp.fill(ps[warp, :], 1.0)",
     "^threads 128\n"
     "if T.truncdiv(tx - 64, 32) % 3 == 0:\n"
     "    Tx.warp.fill(ps[warp, :], 1.0)  #! refused is no range of a scope id"},
    {"guard: two warps' sum", "", "",
     "if warp + bx * 0 == $W:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "if warp + bx == $W:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: twice the warp", "", "", "if warp == $W:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "if warp * 2 == $W:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: a float", "", "", "if warp == $W:\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "if T.cast(warp, \"float32\") == $W.0:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"guard: what is not of a residue", "", "",
     "^threads 128\nif not (warp % 2 == 1):\n    Tx.cta.copy(ps[:, :], PIn[bx, :, :])",
     "^threads 128\n"
     "if not (warp % 2 > 0):\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    // Edges.
    {"edge: a layout that ends with its shape", "",
     "pt = T.alloc_buffer((8, 16), \"$D\", scope=\"shared\", layout=TileLayout(S[(8, 4, 4):(4, 32, "
     "1)]))\n"
     "Tx.cta.fill(pt[:, :], 1.0)",
     "Tx.cta.copy(ps[0:8, 0:16], pt[:, :])",
     "Tx.cta.copy(ps[0:16, 0:16], pt[0:16, 0:16], clip=True, dispatch=\"reg\")  #! refused needs "
     "exactly one side in registers"},
    {"edge: certainly outside", "", "", "Tx.cta.copy(ps[0:4, :], PIn[bx, $R - 4:$R, :])",
     "Tx.cta.copy(ps[0:4, :], PIn[bx, $R:$R + 4, :])  #! refused PIn"},
});

}  // namespace

PlantedList planted_in_limits() {
  return planted_list<kLimitsFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
