// Matrix instructions by name; rows in ir/ptx/matrix.cpp, bits in numerics/mma.
#pragma once

#include "ir/op.hpp"
#include "ir/ptx/families.hpp"

namespace tirx::ir {

struct PtxLdmatrix {
  static constexpr OpSpec kSpec{
      .name = "ptx.ldmatrix",
      .effect = Effect::memory,
      .doc =
          "Loads 8x8 matrices of 16-bit elements as fragments; lane 8j + i gives row i of matrix j "
          "(PTX ISA 9.7.14.5.15).",
      .ptx = &ptx::kLdmatrix};
};

struct PtxStmatrix {
  static constexpr OpSpec kSpec{
      .name = "ptx.stmatrix",
      .effect = Effect::memory,
      .min_sm = 90,
      .doc = "Stores fragments as 8x8 matrices of 16-bit elements (PTX ISA 9.7.14.5.16).",
      .ptx = &ptx::kStmatrix};
};

struct PtxMma {
  static constexpr OpSpec kSpec{
      .name = "ptx.mma",
      .effect = Effect::warp,
      .fidelity = Fidelity::witnessed,
      .doc =
          "D = A B + C for one tile of a warp, by the row of its architecture (PTX ISA 9.7.14.5).",
      .ptx = &ptx::kMma};
};

}  // namespace tirx::ir
