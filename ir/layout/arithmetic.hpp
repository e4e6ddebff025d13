// Layout arithmetic that cannot overflow unnoticed: every number a layout can produce must stay
// within 62 bits, and a computation that leaves them is remembered, not wrapped.
#pragma once

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "ir/base/diagnostic.hpp"

namespace tirx::ir {

inline constexpr std::int64_t kLargestPlace = std::int64_t{1} << 62;

class Checked {
 public:
  Checked(std::int64_t value)
      : value_(value), fits_(in_range(value)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool fits() const { return fits_; }

  /// Meaningless unless fits().
  [[nodiscard]] std::int64_t value() const { return value_; }

  friend Checked operator+(Checked a, Checked b) {
    Checked out(0);
    const bool overflow = __builtin_add_overflow(a.value_, b.value_, &out.value_);
    return out.settle(a, b, overflow);
  }

  friend Checked operator-(Checked a, Checked b) {
    Checked out(0);
    const bool overflow = __builtin_sub_overflow(a.value_, b.value_, &out.value_);
    return out.settle(a, b, overflow);
  }

  friend Checked operator*(Checked a, Checked b) {
    Checked out(0);
    const bool overflow = __builtin_mul_overflow(a.value_, b.value_, &out.value_);
    return out.settle(a, b, overflow);
  }

  Checked& operator+=(Checked other) { return *this = *this + other; }

  Checked& operator*=(Checked other) { return *this = *this * other; }

 private:
  static bool in_range(std::int64_t v) { return v >= -kLargestPlace && v <= kLargestPlace; }

  Checked settle(Checked a, Checked b, bool overflow) {
    fits_ = a.fits_ && b.fits_ && !overflow && in_range(value_);
    return *this;
  }

  std::int64_t value_;
  bool fits_;
};

/// Division and remainder that round down, as in the language; the divisor is positive.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

template <typename... Args>
Diagnostic layout_error(fmt::format_string<Args...> format, Args&&... args) {
  return {{}, fmt::format(format, std::forward<Args>(args)...), {}};
}

inline Diagnostic too_large() {
  return layout_error(
      "layout too large: its places do not fit in 62 bits; use smaller extents or strides");
}

}  // namespace tirx::ir
