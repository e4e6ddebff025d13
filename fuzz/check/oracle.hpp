// Is anything wrong with what tirx makes of this script?  The script is valid by construction, so a
// refusal or a fault is a finding, and so is any pair of runs that must agree and does not.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "ir/launch.hpp"
#include "lower/lowered.hpp"
#include "sim/simulate.hpp"

namespace tirx::fuzz {

/// What went wrong, in a word that the reducer keeps: "refused", "fault race", "tile", "seed",
/// "alternative", "reparse", "gpu".
struct Finding {
  std::string kind;
  std::string text;
};

/// Runs a lowered kernel on a real device.
using DeviceRun =
    std::function<ir::LaunchOutcome(const lower::LoweredKernel&, std::span<const ir::Argument>)>;

struct OracleOptions {
  sim::SimOptions sim;
  const ir::Target* target = nullptr;  // null: the default
  DeviceRun device;                    // empty: no GPU
  bool all_opinions = true;            // or the device's only
  bool alternative = true;             // run again with ALT=1, where the script has it
  bool reparse = true;                 // the printed kernel must parse to the same kernel
  std::uint64_t max_tile_steps = 20'000'000;
};

struct OracleReport {
  std::optional<Finding> finding;
  std::int64_t launches = 0;
  std::int64_t elements = 0;  // compared
};

[[nodiscard]] OracleReport check_script(const std::string& text, const OracleOptions& options);

}  // namespace tirx::fuzz
