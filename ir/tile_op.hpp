// Which tile primitives exist, and at which scopes do they run?  A tile op is one struct here; its
// dispatch variants live in lower/, one file each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/scope/exec_scope.hpp"

namespace tirx::ir {

/// The tile primitives.  `kTileOps` has their facts.
enum class TileOp : std::uint8_t {
  copy,
  copy_async,
  permute_layout,
  zero,
  fill,
  memset,
  cast,
  sqrt,
  exp,
  exp2,
  log2,
  reciprocal,
  silu,
  add,
  sub,
  mul,
  fdiv,
  maximum,
  minimum,
  fma,
  select,
  sum,
  max,
  min,
  gemm,
};

/// Ops that share their dispatch variants and their evaluation.
enum class TileFamily : std::uint8_t {
  copy,
  copy_async,
  permute_layout,
  elementwise,
  reduction,
  gemm,
};

/// Operand names in order; a trailing '?' marks an optional one.
struct TileOpSpec {
  TileOp op;
  TileFamily family;
  std::string_view name;
  std::array<std::string_view, 5> operands;
  std::string_view doc;
  /// Configuration keywords it knows; "*": its variants look at them themselves.
  std::array<std::string_view, 4> keywords{};
  /// Operands that may be scalars instead of regions.
  std::array<std::string_view, 3> scalars{};
};

[[nodiscard]] const TileOpSpec& spec(TileOp op);
[[nodiscard]] std::span<const TileOpSpec> tile_ops();
[[nodiscard]] std::optional<TileOp> find_tile_op(std::string_view name);

}  // namespace tirx::ir
