// A kernel twice: the simulator of its lowered form, and the tile-level evaluator, which knows
// neither fragments nor lanes.  What both need: tensors with contents, and the fragments of
// mma.sync (PTX ISA, "Matrix Fragments").
#pragma once

#include <vector>

#include "ir/target.hpp"
#include "ir/tensor.hpp"
#include "tests/unit/lower/builder.hpp"

namespace tirx::testing {

[[nodiscard]] Tensor random_bytes(num::DType dtype, Shape shape, unsigned seed);
/// Values near 1 with some spread, so that sums round in many places.
[[nodiscard]] Tensor random_values(num::DType dtype, Shape shape, unsigned seed);
[[nodiscard]] Tensor copy_of(const Tensor& tensor);

enum class Faults { none, equally_many };

/// Runs both on copies of the tensors and compares all that they leave; the last tensor.
Tensor both(const Kernel& kernel,
            const std::vector<Tensor>& inputs,
            const Target& target = default_target(),
            Faults faults = Faults::none);

[[nodiscard]] Stmt sync();

/// Of A (16, k) and B (k, 8) with `w` elements in a register of 32 bits.
[[nodiscard]] TileLayout a_fragment(std::int64_t w, std::int64_t k);
[[nodiscard]] TileLayout b_fragment(std::int64_t w, std::int64_t k);

}  // namespace tirx::testing
