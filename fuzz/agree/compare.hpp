// Do two runs of one launch agree?  Tensors compared bit for bit; used by diff, test and fuzz.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/kernel.hpp"
#include "ir/tensor.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::fuzz {

/// The same arguments on memory of their own; arguments that share memory still do.
[[nodiscard]] std::vector<ir::Argument> clone(std::span<const ir::Argument> args);

struct CompareOptions {
  /// Any NaN of a type equals any other, unless this is set.
  bool nan_bits = false;
  /// Whether both sides know which bytes were written.  A GPU does not: then only what the left
  /// side wrote is compared.
  bool validity = true;
};

/// The first difference within one tensor, and how many there are.
struct Mismatch {
  std::size_t argument = 0;
  std::int64_t differing = 0;
  std::int64_t elements = 0;
  std::vector<std::int64_t> index;
  num::DType dtype = num::DType::f32;
  num::Bits left = 0, right = 0;
  bool written_left = true, written_right = true;
};

struct Agreement {
  std::int64_t elements = 0;
  std::int64_t differing = 0;
  std::vector<Mismatch> mismatches;  // at most one per argument

  [[nodiscard]] bool same() const { return differing == 0; }
};

[[nodiscard]] Agreement compare(std::span<const ir::Argument> left,
                                std::span<const ir::Argument> right,
                                const CompareOptions& options = {});

/// "C[3, 17]: 0.5 (0x3f000000) and 0.25 (0x3e800000)", with the words for the two sides.
[[nodiscard]] std::string describe(const Mismatch& mismatch,
                                   std::span<const ir::Param> params,
                                   std::string_view left,
                                   std::string_view right);

/// What kind of difference it is, without its place: "float16, NaN", "int32, values".
[[nodiscard]] std::string kind_of(const Mismatch& mismatch);

}  // namespace tirx::fuzz
