// Run a lowered kernel on the simulated GPU: the one entry point of this layer.
//
// The rules of a launch (faults, poison, barriers, order of CTAs) are those of docs/language.md,
// "What a launch means".  For a launch that ends without a fault the bytes left in the tensors
// equal what the emitted CUDA leaves on the device, and depend on none of the options below.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "ir/launch.hpp"
#include "ir/tensor.hpp"
#include "lower/lowered.hpp"
#include "numerics/lanes.hpp"

namespace tirx::sim {

namespace race {
class Trace;
}  // namespace race

/// Which kinds of fault are looked for.  `trap`, `deadlock` and `divergence` always are: the run
/// cannot go on without them.
class CheckSet {
 public:
  constexpr CheckSet() = default;

  [[nodiscard]] static constexpr CheckSet none() { return CheckSet(); }

  /// bounds, align, uninit, arith, overflow: what one thread does wrong alone.
  [[nodiscard]] static constexpr CheckSet mem() {
    return CheckSet()
        .with(ir::FaultKind::bounds)
        .with(ir::FaultKind::align)
        .with(ir::FaultKind::uninit)
        .with(ir::FaultKind::arith)
        .with(ir::FaultKind::overflow);
  }

  /// mem, and what threads do wrong together.
  [[nodiscard]] static constexpr CheckSet all() {
    return mem().with(ir::FaultKind::race).with(ir::FaultKind::async);
  }

  /// "all", "mem", "none", or a list of fault kinds: "bounds,uninit".
  [[nodiscard]] static std::optional<CheckSet> parse(std::string_view text);

  [[nodiscard]] constexpr CheckSet with(ir::FaultKind kind) const {
    CheckSet set = *this;
    set.bits_ |= bit(kind);
    return set;
  }

  [[nodiscard]] constexpr bool has(ir::FaultKind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  static constexpr std::uint16_t bit(ir::FaultKind kind) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind));
  }

  std::uint16_t bits_ = static_cast<std::uint16_t>(
      bit(ir::FaultKind::trap) | bit(ir::FaultKind::deadlock) | bit(ir::FaultKind::divergence));
};

/// Which runnable warp goes next, and how long: where it may wait for memory to change, it lets the
/// others run at once, only when it has polled some times in a row (reverse), or by chance.
enum class Schedule : std::uint8_t { roundrobin, reverse, random };

/// When an asynchronous transfer moves its bytes: at issue, or at the last legal moment.
enum class AsyncPolicy : std::uint8_t { eager, lazy };

/// How far a launch has come.
struct Progress {
  std::int64_t ended = 0, ctas = 0;
  std::uint64_t steps = 0;  // warp instructions
};

struct SimOptions {
  CheckSet checks = CheckSet::all();
  Schedule schedule = Schedule::roundrobin;
  std::uint64_t seed = 0;
  AsyncPolicy async = AsyncPolicy::eager;
  int threads = 0;                          // host threads; 0: as many as the machine has
  double parallel_from = 20000;             // about how many warp instructions are worth them
  std::uint64_t max_steps = 1'000'000'000;  // warp instructions of the whole launch
  int max_faults = 20;                      // distinct faults listed
  std::int64_t resident = 0;                // CTAs at a time; 0: as many as the target holds
  std::optional<num::LaneIsa> isa;          // instruction set of the lane loops; for tests
  std::int64_t max_memory = std::int64_t{8} << 30;  // bytes of simulator state
  bool stats = false;  // count what the launch does, by place in the script
  /// Told from time to time, many times a second; false: the launch ends here, incomplete.
  std::function<bool(const Progress&)> watch;
  race::Trace* trace = nullptr;  // what the threads do is written down; for tests
  /// Accesses from which on the race detector forgets those that no byte names any more; 0: many.
  std::size_t races_remembered = 0;  // for tests
};

/// Whether a run with these options would notice a fault of this kind.
[[nodiscard]] bool notices(const SimOptions& options, ir::FaultKind kind);

/// Runs the kernel to its end on the arguments (one for each parameter, symbols are solved from
/// their shapes) and writes results into the tensors' memory.  Arguments that do not fit, a grid
/// beyond the target's limits or a failing host assertion give `refused`; an operation that cannot
/// be simulated, or the step limit, `incomplete`.
[[nodiscard]] ir::LaunchOutcome simulate(const lower::LoweredKernel& kernel,
                                         std::span<const ir::Argument> arguments,
                                         const SimOptions& options = {});

}  // namespace tirx::sim
