// Do the operands of a gemm lie in registers as the instruction's fragments ask, and in which
// registers?  Every element is checked against the fragment map, for every warp of the scope.
#pragma once

#include <array>
#include <vector>

#include "lower/gemm/instruction.hpp"
#include "lower/gemm/register_tile.hpp"

namespace tirx::lower {

/// Registers of one operand: entry (x, y, slot) is the register of word (or accumulator element)
/// `slot` of tile (x, y) in this warp.
class RegisterTable {
 public:
  RegisterTable() = default;

  RegisterTable(std::size_t xs, std::size_t ys, std::size_t slots)
      : xs_(xs), ys_(ys), slots_(slots), regs_(xs * ys * slots, 0) {}

  [[nodiscard]] std::int64_t& at(std::size_t x, std::size_t y, std::size_t slot) {
    return regs_[(x * ys_ + y) * slots_ + slot];
  }

  [[nodiscard]] std::int64_t at(std::size_t x, std::size_t y, std::size_t slot) const {
    return regs_[(x * ys_ + y) * slots_ + slot];
  }

  [[nodiscard]] std::size_t slots() const { return slots_; }

  /// Whether every slot's register is a + b*x + c*y: then loops can walk the tiles.
  [[nodiscard]] bool is_affine() const;
  /// The register where x and y are loop variables (affine tables) or constants.
  [[nodiscard]] ir::IndexSum index(const ir::IndexSum& x,
                                   const ir::IndexSum& y,
                                   std::size_t slot) const;

  friend bool operator==(const RegisterTable&, const RegisterTable&) = default;

 private:
  std::size_t xs_ = 0, ys_ = 0, slots_ = 0;
  std::vector<std::int64_t> regs_;
};

struct GemmPlan {
  MmaInstruction mma;
  RegisterTile d, a, b;
  std::optional<RegisterTile> c;
  // Tiles of warp 0: the other warps have the same registers and other coordinates.
  std::vector<std::int64_t> rows, columns;  // first element of each
  std::int64_t steps = 1;                   // along K
  RegisterTable d_regs, c_regs, a_regs, b_regs;
};

/// The tiles of D (by the row and the column of their first element) that a warp holds.
struct OwnedTiles {
  std::vector<std::int64_t> rows, columns;
};

[[nodiscard]] OwnedTiles owned_tiles(const RegisterTile& d, std::int64_t height, std::int64_t warp);

/// Operand order of the op: D, A, B, C.  The error is a reason to refuse.
[[nodiscard]] Result<GemmPlan> plan_gemm(const Site& site,
                                         const MmaInstruction& mma,
                                         bool transpose_a,
                                         bool transpose_b);

}  // namespace tirx::lower
