#include "cli/options.hpp"

#include <algorithm>
#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/report.hpp"
#include "cli/usage.hpp"

namespace tirx::cli {

namespace {

constexpr const char* kAbout =
    "tirx: GPU tile kernels that run bit-exactly on this machine, are checked while they run, and "
    "become CUDA.";

constexpr std::uint64_t kLargest = UINT64_MAX;
constexpr double kLongest = 1e9;  // seconds

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A whole number within limits; CLI11 would take -1 for 2^64 - 1, and cut what is larger.
CLI::Validator whole(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [=](std::string& text) {
        const auto value = whole_number<std::uint64_t>(text);
        return value && low <= *value && *value <= high
                   ? std::string()
                   : fmt::format("write a whole number from {} to {}, not {}", low, high, text);
      },
      high == kLargest ? std::string() : fmt::format("INT in [{} - {}]", low, high), "whole");
}

std::string target_names() {
  std::string names;
  for (const ir::Target& target : ir::targets())
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

/// Everything that is text on the command line and needs a second look.
struct Raw {
  std::string arch;
  std::string check = "all";
  std::string device = "sim";
  std::string schedule = "roundrobin";
  std::string async = "eager";
  std::string format = "text";
  std::string shard = "0/1";
  std::vector<std::string> set;
  bool cuda = false;
  bool ir = false;
  bool tile_ir = false;
};

void add_common_options(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("--arch", raw.arch, "Architecture: " + target_names() + " (default sm_90a)");
  app.add_option("--set", raw.set, "NAME=VALUE: overrides tirx.param(\"NAME\", …)")
      ->allow_extra_args(false);
  app.add_option("--format", raw.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--allow-outside", options.allow_outside,
               "Let the script read and write outside of its folder");
}

void add_script_options(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("FILE", options.file, "The script")->required();
  add_common_options(app, options, raw);
}

void add_sim_options(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("--check", raw.check, "all, mem, none, or a list of fault kinds: bounds,uninit,…");
  app.add_option("--schedule", raw.schedule, "Order of the warps")
      ->check(CLI::IsMember({"roundrobin", "reverse", "random"}));
  app.add_option("--seed", options.sim.seed,
                 "Seed of what is unspecified by design (elected lane, random schedule)")
      ->check(whole(0, kLargest));
  app.add_option("--async", raw.async,
                 "When asynchronous copies move their bytes: at issue, or as late as is legal")
      ->check(CLI::IsMember({"eager", "lazy"}));
  app.add_option("--threads", options.sim.threads, "Host threads (0: as many as the machine has)")
      ->check(whole(0, 1024));
  app.add_option("--max-steps", options.sim.max_steps,
                 "Warp instructions per launch before it counts as incomplete")
      ->check(whole(1, kLargest));
  app.add_option("--max-faults", options.sim.max_faults, "Distinct faults that are listed")
      ->check(whole(1, 1000));
  app.add_option("--resident", options.sim.resident,
                 "CTAs at a time (0: as many as the architecture holds)")
      ->check(whole(0, 1'000'000));
}

void add_gpu_options(CLI::App& app, Options& options) {
  app.add_option("--timeout", options.timeout_seconds,
                 "Seconds after which a kernel on the GPU is given up");
  app.add_flag("--allow-raw-cuda", options.allow_raw_cuda,
               "Run kernels with T.cuda.func_call on the GPU");
}

void add_fuzz_options(CLI::App& app, Options& options, Raw& raw) {
  FuzzChoices& fuzz = options.fuzz;
  app.add_option("--count", fuzz.programs, "Programs (default 500)")
      ->check(whole(1, 1'000'000'000));
  app.add_option("--seed", options.sim.seed, "Seed of the first program (default 0)")
      ->check(whole(0, kLargest));
  app.add_option("--shard", raw.shard, "i/n: this process takes every n-th program, from the i-th");
  app.add_option(
      "--corpus", fuzz.corpus,
      "Scripts, and folders of scripts, before the random programs; they count as programs");
  app.add_option("--seconds", fuzz.seconds, "Stop after so long (0: no limit)");
  app.add_option("--reduce-seconds", fuzz.reduce_seconds,
                 "For shortening a finding; with --seconds, for all of them (default 60)");
  app.add_flag("--coverage", fuzz.coverage,
               "Do not run the programs: how many use each operation, instruction, variant");
  app.add_option("--at-least", fuzz.at_least,
                 "Exit code 3 where one that is used at all occurs in fewer programs")
      ->check(whole(0, 1'000'000'000));
  app.add_flag("--every", fuzz.every, "Exit code 3 where one is in no program");
  app.add_option("--reduce", fuzz.reduce, "Check this script as a random one, and shorten it");
  app.add_option("--batch", fuzz.batch, "Programs per process")->check(whole(1, 100000));
  app.add_option("--max-findings", fuzz.max_findings, "Then stop")->check(whole(1, 10000));
  app.add_option("--found", fuzz.folder, "Folder for what is found (default fuzz-found)");
  app.add_flag("--keep", fuzz.keep, "Write findings as they are, without reducing them");
  app.add_flag("--negative", fuzz.negative,
               "Remove one barrier, fence or wait from each program: the checks must speak");
  app.add_flag("--print", fuzz.print, "Only print the program of the seed");
  app.add_option("--arch", raw.arch, "Architecture: " + target_names() + " (default sm_90a)");
  app.add_option("--format", raw.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_option("--check", raw.check, "all, mem, none, or a list of fault kinds");
  app.add_option("--device", raw.device, "sim, or cuda: the GPU's opinion too")
      ->check(CLI::IsMember({"sim", "cuda"}));
  add_gpu_options(app, options);
}

void add_mutate_options(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("FILE", options.file, "The script; not needed by --list");
  add_common_options(app, options, raw);
  add_sim_options(app, options, raw);
  app.add_option("--only", options.only,
                 "Only the kinds whose name or subject has these words: --only barrier,scales")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--list", options.list,
               "Run nothing: the kinds of mutation, or those that FILE has, place by place");
}

bool is_verb(const CLI::App& app, const std::string& word) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == word) return true;
  }
  return false;
}

std::optional<std::string> resolve(Options& options, const Raw& raw) {
  if (!raw.arch.empty()) {
    options.target = ir::find_target(raw.arch);
    if (options.target == nullptr)
      return fmt::format("--arch {}: unknown{}; known are {}", raw.arch, nearest_target(raw.arch),
                         target_names());
  }
  const auto checks = sim::CheckSet::parse(raw.check);
  if (!checks)
    return fmt::format(
        "--check {}: write all, mem, none, or a list of fault kinds such as bounds,uninit",
        raw.check);
  if (!(options.timeout_seconds > 0 && options.timeout_seconds <= kLongest)) {
    return fmt::format("--timeout {}: write a number of seconds above 0, at most {}",
                       options.timeout_seconds, kLongest);
  }
  for (const auto& [name, seconds] : {std::pair("--seconds", options.fuzz.seconds),
                                      {"--reduce-seconds", options.fuzz.reduce_seconds},
                                      {"--max-seconds", options.max_seconds}}) {
    if (seconds >= 0 && seconds <= kLongest) continue;
    return fmt::format("{} {}: write a number of seconds from 0 to {}", name, seconds, kLongest);
  }
  options.sim.checks = *checks;
  options.sim.schedule = raw.schedule == "reverse"  ? sim::Schedule::reverse
                         : raw.schedule == "random" ? sim::Schedule::random
                                                    : sim::Schedule::roundrobin;
  options.sim.async = raw.async == "lazy" ? sim::AsyncPolicy::lazy : sim::AsyncPolicy::eager;
  options.engine = raw.device == "cuda"   ? EngineKind::cuda
                   : raw.device == "auto" ? EngineKind::available
                                          : EngineKind::sim;
  options.json = raw.format == "json";
  for (const std::string& item : raw.set) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      return fmt::format("--set {}: write NAME=VALUE", item);
    if (!options.set.emplace(item.substr(0, equals), item.substr(equals + 1)).second)
      return fmt::format("--set {}: {} is set twice", item, item.substr(0, equals));
  }
  if (options.verb == Verb::mutate && options.file.empty() && !options.list) {
    return "mutate: say which script, or --list for the kinds of mutation";
  }
  if (options.verb == Verb::run && options.kernel.empty() && !options.arguments.empty()) {
    return "--arg gives an argument of the kernel that --kernel names";
  }
  if (options.sim.stats && options.engine == EngineKind::cuda) {
    return "--stats counts on the simulator, not with --device cuda";
  }
  if (!options.fuzz.corpus.empty()) {
    const FuzzChoices& fuzz = options.fuzz;
    for (const auto& [chosen, name] : {std::pair(fuzz.negative, "--negative"),
                                       {fuzz.coverage, "--coverage"},
                                       {fuzz.print, "--print"},
                                       {!fuzz.reduce.empty(), "--reduce"}}) {
      if (chosen) return fmt::format("--corpus and {} exclude each other", name);
    }
  }
  const std::size_t slash = std::min(raw.shard.find('/'), raw.shard.size());
  const std::string_view both = raw.shard;
  const auto shard = whole_number<std::int32_t>(both.substr(0, slash));
  const auto shards = whole_number<std::int32_t>(both.substr(std::min(slash + 1, both.size())));
  if (!shard || !shards || *shard < 0 || *shard >= *shards)
    return fmt::format("--shard {}: write i/n with 0 <= i < n", raw.shard);
  options.fuzz.shard = *shard;
  options.fuzz.shards = *shards;
  if (options.verb == Verb::emit) {
    std::vector<std::string> forms;
    if (raw.cuda) forms.emplace_back("--cuda");
    if (raw.ir) forms.emplace_back("--ir");
    if (raw.tile_ir) forms.emplace_back("--tile-ir");
    if (forms.empty()) return "say what to emit: --cuda, --ir or --tile-ir";
    if (forms.size() > 1) {
      return fmt::format("{} and {} exclude each other: one form at a time", forms[0], forms[1]);
    }
    for (const auto& [chosen, name] :
         {std::pair(options.kernels_alone, "--short"), {options.line_directives, "--line"}}) {
      if (chosen && !raw.cuda) return fmt::format("{} is about CUDA; {} has none", name, forms[0]);
    }
    options.form = raw.cuda ? EmitForm::cuda : raw.ir ? EmitForm::ir : EmitForm::tile_ir;
  }
  return std::nullopt;
}

}  // namespace

std::variant<Options, int> parse_options(const std::vector<std::string>& args,
                                         std::ostream& out,
                                         std::ostream& err) {
  Options options;
  Raw raw;
  CLI::App app{kAbout, "tirx"};
  app.footer(help_footer(""));
  app.require_subcommand(1);
  app.set_version_flag("--version", "tirx " TIRX_VERSION);

  CLI::App* run =
      app.add_subcommand("run", "Run a script: on the simulator with its checks, or on the GPU");
  add_script_options(*run, options, raw);
  add_sim_options(*run, options, raw);
  add_gpu_options(*run, options);
  run->add_option("--kernel", options.kernel,
                  "Launch this kernel of a script that only defines it; see --arg");
  run->add_option("--arg", options.arguments,
                  "NAME=VALUE for a parameter of --kernel: a number, random(seed=1), zeros(), "
                  "arange(), full(3), load(\"x.npy\"); or the size of a symbolic dimension")
      ->allow_extra_args(false);
  run->add_option("--max-seconds", options.max_seconds,
                  "Seconds per launch before it counts as incomplete (0: no limit)");
  run->add_flag("--stats", options.sim.stats,
                "Count instructions, bank conflicts, sectors and barrier waits, by line");
  run->add_option("--device", raw.device, "sim or cuda")->check(CLI::IsMember({"sim", "cuda"}));

  CLI::App* emit =
      app.add_subcommand("emit", "Print the kernels a script launches, as CUDA C++ or as IR");
  add_script_options(*emit, options, raw);
  emit->add_flag("--cuda", raw.cuda, "CUDA C++: one self-contained file, with a host launcher");
  emit->add_flag("--ir", raw.ir, "Thread IR, what simulator and CUDA are made from");
  emit->add_flag("--tile-ir", raw.tile_ir, "Tile IR, what the script says");
  emit->add_option("--kernel", options.kernel, "Only the kernel of this name");
  emit->add_option("-o,--output", options.output, "Where to write (default: standard output)")
      ->check([](const std::string& path) {
        return path.empty() ? std::string("write the name of a file") : std::string();
      });
  emit->add_flag("--line", options.line_directives,
                 "#line directives, so that compilers point at the script");
  emit->add_flag("--short", options.kernels_alone,
                 "With --cuda: without helpers and launchers, for reading");

  CLI::App* explain = app.add_subcommand(
      "explain",
      "How each tile operation was lowered, and which variants refused why; or the "
      "fields of a CUTLASS kernel's name");
  explain->add_option("FILE", options.file, "The script, or the name of a CUTLASS kernel")
      ->required();
  add_common_options(*explain, options, raw);

  CLI::App* diff = app.add_subcommand(
      "diff", "Run simulator and GPU in lockstep and compare every written tensor bit for bit");
  diff->add_option("FILE", options.files, "Scripts, and folders of scripts")->required();
  add_common_options(*diff, options, raw);
  diff->add_option("--repeat", options.repeat, "Launches on the GPU of each launch of the script")
      ->check(whole(1, 10000));
  diff->add_option("--ptxas", options.ptxas_levels,
                   "Further opinions: compiled with these levels of ptxas (O0, O1, O2, O3)")
      ->delimiter(',')
      ->check(CLI::IsMember({"O0", "O1", "O2", "O3"}));
  add_sim_options(*diff, options, raw);
  add_gpu_options(*diff, options);
  diff->add_flag("--nan-bits", options.nan_bits, "Compare the bits of NaNs too");

  CLI::App* test = app.add_subcommand(
      "test", "Ask every opinion about scripts: tile-level evaluator, schedules, seeds, GPU");
  test->add_option("FILE", options.files, "Scripts, and folders of scripts")->required();
  add_common_options(*test, options, raw);
  add_sim_options(*test, options, raw);
  add_gpu_options(*test, options);
  test->add_option("--device", raw.device, "auto: the GPU too, where there is one; sim; cuda")
      ->check(CLI::IsMember({"auto", "sim", "cuda"}));
  test->add_option("--max-tile-steps", options.max_tile_steps,
                   "Statements of the tile-level evaluator per launch before it is left out")
      ->check(whole(0, kLargest));
  test->add_flag("--nan-bits", options.nan_bits, "Compare the bits of NaNs with the GPU's too");

  CLI::App* fuzz = app.add_subcommand(
      "fuzz", "Random valid programs, every opinion on each; what fails is reduced");
  add_fuzz_options(*fuzz, options, raw);

  CLI::App* mutate = app.add_subcommand(
      "mutate", "Break the kernels in known ways: what do checks and assertions catch?");
  add_mutate_options(*mutate, options, raw);

  CLI::App* ops =
      app.add_subcommand("ops", "Every operation, its architectures, and how sure its bits are");
  ops->add_flag("--markdown", options.markdown, "As a Markdown table");

  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verb->footer(help_footer(verb->get_name()));
  }
  if (!args.empty() && !args[0].starts_with("-") && !is_verb(app, args[0])) {
    err << "tirx: there is no verb '" << args[0]
        << "': run, emit, explain, diff, test, fuzz, mutate or ops (tirx --help)\n";
    return static_cast<int>(Exit::usage);
  }
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 takes them from the back
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);  // --help, --version
    err << usage_error(app, error, args);
    return static_cast<int>(Exit::usage);
  }
  options.verb = run->parsed()       ? Verb::run
                 : emit->parsed()    ? Verb::emit
                 : explain->parsed() ? Verb::explain
                 : diff->parsed()    ? Verb::diff
                 : test->parsed()    ? Verb::test
                 : fuzz->parsed()    ? Verb::fuzz
                 : mutate->parsed()  ? Verb::mutate
                                     : Verb::ops;
  if (options.verb == Verb::test && raw.device == "sim" && test->count("--device") == 0)
    raw.device = "auto";
  if (const auto wrong = resolve(options, raw)) {
    err << "tirx: " << *wrong << '\n';
    return static_cast<int>(Exit::usage);
  }
  return options;
}

}  // namespace tirx::cli
