// Bits <-> (sign, exponent, significand) for every row of dtype.hpp, with every rounding mode.
// All of it is integer arithmetic: this is the reference that the fast paths are tested against.
// Formats as in dtype.cpp; rounding as IEEE 754-2019 section 4.3.
#pragma once

#include <cstdint>

#include "numerics/convert.hpp"

namespace tirx::num {

__extension__ using Wide = unsigned __int128;

enum class NumberClass : std::uint8_t { zero, finite, infinite, nan };

/// value = (-1)^negative * significand * 2^exponent; the significand is not normalised.
struct Decoded {
  NumberClass kind = NumberClass::zero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;
};

/// An exact or truncated magnitude on its way to a format: `sticky` says that something non-zero
/// below the significand's last bit has been dropped.
struct Magnitude {
  bool negative = false;
  int exponent = 0;
  Wide significand = 0;
  bool sticky = false;
};

/// What a finite value beyond the largest becomes.
enum class Overflow : std::uint8_t {
  ieee,      // infinity (NaN where the format has none), or the largest finite value by direction
  saturate,  // the largest finite value
};

[[nodiscard]] Decoded decode(DType dtype, Bits bits);
/// Rounds once into a floating format.
[[nodiscard]] Bits encode(DType dtype, const Magnitude& value, Round round, Overflow overflow);

/// Rounds a magnitude to an integer (keeping `sticky` out of the result); saturates at 2^127.
[[nodiscard]] Wide round_to_integer(const Magnitude& value, Round round);

[[nodiscard]] Bits infinity(DType dtype, bool negative);  // the largest value where there is none
[[nodiscard]] Bits max_finite(DType dtype, bool negative);
[[nodiscard]] Bits signed_zero(DType dtype, bool negative);
[[nodiscard]] bool is_negative(DType dtype, Bits bits);
[[nodiscard]] Bits sign_mask(DType dtype);  // 0 for e8m0

/// Number of significant bits: 0 for 0.
[[nodiscard]] int bit_length(Wide value);

}  // namespace tirx::num
