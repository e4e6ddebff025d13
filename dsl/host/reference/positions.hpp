// Mistakes that show in the places of the values, not in how they were computed: nothing written,
// values of another element.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/host/reference/blame.hpp"

namespace tirx::dsl::reference {

/// A wrong element: row of all groups together, column, the bits there and the right ones.
struct Wrong {
  std::int64_t row = 0, column = 0;
  num::Bits seen = 0, right = 0;
};

/// What all wrong elements have in common, if it is one of these: NaN, zero, C, two rows or columns
/// exchanged.
[[nodiscard]] std::optional<std::string> pattern(const Context& context,
                                                 const std::vector<Wrong>& wrong);

/// All wrong elements hold the right values of others, a fixed distance away, or transposed.
[[nodiscard]] std::optional<std::string> displaced(const Context& context,
                                                   const std::vector<Wrong>& wrong);

}  // namespace tirx::dsl::reference
