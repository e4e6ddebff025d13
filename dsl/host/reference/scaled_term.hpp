// Exact products of more factors than fit a machine word, into an exact sum.
#pragma once

#include <initializer_list>

#include "dsl/host/exact_sum.hpp"

namespace tirx::dsl::reference {

__extension__ using Integer = __int128;

/// The product of up to four float32 numbers (96 bits).
struct Factor {
  num::NumberClass kind = num::NumberClass::zero;
  bool negative = false;
  num::Wide significand = 0;
  int exponent = 0;
};

/// The significand without its trailing zeros.
[[nodiscard]] num::Decoded trimmed(num::Decoded value);

[[nodiscard]] inline bool is_finite(const num::Decoded& v) {
  return v.kind == num::NumberClass::zero || v.kind == num::NumberClass::finite;
}

[[nodiscard]] Factor product_of(std::initializer_list<std::uint32_t> float32);

/// sum += factor * value * 2^exponent, of a finite factor and fewer than 127 bits of value.
void add_scaled(ExactSum& sum, const Factor& factor, Integer value, int exponent);

/// sum += factor * value where one of the two is infinite or NaN; otherwise nothing.
void add_special(ExactSum& sum, const Factor& factor, const num::Decoded& value);

/// Into the type of a result, by the language's cast: fp8 saturates.
[[nodiscard]] num::Bits round_once(const ExactSum& sum,
                                   num::DType out,
                                   num::Round round = num::Round::rn);

}  // namespace tirx::dsl::reference
