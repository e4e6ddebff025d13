// Which way is a tile call lowered?  Per tile op a ranked list of variants; the first one that does
// not refuse wins, and every refusal keeps its reason (`tirx explain`, and the error when all
// refuse).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ir/base/result.hpp"
#include "lower/lowered.hpp"
#include "lower/site.hpp"

namespace tirx::lower {

struct Expansion {
  ir::Body body;  // accesses may lack `flat`: it is filled in afterwards
  std::int64_t vector = 0;
  std::int64_t rounds = 0;
  std::vector<Refusal> wider;
  DiagnosticList warnings;
};

/// A call that a variant takes, with what its check worked out.  The error's text is a reason to
/// refuse after all (no partition fits).
using Taken = std::function<Result<Expansion>()>;

struct Variant {
  std::string_view name;
  int priority = 0;
  bool only_by_name = false;
  /// The error's text is why the call is not for this variant.
  Result<Taken> (*take)(const Site&) = nullptr;
};

/// Highest rank first; empty where the op has no variant yet.
[[nodiscard]] std::span<const Variant> variants_of(ir::TileOp op);

struct Dispatched {
  Expansion expansion;
  DispatchNote note;
};

/// The error is the table of refusals at the call.
[[nodiscard]] Result<Dispatched> dispatch(const Site& site);

}  // namespace tirx::lower
