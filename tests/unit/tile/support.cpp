#include "tests/unit/tile/support.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "dsl/run_script.hpp"
#include "lower/lower.hpp"
#include "lower/print.hpp"
#include "numerics/convert.hpp"
#include "sim/simulate.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"

namespace tirx::testing {

const char* const kTileImports = R"(from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, laneid, warpid, tid_in_wg, wid_in_wg, tx
import tirx

)";

namespace {

class BothEngines : public dsl::Engine {
 public:
  explicit BothEngines(TileRun& run) : run_(run) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    ++run_.launches;
    ir::LaunchOutcome outcome;
    const Result<lower::LoweredKernel> lowered = lower::lower(kernel, ir::default_target());
    if (!lowered) {
      outcome.status = ir::LaunchStatus::refused;
      outcome.diagnostics.push_back(lowered.error());
      return outcome;
    }
    run_.thread_ir = lower::to_string(*lowered);
    for (const Diagnostic& warning : lowered->warnings) run_.warnings += warning.text + "\n";
    run_.notes.insert(run_.notes.end(), lowered->dispatch.begin(), lowered->dispatch.end());
    std::vector<ir::Argument> copies;
    for (const ir::Argument& arg : args) {
      copies.push_back(arg);
      if (auto* tensor = std::get_if<ir::Tensor>(&copies.back())) {
        tensor->memory = std::make_shared<ir::Memory>(*tensor->memory);
      }
    }
    outcome = sim::simulate(*lowered, args);
    const ir::LaunchOutcome second = sim::tile_evaluate(kernel, copies);
    REQUIRE_MESSAGE(second.status == ir::LaunchStatus::ok,
                    (second.diagnostics.empty() ? std::string("evaluator: not ok")
                                                : second.diagnostics[0].text));
    run_.faults.insert(run_.faults.end(), outcome.faults.begin(), outcome.faults.end());
    if (outcome.faults.size() != second.faults.size()) {
      const auto& more = outcome.faults.empty() ? second.faults : outcome.faults;
      FAIL_CHECK("simulator: ", outcome.faults.size(), " faults, evaluator: ", second.faults.size(),
                 "; ", more[0].text, "\n", run_.thread_ir);
    }
    run_.tensors.clear();
    for (std::size_t i = 0; i < args.size(); ++i) {
      const auto* tensor = std::get_if<ir::Tensor>(&args[i]);
      if (tensor == nullptr) continue;
      run_.tensors.push_back(*tensor);
      compare(kernel, i, *tensor->memory, *std::get<ir::Tensor>(copies[i]).memory);
    }
    return outcome;
  }

  [[nodiscard]] bool checks(ir::FaultKind) const override { return true; }

 private:
  void compare(const ir::Kernel& kernel, std::size_t i, const ir::Memory& a, const ir::Memory& b) {
    for (std::size_t k = 0; k < a.bytes.size(); ++k) {
      const bool valid = a.is_valid(k, k + 1);
      if (valid == b.is_valid(k, k + 1) && (!valid || a.bytes[k] == b.bytes[k])) continue;
      FAIL("simulator and evaluator differ: ", kernel.name, ", byte ", k, " of ",
           kernel.params[i].name);
    }
    run_.compared += static_cast<std::int64_t>(a.bytes.size());
  }

  TileRun& run_;
};

/// Writes the script to the folder that TIRX_DUMP_SCRIPTS names, to be run on a GPU as well
/// (tests/device/check).  The name starts with a hash of the text: a script that several tests run
/// is there once, and in the order of names long and short ones alternate.
void dump(const std::string& script) {
  const char* const folder = std::getenv("TIRX_DUMP_SCRIPTS");
  if (folder == nullptr) return;
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : script) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  const auto& test = *doctest::getContextOptions()->currentTest;
  const std::filesystem::path from(test.m_file.c_str());
  const std::filesystem::path to =
      std::filesystem::path(folder) / fmt::format("{:016x}_{}.tx", hash, from.stem().string());
  std::ofstream file(to, std::ios::binary);
  file << fmt::format("# {}: {}\n", from.filename().string(), test.m_name) << script;
  file.flush();
  REQUIRE_MESSAGE(file.good(), "cannot write ", to.string());
}

}  // namespace

TileRun run_tiles(const std::string& script) {
  TileRun run;
  BothEngines engine(run);
  const auto source = std::make_shared<const Source>("test.tx", script);
  const dsl::ScriptResult result = dsl::run_script(source, engine);
  const auto add = [&](const DiagnosticList& diagnostics) {
    for (const Diagnostic& d : diagnostics) {
      if (d.severity != Severity::error) {
        run.warnings += d.text + "\n";
        continue;
      }
      run.errors += fmt::format("{}: {}\n", source->where_line(d.span), d.text);
      for (const Note& note : d.notes) run.errors += "  " + note.text + "\n";
    }
  };
  add(result.diagnostics);
  add(result.differences);
  for (const dsl::LaunchRecord& launch : result.launches) {
    if (launch.outcome.status != ir::LaunchStatus::ok) add(launch.outcome.diagnostics);
  }
  // A faulty launch promises nothing on a GPU.
  if (run.errors.empty() && run.faults.empty() && run.launches > 0) dump(script);
  return run;
}

num::Bits element(const ir::Tensor& tensor, std::int64_t index) {
  return num::load_element(reinterpret_cast<const std::uint8_t*>(tensor.memory->bytes.data()),
                           static_cast<std::size_t>(tensor.offset + index), tensor.dtype);
}

bool is_written(const ir::Tensor& tensor, std::int64_t index) {
  const auto bytes = static_cast<std::size_t>(num::bytes(tensor.dtype));
  const auto at = static_cast<std::size_t>(tensor.offset + index) * bytes;
  return tensor.memory->is_valid(at, at + bytes);
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& by) {
  for (const auto& [from, to] : by) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

}  // namespace tirx::testing
