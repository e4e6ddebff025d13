// What all elementwise tile ops share: which value an element of dst gets (formula.cpp), how the
// operands' dimensions meet (operands.cpp), and the variants that say which thread computes it:
// registers.cpp, shared.cpp and global.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/dispatch.hpp"
#include "lower/register_align.hpp"

namespace tirx::lower {

[[nodiscard]] inline const TileSide& elementwise_dst(const Site& site) {
  return *site.sides[0];
}

/// Indices of the operands that are regions, dst first.
[[nodiscard]] std::vector<std::size_t> region_operands(const Site& site);

// formula.cpp --------------------------------------------------------------------------------

/// An operation that does not exist for the dtypes at hand, or a form that TIRx refuses.
[[nodiscard]] std::optional<std::string> refuse_formula(const Site& site);
/// A unary op without src works in place.
[[nodiscard]] bool reads_destination(const Site& site);
/// The value of an element of dst, in dst's dtype, from the values of its operands (each in its own
/// dtype; empty where an operand is absent; scalars are broadcast over the lanes of the others).
[[nodiscard]] ir::Expr element_value(const Site& site, std::vector<ir::Expr> operands);

// operands.cpp -------------------------------------------------------------------------------

/// Right-aligned as in NumPy; or else the same extents once dimensions of one element are dropped.
[[nodiscard]] std::optional<DimMap> align_dims(const std::vector<std::int64_t>& dst,
                                               const std::vector<std::int64_t>& operand);
/// Regions whose extents are no constants or do not fit dst.
[[nodiscard]] std::optional<std::string> refuse_shapes(const Site& site);
/// A source that overlaps dst without being it: elements would be read after they were written.
[[nodiscard]] std::optional<std::string> refuse_overlap(const Site& site);

/// Scalar operands are evaluated once, before anything is written: their values as literals or
/// variables, defined in `prologue`.
[[nodiscard]] std::vector<ir::Expr> scalar_values(const Site& site, ir::Body& prologue);
/// Defines select's index variables, as far as its predicate reads them.
void define_indices(const Site& site, const std::vector<ir::Expr>& coordinates, ir::Body& body);

/// Regions in memory that no variant computes on: threads that are missing, shapes, overlap,
/// layouts, dtypes.  shared.cpp.
[[nodiscard]] std::optional<std::string> refuse_in_memory(const Site& site);

// The variants.
[[nodiscard]] std::optional<std::string> refuse_elementwise_reg(const Site& site);
[[nodiscard]] Result<Expansion> expand_elementwise_reg(const Site& site);
[[nodiscard]] std::optional<std::string> refuse_elementwise_smem(const Site& site);
[[nodiscard]] Result<Expansion> expand_elementwise_smem(const Site& site);
[[nodiscard]] std::optional<std::string> refuse_elementwise_gmem(const Site& site);
[[nodiscard]] Result<Expansion> expand_elementwise_gmem(const Site& site);

}  // namespace tirx::lower
