// The exact sum of floating-point terms and products, rounded once: what `t.sum()` and
// `tirx.matmul` mean.  A fixed-point accumulator wide enough for any product of two float64 (a
// "long accumulator", Kulisch, The fifth floating-point operation), so that no order of the terms
// exists.
#pragma once

#include <array>
#include <cstdint>

#include "numerics/codec.hpp"

namespace tirx::dsl {

class ExactSum {
 public:
  void add(const num::Decoded& term);
  void add_product(const num::Decoded& a, const num::Decoded& b);
  /// (-1)^negative * significand * 2^exponent, with an exponent of at least -2200.
  void add_magnitude(bool negative, num::Wide significand, int exponent);

  /// The sum so far, rounded once, to nearest even unless told otherwise.  Rules of the specials as
  /// in one fused sum: any NaN, 0 * Inf or both infinities give the canonical NaN; an exact zero is
  /// +0.
  [[nodiscard]] num::Bits round_to(num::DType dtype,
                                   num::Round round = num::Round::rn,
                                   num::Overflow overflow = num::Overflow::ieee) const;

 private:
  // Bit 0 of limb 0 weighs 2^kLowest.  Each limb holds 32 bits of the value and spare room for the
  // carries of 2^31 additions before it is normalised.
  static constexpr int kLowest = -2 * 1100;
  static constexpr int kLimbs = 140;  // up to 2^(kLowest + 32 * 140) = 2^2280
  std::array<std::int64_t, kLimbs> limbs_{};
  std::int64_t since_normalised_ = 0;
  bool nan_ = false;
  bool positive_infinity_ = false;
  bool negative_infinity_ = false;

  void normalise();
};

}  // namespace tirx::dsl
