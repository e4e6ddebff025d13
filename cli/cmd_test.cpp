// tirx test: everything that can be asked about a script, in one table with one verdict.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/script_files.hpp"
#include "cli/test_engine.hpp"
#include "cli/verbs.hpp"

namespace tirx::cli {

namespace {

using nlohmann::json;

struct FileReport {
  std::string file;
  SourceRef source;        // null: could not be read
  std::string unreadable;  // why not
  dsl::ScriptResult result;
  std::vector<OpinionTotal> totals;
  DiagnosticList differences, notices;
  std::int64_t launches = 0;
  Exit code = Exit::clean;
  std::string printed;
};

std::string cell(const OpinionTotal& total) {
  if (total.launches == 0) return "-";
  if (total.differing > 0) return "differs";
  if (total.ordered > 0) return "order";
  if (total.skipped == total.launches) return "skipped";
  return total.skipped > 0
             ? fmt::format("same {}/{}", total.launches - total.skipped, total.launches)
             : "same";
}

/// A result that depends on what no order is specified for may still be right: the script's own
/// assertions decide, under each seed.
void run_other_seeds(const Options& options, FileReport& report) {
  for (const fuzz::Opinion& opinion : fuzz::opinions()) {
    if (opinion.tile_level) continue;
    Options other = options;
    other.sim = fuzz::options_of(opinion, options.sim);
    SimEngine engine(other);
    dsl::ScriptResult result = dsl::run_script(report.source, engine, script_options(other));
    const Exit code = verdict(result);
    if (code == Exit::clean) continue;
    report.code = worse(report.code, code);
    for (Diagnostic& difference : result.differences) {
      difference.text = fmt::format("with the order of '{}': {}", opinion.name, difference.text);
      report.differences.push_back(difference);
    }
    return;
  }
}

FileReport test_file(const Options& options, std::optional<cuda::Device>& gpu, std::ostream& err) {
  FileReport report;
  report.file = options.file;
  std::ostringstream said;
  report.source = read_script(options, said);
  if (!report.source) {
    err << said.str();
    report.unreadable = said.str();
    report.code = Exit::usage;
    return report;
  }
  TestEngine engine(options, gpu);
  dsl::ScriptOptions script = script_options(options);
  if (gpu) script.target = gpu->info().target;
  script.output = [&](std::string_view text) { report.printed += text; };
  report.result = dsl::run_script(report.source, engine, script);
  report.code = verdict(report.result);
  report.totals = engine.totals();
  report.differences = engine.differences();
  report.notices = engine.notices();
  report.launches = engine.launches();
  if (!report.differences.empty()) report.code = worse(report.code, Exit::difference);
  const bool ordered = std::any_of(report.totals.begin(), report.totals.end(),
                                   [](const OpinionTotal& total) { return total.ordered > 0; });
  if (ordered && report.code == Exit::clean) run_other_seeds(options, report);
  return report;
}

json file_json(const Options& options, const FileReport& report) {
  if (!report.source) {
    Options one = options;
    one.file = report.file;
    return unreadable_json(one, report.unreadable);
  }
  json out = result_json(options, *report.source, report.result, report.printed);
  out["verdict"] = to_string(report.code);
  out["exit"] = static_cast<int>(report.code);
  for (const Diagnostic& difference : report.differences)
    out["differences"].push_back(diagnostic_json(*report.source, difference));
  out["notices"] = json::array();
  for (const Diagnostic& notice : report.notices)
    out["notices"].push_back(diagnostic_json(*report.source, notice));
  out["opinions"] = json::object();
  for (const OpinionTotal& total : report.totals) {
    out["opinions"][total.name] = {{"result", cell(total)},
                                   {"launches", total.launches},
                                   {"elements", total.elements},
                                   {"differing", total.differing},
                                   {"order_dependent", total.ordered},
                                   {"skipped", total.skipped}};
  }
  return out;
}

void print_details(const FileReport& report, std::ostream& err) {
  if (!report.source) return;
  dsl::ScriptResult all = report.result;
  all.differences.insert(all.differences.end(), report.differences.begin(),
                         report.differences.end());
  const bool quiet = report.code == Exit::clean && report.notices.empty();
  if (quiet) return;
  err << report.file << ":\n";
  if (report.code != Exit::clean) print_result(*report.source, all, err);
  for (const Diagnostic& notice : report.notices) err << render(*report.source, notice);
}

void print_table(const std::vector<FileReport>& reports,
                 const std::vector<std::string>& columns,
                 std::ostream& out) {
  std::size_t width = 4;
  for (const FileReport& report : reports) width = std::max(width, report.file.size());
  out << fmt::format("{:{}}  launches", "file", width);
  for (const std::string& column : columns) out << fmt::format("  {:8}", column);
  out << "  verdict\n";
  for (const FileReport& report : reports) {
    out << fmt::format("{:{}}  {:8}", report.file, width, report.launches);
    for (std::size_t i = 0; i < columns.size(); ++i)
      out << fmt::format("  {:8}", i < report.totals.size() ? cell(report.totals[i]) : "-");
    const bool idle = report.code == Exit::clean && report.launches == 0;
    out << fmt::format("  {}{}\n", to_string(report.code), idle ? ", no launch" : "");
  }
}

}  // namespace

Exit cmd_test(const Options& options, std::ostream& out, std::ostream& err) {
  const std::vector<std::string> files = script_files(options.files);
  if (files.empty()) {
    err << "tirx: test found no .tx file in what it was given\n";
    return Exit::usage;
  }
  std::optional<cuda::Device> gpu;
  std::string gpu_text = "left out";
  if (options.engine != EngineKind::sim) {
    Result<cuda::Device> device = open_gpu(options);
    if (device) {
      gpu = std::move(device).value();
      gpu_text = fmt::format("{} (driver {})", gpu->info().name, gpu->info().kernel_driver);
    } else if (options.engine == EngineKind::cuda) {
      err << "tirx: " << device.error().text << '\n';
      return Exit::incomplete;
    } else {
      gpu_text = "none here";
    }
  }
  Options one = options;
  if (gpu) one.target = gpu->info().target;
  std::vector<FileReport> reports;
  Exit code = Exit::clean;
  std::int64_t launches = 0, elements = 0;
  std::size_t clean = 0;
  for (const std::string& file : files) {
    one.file = file;
    reports.push_back(test_file(one, gpu, err));
    const FileReport& report = reports.back();
    code = worse(code, report.code);
    clean += report.code == Exit::clean ? 1 : 0;
    launches += report.launches;
    for (const OpinionTotal& total : report.totals) elements += total.elements;
  }
  if (options.json) {
    json list = json::array();
    for (const FileReport& report : reports) list.push_back(file_json(one, report));
    const json all = {{"tool", "tirx"},
                      {"verb", "test"},
                      {"gpu", gpu_text},
                      {"verdict", to_string(code)},
                      {"exit", static_cast<int>(code)},
                      {"launches", launches},
                      {"elements", elements},
                      {"files", std::move(list)}};
    write_json(out, all);
    if (gpu) leave_if_lost(*gpu, code, out, err);
    return code;
  }
  std::vector<std::string> columns;
  for (const fuzz::Opinion& opinion : fuzz::opinions()) columns.emplace_back(opinion.name);
  columns.emplace_back("gpu");
  for (const FileReport& report : reports) print_details(report, err);
  print_table(reports, columns, out);
  out << fmt::format("test: {} of {} files clean, {} launches, {} elements compared, GPU: {}\n",
                     clean, files.size(), launches, elements, gpu_text);
  if (gpu) leave_if_lost(*gpu, code, out, err);
  return code;
}

}  // namespace tirx::cli
