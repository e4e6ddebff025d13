// ex2, rcp, rsqrt and sqrt of the sm_90 special-function unit.  The `.ftz` forms are the unit
// itself; the others are what ptxas wraps around it: scaling where an argument or a result is
// subnormal.
#include "numerics/approx/approx.hpp"

#include <bit>

#include "numerics/approx/tables.hpp"

namespace tirx::num {
namespace {

constexpr std::uint32_t kSign = 0x80000000U;
constexpr std::uint32_t kInf = 0x7f800000U;
constexpr std::uint32_t kNan = 0x7fffffffU;
constexpr std::uint32_t kSmallestNormal = 0x00800000U;
constexpr std::uint32_t kFraction = 0x007fffffU;

std::uint32_t scaled(std::uint32_t word, float factor) {
  return std::bit_cast<std::uint32_t>(std::bit_cast<float>(word) * factor);
}

std::uint32_t adjusted(std::uint32_t rounded, std::int8_t delta) {
  return rounded + static_cast<std::uint32_t>(std::int32_t{delta});
}

/// The exponent field moved by `steps`: infinite or zero beyond the normal range.
std::uint32_t moved(std::uint32_t word, std::int64_t steps) {
  const std::int64_t field = static_cast<std::int64_t>(word >> 23) + steps;
  if (field >= 255) return kInf;
  if (field <= 0) return 0;
  return (static_cast<std::uint32_t>(field) << 23) | (word & kFraction);
}

std::uint32_t rcp_ftz(std::uint32_t x) {
  const std::uint32_t sign = x & kSign;
  const std::uint32_t magnitude = x & ~kSign;
  if (magnitude > kInf) return kNan;
  if (magnitude == kInf) return sign;
  if (magnitude < kSmallestNormal) return sign | kInf;
  const std::uint32_t fraction = magnitude & kFraction;
  const float one_to_two = std::bit_cast<float>(0x3f800000U | fraction);
  const auto rounded = std::bit_cast<std::uint32_t>(1.0F / one_to_two);
  const std::int64_t exponent = static_cast<std::int64_t>(magnitude >> 23) - 127;
  return sign | moved(adjusted(rounded, rcp_deltas()[fraction]), -exponent);
}

std::uint32_t rcp(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~kSign;
  if (magnitude > 0x7e800000U && magnitude < kInf) return scaled(rcp_ftz(scaled(x, 0.25F)), 0.25F);
  if (magnitude < kSmallestNormal && magnitude != 0) {
    return scaled(rcp_ftz(scaled(x, 0x1p24F)), 0x1p24F);
  }
  return rcp_ftz(x);
}

std::uint32_t rsqrt_ftz(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~kSign;
  if (magnitude > kInf) return kNan;
  if (magnitude < kSmallestNormal) return (x & kSign) | kInf;
  if (x != magnitude) return kNan;
  if (x == kInf) return 0;
  // The bits within two binades: even exponents are [1, 2), odd ones [2, 4).
  const std::uint32_t index = (x - 0x3f800000U) & 0x00ffffffU;
  const std::int64_t pairs = (static_cast<std::int64_t>(x >> 23) - 127) >> 1;
  return moved(adjusted(rounded_rsqrt(index), rsqrt_deltas()[index]), -pairs);
}

std::uint32_t rsqrt(std::uint32_t x) {
  const bool subnormal = (x & ~kSign) < kSmallestNormal && (x & ~kSign) != 0;
  return subnormal ? scaled(rsqrt_ftz(scaled(x, 0x1p24F)), 0x1p12F) : rsqrt_ftz(x);
}

/// Zeros and flushed subnormals keep their sign.
std::uint32_t sqrt_ftz(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~kSign;
  if (magnitude > kInf) return kNan;
  if (magnitude < kSmallestNormal) return x & kSign;
  if (x != magnitude) return kNan;
  if (x == kInf) return kInf;
  const std::uint32_t index = (x - 0x3f800000U) & 0x00ffffffU;
  const float one_to_four = std::bit_cast<float>(0x3f800000U + index);
  const auto rounded = std::bit_cast<std::uint32_t>(__builtin_sqrtf(one_to_four));
  const std::int64_t pairs = (static_cast<std::int64_t>(x >> 23) - 127) >> 1;
  return moved(adjusted(rounded, sqrt_deltas()[index]), pairs);
}

std::uint32_t sqrt(std::uint32_t x) {
  const bool subnormal = (x & ~kSign) < kSmallestNormal && (x & ~kSign) != 0;
  return subnormal ? scaled(sqrt_ftz(scaled(x, 0x1p24F)), 0x1p-12F) : sqrt_ftz(x);
}

/// The unit takes |x| as fixed point with 23 fraction bits, truncated, and negates it as the one's
/// complement unless the fraction is zero.
std::uint32_t ex2_ftz(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~kSign;
  const bool negative = x != magnitude;
  if (magnitude > kInf) return kNan;
  if (magnitude >= 0x43800000U) return negative ? 0 : kInf;  // 256
  const auto fixed = static_cast<std::int64_t>(std::bit_cast<float>(magnitude) * 0x1p23F);
  const bool whole = (fixed & kFraction) == 0;
  const std::int64_t point = negative ? (whole ? -fixed : ~fixed) : fixed;
  const auto index = static_cast<std::uint32_t>(point & kFraction);
  return moved(adjusted(rounded_exp2(index), ex2_deltas()[index]), point >> 23);
}

std::uint32_t ex2(std::uint32_t x) {
  const bool below = x > 0xc2fc0000U && x <= (kSign | kInf);  // less than -126
  if (!below) return ex2_ftz(x);
  const std::uint32_t half = ex2_ftz(scaled(x, 0.5F));
  return scaled(half, std::bit_cast<float>(half));
}

}  // namespace

std::uint32_t rounded_exp2(std::uint32_t fraction) {
  // 2^f = 2^(k/16) * e^(r log(2)), |r| <= 1/32, in binary64: about 2^-52, and no 2^f with 23 bits
  // of f lies that close to the middle of two binary32 (all 2^23 compared with MPFR).
  static constexpr double kPowers[17] = {
      0x1p+0,
      0x1.0b5586cf9890fp+0,
      0x1.172b83c7d517bp+0,
      0x1.2387a6e756238p+0,
      0x1.306fe0a31b715p+0,
      0x1.3dea64c123422p+0,
      0x1.4bfdad5362a27p+0,
      0x1.5ab07dd485429p+0,
      0x1.6a09e667f3bcdp+0,
      0x1.7a11473eb0187p+0,
      0x1.8ace5422aa0dbp+0,
      0x1.9c49182a3f09p+0,
      0x1.ae89f995ad3adp+0,
      0x1.c199bdd85529cp+0,
      0x1.d5818dcfba487p+0,
      0x1.ea4afa2a490dap+0,
      0x1p+1,
  };
  const std::uint32_t k = (fraction + (1U << 18)) >> 19;
  const double r = (static_cast<double>(fraction) - static_cast<double>(k << 19)) * 0x1p-23;
  const double t = r * 0x1.62e42fefa39efp-1;
  // e^t - 1 to t^9 / 9!.
  double p = 1.0 / 362880.0;
  for (const double c : {1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0,
                         1.0 / 6.0, 1.0 / 2.0, 1.0}) {
    p = p * t + c;
  }
  const double power = kPowers[k];
  return std::bit_cast<std::uint32_t>(static_cast<float>(power + power * (p * t)));
}

std::uint32_t rounded_rsqrt(std::uint32_t significand) {
  const auto x = static_cast<double>(std::bit_cast<float>(0x3f800000U + significand));
  return std::bit_cast<std::uint32_t>(static_cast<float>(1.0 / __builtin_sqrt(x)));
}

ApproxFunction find_approx(ScalarOp op) {
  switch (op) {
    case ScalarOp::ex2_approx:
      return &ex2;
    case ScalarOp::ex2_approx_ftz:
      return &ex2_ftz;
    case ScalarOp::rcp_approx:
      return &rcp;
    case ScalarOp::rcp_approx_ftz:
      return &rcp_ftz;
    case ScalarOp::rsqrt_approx:
      return &rsqrt;
    case ScalarOp::rsqrt_approx_ftz:
      return &rsqrt_ftz;
    case ScalarOp::sqrt_approx:
      return sqrt_deltas().empty() ? nullptr : &sqrt;
    case ScalarOp::sqrt_approx_ftz:
      return sqrt_deltas().empty() ? nullptr : &sqrt_ftz;
    default:
      return nullptr;
  }
}

bool approx_recorded(ScalarOp op, int sm) {
  return sm == 90 && find_approx(op) != nullptr;
}

}  // namespace tirx::num
