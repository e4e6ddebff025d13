// Random expressions of a given type, from numerics' own table of scalar operations: a new row
// there is fuzzed from the next run on.
#pragma once

#include <span>
#include <string>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Types with arithmetic, and those that are only stored.
[[nodiscard]] std::span<const num::DType> arithmetic_types();
[[nodiscard]] std::span<const num::DType> storage_types();

[[nodiscard]] std::string expression(Draft& draft, num::DType dtype, int depth);
/// The same as a bool.
[[nodiscard]] std::string condition(Draft& draft, int depth);
[[nodiscard]] std::string literal(Draft& draft, num::DType dtype);
/// An int32 in [0, size) that no rounding, overflow or data can push out of it.
[[nodiscard]] std::string index(Draft& draft, int size);
/// Small and not negative, the same in all threads of the grid's CTA: loop bounds around barriers.
[[nodiscard]] std::string uniform_count(Draft& draft, int limit);

}  // namespace tirx::fuzz
