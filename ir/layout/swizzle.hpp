// How does a swizzle permute addresses?  In units of 2^per_element elements, an address q becomes
// q ^ ((q & mask) >> atom_len) with a mask of swizzle_len bits that starts at bit atom_len (the
// inner form; the outer form xors the low bits upwards).  Both are their own inverse.
#pragma once

#include <cstdint>

#include "ir/base/result.hpp"

namespace tirx::ir {

struct Swizzle {
  int per_element = 0;  // M: 2^M consecutive elements stay together
  int swizzle_len = 0;  // B: how many bits are permuted
  int atom_len = 0;     // Sh: distance between the permuted bits and the bits they are xored with
  bool inner = true;

  /// The swizzled address; addresses are never negative.
  [[nodiscard]] std::int64_t apply(std::int64_t address) const;

  /// The address that `apply` maps to this one (B <= Sh makes the swizzle an involution).
  [[nodiscard]] std::int64_t invert(std::int64_t address) const { return apply(address); }

  /// apply(a + period) == apply(a) + period: 2^(M+Sh+B).
  [[nodiscard]] std::int64_t period() const;

  /// How many consecutive elements keep their order and neighbourhood: 2^M.
  [[nodiscard]] std::int64_t chunk() const { return std::int64_t{1} << per_element; }

  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// Checks the parameters: none negative, B <= Sh (else it is no permutation), M+B+Sh <= 40.
[[nodiscard]] Result<Swizzle> make_swizzle(std::int64_t per_element,
                                           std::int64_t swizzle_len,
                                           std::int64_t atom_len,
                                           bool inner = true);

}  // namespace tirx::ir
