// Does anything notice?  A script with one kernel broken at a time: by its own assertions and by
// the checks of the simulator.
//
// A mutation is a change of the text of a kernel, in every instance that the script makes of it.
// What a launch starts from and leaves is recorded once; a mutant runs on those bytes first.  Where
// a fault shows there, or all bytes stay the same, the host part of the script has nothing to add.
// Where bytes differ without a fault, the script runs, and its assertions decide.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/run_script.hpp"
#include "fuzz/mutate/mutations.hpp"
#include "sim/simulate.hpp"

namespace tirx::fuzz {

enum class TrialVerdict : std::uint8_t {
  caught,
  refused,    // no kernel, or no launch, any more: nothing ran, so that nothing was tested
  survived,   // other bytes in some tensor, and nothing noticed
  no_effect,  // the same bytes in every launch, and no fault
};

struct Trial {
  std::string kind, before, after;
  Span span;
  std::string kernel;
  TrialVerdict verdict = TrialVerdict::no_effect;
  // Where caught: the kind of fault, "assertion", "host check", "does not end" or "error"; the
  // element of the fault; the sentence of the report, or of the refusal.
  std::string by, element, text;
};

struct TrialOptions {
  dsl::ScriptOptions script;
  sim::SimOptions sim;
  int threads = 0;  // mutants at a time; 0: as many as the machine has
  std::function<bool(const std::string&)> wanted;  // kinds; empty: all
};

struct TrialResult {
  dsl::ScriptResult healthy;  // of the script as it is
  std::vector<Trial> trials;  // empty unless that was clean
};

/// The places alone: nothing is launched, and `healthy` says what is wrong with the script.
[[nodiscard]] TrialResult list_mutations(const SourceRef& source, const TrialOptions& options);

/// `clean` decides whether the script as it is may be broken.
[[nodiscard]] TrialResult mutate_script(const SourceRef& source,
                                        const TrialOptions& options,
                                        const std::function<bool(const dsl::ScriptResult&)>& clean);

}  // namespace tirx::fuzz
