// What if one barrier, fence or wait were missing?  Each is deleted in turn from the scripts named,
// and the script runs with the race detector and a trace.  A launch must be reported exactly when
// the closure of the trace's happens-before has two conflicting accesses without an order; the
// script as it is must have none.
//
//   race_deletion FILE-OR-FOLDER…
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/engines.hpp"
#include "dsl/run_script.hpp"
#include "fuzz/agree/trace_closure.hpp"
#include "sim/race/trace.hpp"

namespace fs = std::filesystem;

namespace {

using namespace tirx;  // NOLINT(google-build-using-namespace)
using sim::race::Trace;

struct Totals {
  int launches = 0, racy = 0, skipped = 0, wrong = 0, by_chance = 0;
};

/// What a launch came to: the trace's verdict (or that it was too long for one), and the report.
struct Verdict {
  std::string kernel;
  bool judged = true, race = false;
  bool by_chance = false;  // a barrier of which who meets there is open: other reports are left out
  std::size_t nodes = 0;   // of the trace
};

/// The simulator.  With a trace its accesses go the long way; without one they take the paths that
/// users' runs take.  Both have to report what the trace says.
class Engine : public dsl::Engine {
 public:
  Engine(cli::Options& options, bool traced)
      : options_(options), traced_(traced), simulator_(options) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override {
    Trace trace;
    options_.sim.trace = traced_ ? &trace : nullptr;
    ir::LaunchOutcome outcome = simulator_.launch(kernel, args, call);
    options_.sim.trace = nullptr;
    Verdict verdict{kernel.name};
    for (const ir::Fault& fault : outcome.faults) {
      const bool race = fault.kind == ir::FaultKind::race;
      verdict.by_chance = verdict.by_chance || (race && fault.space.empty());
      verdict.race = verdict.race || race || fault.kind == ir::FaultKind::async;
    }
    reported.push_back(verdict);
    if (traced_) {
      verdict.nodes = trace.before().size();
      const std::optional<bool> race = fuzz::has_race(trace);
      verdict.judged = race.has_value();
      verdict.race = race.value_or(false);
      expected.push_back(verdict);
    }
    return outcome;
  }

  [[nodiscard]] bool checks(ir::FaultKind kind) const override {
    return kind == ir::FaultKind::race;
  }

  std::vector<Verdict> reported, expected;

