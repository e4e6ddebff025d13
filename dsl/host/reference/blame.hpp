// Where is a GEMM's result wrong, and which mistake would give just these values?
#pragma once

#include <optional>
#include <string>

#include "dsl/host/reference/problem.hpp"
#include "ir/base/result.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl::reference {

/// A computed D with what it was computed from: rides on the tensor that the oracle returns.
struct Context {
  Problem problem;
  std::vector<num::Bits> values;  // of D, row-major
};

/// Nothing if the bits are right in every row that counts (any NaN equals any other unless
/// `nan_bits`); otherwise several lines: how many differ and the first one, where they lie, the
/// cause.
[[nodiscard]] std::optional<std::string> difference(const Context& context,
                                                    const ir::Tensor& seen,
                                                    bool nan_bits = false);

/// The elements of rows that count and were never written: how many and where.  Nothing if none.
[[nodiscard]] std::optional<std::string> unwritten(const Context& context, const ir::Tensor& seen);

}  // namespace tirx::dsl::reference
