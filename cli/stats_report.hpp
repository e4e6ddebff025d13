// How are the counts of launches shown: tables for people, JSON for programs?
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dsl/run_script.hpp"
#include "ir/base/source.hpp"
#include "ir/launch_stats.hpp"

namespace tirx::cli {

/// Tables for each kernel, its launches added up.
[[nodiscard]] std::string stats_text(const Source& source, const dsl::ScriptResult& result);
[[nodiscard]] nlohmann::json stats_json(const Source& source, const ir::LaunchStats& stats);

}  // namespace tirx::cli
