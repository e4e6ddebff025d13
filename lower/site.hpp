// What is known at one tile call?  Facts worked out once, for every dispatch variant to read: who
// executes it, which thread index counts them, and how its regions lie in memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/facts.hpp"
#include "ir/stmt.hpp"
#include "ir/target.hpp"
#include "lower/strided.hpp"

namespace tirx::lower {

struct Site {
  const ir::TileCall& call;
  Span span;
  const ir::Target& target;
  ir::Facts& facts;  // expansions add their loop variables

  ir::ExecScope scope = ir::ExecScope::thread;
  std::int64_t threads = 1;  // of one instance of the scope that reach the call
  std::int64_t cta_threads = 1;
  bool guarded = false;      // under a condition, which the ranges of variables do not show
  std::string inactive{};    // why not all threads of the scope are active; empty: they are
  ir::Expr thread_index{};   // 0 … threads-1 inside the instance; empty at thread scope
  ir::Expr thread_in_cta{};  // warpgroup and CTA scope: 0 … cta_threads-1
  ir::Expr first_thread{};   // true in exactly one active thread of the instance, likewise

  /// The value of a thread axis (laneid, tx, …) in the executing thread.
  std::map<ir::AxisId, ir::Expr> axis_values{};
  /// How many values it takes inside one instance of the scope.
  std::map<ir::AxisId, std::int64_t> axis_extents{};

  /// One per operand; nothing where the operand is no region.
  std::vector<std::optional<TileSide>> sides{};
  std::vector<ir::Expr> buffer_offsets{};  // lowered BufferNode::offset of each side, may be empty
};

}  // namespace tirx::lower
