// tirx run: a script on the simulator, or on the GPU.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/engines.hpp"
#include "cli/kernel_launch.hpp"
#include "cli/stats_report.hpp"
#include "cli/verbs.hpp"

namespace tirx::cli {

namespace {

std::unique_ptr<dsl::Engine> make_engine(const Options& options,
                                         std::optional<cuda::Device>& gpu,
                                         std::ostream& err) {
  if (options.engine == EngineKind::sim) return std::make_unique<SimEngine>(options);
  Result<cuda::Device> device = open_gpu(options);
  if (!device) {
    err << "tirx: " << device.error().text << '\n';
    for (const Note& note : device.error().notes) err << "  help: " << note.text << '\n';
    return nullptr;
  }
  gpu = *device;
  return std::make_unique<GpuEngine>(options, std::move(device).value());
}

}  // namespace

Exit cmd_run(const Options& options, std::ostream& out, std::ostream& err) {
  SourceRef source = read_script(options, err);
  if (source && !options.kernel.empty()) source = with_launch(source, options, err);
  if (!source) return Exit::usage;
  std::optional<cuda::Device> gpu;
  const std::unique_ptr<dsl::Engine> engine = make_engine(options, gpu, err);
  if (!engine) return Exit::incomplete;
  dsl::ScriptOptions script = script_options(options);
  script.saves_in_memory = false;
  std::string printed;
  script.output = [&](std::string_view text) {
    if (options.json) {
      printed += text;
    } else {
      out << text << std::flush;
    }
  };
  const dsl::ScriptResult result = dsl::run_script(source, *engine, script);
  if (options.json) {
    write_json(out, result_json(options, *source, result, printed));
  } else {
    if (options.sim.stats) out << stats_text(*source, result) << std::flush;
    print_result(*source, result, err);
    // Where not all checks look, tirx.expect_fault launches nothing, and that is meant.
    const bool all_checks =
        options.engine == EngineKind::sim && options.sim.checks.has(ir::FaultKind::race);
    if (all_checks && result.launches.empty() && !result.kernels.empty() &&
        verdict(result) == Exit::clean) {
      err << fmt::format(
          "{}: note: no kernel was launched: call {}(…) in the script, or name it: --kernel {}\n",
          source->name(), result.kernels[0]->name, result.kernels[0]->name);
    }
  }
  if (gpu) leave_if_lost(*gpu, verdict(result), out, err);
  return verdict(result);
}

}  // namespace tirx::cli
