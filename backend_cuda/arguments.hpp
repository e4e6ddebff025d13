// Do the arguments fit the kernel?  Solves the symbols, checks what the device could not survive
// (sizes, overlap, grid), and says which bytes travel.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/tensor.hpp"
#include "lower/lowered.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::cuda {

/// Bytes [begin, end) of a tensor argument's memory.
struct BoundTensor {
  const ir::Param* param = nullptr;
  std::shared_ptr<ir::Memory> memory;
  std::int64_t begin = 0, end = 0;
  bool written = false;
};

struct BoundArguments {
  std::vector<BoundTensor> tensors;                 // in the order of the kernel's parameters
  std::map<const ir::Variable*, num::Bits> values;  // symbols, scalar parameters, host lets
  std::array<std::int64_t, 3> grid{1, 1, 1};
};

/// The value of an expression over known variables; nothing if it is not one.
[[nodiscard]] std::optional<num::Bits> evaluate_host(
    const ir::Expr& expr, const std::map<const ir::Variable*, num::Bits>& values);

[[nodiscard]] Result<BoundArguments> bind_arguments(const lower::LoweredKernel& kernel,
                                                    std::span<const ir::Argument> arguments);

}  // namespace tirx::cuda
