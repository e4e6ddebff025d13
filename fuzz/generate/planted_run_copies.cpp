// Copies by cp.async that others meet, and copies that are read too early.
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kCopies =
    "ps = T.alloc_shared((3, $T, 4), \"int32\")\n"
    "for pi in range(3):\n"
    "    for pj in range(4):\n"
    "        ps[pi, tx, pj] = pi * pj + tx\n"
    "T.cuda.cta_sync()";

constexpr auto kRunCopiesFaults = std::to_array<PlantedFault>({
    {"race: copies of two threads into one place", kCopies, "",
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "    T.ptx.cp.async_.wait_all()\n"
     "T.cuda.cta_sync()\n"
     "if tx == $Z:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 4]), 16)\n"
     "    T.ptx.cp.async_.wait_all()",
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  "
     "#! "
     "race ps[0, $Z, \n"
     "    T.ptx.cp.async_.wait_all()\n"
     "if tx == $Z:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 4]), 16)  "
     "#! "
     "race ps[0, $Z, \n"
     "    T.ptx.cp.async_.wait_all()"},
    {"race: a copy that others read behind the wait", kCopies, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "T.ptx.cp.async_.wait_all()\n"
     "T.cuda.cta_sync()\n"
     "PGlob[bx, tx, 6] = ps[0, tx ^ 1, $K % 4]",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! "
     "race ps[0, \n"
     "T.ptx.cp.async_.wait_all()\n"
     "PGlob[bx, tx, 6] = ps[0, tx ^ 1, $K % 4]  #! race ps[0, "},
    {"race: a copy into what is still read", kCopies, "",
     "PGlob[bx, tx, 6] = ps[0, $Z, $K % 4]\n"
     "T.cuda.cta_sync()\n"
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "    T.ptx.cp.async_.wait_all()",
     "if tx == $Z:\n"
     "    PGlob[bx, tx, 6] = ps[0, $Z, $K % 4]  #! race ps[0, $Z, \n"
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, $Z, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  "
     "#! "
     "race ps[0, $Z, \n"
     "    T.ptx.cp.async_.wait_all()"},
    {"race: a copy's source is written again", kCopies, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "T.ptx.cp.async_.wait_all()\n"
     "PGlob[bx, tx, $K % 4] = 5",
     "if tx == $A:\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  "
     "#! "
     "race PGlob[\n"
     "    PGlob[bx, tx, $K % 4] = 5  #! race PGlob[\n"
     "    T.ptx.cp.async_.wait_all()"},
    {"async: read before the wait", kCopies, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)\n"
     "T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(0)\n"
     "PGlob[bx, tx, 6] = ps[0, tx, $K % 4]",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([0, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 16)  #! "
     "async\n"
     "PGlob[bx, tx, 6] = ps[0, tx, $K % 4]  #! async ps[0, \n"
     "T.ptx.cp.async_.wait_all()"},
    {"async: a wait that leaves one group more", kCopies, "",
     "for pi in range(3):\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([pi, tx, 0]), PGlob.ptr_to([bx, tx, 4]), "
     "16)\n"
     "    T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(1)\n"
     "PGlob[bx, tx, 0] = ps[1, tx, $K % 4] + ps[0, tx, $K % 4]\n"
     "T.ptx.cp.async_.wait_group(0)",
     "for pi in range(3):\n"
     "    T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([pi, tx, 0]), PGlob.ptr_to([bx, tx, 4]), "
     "16)  #! async\n"
     "    T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(2)\n"
     "PGlob[bx, tx, 0] = ps[0, tx, $K % 4]\n"
     "PGlob[bx, tx, 1] = ps[1, tx, $K % 4]  #! async ps[1, \n"
     "T.ptx.cp.async_.wait_group(0)"},
    {"async: what was not committed", kCopies, "",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 8)\n"
     "T.ptx.cp.async_.commit_group()\n"
     "T.ptx.cp.async_.wait_group(0)\n"
     "PGlob[bx, tx, 6] = ps[2, tx, $K % 2]",
     "T.ptx.cp.async_.ca.shared.global_(ps.ptr_to([2, tx, 0]), PGlob.ptr_to([bx, tx, 0]), 8)  #! "
     "async\n"
     "T.ptx.cp.async_.wait_group(0)\n"
     "PGlob[bx, tx, 6] = ps[2, tx, $K % 2]  #! async ps[2, \n"
     "T.ptx.cp.async_.wait_all()"},
});

}  // namespace

PlantedList faults_of_copies() {
  return planted_list<kRunCopiesFaults>(Ground::threads);
}

}  // namespace tirx::fuzz
