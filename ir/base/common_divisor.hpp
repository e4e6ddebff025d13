// What divides both?  std::gcd is undefined where a magnitude is 2^63.
#pragma once

#include <cstdint>
#include <numeric>

namespace tirx {

/// The greatest common divisor of the magnitudes; 2^62 where it would be 2^63.
[[nodiscard]] constexpr std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  const auto magnitude = [](std::int64_t x) {
    return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  };
  const std::uint64_t divisor = std::gcd(magnitude(a), magnitude(b));
  return static_cast<std::int64_t>(divisor >> 63 != 0 ? divisor >> 1 : divisor);
}

}  // namespace tirx
