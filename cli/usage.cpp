#include "cli/usage.hpp"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dsl/eval/error.hpp"
#include "ir/target.hpp"

namespace tirx::cli {

namespace {

struct Example {
  std::string_view verb, command, meaning;
  bool in_overview = true;  // `tirx --help` too
};

constexpr Example kExamples[] = {
    {"run", "run examples/01_copy_round_trip.tx", "run a script on the simulator, all checks on"},
    {"run", "run script.tx --set N=512 --check mem", "another size, fewer checks"},
    {"run", "run script.tx --kernel k --arg n=256", "one kernel, with tensors made for it", false},
    {"run", "run script.tx --device cuda", "the same on the GPU", false},
    {"emit", "emit --cuda script.tx -o kernels.cu", "CUDA C++ of every kernel the script launches"},
    {"emit", "emit --ir --kernel k script.tx", "one kernel as the simulator reads it", false},
    {"explain", "explain script.tx", "which variant each tile operation took, and why"},
    {"explain", "explain cutlass3x_sm100_tensorop_gemm_…", "the fields of a kernel's name", false},
    {"diff", "diff script.tx", "simulator against the GPU, bit for bit"},
    {"diff", "diff script.tx --ptxas O0,O3 --repeat 10", "further opinions of the GPU", false},
    {"test", "test scripts/ more.tx", "every opinion there is on each script, one verdict"},
    {"test", "test --format json scripts/", "the same for a program to read", false},
    {"fuzz", "fuzz --count 1000", "random programs that must agree with themselves"},
    {"fuzz", "fuzz --corpus kernels/ --count 2000", "your scripts first, then random programs",
     false},
    {"fuzz", "fuzz --print --seed 7", "the program of a seed", false},
    {"fuzz", "fuzz --negative", "programs without one barrier: the checks must speak", false},
    {"mutate", "mutate script.tx", "break its kernels; what catches it?"},
    {"mutate", "mutate script.tx --only scales,barrier", "some kinds of mutation", false},
    {"mutate", "mutate script.tx --list", "what would be changed, place by place", false},
    {"mutate", "mutate --list", "the kinds of mutation there are", false},
    {"ops", "ops --markdown", "the table as it stands in a page", false},
};

/// What a verb's output means, where its examples do not say it.
constexpr std::pair<std::string_view, std::string_view> kNotes[] = {
    {"fuzz", R"(
--corpus: a script with `# run: run %s`, `# exit: 1` and `#> line` lines must print and end so; without
a `# run:` line it must run clean.  Of every launch without an error all opinions must agree.
)"},
    {"mutate", R"(
Each line is one change of a kernel's text: where, which kind, what noticed it, before -> after.
  caught          by a fault of the checks and its element, by an assertion, by the host's check of
                  what was never written, by a refusal, or because the kernel does not end
  NOT CAUGHT      some tensor ends with other bytes and nothing noticed: the script's assertions have
                  a hole, or a tolerance that is too wide.  The exit code is then 3
  no effect here  every tensor ends with the same bytes: the change means nothing, or the inputs
                  cannot show it (equal scales, one block along K, symmetric data)
)"},
};

constexpr std::string_view kRest = R"(
Exit codes: 0 clean, 1 a fault was found, 2 usage or script error, 3 values differ,
            4 incomplete (unsupported, step limit, no GPU), 5 an error of tirx itself.
Documentation: docs/language.md, docs/command.md.)";

const CLI::App* parsed_verb(const CLI::App& app) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  return verbs.empty() ? nullptr : verbs[0];
}

/// "run has no option --devise (did you mean '--device'?)" for the first that it does not have.
std::string unknown_option(const CLI::App& verb, const std::vector<std::string>& args) {
  for (const std::string& arg : args) {
    const std::string name = arg.substr(0, arg.find('='));
    if (name.size() < 2 || name[0] != '-' || verb.get_option_no_throw(name) != nullptr) continue;
    std::vector<std::string> known;
    for (const CLI::Option* option : verb.get_options()) {
      for (const std::string& word : option->get_lnames()) known.push_back("--" + word);
    }
    return fmt::format("{} has no option {}{}", verb.get_name(), name,
                       dsl::did_you_mean(name, known));
  }
  return {};
}

}  // namespace

std::string help_footer(std::string_view verb) {
  std::string out;
  for (const auto& [name, note] : kNotes) {
    if (name == verb) out += note;
  }
  out += "\nExamples:\n";
  for (const Example& example : kExamples) {
    if (verb.empty() ? !example.in_overview : example.verb != verb) continue;
    out += fmt::format("  tirx {:<43} {}\n", example.command, example.meaning);
  }
  return out + std::string(kRest);
}

std::string usage_error(const CLI::App& app,
                        const CLI::Error& error,
                        const std::vector<std::string>& args) {
  const CLI::App* verb = parsed_verb(app);
  if (verb == nullptr) {
    return "tirx: say what to do: run, emit, explain, diff, test, fuzz, mutate or ops "
           "(tirx --help)\n";
  }
  std::string text;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) text = unknown_option(*verb, args);
  if (text.empty()) text = error.what();
  return fmt::format("tirx: {} (tirx {} --help)\n", text, verb->get_name());
}

std::string nearest_target(std::string_view wrong) {
  std::vector<std::string> names;
  for (const ir::Target& target : ir::targets()) {
    names.emplace_back(target.name);
    if (!wrong.empty() && target.name.starts_with(wrong)) {  // sm_90
      return fmt::format(" (did you mean '{}'?)", target.name);
    }
  }
  return dsl::did_you_mean(wrong, names);
}

}  // namespace tirx::cli
