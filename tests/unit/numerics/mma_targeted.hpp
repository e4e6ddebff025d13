// Single outputs chosen to tell one rule from its neighbours; the rest of each operand is zero.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/mma/rows.hpp"

namespace tirx::num::test {

struct Targeted {
  const char* rule;  // what it pins down
  MmaFamily family;
  DType a_type, b_type, c_type;
  bool saturate;
  int k;
  std::vector<std::uint64_t> a, b;  // leading elements
  std::uint64_t c, d;
};

/// The expectations follow from the measured rules of docs/numerics_mma.md, worked out by hand.
[[nodiscard]] const std::vector<Targeted>& targeted();

[[nodiscard]] std::uint64_t run_targeted(const Targeted& t, const MmaRow& row, unsigned deviation);

}  // namespace tirx::num::test
