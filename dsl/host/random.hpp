// `tirx.random`: which numbers, exactly?  A counter-based generator of our own, so that element i
// of a tensor depends on (seed, i) alone, the same on every machine and for every dtype.
// docs/language/host.md states the algorithm; changing it changes every recorded result.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/tensor.hpp"
#include "numerics/convert.hpp"

namespace tirx::dsl {

enum class RandomKind : std::uint8_t { normal, uniform, small_int, dyadic, bits };

/// "normal", "uniform", "int", "dyadic", "bits".
[[nodiscard]] std::optional<RandomKind> find_random_kind(std::string_view name);

/// Whether the kind makes sense for the dtype (normal and uniform need a floating type with a
/// sign).
[[nodiscard]] bool random_kind_fits(RandomKind kind, num::DType dtype);

/// 64 random bits: draw number `draw` of element `index`.
[[nodiscard]] std::uint64_t random_bits(std::uint64_t seed,
                                        std::uint64_t index,
                                        std::uint64_t draw);

/// Element `index` of tirx.random(…, dtype, seed, kind).
[[nodiscard]] num::Bits random_element(RandomKind kind,
                                       num::DType dtype,
                                       std::uint64_t seed,
                                       std::uint64_t index);

}  // namespace tirx::dsl
