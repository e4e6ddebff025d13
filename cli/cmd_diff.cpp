// tirx diff: simulator and GPU in lockstep.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/engines.hpp"
#include "cli/verbs.hpp"

namespace tirx::cli {

namespace {

struct Totals {
  std::int64_t launches = 0;
  std::int64_t elements = 0;
  std::int64_t differing = 0;
};

Totals add_up(const std::vector<Comparison>& comparisons) {
  Totals totals;
  for (const Comparison& one : comparisons) {
    totals.launches += one.ran_on_gpu ? 1 : 0;
    totals.elements += one.elements;
    totals.differing += one.differing;
  }
  return totals;
}

}  // namespace

Exit cmd_diff(const Options& options, std::ostream& out, std::ostream& err) {
  const SourceRef source = read_script(options, err);
  if (!source) return Exit::usage;
  Result<cuda::Device> device = open_gpu(options);
  if (!device) {
    err << "tirx: diff compares with a GPU: " << device.error().text << '\n';
    for (const Note& note : device.error().notes) err << "  help: " << note.text << '\n';
    return Exit::incomplete;
  }
  const cuda::DeviceInfo info = device->info();
  const cuda::Device gpu = *device;  // a handle: the engine has the other one
  DiffEngine engine(options, std::move(device).value());
  dsl::ScriptOptions script = script_options(options);
  script.target = info.target;
  std::string printed;
  script.output = [&](std::string_view text) { printed += text; };
  dsl::ScriptResult result = dsl::run_script(source, engine, script);
  const DiagnosticList& found = engine.differences();
  result.differences.insert(result.differences.end(), found.begin(), found.end());
  const Totals totals = add_up(engine.comparisons());
  Exit code = verdict(result);
  // Nothing compared is no agreement.
  if (code == Exit::clean && totals.elements == 0) code = Exit::incomplete;
  if (options.json) {
    nlohmann::json report = result_json(options, *source, result, printed);
    report["exit"] = static_cast<int>(code);
    report["device"] = {
        {"name", info.name}, {"arch", info.target->name}, {"driver", info.kernel_driver}};
    report["compared"] = {{"launches", totals.launches},
                          {"elements", totals.elements},
                          {"differing", totals.differing}};
    write_json(out, report);
    leave_if_lost(gpu, code, out, err);
    return code;
  }
  print_result(*source, result, err);
  out << fmt::format("diff: {}: {} launches on {} (driver {}), {} elements compared, {} differ\n",
                     source->name(), totals.launches, info.name, info.kernel_driver,
                     totals.elements, totals.differing);
  leave_if_lost(gpu, code, out, err);
  return code;
}

}  // namespace tirx::cli
