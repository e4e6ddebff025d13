// What can come of a launch?  Faults and outcomes as plain values, common to every engine, to the
// host part of a script (expect_fault) and to the reports of the command.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"
#include "ir/launch_stats.hpp"

namespace tirx::ir {

/// The kinds of fault a launch can end in; the words of to_string are those of `tirx.expect_fault`.
enum class FaultKind : std::uint8_t {
  bounds,
  align,
  uninit,
  race,
  divergence,
  deadlock,
  async,
  arith,
  overflow,
  trap,
};

[[nodiscard]] std::string_view to_string(FaultKind kind);
[[nodiscard]] std::optional<FaultKind> find_fault_kind(std::string_view word);

/// Who did it.  -1 where a coordinate has no meaning (a whole warp: lane -1).
struct ThreadCoordinate {
  std::array<std::int64_t, 3> cta{0, 0, 0};
  std::int64_t thread = -1;  // linear in the CTA
  std::int64_t warp = -1;
  std::int64_t lane = -1;
};

/// One side of a fault: a thread at a place in the script.
struct FaultAccess {
  ThreadCoordinate thread;
  Span span;
  std::string what;  // "read", "write", "waits at cta_sync", …
  /// What the script calls these warps: the condition on the warp's number under which they came
  /// here ("warp == PRODUCER"), or empty.
  std::string role;
};

/// One distinct bug: (kind, sites).  `count` says how often it was seen.
struct Fault {
  FaultKind kind = FaultKind::trap;
  std::string text;     // one sentence
  std::string element;  // "As[3, 17]", or empty
  std::string space;    // "global", "shared", "local", or empty
  FaultAccess first;
  std::optional<FaultAccess> second;  // races: the other access
  std::vector<Note> notes;            // what is missing; the way out; a wait-for table
  std::uint64_t count = 1;
};

enum class LaunchStatus : std::uint8_t {
  ok,          // ran to the end (perhaps with faults)
  refused,     // not launched: bad arguments, limits (see diagnostics)
  incomplete,  // step limit, unsupported here, no GPU (see diagnostics)
};

struct LaunchOutcome {
  LaunchStatus status = LaunchStatus::ok;
  std::vector<Fault> faults;   // distinct, in a deterministic order
  DiagnosticList diagnostics;  // errors for refused/incomplete; warnings otherwise
  std::string output;          // what the kernel printed
  std::uint64_t warp_instructions = 0;
  std::optional<LaunchStats> stats;  // where they were asked for
};

}  // namespace tirx::ir
