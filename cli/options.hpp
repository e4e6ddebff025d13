// What did the user ask for on the command line?
#pragma once

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "dsl/run_script.hpp"
#include "ir/target.hpp"
#include "sim/simulate.hpp"

namespace tirx::cli {

enum class Verb : std::uint8_t { run, emit, explain, diff, test, fuzz, mutate, ops };

enum class EmitForm : std::uint8_t { cuda, ir, tile_ir };

enum class EngineKind : std::uint8_t { sim, cuda, available };

/// What `tirx fuzz` is asked for beyond the simulator's options.
struct FuzzChoices {
  std::int64_t programs = 500;
  std::int64_t shard = 0, shards = 1;
  int batch = 50;
  int max_findings = 5;
  double seconds = 0;  // 0: as long as it takes
  double reduce_seconds = 60;
  bool coverage = false;      // what the programs use, without running them
  std::int64_t at_least = 0;  // programs for each operation, instruction and variant that is used
  bool every = false;         // all of them must be used
  std::string reduce;         // a script to check and to shorten
  std::vector<std::string> corpus;  // scripts and folders of scripts, before the random programs
  bool keep = false;                // findings as they are, not reduced
  bool negative = false;            // remove one barrier, fence or wait from each program
  bool print = false;               // only print the program of the seed
  std::string folder = "fuzz-found";
};

struct Options {
  Verb verb = Verb::run;
  std::string file;
  std::vector<std::string> files;      // verbs that take several, and folders
  const ir::Target* target = nullptr;  // null: not said (the default, or the device's)
  sim::SimOptions sim;
  EngineKind engine = EngineKind::sim;
  std::map<std::string, std::string> set;
  bool json = false;
  bool allow_outside = false;
  bool allow_raw_cuda = false;
  bool nan_bits = false;
  double timeout_seconds = 10;
  double max_seconds = 0;              // of a launch on the simulator; 0: no limit
  bool progress = false;               // a line on a terminal while a launch takes long
  std::vector<std::string> arguments;  // run --kernel: NAME=VALUE
  // emit
  EmitForm form = EmitForm::cuda;
  std::string kernel;  // empty: all
  std::string output;  // empty: standard output
  bool line_directives = false;
  bool kernels_alone = false;  // without helpers and launchers
  // diff
  int repeat = 1;
  std::vector<std::string> ptxas_levels;  // "O0", "O3"
  // test
  std::uint64_t max_tile_steps = 20'000'000;  // statements of the tile-level evaluator, per launch
  FuzzChoices fuzz;
  // mutate
  std::vector<std::string> only;  // words of kinds; empty: all
  bool list = false;              // the mutations, without running them
  // ops
  bool markdown = false;

  [[nodiscard]] const ir::Target& arch() const {
    return target != nullptr ? *target : ir::default_target();
  }
};

/// The options, or the exit code of a command line that is only a question (--help) or wrong; what
/// the user then reads has been written.
[[nodiscard]] std::variant<Options, int> parse_options(const std::vector<std::string>& args,
                                                       std::ostream& out,
                                                       std::ostream& err);

}  // namespace tirx::cli
