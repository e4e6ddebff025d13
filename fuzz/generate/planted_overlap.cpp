// Tile operations whose regions meet in memory, other than in place: through views, other layouts
// and dtypes, in registers (docs/language/tile_ops.md, "Elementwise operations").  The right lines
// are as near as they may be.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// A tile, the same in a line, transposed, in halves of its words, and its columns by twos.
constexpr std::string_view kViews =
    "pt = T.alloc_shared((16, 16), \"float32\")\n"
    "Tx.cta.fill(pt[:, :], 1.0)\n"
    "pv = pt.view(256)\n"
    "pw = pt.view(16, 16)\n"
    "px = pt.view(16, 16, layout=TileLayout(S[(16, 16):(1, 16)]))\n"
    "ph = pt.view(\"float16\")\n"
    "pe = T.decl_buffer((16, 8), \"float32\", data=pt.data, scope=\"shared\", "
    "layout=TileLayout(S[(16, 8):(16, 2)]))\n"
    "po = T.decl_buffer((16, 8), \"float32\", data=pt.data, elem_offset=1, scope=\"shared\", "
    "layout=TileLayout(S[(16, 8):(16, 2)]))\n"
    "pz = T.alloc_buffer((16, 16), \"float32\", scope=\"shared\", layout=ComposeLayout(0, 2, 2, "
    "TileLayout(S[16, 16])))\n"
    "Tx.cta.fill(pz[:, :], 1.0)";

/// Registers of each thread, and of the lanes of a warp.
constexpr std::string_view kRegisters =
    "pl = T.alloc_local((16,), \"float32\")\n"
    "for pi in range(16):\n"
    "    pl[pi] = 1.0\n"
    "pm = pl.view(4, 4)\n"
    "pk = pl.view(16)\n"
    "pr = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 4):(1 @ "
    "laneid, 1)]))\n"
    "Tx.warp.fill(pr, 1.0)\n"
    "ps_ = pr.view(32, 4, layout=TileLayout(S[(32, 2, 2):(1 @ laneid, 1, 2)]))\n"
    "pq = pr.view(32, 4, layout=TileLayout(S[(32, 4):(1 @ laneid, 1)]))";

