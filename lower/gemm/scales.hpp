// Scale factors of a gemm: which one belongs to element (i, k) of A, to element (k, j) of B?
//
// A scale operand has the orientation of its matrix.  Along M (N) it has that many elements, or one
// for all.  Along K it has K elements (a layout with stride 0 repeats one over its block), one for
// each promotion interval, or one for all.  Inside an interval the scale must not change: a step
// that straddles two blocks has no single factor.
//
// Scales in registers lie as the accumulator does: a row's scale in the four lanes that hold the
// row of D, a column's in eight, which is what replicas say: S[(2, 8):(1, 4@laneid)] +
// R[4:1@laneid].
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/base/result.hpp"
#include "lower/gemm/plan.hpp"
#include "lower/site.hpp"

namespace tirx::lower {

/// One scale that a thread needs.
struct ScalePlace {
  ir::IndexSum tile;      // which tile of the plan's rows (columns)
  std::int64_t half = 0;  // row 0 or 8, column 0 or 1 of what the thread holds of it
  ir::IndexSum at;        // that row (column) of the matrix,
  ir::IndexSum first;     // and thread 0's
  ir::IndexSum q;         // interval
};

class ScaleTile {
 public:
  /// `interval` is the promotion interval; `k_first` says that K is the operand's first dimension,
  /// `zero_fill` that scales outside the tensor are zero.  The error is a reason to refuse.
  [[nodiscard]] static Result<ScaleTile> make(const Site& site,
                                              const GemmPlan& plan,
                                              bool of_a,
                                              std::int64_t interval,
                                              bool k_first,
                                              bool zero_fill);

  /// The scale, as float32.
  [[nodiscard]] ir::Expr value(const ScalePlace& place) const;

  /// Whether the threads hold their scales already.
  [[nodiscard]] bool in_registers() const { return tile_.has_value(); }

  /// Whether loops can walk the registers.
  [[nodiscard]] bool is_affine() const { return !tile_ || regs_.is_affine(); }

 private:
  [[nodiscard]] std::optional<std::string> find_registers(const Site& site,
                                                          const GemmPlan& plan,
                                                          bool of_a,
                                                          std::int64_t interval);
  [[nodiscard]] Result<RegisterTable> registers_of(const GemmPlan& plan,
                                                   bool of_a,
                                                   std::int64_t interval,
                                                   std::int64_t warp) const;
  [[nodiscard]] std::optional<std::string> check_memory(const Site& site,
                                                        std::size_t operand,
                                                        std::int64_t interval) const;
  [[nodiscard]] ir::Expr as_float32(ir::Access access) const;
  [[nodiscard]] ir::Expr guarded(ir::Expr value, const ir::Access& access) const;

  const TileSide* side_ = nullptr;
  const ir::Facts* facts_ = nullptr;
  const char* role_ = "SFA";
  bool zero_fill_ = false;
  Span span_;
  int mn_dim_ = 0, k_dim_ = 0;               // dimensions of the buffer
  std::int64_t along_mn_ = 1, along_k_ = 1;  // its extents there
  std::int64_t k_step_ = 0;                  // elements along k_dim_ from interval to interval
  std::optional<RegisterTile> tile_;         // scales in registers: where,
  RegisterTable regs_;                       // (tile, interval, half) -> register
};

}  // namespace tirx::lower
