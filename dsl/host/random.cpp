#include "dsl/host/random.hpp"

#include <array>
#include <string_view>

#include "numerics/codec.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using num::Bits;
using num::DType;

constexpr std::array<std::string_view, 5> kKindNames{"normal", "uniform", "int", "dyadic", "bits"};

/// The finaliser of SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number
/// generators): a bijection of 64-bit words.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

Bits round_fixed(DType dtype, std::int64_t value, int exponent, num::Round round) {
  num::Magnitude magnitude;
  magnitude.negative = value < 0;
  const auto raw = static_cast<std::uint64_t>(value);
  magnitude.significand = value < 0 ? std::uint64_t{0} - raw : raw;
  magnitude.exponent = exponent;
  if (value == 0) return num::signed_zero(dtype, false);
  return num::encode(dtype, magnitude, round, num::Overflow::saturate);
}

/// Sum of twelve uniforms in [0, 1) with 32 bits each, minus 6 (Irwin-Hall): mean 0, variance 1,
/// within (-6, 6), and integers all the way.
Bits normal(DType dtype, std::uint64_t seed, std::uint64_t index) {
  std::int64_t sum = 0;
  for (std::uint64_t draw = 0; draw < 6; ++draw) {
    const std::uint64_t word = random_bits(seed, index, draw);
    sum += static_cast<std::int64_t>(word & 0xffffffffU) + static_cast<std::int64_t>(word >> 32);
  }
  return round_fixed(dtype, sum - (std::int64_t{6} << 32), -32, num::Round::rn);
}

/// 54 bits in [-1, 1), rounded toward zero so that 1 is never reached.
Bits uniform(DType dtype, std::uint64_t seed, std::uint64_t index) {
  const auto word = static_cast<std::int64_t>(random_bits(seed, index, 0) >> 10);
  return round_fixed(dtype, word - (std::int64_t{1} << 53), -53, num::Round::rz);
}

std::uint64_t below(std::uint64_t limit,
                    std::uint64_t seed,
                    std::uint64_t index,
                    std::uint64_t draw) {
  return static_cast<std::uint64_t>((num::Wide{random_bits(seed, index, draw)} * limit) >> 64);
}

/// Every value is exact in every dtype of its kind: -4 … 4 where there is a sign, 0 … 8 for
/// unsigned integers, 1, 2, 4, 8 for e8m0.
Bits small_int(DType dtype, std::uint64_t seed, std::uint64_t index) {
  if (dtype == DType::boolean) return below(2, seed, index, 0);
  if (dtype == DType::e8m0) return 127 + below(4, seed, index, 0);
  if (num::is_unsigned(dtype)) return below(9, seed, index, 0);
  const std::int64_t value = static_cast<std::int64_t>(below(9, seed, index, 0)) - 4;
  if (num::is_float(dtype)) return round_fixed(dtype, value, 0, num::Round::rn);
  return num::from_int64(value, dtype);
}

/// +-2^e: e in -3 … 3, or 0 … 2 for the narrow types and 0 … 3 for integers, without the sign where
/// there is none.
Bits dyadic(DType dtype, std::uint64_t seed, std::uint64_t index) {
  const bool negative = (random_bits(seed, index, 1) & 1) != 0;
  if (dtype == DType::boolean) return below(2, seed, index, 0);
  if (dtype == DType::e8m0) return 124 + below(7, seed, index, 0);
  if (!num::is_float(dtype)) {
    const std::int64_t value = std::int64_t{1} << below(4, seed, index, 0);
    return num::from_int64(negative && num::is_signed(dtype) ? -value : value, dtype);
  }
  const bool narrow = num::bits(dtype) <= 6;
  const int exponent = narrow ? static_cast<int>(below(3, seed, index, 0))
                              : static_cast<int>(below(7, seed, index, 0)) - 3;
  return round_fixed(dtype, negative ? -1 : 1, exponent, num::Round::rn);
}

}  // namespace

std::optional<RandomKind> find_random_kind(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<RandomKind>(i);
  }
  return std::nullopt;
}

bool random_kind_fits(RandomKind kind, num::DType dtype) {
  if (dtype == DType::handle) return false;
  if (kind == RandomKind::normal || kind == RandomKind::uniform) {
    return num::is_float(dtype) && dtype != DType::e8m0;
  }
  return true;
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index, std::uint64_t draw) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  const std::uint64_t stream = mix(seed + kGolden);
  return mix(stream + kGolden * (index * 8 + draw + 1));
}

num::Bits random_element(RandomKind kind,
                         num::DType dtype,
                         std::uint64_t seed,
                         std::uint64_t index) {
  switch (kind) {
    case RandomKind::normal:
      return normal(dtype, seed, index);
    case RandomKind::uniform:
      return uniform(dtype, seed, index);
    case RandomKind::small_int:
      return small_int(dtype, seed, index);
    case RandomKind::dyadic:
      return dyadic(dtype, seed, index);
    case RandomKind::bits:
      break;
  }
  if (dtype == DType::boolean) return random_bits(seed, index, 0) & 1;
  const int width = num::bits(dtype);
  const std::uint64_t word = random_bits(seed, index, 0);
  return width >= 64 ? word : word >> (64 - width);
}

}  // namespace tirx::dsl