constexpr auto kOverlapFaults = std::to_array<PlantedFault>({
    {"overlap: a copy one row further", kViews, "", "Tx.cta.copy(pt[0:8, :], pt[8:16, :])",
     "Tx.cta.copy(pt[0:8, :], pt[7:15, :])  #! refused overlaps the destination"},
    {"overlap: a copy one row back", kViews, "", "Tx.cta.copy(pt[8:16, :], pt[0:8, :])",
     "Tx.cta.copy(pt[8:16, :], pt[1:9, :])  #! refused overlaps the destination"},
    {"overlap: a copy one column further", kViews, "", "Tx.cta.copy(pt[:, 0:8], pt[:, 8:16])",
     "Tx.cta.copy(pt[:, 0:8], pt[:, 7:15])  #! refused overlaps the destination"},
    {"overlap: a copy of a line", kViews, "", "Tx.cta.copy(pv[0:64], pv[64:128])",
     "Tx.cta.copy(pv[0:64], pv[63:127])  #! refused overlaps the destination"},
    {"overlap: a copy through a view", kViews, "", "Tx.cta.copy(pv[64:128], pv[0:64])",
     "Tx.cta.copy(pv[64:128], pv[1:65])  #! refused overlaps the destination"},
    {"overlap: a corner of the transposed tile", kViews, "",
     "Tx.cta.copy(px[0:8, 8:16], pt[0:8, 8:16])",
     "Tx.cta.copy(px[0:8, 4:12], pt[0:8, 4:12])  #! refused overlaps the destination"},
    {"overlap: columns by twos", kViews, "", "Tx.cta.copy(pe[:, :], po[:, :])",
     "Tx.cta.copy(pe[:, 0:4], pe[:, 3:7])  #! refused overlaps the destination"},
    {"overlap: columns by twos, of the whole", kViews, "", "Tx.cta.copy(pe[:, 0:4], po[:, 1:5])",
     "Tx.cta.copy(pe[:, 0:4], pt[:, 6:10])  #! refused overlaps the destination"},
    {"overlap: halves of words behind the words", kViews, "",
     "Tx.cta.cast(ph[0:1, 8:16], pt[0:1, 8:16])",
     "Tx.cta.cast(ph[0:1, 9:17], pt[0:1, 8:16])  #! refused overlaps the destination"},
    {"overlap: halves of words before the words", kViews, "",
     "Tx.cta.cast(ph[1:2, 0:8], pt[0:1, 8:16])",
     "Tx.cta.cast(ph[0:1, 24:32], pt[0:1, 5:13])  #! refused overlaps the destination"},
    {"overlap: words behind halves of words", kViews, "",
     "Tx.cta.cast(pt[0:1, 4:12], ph[0:1, 0:8])",
     "Tx.cta.cast(pt[0:1, 3:11], ph[0:1, 0:8])  #! refused overlaps the destination"},
    {"overlap: added through a view that is transposed", kViews, "",
     "Tx.cta.add(pw[:, :], pt[:, :], 1.0)",
     "Tx.cta.add(px[:, :], pt[:, :], 1.0)  #! refused overlaps the destination"},
    {"overlap: added one element further", kViews, "", "Tx.cta.add(pv[0:64], pv[64:128], 1.0)",
     "Tx.cta.add(pv[1:9], pt[0:1, 0:8], 1.0)  #! refused overlaps the destination"},
    {"overlap: a row of the destination for all of it", kViews, "",
     "Tx.cta.add(pt[1:16, :], pt[1:16, :], pv[0:16])",
     "Tx.cta.add(pt[1:16, :], pt[1:16, :], pv[16:32])  #! refused overlaps the destination"},
    {"overlap: the second operand", kViews, "",
     "Tx.cta.fma(pt[0:4, :], pt[4:8, :], pt[8:12, :], pw[0:4, :])",
     "Tx.cta.fma(pt[0:4, :], pt[4:8, :], pt[8:12, :], pw[1:5, :])  #! refused overlaps the "
     "destination"},
    {"overlap: swizzled rows", kViews, "", "Tx.cta.copy(pz[0:4, :], pz[4:8, :])",
     "Tx.cta.copy(pz[0:4, :], pz[3:7, :])  #! refused overlaps the destination"},
    {"overlap: swizzled columns", kViews, "", "Tx.cta.copy(pz[:, 0:4], pz[:, 8:12])",
     "Tx.cta.copy(pz[:, 0:4], pz[:, 2:6])  #! refused overlaps the destination"},
    {"overlap: swizzled beside what is not", kViews,
     "py = pz.view(16, 16, layout=TileLayout(S[16, 16]))",
     "Tx.cta.copy(py[0:1, 0:4], pz[0:1, 4:8])",
     "Tx.cta.copy(py[0:1, 4:8], pz[0:1, 4:8])  #! refused overlaps the destination"},
    {"overlap: what is not swizzled beside what is", kViews,
     "py = pz.view(16, 16, layout=TileLayout(S[16, 16]))",
     "Tx.cta.copy(pz[1:2, 0:4], py[1:2, 4:8])",
     "Tx.cta.copy(pz[1:2, 4:8], py[1:2, 4:8])  #! refused overlaps the destination"},
    {"overlap: registers of two warpgroups", "",
     "pw = T.alloc_buffer((256, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(2, 128, "
     "4):(1 @ wgid, 1 @ tid_in_wg, 1)]))\n"
     "pv = pw.view(256, 4, layout=TileLayout(S[(2, 128, 2, 2):(1 @ wgid, 1 @ tid_in_wg, 1, 2)]))\n"
     "Tx.cta.fill(pw, 1.0)",
     "^threads 256\nTx.cta.add(pw, pw, 1.0)",
     "^threads 256\n"
     "Tx.cta.add(pv, pw, 1.0)  #! refused overlaps the destination"},
    {"overlap: in global memory", kViews, "", "Tx.cta.copy(PIn[bx, 0:8, :], PIn[bx, 8:16, :])",
     "Tx.cta.copy(PIn[bx, 0:8, :], PIn[bx, 7:15, :])  #! refused overlaps the destination"},
    {"overlap: sums into what is summed", kViews, "", "Tx.cta.sum(pv[0:8], pt[8:16, :], axes=1)",
     "Tx.cta.sum(pv[120:128], pt[7:15, :], axes=1)  #! refused overlaps the destination"},
    {"overlap: sums beside what is summed", kViews, "",
     "Tx.cta.sum(pt[:, 15:16], pt[:, 0:15], axes=1)",
     "Tx.cta.sum(pt[:, 15:16], pt[:, 1:16], axes=1)  #! refused overlaps the destination"},
    {"overlap: sums above what is summed", kViews, "",
     "Tx.cta.max(pt[0:1, :], pt[1:16, :], axes=0)",
     "Tx.cta.max(pt[1:2, :], pt[1:16, :], axes=0)  #! refused overlaps the destination"},
    {"overlap: registers of a thread", kRegisters, "", "Tx.add(pk[0:8], pl[8:16], 1.0)",
     "Tx.add(pk[0:8], pl[7:15], 1.0)  #! refused overlaps the destination"},
    {"overlap: registers of a thread, copied", kRegisters, "", "Tx.copy(pl[0:8], pl[8:16])",
     "Tx.copy(pl[0:8], pl[7:15])  #! refused overlaps the destination"},
    {"overlap: registers in another order", kRegisters, "", "Tx.warp.add(pq, pr, 1.0)",
     "Tx.warp.add(ps_, pr, 1.0)  #! refused overlaps the destination"},
    {"overlap: some registers in another order", kRegisters, "",
     "Tx.warp.add(ps_[:, 0:1], pr[:, 0:1], 1.0)",
     "Tx.warp.add(ps_[:, 1:3], pr[:, 1:3], 1.0)  #! refused overlaps the destination"},
    {"overlap: sums into registers that are summed", kRegisters, "",
     "Tx.sum(pm[0:1, 0:1], pm[:, :], axes=(0, 1))",
     "Tx.sum(pm[:, 0:1], pm[:, :], axes=1)  #! refused overlaps the destination"},
});

}  // namespace

PlantedList planted_in_overlap() {
  return planted_list<kOverlapFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
