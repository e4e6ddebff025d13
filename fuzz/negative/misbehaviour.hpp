// Does everybody see the same fault?  Random programs with one place changed so that something goes
// wrong when they run: an index out of bounds, a value that nobody wrote, a divisor of zero.  They
// are no longer valid, but simulator and tile-level evaluator must still say the same about them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz/mutate/mutations.hpp"
#include "ir/target.hpp"
#include "ir/tensor.hpp"
#include "sim/simulate.hpp"

namespace tirx::fuzz {

enum class MisbehaviourOutcome : std::uint8_t {
  nothing_to_change,
  refused,          // the lowering sees it
  faults,           // everybody reports the same kinds
  harmless,         // nobody reports anything, and the bits are the same
  schedules_alone,  // the evaluator does not know an instruction; every schedule says the same
  not_judged,  // threads race or wait for ever: the evaluator computes with one thread at a time
  disagree,
};

struct Misbehaviour {
  MisbehaviourOutcome outcome = MisbehaviourOutcome::nothing_to_change;
  std::string what;    // "index moved past the end, line 31"
  std::string text;    // how they disagree
  std::string kinds;   // "bounds", "uninit", …
  bool stuck = false;  // the opinion that disagrees waits for ever, after a fault
};

/// What turns a valid program into one that goes wrong when it runs.
[[nodiscard]] std::vector<Mutation> fault_mutations(const ir::Kernel& kernel);

/// One of them by a number: first the kind, then its place, else the many indices would be all.
[[nodiscard]] const Mutation& pick_mutation(const std::vector<Mutation>& mutations,
                                            std::uint64_t number);

/// Asks everybody about a changed kernel; the arguments stay as they are.  `by_line`: faults of a
/// kind are the same in the same lines only.
[[nodiscard]] Misbehaviour judge_changed(const ir::Kernel& changed,
                                         std::span<const ir::Argument> args,
                                         const sim::SimOptions& options,
                                         const ir::Target& target,
                                         std::uint64_t max_tile_steps,
                                         bool by_line = true);

/// Generates the program of the seed, changes one place (which one: by the seed too), runs it.
[[nodiscard]] Misbehaviour plant_one(std::uint64_t seed, const sim::SimOptions& options);

}  // namespace tirx::fuzz
