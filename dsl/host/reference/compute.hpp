// The two ways to compute all of D (see problem.hpp), and what they share.
#pragma once

#include "dsl/host/reference/problem.hpp"
#include "numerics/soft.hpp"

namespace tirx::dsl::reference {

[[nodiscard]] std::vector<num::Bits> compute_exact(const Problem& problem);
[[nodiscard]] std::vector<num::Bits> compute_model(const Problem& problem);

/// fma(alpha, acc, RN(beta * c)) in float32; beta = 0 does not read C, and then it is
/// RN(alpha * acc).
[[nodiscard]] std::uint32_t finish(std::uint32_t alpha,
                                   std::uint32_t acc,
                                   std::uint32_t beta,
                                   std::uint32_t c);

}  // namespace tirx::dsl::reference