 private:
  cli::Options& options_;
  bool traced_;
  cli::SimEngine simulator_;
};

/// Barriers, fences and waits, as they begin a line.
bool synchronises(std::string_view statement) {
  for (const char* word : {
           "T.cuda.cta_sync(",
           "T.cuda.warp_sync(",
           "T.cuda.warpgroup_sync(",
           "T.cuda.cluster_sync(",
           "T.cuda.thread_fence(",
           "T.cuda.mbarrier_wait(",
           "T.ptx.bar.",
           "T.ptx.barrier.",
           "T.ptx.fence.",
           "T.ptx.membar",
           "T.ptx.mbarrier.arrive.",
           "T.ptx.cp.async_.wait_group(",
           "T.ptx.cp.async_.commit_group(",
           "T.ptx.cp.async_.wait_all(",
           "T.ptx.cp.async_.mbarrier.",
           "T.ptx[\"cp.async.commit_group\"](",
           "T.ptx[\"cp.async.wait_group\"](",
           "T.ptx[\"cp.async.wait_all\"](",
           "T.tvm_storage_sync(",
       }) {
    if (statement.starts_with(word)) return true;
  }
  // Barriers as objects: full.wait(…), empty.arrive(…).
  const std::size_t dot = statement.find('.');
  if (dot == std::string_view::npos || statement.find_first_of(" =(") < dot) return false;
  const std::string_view method = statement.substr(dot + 1);
  return method.starts_with("wait(") || method.starts_with("arrive(");
}

/// Reads memory that other threads change.
bool polls(std::string_view text) {
  for (const char* word :
       {"ld.acquire", "ld.relaxed", "ld.volatile", "atom.", "atomic_", "try_wait", "test_wait"}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

/// A loop that waits for memory: it does nothing but read it again, in its condition or its body.
bool waits(const std::vector<std::string>& lines, std::size_t at) {
  const std::size_t indent = lines[at].find_first_not_of(' ');
  if (!std::string_view(lines[at]).substr(indent).starts_with("while ")) return false;
  bool found = polls(lines[at]);
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    const std::size_t inner = lines[i].find_first_not_of(' ');
    if (inner == std::string::npos || lines[i][inner] == '#') continue;
    if (inner <= indent) break;
    const std::string_view statement = std::string_view(lines[i]).substr(inner);
    if (polls(statement)) {
      found = true;
    } else if (!statement.starts_with("pass") &&
               statement.find("nanosleep") == std::string_view::npos) {
      return false;
    }
  }
  return found;
}

/// What stands instead of a line that is deleted; empty: it is no barrier, fence or wait, or goes
/// on in the next line.
std::string without(const std::vector<std::string>& lines, std::size_t at) {
  const std::string& line = lines[at];
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent == std::string::npos) return {};
  const std::string_view statement = std::string_view(line).substr(indent);
  const std::string code = line.substr(0, line.find('#'));
  if (std::count(code.begin(), code.end(), '(') != std::count(code.begin(), code.end(), ')')) {
    return {};
  }
  // Not entered.
  if (waits(lines, at)) return line.substr(0, indent) + "while False:";
  return synchronises(statement) ? line.substr(0, indent) + "pass" : std::string{};
}

/// Sizes at which traces are short enough to be judged: parts of a script's text, and what stands
/// there instead.
struct Smaller {
  std::string_view file, text, instead;
};

constexpr Smaller kSmaller[] = {
    {"10_gemm_f16_pipelined.tx", "(\"M\", 128), tirx.param(\"N\", 256), tirx.param(\"K\", 320)",
     "(\"M\", 64), tirx.param(\"N\", 64), tirx.param(\"K\", 192)"},
    {"10_gemm_f16_pipelined.tx", "(\"WARPS_M\", 2), tirx.param(\"WARPS_N\", 2)",
     "(\"WARPS_M\", 1), tirx.param(\"WARPS_N\", 1)"},
    {"11_gemm_int8.tx", "(\"M\", 128), tirx.param(\"N\", 128), tirx.param(\"K\", 512)",
     "(\"M\", 64), tirx.param(\"N\", 64), tirx.param(\"K\", 256)"},
    {"22_simt_block_scaled_gemm.tx", "check(39, 72, 300,", "check(17, 16, 70,"},
    {"22_simt_block_scaled_gemm.tx", "check(70, 40, 192,", "check(16, 17, 70,"},
    {"22_simt_block_scaled_gemm.tx", "check(20, 35, 96,", "check(17, 20, 40,"},
    {"22_simt_block_scaled_gemm.tx", "check(33, 50, 100,", "check(8, 16, 50,"},
    {"22_simt_block_scaled_gemm.tx", "check(130, 129, 136,", "check(16, 9, 30,"},
    {"23_grouped_gemm_simt.tx", "enumerate([20, 0, 7, 16])", "enumerate([5, 0, 7, 3])"},
    {"23_grouped_gemm_simt.tx", "G, N, K = 4, 40, 150", "G, N, K = 4, 16, 70"},
    {"24_swap_ab.tx", "M, N, K = 3, 192, 200", "M, N, K = 3, 64, 72"},
    {"25_fp8_block_scaled_gemm.tx", "(\"M\", 200), tirx.param(\"N\", 136), tirx.param(\"K\", 464)",
     "(\"M\", 64), tirx.param(\"N\", 64), tirx.param(\"K\", 272)"},
    {"25_fp8_block_scaled_gemm.tx", "(\"WARPS_M\", 2), tirx.param(\"WARPS_N\", 4)",
     "(\"WARPS_M\", 1), tirx.param(\"WARPS_N\", 1)"},
    {"26_order_of_operations.tx", "M, N, K = 40, 60, 300", "M, N, K = 17, 16, 130"},
    {"27_mma_sync_fp8_block_scaled.tx", "check(67, 150, 300,", "check(20, 18, 130,"},
    {"27_mma_sync_fp8_block_scaled.tx", "check(150, 140, 272,", "check(17, 20, 144,"},
    {"27_mma_sync_fp8_block_scaled.tx", "check(70, 37, 160,", "check(16, 20, 136,"},
};

/// The script's lines, at its small size; rows of the table that its text no longer has are said.
std::vector<std::string> read_lines(const fs::path& path, Totals& totals) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  std::array<bool, std::size(kSmaller)> used{};
  for (std::string line; std::getline(in, line);) {
    for (std::size_t i = 0; i < std::size(kSmaller); ++i) {
      const Smaller& smaller = kSmaller[i];
      if (path.filename() != smaller.file) continue;
      const std::size_t at = line.find(smaller.text);
      if (at == std::string::npos) continue;
      line.replace(at, smaller.text.size(), smaller.instead);
      used[i] = true;
    }
    lines.push_back(line);
  }
  for (std::size_t i = 0; i < std::size(kSmaller); ++i) {
    if (path.filename() != kSmaller[i].file || used[i]) continue;
    std::printf("%s has no text %s\n", path.c_str(), std::string(kSmaller[i].text).c_str());
    ++totals.wrong;
  }
  return lines;
}

