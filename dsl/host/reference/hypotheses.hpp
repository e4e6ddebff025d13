// Which mistakes does a block-scaled GEMM make?  Each known one as a recipe for the value it would
// give: wrong scale index, transposed or tiled scales, missing work, missing promotion, another
// order of operations.  docs/block_scaling.md lists where they were seen.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dsl/host/reference/recipe.hpp"

namespace tirx::dsl::reference {

struct Hypothesis {
  std::string text;
  /// Nothing where the mistake has no meaning for the element (an index out of range).
  std::function<std::optional<Recipe>(std::int64_t row, std::int64_t column)> recipe;
  std::optional<Model> model;  // another than the problem's
  bool everywhere = false;     // believed only where no right element speaks against it
};

/// In the order in which they are to be believed.
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Problem& problem);

}  // namespace tirx::dsl::reference
