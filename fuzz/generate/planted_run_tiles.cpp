// What goes wrong in tile operations when they run, and at indices that are just the extent: what
// lies there is a neighbour's, and no memory is left.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

/// Tiles of 8 x 16 and 4 x 8 elements; pz is 0, and nothing but a run knows it.
constexpr std::string_view kTiles =
    "pt = T.alloc_shared((8, 16), \"float32\")\n"
    "pu = T.alloc_shared((8, 16), \"float32\")\n"
    "po = T.alloc_shared((8,), \"float32\")\n"
    "pi_ = T.alloc_shared((4, 8), \"int32\")\n"
    "Tx.cta.fill(pt[:, :], 1.0)\n"
    "Tx.cta.fill(pu[:, :], 2.0)\n"
    "Tx.cta.fill(po[:], 3.0)\n"
    "Tx.cta.fill(pi_[:, :], 4)\n"
    "pz: T.let = PFlag[1]\n"
    "T.cuda.cta_sync()";

/// A row a lane, and each thread's own.
constexpr std::string_view kRegisters =
    "pt = T.alloc_shared((32, 8), \"float32\")\n"
    "Tx.cta.fill(pt[:, :], 1.0)\n"
    "pr = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", layout=TileLayout(S[(32, 4):(1 @ "
    "laneid, 1)]))\n"
    "pl = T.alloc_local((4, 4), \"float32\")\n"
    "for pi in range(4):\n"
    "    for pj in range(4):\n"
    "        pl[pi, pj] = 1.0\n"
    "pz: T.let = PFlag[2]\n"
    "T.cuda.cta_sync()";

/// A tile of which nobody writes the last row.
constexpr std::string_view kHoles =
    "pt = T.alloc_shared((8, 16), \"float32\")\n"
    "pu = T.alloc_shared((8, 16), \"float32\")\n"
    "po = T.alloc_shared((8,), \"float32\")\n"
    "Tx.cta.fill(pt[0:7, :], 1.0)";

constexpr auto kRunTilesFaults = std::to_array<PlantedFault>({
    // Tile operations that leave a buffer, by one.
    {"tile bounds: a copy's source", kTiles, "", "Tx.cta.copy(pu[0:4, :], pt[pz + 4:pz + 8, :])",
     "Tx.cta.copy(pu[0:4, :], pt[pz + 5:pz + 9, :])  #! bounds pt[8"},
    {"tile bounds: a copy's destination", kTiles, "",
     "Tx.cta.copy(pu[pz + 4:pz + 8, :], pt[0:4, :])",
     "Tx.cta.copy(pu[pz + 5:pz + 9, :], pt[0:4, :])  #! bounds pu[8"},
    {"tile bounds: a copy's columns", kTiles, "", "Tx.cta.copy(pu[:, 0:8], pt[:, pz + 8:pz + 16])",
     "Tx.cta.copy(pu[:, 0:8], pt[:, pz + 9:pz + 17])  #! bounds pt["},
    {"tile bounds: a copy's columns, written", kTiles, "",
     "Tx.cta.copy(pu[:, pz + 8:pz + 16], pt[:, 0:8])",
     "Tx.cta.copy(pu[:, pz + 9:pz + 17], pt[:, 0:8])  #! bounds pu["},
    {"tile bounds: before the first row", kTiles, "", "Tx.cta.copy(pu[0:4, :], pt[pz:pz + 4, :])",
     "Tx.cta.copy(pu[0:4, :], pt[pz - 1:pz + 3, :])  #! bounds pt[-1"},
    {"tile bounds: before the first column", kTiles, "",
     "Tx.cta.copy(pu[:, 0:8], pt[:, pz:pz + 8])",
     "Tx.cta.copy(pu[:, 0:8], pt[:, pz - 1:pz + 7])  #! bounds pt["},
    {"tile bounds: a tensor's rows", kTiles, "",
     "Tx.cta.copy(pi_[:, :], PGlob[bx, pz + $T - 4:pz + $T, :])",
     "Tx.cta.copy(pi_[:, :], PGlob[bx, pz + $T - 3:pz + $T + 1, :])  #! bounds PGlob["},
    {"tile bounds: a tensor's columns", kTiles, "",
     "Tx.cta.copy(pi_[:, 0:4], PGlob[bx, 0:4, pz + 4:pz + 8])",
     "Tx.cta.copy(pi_[:, 0:4], PGlob[bx, 0:4, pz + 5:pz + 9])  #! bounds PGlob["},
    {"tile bounds: a copy that must not be clipped", kTiles, "",
     "Tx.cta.copy(pu[0:4, :], pt[pz + 4:pz + 8, :], clip=False)",
     "Tx.cta.copy(pu[0:4, :], pt[pz + 5:pz + 9, :], clip=False)  #! bounds pt[8"},
    // What leaves by known ranges is clipped, but neither where a dimension is a symbol, nor under
    // a condition.
    {"tile bounds: known ranges, and a symbol beside them", kTiles, "",
     "for pi in range(3):\n"
     "    Tx.cta.copy(pu[:, 0:8], PMat[0:8, 8 * pi:8 * pi + 8])",
     "for pi in range(4):\n"
     "    Tx.cta.copy(pu[:, 0:8], PMat[0:8, 8 * pi:8 * pi + 8])  #! bounds PMat["},
    {"tile bounds: known ranges, in a while", kTiles, "",
     "while bx >= 0:\n"
     "    for pi in range(2):\n"
     "        Tx.cta.copy(pu[0:4, :], pt[4 * pi:4 * pi + 4, :])\n"
     "    break",
     "while bx >= 0:\n"
     "    for pi in range(3):\n"
     "        Tx.cta.copy(pu[0:4, :], pt[4 * pi:4 * pi + 4, :])  #! bounds pt[8\n"
     "    break"},
    {"tile bounds: known ranges, under a condition", kTiles, "",
     "if bx >= 0:\n"
     "    for pi in range(2):\n"
     "        Tx.cta.copy(pu[4 * pi:4 * pi + 4, :], pt[0:4, :])",
     "if bx >= 0:\n"
     "    for pi in range(3):\n"
     "        Tx.cta.copy(pu[4 * pi:4 * pi + 4, :], pt[0:4, :])  #! bounds pu[8"},
    {"tile bounds: an element in one thread", kTiles, "",
     "if tx < 16:\n"
     "    Tx.copy(pu[0:1, tx:tx + 1], pt[pz + 7:pz + 8, tx:tx + 1])",
     "if tx < 16:\n"
     "    Tx.copy(pu[0:1, tx:tx + 1], pt[pz + 8:pz + 9, tx:tx + 1])  #! bounds pt[8"},
    {"tile bounds: an operand", kTiles, "", "Tx.cta.add(pu[0:4, :], pt[pz + 4:pz + 8, :], 1.0)",
     "Tx.cta.add(pu[0:4, :], pt[pz + 5:pz + 9, :], 1.0)  #! bounds pt[8"},
    {"tile bounds: an operand's columns", kTiles, "",
     "Tx.cta.mul(pu[:, 0:8], pu[:, 0:8], pt[:, pz + 8:pz + 16])",
     "Tx.cta.mul(pu[:, 0:8], pu[:, 0:8], pt[:, pz + 9:pz + 17])  #! bounds pt["},
    {"tile bounds: a result", kTiles, "", "Tx.cta.add(pu[pz + 4:pz + 8, :], pt[0:4, :], 1.0)",
     "Tx.cta.add(pu[pz + 5:pz + 9, :], pt[0:4, :], 1.0)  #! bounds pu[8"},
    {"tile bounds: a filled region", kTiles, "", "Tx.cta.fill(pu[:, pz + 12:pz + 16], 0.0)",
     "Tx.cta.fill(pu[:, pz + 13:pz + 17], 0.0)  #! bounds pu["},
    {"tile bounds: what is summed", kTiles, "", "Tx.cta.sum(po[:], pt[:, pz + 8:pz + 16], axes=1)",
     "Tx.cta.sum(po[:], pt[:, pz + 9:pz + 17], axes=1)  #! bounds pt["},
    {"tile bounds: a sum", kTiles, "", "Tx.cta.sum(po[pz:pz + 8], pt[:, :], axes=1)",
     "Tx.cta.sum(po[pz + 1:pz + 9], pt[:, :], axes=1)  #! bounds po[8"},
    {"tile bounds: rows of registers", kRegisters, "",
     "if warp == $W:\n"
     "    Tx.warp.copy(pr[:, :], pt[:, pz + 4:pz + 8])",
     "if warp == $W:\n"
     "    Tx.warp.copy(pr[:, :], pt[:, pz + 5:pz + 9])  #! bounds pt["},
    {"tile bounds: registers stored", kRegisters, "",
     "if warp == $W:\n"
     "    Tx.warp.fill(pr, 1.0)\n"
     "    Tx.warp.copy(pt[pz:pz + 32, 0:4], pr[:, :])",
     "if warp == $W:\n"
     "    Tx.warp.fill(pr, 1.0)\n"
     "    Tx.warp.copy(pt[pz + 1:pz + 33, 0:4], pr[:, :])  #! bounds pt[32"},
    {"tile bounds: a copy_async's source", kTiles, "",
     "if tx < 4:\n"
     "    Tx.copy_async(pi_[tx, 0:4], PGlob[bx, tx, 4 * pz + 4:4 * pz + 8])\n"
     "T.ptx.cp.async_.wait_all()",
     "if tx < 4:\n"
     "    Tx.copy_async(pi_[tx, 0:4], PGlob[bx, tx, 4 * pz + 8:4 * pz + 12])  #! bounds PGlob[\n"
     "T.ptx.cp.async_.wait_all()"},
    // An index that is just the extent.
    {"extent: a column of shared memory", kTiles, "", "PGlob[bx, tx, 0] = pi_[1, (pz + tx) % 8]",
     "PGlob[bx, tx, 0] = pi_[1, pz + 8]  #! bounds pi_[1, 8]"},
    {"extent: the last row of shared memory", kTiles, "", "PGlob[bx, tx, 0] = pi_[pz + 3, tx % 8]",
     "PGlob[bx, tx, 0] = pi_[pz + 4, tx % 8]  #! bounds pi_[4"},
    {"extent: a column of a tensor", kTiles, "", "PGlob[bx, tx, pz + 7] = 5",
     "if tx == $A:\n"
     "    PGlob[bx, tx, pz + 8] = 5  #! bounds PGlob["},
    {"extent: a row of a tensor", kTiles, "", "PGlob[bx, tx, 0] = PFlag[pz + 7]",
     "PGlob[bx, tx, 0] = PFlag[pz + 8]  #! bounds PFlag[8]"},
    {"extent: a column of a local array", kRegisters, "",
     "PGlob[bx, tx, 0] = T.cast(pl[1, pz + 3], \"int32\")",
     "PGlob[bx, tx, 0] = T.cast(pl[1, pz + 4], \"int32\")  #! bounds pl[1, 4]"},
    {"extent: the last lane of a vector", kTiles, "",
     "pm: T.let = pu.vload([1, 4 * pz + 12], \"float32x4\")\n"
     "if tx == $A:\n"
     "    pt.vstore([0, 0], pm)",
     "pm: T.let = pu.vload([1, 4 * pz + 16], \"float32x4\")  #! bounds pu[1, 16\n"
     "if tx == $A:\n"
     "    pt.vstore([0, 0], pm)"},
    {"extent: an atomic", kTiles, "", "T.cuda.atomic_add(pi_.ptr_to([1, pz + 7]), 1)",
     "T.cuda.atomic_add(pi_.ptr_to([1, pz + 8]), 1)  #! bounds pi_[1, 8]"},
    {"extent: an atomic by name", kTiles, "",
     "T.ptx.red.shared.add.s32(pi_.ptr_to([1, pz + 7]), 1)",
     "T.ptx.red.shared.add.s32(pi_.ptr_to([1, pz + 8]), 1)  #! bounds pi_["},
    // Values that nobody wrote, through tile operations.
    {"tile uninit: added", kHoles, "",
     "Tx.cta.fill(pt[7:8, :], 1.0)\n"
     "Tx.cta.add(pu[:, :], pt[:, :], 1.0)\n"
     "if pu[7, 3] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 1",
     "Tx.cta.add(pu[:, :], pt[:, :], 1.0)\n"
     "if pu[7, 3] > 0.5:  #! uninit\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"tile uninit: copied", kHoles, "",
     "Tx.cta.copy(pu[0:4, :], pt[3:7, :])\n"
     "T.cuda.cta_sync()\n"
     "if pu[3, 5] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 1",
     "Tx.cta.copy(pu[0:4, :], pt[4:8, :])\n"
     "T.cuda.cta_sync()\n"
     "if pu[3, 5] > 0.5:  #! uninit\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"tile uninit: summed", kHoles, "",
     "Tx.cta.fill(pt[7:8, :], 1.0)\n"
     "Tx.cta.sum(po[:], pt[:, :], axes=1)\n"
     "if po[7] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 1",
     "Tx.cta.sum(po[:], pt[:, :], axes=1)\n"
     "if po[7] > 0.5:  #! uninit\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"tile uninit: only the others are looked at", kHoles, "",
     "Tx.cta.fill(pt[7:8, :], 1.0)\n"
     "Tx.cta.sum(po[:], pt[:, :], axes=1)\n"
     "if po[6] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 1",
     "Tx.cta.max(po[:], pt[:, :], axes=1)\n"
     "if po[6] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 1\n"
     "if po[7] > 0.5:  #! uninit\n"
     "    PGlob[bx, tx, 1] = 2"},
    {"tile uninit: chosen by a condition", kHoles, "",
     "Tx.cta.select(pu[0:2, :], pt[5:7, :], 2.0, lambda i, j: i < 1)\n"
     "if pu[1, 3] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 1",
     "Tx.cta.select(pu[0:2, :], pt[6:8, :], 2.0, lambda i, j: i > 0)\n"
     "if pu[0, 3] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 2\n"
     "if pu[1, 3] > 0.5:  #! uninit\n"
     "    PGlob[bx, tx, 1] = 1"},
    {"tile uninit: where a region begins", kHoles, "",
     "pn: T.int32 = 1\n"
     "Tx.cta.copy(pu[0:2, :], pt[pn:pn + 2, :])",
     "pn: T.int32\n"
     "Tx.cta.copy(pu[0:2, :], pt[pn:pn + 2, :])  #! uninit"},
    {"tile uninit: a scalar operand", kHoles, "",
     "pn: T.float32 = 1.0\n"
     "Tx.cta.mul(pu[0:2, :], pt[0:2, :], pn)\n"
     "if pu[1, 3] > 0.5:\n"
     "    PGlob[bx, tx, 1] = 1",
     "pn: T.float32\n"
     "Tx.cta.mul(pu[0:2, :], pt[0:2, :], pn)\n"
     "if pu[1, 3] > 0.5:  #! uninit\n"
     "    PGlob[bx, tx, 1] = 1"},
});

}  // namespace

PlantedList faults_of_tiles() {
  return planted_list<kRunTilesFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
