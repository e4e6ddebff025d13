// How are diagnostics, faults and verdicts shown: as text for people, as JSON for programs?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ir/base/diagnostic.hpp"
#include "ir/launch.hpp"

namespace tirx::cli {

/// Exit codes, in docs/command.md: the worst of what happened decides (semantics: 5, 2, 4, 1, 3,
/// 0).
enum class Exit : int {
  clean = 0,
  fault = 1,
  usage = 2,
  difference = 3,
  incomplete = 4,
  internal = 5
};

/// The one that counts when both apply.
[[nodiscard]] Exit worse(Exit a, Exit b);

/// The verdict as one word or two, as reports write it.
[[nodiscard]] std::string_view to_string(Exit code);

/// "FILE:LINE:COLUMN: race: As[3, 17] …", the line with its caret, both threads, what is missing.
[[nodiscard]] std::string fault_text(const Source& source, const ir::Fault& fault);
[[nodiscard]] nlohmann::json fault_json(const Source& source, const ir::Fault& fault);
[[nodiscard]] nlohmann::json diagnostic_json(const Source& source, const Diagnostic& diagnostic);

}  // namespace tirx::cli
