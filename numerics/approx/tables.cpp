// The interpolator, and the coefficients of sm_90 (sm_90/*.inc, written by
// tests/tools/numerics/fit_approx.py).
#include "numerics/approx/tables.hpp"

namespace tirx::num {
namespace {

constexpr Segment kEx2[] = {
#include "numerics/approx/sm_90/ex2.inc"
};
constexpr Segment kRcp[] = {
#include "numerics/approx/sm_90/rcp.inc"
};
constexpr Segment kRsqrt[] = {
#include "numerics/approx/sm_90/rsqrt.inc"
};
constexpr Segment kSqrt[] = {
#include "numerics/approx/sm_90/sqrt.inc"
};
constexpr Segment kLg2[] = {
#include "numerics/approx/sm_90/lg2.inc"
};
constexpr Segment kSin[] = {
#include "numerics/approx/sm_90/sin.inc"
};
constexpr Segment kTanh[] = {
#include "numerics/approx/sm_90/tanh.inc"
};

/// x * x / 2^cut from the folded partial products x_a x_b of weight 2^(a+b+1), and x_a of 2^2a.
std::int64_t truncated_square(std::uint32_t x, int bits, int cut) {
  std::uint64_t sum = 0;
  for (int a = (cut - 1) / 2; a < bits; ++a) {
    const int lowest = cut - 1 - a;  // the other factor's lowest bit that still counts
    const std::uint64_t below =
        lowest < a ? x & ((1U << a) - (1U << (lowest > 0 ? lowest : 0))) : 0;
    const std::uint64_t own = 2 * a >= cut ? std::uint64_t{1} << a : 0;
    const std::uint64_t row = (2 * below + own) << a;
    sum += (x >> a & 1U) != 0 ? row : 0;
  }
  return static_cast<std::int64_t>(sum >> cut);
}

}  // namespace

std::int64_t interpolate(const Interpolator& unit, std::uint32_t argument) {
  const Segment& s = unit.segments[argument >> unit.bits];
  const std::uint32_t x = argument & ((1U << unit.bits) - 1);
  return s.c0 + s.c1 * static_cast<std::int64_t>(x) +
         s.c2 * truncated_square(x, unit.bits, unit.cut);
}

const Interpolator& ex2_unit() {
  static constexpr Interpolator unit{kEx2, 17, 19};
  return unit;
}

const Interpolator& rcp_unit() {
  static constexpr Interpolator unit{kRcp, 16, 17};
  return unit;
}

const Interpolator& rsqrt_unit() {
  static constexpr Interpolator unit{kRsqrt, 17, 19};
  return unit;
}

const Interpolator& sqrt_unit() {
  static constexpr Interpolator unit{kSqrt, 17, 19};
  return unit;
}

const Interpolator& lg2_unit() {
  static constexpr Interpolator unit{kLg2, 17, 19};
  return unit;
}

const Interpolator& sin_unit() {
  static constexpr Interpolator unit{kSin, 17, 19};
  return unit;
}

const Interpolator& tanh_unit() {
  static constexpr Interpolator unit{kTanh, 17, 19};
  return unit;
}

}  // namespace tirx::num
