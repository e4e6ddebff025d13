// The special-function unit's quadratic interpolator and its coefficients.  Private to
// numerics/approx.
//
// An argument's bits select a segment (upper bits) and a place in it, x (lower bits).  The unit
// gives
//   c0 + c1 * x + c2 * square(x)
// where the square lacks the partial products below a column (a truncated squarer, as in Oberman
// and Siu, "A high-performance area-efficient multifunction interpolator", ARITH 2005), and
// truncates the sum.  Coefficients are integers in units of 2^-40; they were fitted to recordings
// of an H200, all 2^23 or 2^24 arguments of each function, without an exception (docs/numerics.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tirx::num {

struct Segment {
  std::int64_t c0;
  std::int32_t c1, c2;
};

struct Interpolator {
  std::span<const Segment> segments;
  int bits;  // of x
  int cut;   // partial products of x * x below 2^cut are missing
};

inline constexpr int kUnit = 40;

/// The sum in units of 2^-40; `argument` holds segment and place.
[[nodiscard]] std::int64_t interpolate(const Interpolator& unit, std::uint32_t argument);

[[nodiscard]] const Interpolator& ex2_unit();    // 2^x, 23 fraction bits of x
[[nodiscard]] const Interpolator& rcp_unit();    // 1 / x, [1, 2)
[[nodiscard]] const Interpolator& rsqrt_unit();  // 1 / sqrt(x), bits of [1, 4)
[[nodiscard]] const Interpolator& sqrt_unit();   // sqrt(x), bits of [1, 4)
[[nodiscard]] const Interpolator& lg2_unit();    // log2(x), [1, 2)
[[nodiscard]] const Interpolator& sin_unit();    // sin, by 23 bits of a quarter turn
[[nodiscard]] const Interpolator& tanh_unit();   // tanh, [2^-8, 8); segments by octave: approx.cpp

}  // namespace tirx::num
