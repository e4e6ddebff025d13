// Single values: the lane kernels' own one-element functions, plus the checks that lanes leave to
// their caller.
#include "numerics/scalar.hpp"

#include "numerics/approx/approx.hpp"
#include "numerics/codec.hpp"
#include "numerics/lane_kernels/lane_table.hpp"

namespace tirx::num {
namespace {

bool divides(ScalarOp op) {
  return op == ScalarOp::floordiv || op == ScalarOp::floormod || op == ScalarOp::truncdiv ||
         op == ScalarOp::truncmod;
}

__extension__ using Signed128 = __int128;

Signed128 widen(Bits bits, DType dtype) {
  return is_unsigned(dtype) ? static_cast<Signed128>(bits)
                            : static_cast<Signed128>(to_int64(bits, dtype));
}

/// The mathematical result; nothing for operations that cannot leave the type.
std::optional<Signed128> unbounded(ScalarOp op, DType dtype, Bits a, Bits b) {
  const Signed128 x = widen(a, dtype);
  const Signed128 y = widen(b, dtype);
  switch (op) {
    case ScalarOp::add:
      return x + y;
    case ScalarOp::sub:
      return x - y;
    case ScalarOp::neg:
      return -x;
    case ScalarOp::abs:
      return x < 0 ? -x : x;
    case ScalarOp::truncdiv:
    case ScalarOp::floordiv:
      if (y == -1) return -x;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool fits(Signed128 value, DType dtype) {
  const int width = bits(dtype);
  const Signed128 highest = (Signed128{1} << (is_signed(dtype) ? width - 1 : width)) - 1;
  const Signed128 lowest = is_signed(dtype) ? -highest - 1 : 0;
  return value >= lowest && value <= highest;
}

/// Products and shifts of 64-bit values may leave 128 bits: compare by division instead.
bool product_fits(DType dtype, Bits a, Bits b) {
  const Signed128 x = widen(a, dtype);
  const Signed128 y = widen(b, dtype);
  if (!is_unsigned(dtype)) return fits(x * y, dtype);
  return x == 0 || y <= ((Signed128{1} << bits(dtype)) - 1) / x;
}

bool shift_fits(DType dtype, Bits a, Bits count) {
  const Signed128 x = widen(a, dtype);
  if (x == 0) return true;
  return count < static_cast<Bits>(bits(dtype)) &&
         fits(x * (Signed128{1} << static_cast<int>(count)), dtype);
}

}  // namespace

Evaluated evaluate(ScalarOp op, DType dtype, Bits a, Bits b, Bits c) {
  if (!is_legal(op, dtype)) return {0, EvalStatus::illegal};
  const LaneEntry& entry =
      baseline_lane_table().entries[static_cast<int>(op)][static_cast<int>(dtype)];
  if (entry.single == nullptr) {
    const ApproxFunction approx = find_approx(op);
    if (approx == nullptr) return {0, EvalStatus::unavailable};
    return {approx(static_cast<std::uint32_t>(a)), EvalStatus::ok};
  }
  if (divides(op) && b == 0) return {0, EvalStatus::division_by_zero};
  return {entry.single(a, b, c), EvalStatus::ok};
}

std::optional<Bits> evaluate_checked(ScalarOp op, DType dtype, Bits a, Bits b) {
  const Evaluated result = evaluate(op, dtype, a, b);
  if (result.status != EvalStatus::ok || !is_int(dtype)) return std::nullopt;
  const bool in_range = op == ScalarOp::mul   ? product_fits(dtype, a, b)
                        : op == ScalarOp::shl ? shift_fits(dtype, a, b)
                                              : true;
  const std::optional<Signed128> exact = unbounded(op, dtype, a, b);
  if (!in_range || (exact && !fits(*exact, dtype))) return std::nullopt;
  return result.value;
}

std::int64_t to_int64(Bits value, DType dtype) {
  const int width = bits(dtype);
  if (width >= 64 || !is_signed(dtype)) return static_cast<std::int64_t>(value);
  const int spare = 64 - width;
  return static_cast<std::int64_t>(value << spare) >> spare;
}

Bits from_int64(std::int64_t value, DType dtype) {
  const auto low = static_cast<Bits>(value);
  if (dtype == DType::boolean) return low != 0 ? 1 : 0;
  const int width = bits(dtype);
  return width >= 64 ? low : low & ((Bits{1} << width) - 1);
}

bool is_nan(Bits value, DType dtype) {
  return is_float(dtype) && decode(dtype, value).kind == NumberClass::nan;
}

bool same_value(Bits a, Bits b, DType dtype) {
  return a == b || (is_nan(a, dtype) && is_nan(b, dtype));
}

std::optional<std::uint64_t> ulp_distance(Bits a, Bits b, DType dtype) {
  if (is_nan(a, dtype) || is_nan(b, dtype)) return std::nullopt;
  if (!is_float(dtype)) {
    const Signed128 gap = widen(a, dtype) - widen(b, dtype);
    return static_cast<std::uint64_t>(gap < 0 ? -gap : gap);
  }
  // Places on the line of all values: the negative ones count down from -1.
  const auto place = [dtype](Bits value) {
    const Bits mask = sign_mask(dtype);
    const auto magnitude = static_cast<Signed128>(mask == 0 ? value : value & (mask - 1));
    return is_negative(dtype, value) ? -1 - magnitude : magnitude;
  };
  const Signed128 gap = place(a) - place(b);
  const auto steps = static_cast<std::uint64_t>(gap < 0 ? -gap : gap);
  return dtype == DType::tf32 ? steps >> 13 : steps;
}

}  // namespace tirx::num
