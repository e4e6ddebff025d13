// Reading the script and reporting what its run came to: common to the verbs.
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/stats_report.hpp"
#include "cli/verbs.hpp"
#include "ir/base/file.hpp"

namespace tirx::cli {

namespace {

using nlohmann::json;

bool is_expected(const dsl::LaunchRecord& launch, const ir::Fault& fault) {
  return !launch.expected.empty() && launch.expected == ir::to_string(fault.kind);
}

std::size_t count_faults(const dsl::ScriptResult& result) {
  std::size_t count = 0;
  for (const dsl::LaunchRecord& launch : result.launches) {
    for (const ir::Fault& fault : launch.outcome.faults)
      count += is_expected(launch, fault) ? 0 : 1;
  }
  return count;
}

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string_view program_status(const dsl::ScriptResult& result) {
  if (result.incomplete) return "incomplete";
  return result.has_errors() ? "refused" : "finished";
}

}  // namespace

SourceRef read_script(const Options& options, std::ostream& err) {
  Result<std::string> text = read_file(options.file, options.file);
  if (!text) {
    err << "tirx: " << text.error().text << '\n';
    return nullptr;
  }
  return std::make_shared<const Source>(options.file, std::move(text).value());
}

dsl::ScriptOptions script_options(const Options& options) {
  dsl::ScriptOptions script;
  script.set = options.set;
  script.allow_outside_folder = options.allow_outside;
  script.target = &options.arch();
  script.saves_in_memory = true;  // only `tirx run` writes files
  const std::filesystem::path folder = std::filesystem::path(options.file).parent_path();
  script.folder = folder.empty() ? "." : folder.string();
  return script;
}

Exit verdict(const dsl::ScriptResult& result) {
  Exit code = Exit::clean;
  if (!result.differences.empty()) code = worse(code, Exit::difference);
  if (!result.findings.empty() || count_faults(result) > 0) code = worse(code, Exit::fault);
  // An incomplete launch ends the script, and its diagnostic says why: no error of the script.
  if (result.incomplete) return worse(code, Exit::incomplete);
  if (result.has_errors()) code = worse(code, Exit::usage);
  return code;
}

void print_result(const Source& source, const dsl::ScriptResult& result, std::ostream& err) {
  for (const Diagnostic& diagnostic : result.diagnostics) err << render(source, diagnostic);
  for (const dsl::LaunchRecord& launch : result.launches) {
    for (const ir::Fault& fault : launch.outcome.faults) {
      if (!is_expected(launch, fault)) err << fault_text(source, fault);
    }
  }
  for (const Diagnostic& finding : result.findings) err << render(source, finding);
  for (const Diagnostic& difference : result.differences) err << render(source, difference);
  const std::size_t faults = count_faults(result) + result.findings.size();
  if (faults > 0 || !result.differences.empty()) {
    err << counted(faults, "fault") << ", " << counted(result.differences.size(), "difference")
        << '\n';
  }
}

json report_head(const Options& options, const Source& source) {
  // In the order of Verb.
  constexpr std::array kVerbs{"run", "emit", "explain", "diff", "test", "fuzz", "mutate", "ops"};
  return {{"tool", "tirx"},
          {"verb", kVerbs[static_cast<std::size_t>(options.verb)]},
          {"version", TIRX_VERSION},
          {"file", source.name()},
          {"arch", options.arch().name}};
}

json unreadable_json(const Options& options, std::string_view said) {
  constexpr std::string_view kTirx = "tirx: ";
  if (said.starts_with(kTirx)) said.remove_prefix(kTirx.size());
  if (said.ends_with('\n')) said.remove_suffix(1);
  const Source none(options.file, "");
  json report = report_head(options, none);
  report["verdict"] = to_string(Exit::usage);
  report["exit"] = static_cast<int>(Exit::usage);
  report["diagnostics"] = diagnostics_json(none, {{{}, std::string(said), {}}});
  return report;
}

json diagnostics_json(const Source& source, const DiagnosticList& diagnostics) {
  json items = json::array();
  for (const Diagnostic& diagnostic : diagnostics)
    items.push_back(diagnostic_json(source, diagnostic));
  return items;
}

void write_json(std::ostream& out, const json& value) {
  out << value.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
}

json result_json(const Options& options,
                 const Source& source,
                 const dsl::ScriptResult& result,
                 const std::string& printed) {
  const Exit code = verdict(result);
  json out = report_head(options, source);
  out["program"] = {{"status", program_status(result)}, {"output", printed}};
  out["verdict"] = to_string(code);
  out["exit"] = static_cast<int>(code);
  out["diagnostics"] = diagnostics_json(source, result.diagnostics);
  out["differences"] = diagnostics_json(source, result.differences);
  out["findings"] = diagnostics_json(source, result.findings);
  out["launches"] = json::array();
  for (const dsl::LaunchRecord& launch : result.launches) {
    json one = {{"kernel", launch.kernel->name},
                {"at", source.where(launch.call)},
                {"warp_instructions", launch.outcome.warp_instructions},
                {"faults", json::array()}};
    if (launch.outcome.stats) one["stats"] = stats_json(source, *launch.outcome.stats);
    if (!launch.expected.empty()) one["expected_fault"] = launch.expected;
    for (const ir::Fault& fault : launch.outcome.faults)
      one["faults"].push_back(fault_json(source, fault));
    out["launches"].push_back(std::move(one));
  }
  return out;
}

}  // namespace tirx::cli
