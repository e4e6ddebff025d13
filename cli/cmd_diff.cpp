// tirx diff: simulator and GPU in lockstep.
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/engines.hpp"
#include "cli/script_files.hpp"
#include "cli/verbs.hpp"

namespace tirx::cli {

namespace {

struct Totals {
  std::int64_t launches = 0;
  std::int64_t gpu_runs = 0;
  std::int64_t elements = 0;
  std::int64_t differing = 0;
};

Totals add_up(const std::vector<Comparison>& comparisons) {
  Totals totals;
  for (const Comparison& one : comparisons) {
    totals.launches += one.ran_on_gpu ? 1 : 0;
    totals.gpu_runs += one.gpu_runs;
    totals.elements += one.elements;
    totals.differing += one.differing;
  }
  return totals;
}

/// One script on an open GPU; its report goes to `err` and `out`, or into `reports`.
Exit diff_file(const Options& options,
               const cuda::Device& gpu,
               nlohmann::json& reports,
               Totals& sum,
               std::ostream& out,
               std::ostream& err) {
  std::ostringstream said;
  const SourceRef source = read_script(options, said);
  if (!source) {
    if (options.json) reports.push_back(unreadable_json(options, said.str()));
    err << said.str();
    return Exit::usage;
  }
  const cuda::DeviceInfo& info = gpu.info();
  DiffEngine engine(options, gpu);
  dsl::ScriptOptions script = script_options(options);
  script.target = info.target;
  std::string printed;
  script.output = [&](std::string_view text) { printed += text; };
  dsl::ScriptResult result = dsl::run_script(source, engine, script);
  const DiagnosticList& found = engine.differences();
  result.differences.insert(result.differences.end(), found.begin(), found.end());
  const Totals totals = add_up(engine.comparisons());
  sum.launches += totals.launches;
  sum.elements += totals.elements;
  sum.differing += totals.differing;
  Exit code = verdict(result);
  // Nothing compared is no agreement.
  if (code == Exit::clean && totals.elements == 0) code = Exit::incomplete;
  if (options.json) {
    nlohmann::json report = result_json(options, *source, result, printed);
    report["exit"] = static_cast<int>(code);
    report["device"] = {
        {"name", info.name}, {"arch", info.target->name}, {"driver", info.kernel_driver}};
    report["compared"] = {{"launches", totals.launches},
                          {"gpu_runs", totals.gpu_runs},
                          {"elements", totals.elements},
                          {"differing", totals.differing}};
    reports.push_back(std::move(report));
    return code;
  }
  print_result(*source, result, err);
  const std::string runs = totals.gpu_runs > totals.launches
                               ? fmt::format(" ({} runs)", totals.gpu_runs)
                               : std::string();
  out << fmt::format("diff: {}: {} launches{} on {} (driver {}), {} elements compared, {} differ\n",
                     source->name(), totals.launches, runs, info.name, info.kernel_driver,
                     totals.elements, totals.differing);
  return code;
}

}  // namespace

Exit cmd_diff(const Options& options, std::ostream& out, std::ostream& err) {
  const std::vector<std::string> files = script_files(options.files);
  if (files.empty()) {
    err << "tirx: diff found no .tx file in what it was given\n";
    return Exit::usage;
  }
  Result<cuda::Device> device = open_gpu(options);
  if (!device) {
    err << "tirx: diff compares with a GPU: " << device.error().text << '\n';
    for (const Note& note : device.error().notes) err << "  help: " << note.text << '\n';
    return Exit::incomplete;
  }
  Options one = options;
  one.target = device->info().target;
  nlohmann::json reports = nlohmann::json::array();
  Totals sum;
  Exit code = Exit::clean;
  std::size_t asked = 0;
  for (const std::string& file : files) {
    one.file = file;
    code = worse(code, diff_file(one, *device, reports, sum, out, err));
    ++asked;
    if (!device->usable()) break;  // nothing more can be asked of a lost device
  }
  if (options.json) {
    write_json(out, files.size() == 1 && !reports.empty()
                        ? reports[0]
                        : nlohmann::json{{"exit", static_cast<int>(code)},
                                         {"compared",
                                          {{"launches", sum.launches},
                                           {"elements", sum.elements},
                                           {"differing", sum.differing}}},
                                         {"files", reports}});
  } else if (files.size() > 1) {
    out << fmt::format("diff: {} of {} files, {} launches, {} elements compared, {} differ\n",
                       asked, files.size(), sum.launches, sum.elements, sum.differing);
  }
  leave_if_lost(*device, code, out, err);
  return code;
}

}  // namespace tirx::cli
