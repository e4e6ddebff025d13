// The greatest common divisor, where std::gcd is not defined.
#include "ir/base/common_divisor.hpp"

#include <limits>

#include <doctest/doctest.h>

namespace tirx {

TEST_CASE("common divisors of the smallest integer") {
  constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
  CHECK(common_divisor(kSmallest, 12) == 4);
  CHECK(common_divisor(-6, kSmallest) == 2);
  CHECK(common_divisor(kSmallest, 0) == std::int64_t{1} << 62);
  CHECK(common_divisor(kSmallest, kSmallest) == std::int64_t{1} << 62);
  CHECK(common_divisor(0, 0) == 0);
  CHECK(common_divisor(-12, 18) == 6);
}

}  // namespace tirx
