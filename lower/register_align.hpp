// Do register tiles lie alike over threads?  Brings the regions of several register operands to one
// common set of digits, so that each thread can compute its own elements from its own registers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "lower/dispatch.hpp"

namespace tirx::lower {

/// For each dimension of the first operand's region the operand's dimension that walks with it;
/// nothing where the operand is broadcast.
using DimMap = std::vector<std::optional<std::size_t>>;

/// A digit of the first operand's coordinate, and what it moves in each operand.
struct AlignedDigit {
  std::size_t dim = 0;  // of the first operand's region
  std::int64_t extent = 1;
  std::int64_t weight = 1;            // along the dimension
  ir::Axis axis;                      // in the first operand: a thread axis, or m
  std::vector<std::int64_t> strides;  // one per operand; 0 where it is broadcast or on threads
};

struct AlignedRegisters {
  std::vector<AlignedDigit> digits;  // row-major; those on thread axes too
  std::vector<ir::IndexSum> bases;   // register of the region's first element, per operand
  std::size_t rank = 0;              // of the first operand's region

  /// Elements of the first operand that each thread holds.
  [[nodiscard]] std::int64_t count() const;
};

/// Where the executing thread has element `element` (0 … count()-1, row-major over its registers).
struct RegisterPlace {
  std::vector<ir::IndexSum> coordinates;  // in the first operand's region
  std::vector<ir::IndexSum> registers;    // per operand
};

[[nodiscard]] RegisterPlace register_place(const Site& site,
                                           const AlignedRegisters& aligned,
                                           const ir::IndexSum& element);

/// Why the executing threads of the scope do not hold the tile `T:1` completely: each thread of the
/// scope holds some part (replicas count).  At thread scope there must be no thread axis.
[[nodiscard]] std::optional<std::string> refuse_spread(const Site& site,
                                                       const TileSide& side,
                                                       const StridedTile& tile);

/// Operands (indices into site.sides, the anchor first) with their dimension maps.  An operand that
/// is broadcast (or has stride 0) along a digit that lies on threads must be replicated there.
[[nodiscard]] Result<AlignedRegisters> align_registers(const Site& site,
                                                       const std::vector<std::size_t>& operands,
                                                       const std::vector<DimMap>& dims);

/// The same for tiles that the caller has cut out, and checked with refuse_spread.
[[nodiscard]] Result<AlignedRegisters> align_tiles(const Site& site,
                                                   const std::vector<const TileSide*>& sides,
                                                   std::vector<StridedTile> strided,
                                                   const std::vector<DimMap>& dims);

/// The value of a thread digit in the executing thread.
[[nodiscard]] ir::IndexSum thread_digit(const Site& site,
                                        const ir::Axis& axis,
                                        std::int64_t stride,
                                        std::int64_t extent);

}  // namespace tirx::lower
