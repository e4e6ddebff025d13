// Which runs of one launch must agree?  The tile-level evaluator, and the simulator under other
// schedules, seeds, asynchronous policies and numbers of threads: "the verdict and, without a
// fault, the result depend on none of these" (docs/language.md, "What a launch means").
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/agree/compare.hpp"
#include "ir/kernel.hpp"
#include "ir/launch.hpp"
#include "lower/lowered.hpp"
#include "sim/simulate.hpp"

namespace tirx::fuzz {

/// One way to run the launch a second time.
struct Opinion {
  std::string_view name;  // a column of the table
  bool tile_level = false;
  sim::Schedule schedule = sim::Schedule::roundrobin;
  sim::AsyncPolicy async = sim::AsyncPolicy::eager;
  std::uint64_t seed = 0;
  int threads = 0;
  bool portable = false;  // the lane loops for the baseline instruction set
  bool parallel = false;  // CTAs on several host threads, however little they do
  std::string_view checks = "all";
  bool stats = false;
  std::int64_t resident = 0;
  std::size_t races_remembered = 0;
};

/// All of them, the tile-level evaluator first.
[[nodiscard]] std::span<const Opinion> opinions();

/// Further ones for programs that are known to have no fault and no CTA that waits for a later one:
/// without checks, and with counts and as few CTAs at a time as there can be.
[[nodiscard]] std::span<const Opinion> bare_opinions();

[[nodiscard]] sim::SimOptions options_of(const Opinion& opinion, const sim::SimOptions& base);

enum class Judgement : std::uint8_t {
  same,
  differs,
  order_dependent,  // differs, and the kernel asks for something whose order is not specified
  skipped,          // could not run: step limit, unsupported
};

struct Verdict {
  Judgement judgement = Judgement::same;
  std::int64_t elements = 0;
  std::string text;  // where they part
  std::string kind;  // the same without places and numbers
};

/// What a run left behind.
struct Run {
  ir::LaunchOutcome outcome;
  std::vector<ir::Argument> arguments;
};

/// Runs the launch on copies of `before`.
[[nodiscard]] Run run_opinion(const Opinion& opinion,
                              const ir::Kernel& kernel,
                              const lower::LoweredKernel& lowered,
                              std::span<const ir::Argument> before,
                              const sim::SimOptions& base,
                              std::uint64_t max_tile_steps);

/// Whether the run may report faults of this kind: the evaluator computes with threads one at a
/// time, so that nobody races and nothing is in flight, and its indices are as wide as it takes.
[[nodiscard]] bool looks_for(ir::FaultKind kind, bool tile_level);

/// Whether the evaluator, which runs one thread after the other and knows no warps, must come to
/// the same end as a launch that has run.  Who races, hangs or meets others as nobody may has no
/// end of its own.
[[nodiscard]] bool is_for_the_evaluator(const ir::Kernel& kernel, const Run& first);

/// Whether a trap has ended both: what else is reported by then is a matter of order.
[[nodiscard]] bool both_trap(const Run& first, const Run& second);

/// Compares a second run with the first: status, kinds of fault, and without a fault every byte.
/// `comparable` says which kinds of fault the second run looks for.
[[nodiscard]] Verdict judge(const ir::Kernel& kernel,
                            const Run& first,
                            const Run& second,
                            std::string_view name,
                            bool tile_level,
                            const CompareOptions& how = {});

/// Whether the kernel uses something whose order or choice is unspecified by design: elected lanes,
/// values returned by atomics, clocks, float atomics.
[[nodiscard]] bool has_unspecified_order(const ir::Kernel& kernel);

}  // namespace tirx::fuzz
