// ex2, lg2, rcp, rsqrt, sqrt, sin, cos and tanh of the sm_90 special-function unit.  The `.ftz`
// forms are the unit itself; the others are what ptxas wraps around it: scaling where an argument
// or a result is subnormal.
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
constexpr std::uint32_t kOne = 0x3f800000U;

std::uint32_t scaled(std::uint32_t word, float factor) {
  return std::bit_cast<std::uint32_t>(std::bit_cast<float>(word) * factor);
}

/// value * 2^-scale, positive, truncated to a float32 (normal: scale is at most 40).
std::uint32_t truncated(std::int64_t value, int scale) {
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  const auto top =
      static_cast<std::uint32_t>(width > 24 ? value >> (width - 24) : value << (24 - width));
  return (static_cast<std::uint32_t>(width - 1 - scale + 127) << 23) + (top & kFraction);
}

std::uint32_t evaluated(const Interpolator& unit, std::uint32_t argument) {
  return truncated(interpolate(unit, argument), kUnit);
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
  const std::int64_t exponent = static_cast<std::int64_t>(magnitude >> 23) - 127;
  return sign | moved(evaluated(rcp_unit(), fraction), -exponent);
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
  return moved(index == 0 ? kOne : evaluated(rsqrt_unit(), index), -pairs);
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
  const std::int64_t pairs = (static_cast<std::int64_t>(x >> 23) - 127) >> 1;
  return moved(evaluated(sqrt_unit(), index), pairs);
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
  return moved(evaluated(ex2_unit(), index), point >> 23);
}

std::uint32_t ex2(std::uint32_t x) {
  const bool below = x > 0xc2fc0000U && x <= (kSign | kInf);  // less than -126
  if (!below) return ex2_ftz(x);
  const std::uint32_t half = ex2_ftz(scaled(x, 0.5F));
  return scaled(half, std::bit_cast<float>(half));
}

/// The exponent is added in units of 2^-36; a negative sum is negated as the one's complement.
std::uint32_t lg2_ftz(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~kSign;
  if (magnitude > kInf) return kNan;
  if (magnitude < kSmallestNormal) return kSign | kInf;
  if (x != magnitude) return kNan;
  if (x == kInf) return kInf;
  if (x == kOne) return 0;
  constexpr int kSum = 36;
  const std::int64_t exponent = static_cast<std::int64_t>(x >> 23) - 127;
  const std::int64_t fraction = interpolate(lg2_unit(), x & kFraction) >> (kUnit - kSum);
  const std::int64_t sum = exponent * (std::int64_t{1} << kSum) + fraction;
  return sum < 0 ? kSign | truncated(~sum, kSum) : truncated(sum, kSum);
}

std::uint32_t lg2(std::uint32_t x) {
  const bool subnormal = (x & ~kSign) < kSmallestNormal && (x & ~kSign) != 0;
  if (!subnormal) return lg2_ftz(x);
  const std::uint32_t unit = lg2_ftz(scaled(x, 0x1p24F));
  if (unit == kNan) return kNan;
  const float scaled_log = std::bit_cast<float>(unit);
  return std::bit_cast<std::uint32_t>(scaled_log - 24.0F);
}

/// |x| in units of 2^-25 turns, truncated after the product with 1 / (2 pi) was: modulo 2^63.
std::uint64_t turns(std::uint32_t magnitude) {
  const double product = static_cast<double>(std::bit_cast<float>(magnitude)) *
                         static_cast<double>(std::bit_cast<float>(0x3e22f983U));  // exact
  // Toward zero to 24 bits.
  const double t = std::bit_cast<double>(std::bit_cast<std::uint64_t>(product) & ~0x1fffffffULL);
  return t < 0x1p37 ? static_cast<std::uint64_t>(t * 0x1p25) : 0;  // beyond, whole turns
}

/// A quarter turn has 23 bits; odd ones run backwards, as the one's complement.
std::uint32_t sine_of(std::uint64_t turns, std::uint32_t sign) {
  const bool backwards = (turns >> 23 & 1) != 0;
  const auto place = static_cast<std::uint32_t>(backwards ? ~turns : turns) & kFraction;
  const std::uint32_t negative = static_cast<std::uint32_t>(turns >> 24 & 1) << 31;
  const std::int64_t value = interpolate(sin_unit(), place);
  return (sign ^ negative) | (value == 0 ? 0 : truncated(value, kUnit));
}

/// Subnormal arguments give zero with and without .ftz.
std::uint32_t sin(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~kSign;
  if (magnitude >= kInf) return kNan;
  return sine_of(turns(magnitude), x & kSign);
}

std::uint32_t cos(std::uint32_t x) {
  const std::uint32_t magnitude = x & ~kSign;
  if (magnitude >= kInf) return kNan;
  return sine_of(turns(magnitude) + (1U << 23), 0);
}

/// Below 2^-8 the argument itself; an octave from there on has 2^kSegments[octave] segments, and as
/// many bits of the fraction count as those and the place in one need.
std::uint32_t tanh(std::uint32_t x) {
  static constexpr int kSegments[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
  static constexpr std::uint32_t kFirst[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
  const std::uint32_t magnitude = x & ~kSign;
  const std::uint32_t sign = x & kSign;
  if (magnitude > kInf) return kNan;
  if (magnitude < 0x3b800000U) return x;
  if (magnitude >= 0x41000000U) return sign | kOne;
  const std::uint32_t octave = (magnitude - 0x3b800000U) >> 23;
  const int place_bits = tanh_unit().bits;
  const std::uint32_t argument = (magnitude & kFraction) >> (23 - place_bits - kSegments[octave]);
  return sign | evaluated(tanh_unit(), (kFirst[octave] << place_bits) + argument);
}

}  // namespace

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
      return &sqrt;
    case ScalarOp::sqrt_approx_ftz:
      return &sqrt_ftz;
    case ScalarOp::lg2_approx:
      return &lg2;
    case ScalarOp::lg2_approx_ftz:
      return &lg2_ftz;
    case ScalarOp::tanh_approx:
      return &tanh;
    case ScalarOp::sin_approx:
    case ScalarOp::sin_approx_ftz:
      return &sin;
    case ScalarOp::cos_approx:
    case ScalarOp::cos_approx_ftz:
      return &cos;
    default:
      return nullptr;
  }
}

std::string_view approx_table_file(ScalarOp op) {
  switch (op) {
    case ScalarOp::ex2_approx:
    case ScalarOp::ex2_approx_ftz:
      return "approx/sm_90/ex2.inc";
    case ScalarOp::rcp_approx:
    case ScalarOp::rcp_approx_ftz:
      return "approx/sm_90/rcp.inc";
    case ScalarOp::rsqrt_approx:
    case ScalarOp::rsqrt_approx_ftz:
      return "approx/sm_90/rsqrt.inc";
    case ScalarOp::sqrt_approx:
    case ScalarOp::sqrt_approx_ftz:
      return "approx/sm_90/sqrt.inc";
    case ScalarOp::lg2_approx:
    case ScalarOp::lg2_approx_ftz:
      return "approx/sm_90/lg2.inc";
    case ScalarOp::tanh_approx:
      return "approx/sm_90/tanh.inc";
    case ScalarOp::sin_approx:
    case ScalarOp::sin_approx_ftz:
    case ScalarOp::cos_approx:
    case ScalarOp::cos_approx_ftz:
      return "approx/sm_90/sin.inc";
    default:
      return {};
  }
}

bool approx_recorded(ScalarOp op, int sm) {
  return sm == 90 && find_approx(op) != nullptr;
}

}  // namespace tirx::num
