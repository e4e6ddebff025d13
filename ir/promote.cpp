#include "ir/promote.hpp"

namespace tirx::ir {

namespace {

using num::DType;

int storage_rank(DType dtype) {
  // fp8 beats fp6 beats fp4 beats integers.
  const int width = num::bits(dtype);
  return num::row(dtype).storage_only ? width : 0;
}

bool is_ieee(DType dtype) {
  return dtype == DType::f16 || dtype == DType::f32 || dtype == DType::f64;
}

DType promote_ints(DType a, DType b) {
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  const int wa = num::bits(a);
  const int wb = num::bits(b);
  if (wa != wb) return wa > wb ? a : b;
  return num::is_unsigned(a) ? a : b;
}

}  // namespace

std::optional<DType> promote(DType a, DType b) {
  if (a == b) return a;
  const bool fa = num::is_float(a);
  const bool fb = num::is_float(b);
  if (!fa && !fb) return promote_ints(a, b);
  if (!fb) return a;
  if (!fa) return b;
  if (is_ieee(a) && is_ieee(b)) return num::bits(a) > num::bits(b) ? a : b;
  const bool sa = storage_rank(a) > 0;
  const bool sb = storage_rank(b) > 0;
  if (sa != sb) return sa ? b : a;
  if (sa && sb && storage_rank(a) != storage_rank(b)) {
    return storage_rank(a) > storage_rank(b) ? a : b;
  }
  // bfloat16 beside an IEEE type: the wider one; float16 and bfloat16 have no common type.
  if (num::bits(a) != num::bits(b)) return num::bits(a) > num::bits(b) ? a : b;
  return std::nullopt;
}

}  // namespace tirx::ir
