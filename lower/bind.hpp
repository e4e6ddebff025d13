// Do the arguments fit the kernel?  Symbols are solved from tensor shapes; sizes, overlap, grid and
// limits are checked; what is left is a set of constants and byte ranges.  Both engines ask this.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/tensor.hpp"
#include "lower/lowered.hpp"

namespace tirx::lower {

/// A tensor argument: the legal bytes [lo, hi) of its memory.
struct BoundTensor {
  const ir::Param* param = nullptr;
  std::shared_ptr<ir::Memory> memory;
  const ir::Storage* storage = nullptr;
  std::int64_t lo = 0, hi = 0;
  bool written = false;    // by some statement of the kernel
  bool all_valid = false;  // every byte had been written before the launch
};

struct Binding {
  std::unordered_map<const ir::Variable*, std::uint64_t> constants;  // symbols, scalar parameters
  std::unordered_map<const ir::Storage*, std::size_t> regions;       // into tensors
  std::vector<BoundTensor> tensors;  // in the order of the parameters
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::array<std::int64_t, 3> cluster{1, 1, 1};

  [[nodiscard]] std::int64_t ctas() const { return grid[0] * grid[1] * grid[2]; }

  [[nodiscard]] std::int64_t threads() const { return block[0] * block[1] * block[2]; }
};

/// The value of an expression over the binding's constants, if it is one.
[[nodiscard]] std::optional<std::uint64_t> evaluate_constant(const ir::Expr& expr,
                                                             const Binding& binding);
[[nodiscard]] std::optional<std::int64_t> evaluate_int(const ir::Expr& expr,
                                                       const Binding& binding);

/// Storages that some statement writes (stores, atomics).
[[nodiscard]] std::vector<const ir::Storage*> written_storages(const ir::Body& body);

/// What binding needs to know of a kernel, of either IR level.
struct Signature {
  std::string_view name;
  Span span;
  const std::vector<ir::Param>& params;
  const std::vector<ir::Var>& symbols;
  const ir::Body& host_body;
  const ir::Body& body;
  Launch launch;
  const ir::Target& target;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
};

[[nodiscard]] Result<Binding> bind(const Signature& kernel,
                                   std::span<const ir::Argument> arguments);
[[nodiscard]] Result<Binding> bind(const LoweredKernel& kernel,
                                   std::span<const ir::Argument> arguments);

}  // namespace tirx::lower
