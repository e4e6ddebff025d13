#include "dsl/host/exact_sum.hpp"

#include "ir/base/check.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

void ExactSum::add_magnitude(bool negative, num::Wide significand, int exponent) {
  const int shift = exponent - kLowest;
  TIRX_CHECK(shift >= 0);
  std::size_t limb = static_cast<std::size_t>(shift) / 32;
  const int bit = shift % 32;
  // Moved by up to 31 bits: take the low part apart first so that nothing is lost.
  num::Wide rest = significand >> (32 - bit);
  auto low = static_cast<std::int64_t>(static_cast<std::uint32_t>(significand << bit));
  while (true) {
    TIRX_CHECK(limb < limbs_.size());
    limbs_[limb] += negative ? -low : low;
    if (rest == 0) break;
    low = static_cast<std::int64_t>(static_cast<std::uint32_t>(rest));
    rest >>= 32;
    ++limb;
  }
  if (++since_normalised_ == (std::int64_t{1} << 30)) normalise();
}

void ExactSum::normalise() {
  std::int64_t carry = 0;
  for (std::int64_t& limb : limbs_) {
    const std::int64_t total = limb + carry;
    limb = total & 0xffffffff;
    carry = total >> 32;
  }
  // The sign of the whole lives in the top limb, which keeps its carry.
  limbs_.back() += carry * (std::int64_t{1} << 32);
  since_normalised_ = 0;
}

void ExactSum::add(const num::Decoded& term) {
  switch (term.kind) {
    case num::NumberClass::nan:
      nan_ = true;
      return;
    case num::NumberClass::infinite:
      (term.negative ? negative_infinity_ : positive_infinity_) = true;
      return;
    case num::NumberClass::zero:
      return;
    case num::NumberClass::finite:
      break;
  }
  add_magnitude(term.negative, term.significand, term.exponent);
}

void ExactSum::add_product(const num::Decoded& a, const num::Decoded& b) {
  using num::NumberClass;
  if (a.kind == NumberClass::nan || b.kind == NumberClass::nan) {
    nan_ = true;
    return;
  }
  const bool negative = a.negative != b.negative;
  if (a.kind == NumberClass::infinite || b.kind == NumberClass::infinite) {
    if (a.kind == NumberClass::zero || b.kind == NumberClass::zero) {
      nan_ = true;
    } else {
      (negative ? negative_infinity_ : positive_infinity_) = true;
    }
    return;
  }
  if (a.kind == NumberClass::zero || b.kind == NumberClass::zero) return;
  add_magnitude(negative, num::Wide{a.significand} * b.significand, a.exponent + b.exponent);
}

num::Bits ExactSum::round_to(num::DType dtype, num::Round round, num::Overflow overflow) const {
  if (nan_ || (positive_infinity_ && negative_infinity_)) return num::canonical_nan(dtype);
  if (positive_infinity_ || negative_infinity_) {
    if (overflow == num::Overflow::saturate) return num::max_finite(dtype, negative_infinity_);
    return num::infinity(dtype, negative_infinity_);
  }
  ExactSum sum = *this;
  sum.normalise();
  const bool negative = sum.limbs_.back() < 0;
  if (negative) {
    for (std::int64_t& limb : sum.limbs_) limb = -limb;
    sum.normalise();
  }
  std::size_t top = kLimbs;
  while (top > 0 && sum.limbs_[top - 1] == 0) --top;
  if (top == 0) return num::signed_zero(dtype, false);
  // The top four limbs carry at least 97 significant bits; whatever lies below is sticky.
  num::Magnitude magnitude;
  magnitude.negative = negative;
  const std::size_t low = top > 4 ? top - 4 : 0;
  for (std::size_t i = top; i-- > low;) {
    magnitude.significand = magnitude.significand << 32 | static_cast<std::uint64_t>(sum.limbs_[i]);
  }
  for (std::size_t i = 0; i < low; ++i) magnitude.sticky = magnitude.sticky || sum.limbs_[i] != 0;
  magnitude.exponent = kLowest + static_cast<int>(low) * 32;
  return num::encode(dtype, magnitude, round, overflow);
}

}  // namespace tirx::dsl
