#include "fuzz/expect/promise.hpp"

#include <fmt/format.h>

#include "fuzz/expect/expectation.hpp"

namespace tirx::fuzz {

std::string promise(std::string_view variant, std::int64_t vector) {
  if (vector == 0) return fmt::format("  {}lowered {}", kExpects, variant);
  return fmt::format("  {}lowered {}, vec {}", kExpects, variant, vector);
}

std::int64_t widest_vector(int bits, std::int64_t innermost, std::int64_t per_thread) {
  for (const int width : {128, 64, 32, 16, 8}) {
    const std::int64_t lanes = width / bits;
    if (lanes >= 1 && innermost % lanes == 0 && per_thread % lanes == 0) return lanes;
  }
  return 1;
}

}  // namespace tirx::fuzz
