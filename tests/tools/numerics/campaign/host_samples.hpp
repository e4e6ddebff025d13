// samples.inl for the host.
#pragma once

#include <bit>

namespace tirx::num::campaign {

#define TIRX_SAMPLE inline
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

inline float tirx_float(unsigned int a) {
  return std::bit_cast<float>(a);
}

inline unsigned int tirx_bits(float a) {
  return std::bit_cast<unsigned int>(a);
}

inline float tirx_mul_f32(float a, float b) {
  return a * b;
}

inline float tirx_div_f32(float a, float b) {
  return a / b;
}

inline float tirx_fma_f32(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

#include "tests/tools/numerics/campaign/samples.inl"

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

}  // namespace tirx::num::campaign
