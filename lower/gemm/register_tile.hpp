// Which register of which thread holds element (i, j) of a gemm operand?  Read from the layout's
// iters, one coordinate at a time: the fragment check asks for every element, so no pattern is
// assumed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "lower/site.hpp"

namespace tirx::lower {

class RegisterTile {
 public:
  /// The operand as a matrix; `transposed` swaps its two dimensions.  The error is a reason.
  [[nodiscard]] static Result<RegisterTile> make(const Site& site,
                                                 std::size_t operand,
                                                 bool transposed);

  /// The same where either extent may be 1: `row_dim` and `column_dim` are the matrix's dimensions.
  [[nodiscard]] static Result<RegisterTile> make(const Site& site,
                                                 std::size_t operand,
                                                 std::size_t row_dim,
                                                 std::size_t column_dim);

  [[nodiscard]] std::int64_t rows() const { return extents_[0]; }

  [[nodiscard]] std::int64_t columns() const { return extents_[1]; }

  /// Whether this lane of this warp of the scope's instance holds the element, or a copy of it.
  /// Asked for every element of a gemm, hence inline.
  [[nodiscard]] bool held(std::int64_t i,
                          std::int64_t j,
                          std::int64_t warp,
                          std::int64_t lane) const {
    const std::int64_t place =
        thread_of_[0][static_cast<std::size_t>(i)] + thread_of_[1][static_cast<std::size_t>(j)];
    const std::int64_t wanted = in_every_warp_ ? lane : warp * ir::kLanesPerWarp + lane;
    return std::any_of(copies_.begin(), copies_.end(),
                       [&](std::int64_t copy) { return place + copy == wanted; });
  }

  /// Its register, counted from base().
  [[nodiscard]] std::int64_t reg(std::int64_t i, std::int64_t j) const {
    return reg_of_[0][static_cast<std::size_t>(i)] + reg_of_[1][static_cast<std::size_t>(j)];
  }

  [[nodiscard]] const ir::IndexSum& base() const { return base_; }

  [[nodiscard]] const TileSide& side() const { return *side_; }

  /// Row (0) or column (1) of what this thread holds where thread 0 has row (column) `at`.
  [[nodiscard]] ir::IndexSum coordinate(std::size_t dim, const ir::IndexSum& at) const {
    return at.plus(thread_part_[dim]);
  }

  /// Logical indices in the operand's buffer of what this thread holds where thread 0 holds
  /// element (i, j); i and j may depend on loop variables.
  [[nodiscard]] std::vector<ir::Expr> indices(const ir::IndexSum& i, const ir::IndexSum& j) const;

 private:
  const TileSide* side_ = nullptr;
  std::size_t dims_[2] = {0, 1};  // of the buffer: the matrix's rows and columns
  std::int64_t extents_[2] = {1, 1};
  // What row i (column j) adds to the thread and to the register of an element.
  std::vector<std::int64_t> thread_of_[2], reg_of_[2];
  std::vector<std::int64_t> copies_;  // where further copies lie, in threads; the first is 0
  bool in_every_warp_ = true;         // no axis tells the warps apart
  ir::IndexSum base_;
  ir::IndexSum thread_part_[2];  // this thread's share of the coordinates
};

}  // namespace tirx::lower
