// Does a copy's region run over the end of its buffer, and may it?  `clip=True` or `fill=value` ask
// for an edge copy; without them it is one where the ranges of the indices show that the region
// reaches outside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/copy/copy.hpp"

namespace tirx::lower {

/// What must be tested of an index before it is used.
struct EdgeGuard {
  std::size_t dim = 0;
  bool below = false;  // it may be negative
  bool above = false;  // it may reach the extent of the buffer
};

[[nodiscard]] bool edge_asked(const Site& site);
/// The guards of one operand's dimensions.
[[nodiscard]] std::vector<EdgeGuard> edge_guards(const Site& site, std::size_t operand);
/// "dimension 0 of A reaches 1024 of 1000", or empty.
[[nodiscard]] std::string edge_reason(const Site& site);

/// An index and the end of its dimension in one type, which holds both.
struct IndexAndEnd {
  ir::Expr index, end;
};

[[nodiscard]] IndexAndEnd in_one_type(const ir::Expr& index, const ir::Expr& end, Span span);

/// Why the exact variants leave the call to `predicated`.
[[nodiscard]] std::optional<std::string> refuse_edge(const Site& site);

[[nodiscard]] std::optional<std::string> refuse_predicated(const Site& site);
[[nodiscard]] Result<Expansion> expand_predicated(const Site& site);

}  // namespace tirx::lower
