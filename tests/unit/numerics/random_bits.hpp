// Operand patterns for the numerics tests: uniform bits, narrow exponents (so that sums cancel),
// and every kind of special value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "numerics/codec.hpp"
#include "numerics/scalar.hpp"

namespace tirx::num::testing {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_;
};

inline Bits width_mask(DType dtype) {
  return bits(dtype) == 64 ? ~Bits{0} : (Bits{1} << bits(dtype)) - 1;
}

/// Zeros, ones, extremes, neighbours of powers of two, infinities, NaNs.
inline std::vector<Bits> special_bits(DType dtype) {
  const Bits mask = width_mask(dtype);
  std::vector<Bits> out = {0, 1, 2, 3, mask, mask - 1, mask >> 1, (mask >> 1) + 1, (mask >> 1) - 1};
  if (!is_float(dtype)) {
    for (const Bits v : {7U, 8U, 15U, 16U, 31U, 32U, 33U, 63U, 64U, 100U}) out.push_back(v & mask);
    return out;
  }
  const DTypeRow& r = row(dtype);
  const Bits one = Bits{static_cast<unsigned>(r.bias)} << r.fraction;
  for (const Bits magnitude :
       {Bits{1} << r.fraction, (Bits{1} << r.fraction) - 1, one, one + 1, one - 1,
        one + (Bits{1} << r.fraction), max_finite(dtype, false), infinity(dtype, false),
        canonical_nan(dtype), infinity(dtype, false) + 1, one + (Bits{3} << r.fraction) / 2}) {
    out.push_back(magnitude & mask);
    out.push_back((magnitude | sign_mask(dtype)) & mask);
  }
  return out;
}

inline Bits random_bits(Random& random, DType dtype) {
  if (dtype == DType::boolean) return random.below(2);
  const Bits raw = random.next() & width_mask(dtype);
  const std::uint64_t kind = random.below(8);
  if (kind == 0) {
    const std::vector<Bits> specials = special_bits(dtype);
    return specials[random.below(specials.size())];
  }
  if (!is_float(dtype)) {
    return kind < 4 ? raw >> random.below(static_cast<std::uint64_t>(bits(dtype))) : raw;
  }
  if (kind > 3) return raw;
  // An exponent within a few binades of 1.
  const DTypeRow& r = row(dtype);
  const Bits field = static_cast<Bits>(r.bias) - 3 + random.below(7);
  const Bits fraction = raw & ((Bits{1} << r.fraction) - 1);
  return ((raw & sign_mask(dtype)) | (field << r.fraction) | fraction) & width_mask(dtype);
}

inline constexpr std::array kArithmeticFloats = {DType::f16, DType::bf16, DType::f32, DType::f64};

}  // namespace tirx::num::testing
