// Calls that must be refused: copies and elementwise operations (docs/language/tile_ops.md).
#include <array>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

constexpr std::string_view kHalf = "po = T.alloc_shared(($R, $C), \"$E\")";

constexpr auto kCopiesFaults = std::to_array<PlantedFault>({
    {"copy: other dtype", kHalf, "", "Tx.cta.cast(po[:, :], ps[:, :])",
     "Tx.cta.copy(po[:, :], ps[:, :])  #! refused dtypes differ"},
    {"copy: other extents", "", "", "Tx.cta.copy(ps[0:2, 0:4], PIn[bx, 0:2, 0:4])",
     "Tx.cta.copy(ps[0:2, 0:4], PIn[bx, 0:4, 0:2])  #! refused the extents of dst (2, 4) and src "
     "(4, 2) differ"},
    {"copy: region leaves the source", "", "", "Tx.cta.copy(ps[0:2, :], PIn[bx, 1:3, :])",
     "Tx.cta.copy(ps[0:2, :], PIn[bx, $R - 1:$R + 1, :])  #! refused leaves PIn, whose shape is"},
    {"copy: region leaves the destination", "", "", "Tx.cta.copy(POut[bx, 1:$R, :], ps[1:$R, :])",
     "Tx.cta.copy(POut[bx, 1:$R + 1, :], ps[0:$R, :])  #! refused leaves POut, whose shape is"},
    {"copy: region before the start", "", "", "Tx.cta.copy(ps[0:2, :], PIn[bx, 0:2, :])",
     "Tx.cta.copy(ps[0:2, :], PIn[bx, -1:1, :])  #! refused dimension 1 starts at 0"},
    {"copy: write through a broadcast layout", "",
     "po = T.alloc_buffer(($R, $C), \"$D\", scope=\"shared\", layout=TileLayout(S[($R, $C):(1, "
     "$K)]))",
     "Tx.cta.copy(po[:, :], PIn[bx, :, :])",
     "Tx.cta.copy(po[:, :], PIn[bx, :, :])  #! refused its layout has a stride of 0"},
    {"copy: warp call under a guard that cannot be represented", "", "",
     "if $H:\n"
     "    Tx.warp.copy(ps[:, :], PIn[bx, :, :])",
     "if $G:\n"
     "    Tx.warp.copy(ps[:, :], PIn[bx, :, :])  #! refused is no range of a scope id"},
    {"copy: clip by gmem_smem", "", "", "Tx.cta.copy(ps[:, :], PIn[bx, 1:$R + 1, :], clip=True)",
     "Tx.cta.copy(ps[:, :], PIn[bx, 1:$R + 1, :], clip=True, dispatch=\"gmem_smem\")  #! refused "
     "clip or fill asks for a copy that looks at the buffers"},
    {"copy: fill of another kind", "", "", "Tx.cta.copy(ps[:, :], PIn[bx, 1:$R + 1, :], fill=0)",
     "Tx.cta.copy(ps[:, :], PIn[bx, 1:$R + 1, :], fil=0)  #! refused Tx.copy takes no keyword "
     "'fil'"},
    {"copy: CTA call under a guard of one warp", "", "",
     "if $I:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"gmem_smem\")",
     "if $J:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"gmem_smem\")  #! refused of the cta "
     "reach"},
    {"copy: warp call under a guard on data", "", "",
     "if tx // 32 == $W:\n"
     "    Tx.warp.copy(ps[:, :], PIn[bx, :, :])",
     "if PIn[bx, 0, tx % $C] > PIn[bx, 1, 0]:\n"
     "    Tx.warp.copy(ps[:, :], PIn[bx, :, :])  #! refused > PIn[bx, 1, 0]` is no range of a "
     "scope id"},
    {"copy: CTA call in one warp", "", "",
     "Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"gmem_smem\")",
     "if warp == $W:\n"
     "    Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"gmem_smem\")  #! refused only part of "
     "the cta reaches the call"},
    {"copy: warp call in half a warp", "", "",
     "if warp == $W:\n"
     "    Tx.warp.copy(ps[:, :], PIn[bx, :, :])",
     "if lane < 16:\n"
     "    Tx.warp.copy(ps[:, :], PIn[bx, :, :], dispatch=\"gmem_smem\")  #! refused only part of "
     "the warp reaches the call (laneid 16@0"},
    {"copy: vec_128b, 64 bits", "",
     "pr = T.alloc_local((4,), \"float32\")\n"
     "for pi in range(4):\n"
     "    pr[pi] = 0.0",
     "Tx.copy(pr[0:4], PVec[bx, tx, 0:4], dispatch=\"vec_128b\")",
     "Tx.copy(pr[0:2], PVec[bx, tx, 0:2], dispatch=\"vec_128b\")  #! refused does not contain "
     "exactly 4 elements"},
    {"copy: vec_128b of a CTA", "", "",
     "Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"gmem_smem\")",
     "Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"vec_128b\")  #! refused expected thread "
     "exec_scope, got cta"},
    {"copy: unknown variant", "", "", "Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"vec_auto\")",
     "Tx.cta.copy(ps[:, :], PIn[bx, :, :], dispatch=\"vec_auto_512\")  #! refused no variant named "
     "'vec_auto_512' is registered"},
    {"copy: shared to shared as gmem_smem", kHalf, "pq = T.alloc_shared(($R, $C), \"$D\")",
     "Tx.cta.copy(pq[:, :], PIn[bx, :, :], dispatch=\"gmem_smem\")",
     "Tx.cta.copy(pq[:, :], ps[:, :], dispatch=\"gmem_smem\")  #! refused needs one global and one "
     "shared side, not shared -> shared"},
    {"copy: registers by one thread of a warp", "", "pr = T.alloc_local((2, 4), \"$D\")",
     "Tx.cta.copy(ps[0:2, 0:4], PIn[bx, 0:2, 0:4], dispatch=\"fallback\")",
     "Tx.cta.copy(pr[0:2, 0:4], PIn[bx, 0:2, 0:4], dispatch=\"fallback\")  #! refused is private "
     "to each thread"},
    {"copy_async: shared to global", "", "",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :])\n"
     "T.ptx.cp.async_.wait_all()",
     "Tx.cta.copy_async(POut[bx, :, :], ps[:, :])  #! refused cp.async copies from global to "
     "shared, not shared -> global\n"
     "T.ptx.cp.async_.wait_all()"},
    {"copy_async: other fill mode", "", "",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :], fill_mode=\"zero\")\n"
     "T.ptx.cp.async_.wait_all()",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :], fill_mode=\"one\")  #! refused fill_mode is "
     "\"zero\"\n"
     "T.ptx.cp.async_.wait_all()"},
    {"copy_async: other dtype", kHalf, "",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :])\n"
     "T.ptx.cp.async_.wait_all()",
     "Tx.cta.copy_async(po[:, :], PIn[bx, :, :])  #! refused dtypes differ\n"
     "T.ptx.cp.async_.wait_all()"},
    {"copy_async: unknown option", "", "",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :])\n"
     "T.ptx.cp.async_.wait_all()",
     "Tx.cta.copy_async(ps[:, :], PIn[bx, :, :], clip=True)  #! refused ldgsts takes no clip\n"
     "T.ptx.cp.async_.wait_all()"},
    {"elementwise: no broadcast", "",
     "po = T.alloc_shared(($C,), \"$D\")\n"
     "if tx < $C:\n"
     "    po[tx] = 1.0\n"
     "T.cuda.cta_sync()",
     "Tx.cta.add(ps[:, :], ps[:, :], po)",
     "Tx.cta.add(ps[:, :], ps[:, :], po[0:$C // 2])  #! refused cannot be broadcast to"},
    {"elementwise: no common dtype", "",
     "po = T.alloc_shared(($R, $C), \"float16\")\n"
     "pq = T.alloc_shared(($R, $C), \"bfloat16\")\n"
     "Tx.cta.fill(po[:, :], 1.0)\n"
     "Tx.cta.fill(pq[:, :], 1.0)",
     "Tx.cta.mul(po[:, :], po[:, :], po[:, :])",
     "Tx.cta.mul(po[:, :], po[:, :], pq[:, :])  #! refused have no common dtype"},
    {"elementwise: arithmetic on a storage type", "",
     "po = T.alloc_shared(($R, $C), \"float8_e4m3fn\")\n"
     "Tx.cta.cast(po[:, :], ps[:, :])",
     "Tx.cta.cast(ps[:, :], po[:, :])",
     "Tx.cta.add(po[:, :], po[:, :], po[:, :])  #! refused is a storage type"},
    {"elementwise: in place, but moved", "", "", "Tx.cta.add(ps[0:2, :], ps[2:4, :], 1.0)",
     "Tx.cta.add(ps[0:2, :], ps[1:3, :], 1.0)  #! refused overlaps the destination"},
    {"elementwise: in place, but moved along the rows", "", "",
     "Tx.cta.mul(ps[:, 0:$C - 8], ps[:, 0:$C - 8], 2.0)",
     "Tx.cta.mul(ps[:, 0:$C - 8], ps[:, 4:$C - 4], 2.0)  #! refused overlaps the destination"},
    {"elementwise: select between overlapping regions", "", "",
     "Tx.cta.select(ps[0:4, :], ps[0:4, :], ps[4:8, :], lambda i, j: i < 2)",
     "Tx.cta.select(ps[0:4, :], ps[0:4, :], ps[3:7, :], lambda i, j: i < 2)  #! refused overlaps "
     "the destination"},
    {"elementwise: two constants", "", "", "Tx.cta.add(ps[:, :], ps[:, :], 1.0)",
     "Tx.cta.add(ps[:, :], 2.0, 1.0)  #! refused both inputs are constants"},
    {"elementwise: constant minus tile", "", "", "Tx.cta.sub(ps[:, :], ps[:, :], 1.0)",
     "Tx.cta.sub(ps[:, :], 1.0, ps[:, :])  #! refused cannot have constant lhs"},
    {"elementwise: root of integers", "",
     "po = T.alloc_shared(($R, $C), \"int32\")\n"
     "Tx.cta.cast(po[:, :], ps[:, :])",
     "Tx.cta.sqrt(ps[:, :], ps[:, :])",
     "Tx.cta.sqrt(po[:, :], po[:, :])  #! refused sqrt is not defined on int32"},
    {"elementwise: registers with shared memory", "", "pr = T.alloc_local(($R, $C), \"$D\")",
     "Tx.cta.add(ps[:, :], ps[:, :], ps[:, :])",
     "Tx.cta.add(ps[:, :], ps[:, :], pr[:, :])  #! refused all operands must be in memory, and pr "
     "is local"},
    {"elementwise: result leaves the buffer", "", "", "Tx.cta.mul(ps[1:$R, :], ps[1:$R, :], 2.0)",
     "Tx.cta.mul(ps[1:$R + 1, :], ps[0:$R, :], 2.0)  #! refused leaves ps, whose shape is"},
    {"elementwise: warp call under a guard that cannot be represented", "", "",
     "if $H:\n"
     "    Tx.warp.mul(ps[:, :], ps[:, :], 2.0)",
     "if $G:\n"
     "    Tx.warp.mul(ps[:, :], ps[:, :], 2.0)  #! refused is no range of a scope id"},
    {"elementwise: CTA call under a guard of one warp", "", "",
     "if $I:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)",
     "if $J:\n"
     "    Tx.cta.mul(ps[:, :], ps[:, :], 2.0)  #! refused of the cta reach"},
});

}  // namespace

PlantedList planted_in_copies() {
  return planted_list<kCopiesFaults>(Ground::tile);
}

}  // namespace tirx::fuzz
