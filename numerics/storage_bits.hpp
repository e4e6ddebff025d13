// How many bits does one element take in memory, and in a value whose bits are looked at?  A 6-bit
// type takes a byte, of which it ignores the upper two bits; two 4-bit elements share one.
#pragma once

#include "numerics/dtype.hpp"

namespace tirx::num {

[[nodiscard]] inline int storage_bits(DType dtype) {
  return bits(dtype) == 4 ? 4 : 8 * bytes(dtype);
}

}  // namespace tirx::num
