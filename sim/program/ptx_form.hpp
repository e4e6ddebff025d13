// What does an instruction by name do?  Its words, resolved once when its call site is compiled, so
// that nothing is read from text while it is executed.  An instruction that computes from its own
// lane's registers alone is a function of their bits, which the tile-level evaluator takes too.
#pragma once

#include <cstdint>

#include "ir/ptx/families.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::sim {

struct PtxForm {
  /// The result from the bits of the operands.
  using Lane = std::uint64_t (*)(const PtxForm& form, const std::uint64_t* args);

  /// Null where an instruction needs more than its lane's registers.
  Lane lane = nullptr;
  /// The word that tells the members of a family apart: its place among the words of its slot, -1
  /// where it was left out.
  int mode = -1;
  num::DType from{}, to{};             // of the first operand (an element of it), and of the result
  int from_bits = 32, to_bits = 32;    // widths of those
  bool first = false, second = false;  // dp4a: signed operands; shf: .clamp; bfind: .shiftamt
  num::ScalarOp op{};                  // of redux and of packed arithmetic
  num::Conversion conversion{};        // of cvt
  ir::ptx::MatrixShape matrix{};       // of mma
};

[[nodiscard]] PtxForm resolve(const ir::ptx::Instruction& instruction);

/// Modes, in the order of their slots.
namespace ptx_mode {
enum Shuffle : int { up, down, bfly, idx };

enum Vote : int { all, any, uni, ballot };

enum Barrier : int { count_held, all_hold, some_hold };  // bar.red: popc, and, or
}  // namespace ptx_mode

}  // namespace tirx::sim
