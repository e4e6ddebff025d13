// Is anything wrong with what tirx makes of this script?  The script is valid by construction, so a
// refusal or a fault is a finding, and so is any pair of runs that must agree and does not.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "fuzz/check/emitted.hpp"
#include "ir/launch.hpp"
#include "lower/lowered.hpp"
#include "sim/simulate.hpp"

namespace tirx::fuzz {

/// What went wrong.
struct Finding {
  std::string
      kind;  // a word: "refused", "fault race", "tile", "no opinion", "alternative", "gpu", …
  std::string text;
  /// What a shorter script must still show: of a fault the kind of statement it is at, of a
  /// difference the type and what sets the values apart.
  std::string trait;
};

/// Kind and trait, or where a finding has no trait its sentence without names and numbers.
[[nodiscard]] std::string signature(const Finding& finding);

/// Runs a lowered kernel on a real device.
using DeviceRun =
    std::function<ir::LaunchOutcome(const lower::LoweredKernel&, std::span<const ir::Argument>)>;

/// A script that somebody wrote, not the generator.
struct Given {
  std::string folder = ".";                // where its files are
  std::map<std::string, std::string> set;  // --set
  /// What it is refused or reported for is recorded in it; else it must be right.
  bool recorded = false;
  std::uint64_t changes = 24;  // copies of its kernels with one place changed
};

struct OracleOptions {
  sim::SimOptions sim;
  const ir::Target* target = nullptr;  // null: the default
  DeviceRun device;                    // empty: no GPU
  Emit emit;                           // empty: no CUDA is made of it
  bool all_opinions = true;            // or the device's only
  std::string last_opinion;            // no other after it; empty: all
  bool alternative = true;             // run again with ALT=1, where the script has it
  bool reparse = true;                 // the printed kernel must parse to the same kernel
  std::optional<std::uint64_t> draw;   // a number that leaves some opinions out, as time is short
  std::uint64_t max_tile_steps = 20'000'000;
  std::optional<Given> given;
  /// Called before whatever takes a while, with what that is.
  std::function<void(const std::string& doing)> alive;
};

struct OracleReport {
  std::optional<Finding> finding;
  std::int64_t launches = 0;
  std::int64_t elements = 0;   // compared
  std::int64_t unjudged = 0;   // launches that the tile-level evaluator may leave (unjudged.hpp)
  std::string compiler_crash;  // the GPU's compiler ended on it: nothing to compare, not ours
  std::set<std::string> features;  // of the kernels as they were lowered (features.hpp)
};

[[nodiscard]] OracleReport check_script(const std::string& text, const OracleOptions& options);

/// Of `options.given`: may be refused, report faults, and ask for what has no order, but no opinion
/// may say anything else than the first run.
[[nodiscard]] OracleReport check_given(const std::string& text, const OracleOptions& options);

}  // namespace tirx::fuzz