/// Runs the script without line `deleted` (or as it is: -1).
void run(const fs::path& path, const std::vector<std::string>& lines, int deleted, Totals& totals) {
  std::ostringstream text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text << (static_cast<int>(i) == deleted ? without(lines, i) : lines[i]) << '\n';
  }
  const auto source = std::make_shared<const Source>(path.filename().string(), text.str());
  const auto launch_all = [&](bool traced) {
    cli::Options options;
    if (traced) options.sim.checks = sim::CheckSet::none().with(ir::FaultKind::race);
    options.sim.max_steps = 2'000'000;
    auto engine = std::make_unique<Engine>(options, traced);
    dsl::ScriptOptions script;
    script.folder = path.parent_path().string();
    script.output = [](std::string_view) {};
    static_cast<void>(dsl::run_script(source, *engine, script));
    return std::pair(engine->reported, engine->expected);
  };
  const auto [slow, expected] = launch_all(true);
  const auto [fast, none] = launch_all(false);
  const auto differ = [&](const std::string& kernel, const char* text_of) {
    ++totals.wrong;
    std::printf("  %s, line %d deleted, kernel %s: %s\n", path.filename().string().c_str(),
                deleted + 1, kernel.c_str(), text_of);
  };
  if (slow.size() != fast.size()) differ("?", "the two runs have different launches");
  for (std::size_t i = 0; i < std::min(expected.size(), fast.size()); ++i) {
    const Verdict& verdict = expected[i];
    if (!verdict.judged) {
      ++totals.skipped;
      std::printf("  %s, line %d deleted, kernel %s: not judged, a trace of %zu nodes\n",
                  path.filename().string().c_str(), deleted + 1, verdict.kernel.c_str(),
                  verdict.nodes);
      continue;
    }
    ++totals.launches;
    totals.racy += verdict.race ? 1 : 0;
    const char* says = verdict.race ? "the closure has a race, the report has none"
                                    : "the report has a race, the closure has none";
    for (const Verdict& report : {slow[i], fast[i]}) {
      if (report.by_chance && deleted >= 0) {
        ++totals.by_chance;
      } else if (report.race != verdict.race) {
        differ(verdict.kernel, says);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      if (entry.path().extension() == ".tx") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  Totals intact, broken;
  int deletions = 0;
  for (const fs::path& file : files) {
    const std::vector<std::string> lines = read_lines(file, intact);
    // Scripts that are about a fault are not correct ones.
    const bool faulty = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("expect_fault") != std::string::npos;
    });
    if (faulty) continue;
    run(file, lines, -1, intact);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (without(lines, i).empty()) continue;
      if (i > 0 && waits(lines, i - 1)) continue;  // left out with its loop
      ++deletions;
      run(file, lines, static_cast<int>(i), broken);
    }
  }
  std::printf(
      "%zu scripts: %d launches, %d with races, %d not judged (more than %zu nodes, or polled to "
      "the end)\n",
      files.size(), intact.launches, intact.racy, intact.skipped, fuzz::kMostNodes);
  std::printf(
      "%d deletions: %d launches, %d with races, %d not judged, %d reports of barriers; %d "
      "verdicts differ\n",
      deletions, broken.launches, broken.racy, broken.skipped, broken.by_chance,
      intact.wrong + broken.wrong);
  // Correct scripts have no races, and some deletions make some; nearly all were judged.
  const int launches = intact.launches + broken.launches;
  const bool judged = launches > 0 && 50 * (intact.skipped + broken.skipped) < launches;
  return judged && intact.racy == 0 && intact.wrong + broken.wrong == 0 && broken.racy > 0 ? 0 : 1;
}
