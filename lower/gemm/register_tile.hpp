// Which register of which thread holds element (i, j) of a gemm operand?  Read from the layout's
// iters, element by element: the fragment check asks for every element, so no pattern is assumed.
#pragma once

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

  [[nodiscard]] std::int64_t rows() const { return extents_[0]; }

  [[nodiscard]] std::int64_t columns() const { return extents_[1]; }

  /// Whether this lane of this warp of the scope's instance holds the element, or a copy of it.
  [[nodiscard]] bool held(std::int64_t i,
                          std::int64_t j,
                          std::int64_t warp,
                          std::int64_t lane) const;
  /// Its register, counted from base().
  [[nodiscard]] std::int64_t reg(std::int64_t i, std::int64_t j) const;

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
  struct Digit {
    std::size_t dim;
    std::int64_t extent, weight, stride;
  };

  [[nodiscard]] std::int64_t sum(const std::vector<Digit>& digits,
                                 std::int64_t i,
                                 std::int64_t j) const;

  const TileSide* side_ = nullptr;
  bool transposed_ = false;
  std::int64_t extents_[2] = {1, 1};
  std::vector<Digit> lanes_;   // stride in lanes
  std::vector<Digit> warps_;   // stride in warps
  std::vector<Digit> linear_;  // stride in threads of the instance: both at once
  std::vector<Digit> memory_;
  std::vector<std::int64_t> copies_;  // where further copies lie, in threads; the first is 0
  bool in_every_warp_ = true;         // no axis tells the warps apart
  ir::IndexSum base_;
  ir::IndexSum thread_part_[2];  // this thread's share of the coordinates
};

}  // namespace tirx::lower
