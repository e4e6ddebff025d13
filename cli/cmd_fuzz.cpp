// tirx fuzz: random valid programs, every opinion on each; what fails is reduced and written down.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backend_cuda/emit.hpp"
#include "cli/command.hpp"
#include "cli/engines.hpp"
#include "cli/script_files.hpp"
#include "cli/verbs.hpp"
#include "fuzz/campaign/campaign.hpp"
#include "fuzz/campaign/coverage.hpp"
#include "ir/base/file.hpp"

namespace tirx::cli {

namespace {

using nlohmann::json;

/// Opens the GPU of this process and runs kernels on it.
std::optional<fuzz::DeviceRun> open_for_fuzzing(const Options& options, std::string& why_not) {
  Result<cuda::Device> opened = open_gpu(options);
  if (!opened) {
    why_not = opened.error().text;
    return std::nullopt;
  }
  cuda::DeviceLaunchOptions launch;
  launch.timeout_seconds = options.timeout_seconds;
  return [device = std::move(opened).value(), launch](const lower::LoweredKernel& kernel,
                                                      std::span<const ir::Argument> args) mutable {
    return device.launch(kernel, args, launch).outcome;
  };
}

/// One kernel as a GPU gets it, or a file with its lines and launchers.
Result<std::string> emitted(std::span<const lower::LoweredKernel* const> kernels, bool lines) {
  cuda::EmitOptions options;
  options.line_directives = options.host_launcher = lines;
  return cuda::emit(kernels, options);
}

std::string commented(const fuzz::Found& found, const std::string& what) {
  std::string text = fmt::format("# tirx fuzz, {}: {}\n", what, found.finding.kind);
  std::string line;
  for (const char c : (found.shown.empty() ? found.finding.text : found.shown) + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    text += "# " + line + '\n';
    line.clear();
  }
  return text + (found.reduced.empty() ? found.script : found.reduced);
}

std::optional<Diagnostic> write_text(const std::string& path, const std::string& text) {
  std::error_code ignored;  // writing says what is wrong
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return write_file(path, path, text);
}

/// One file for each finding; returns its name, or why there is none.  A script of the corpus stays
/// where it is, but for what is left of it.
std::string write_down(const std::string& folder, const fuzz::Found& found) {
  if (!found.path.empty() && found.reduced.empty()) return found.path;
  const bool random = found.path.empty();
  std::string path = fmt::format("{}/seed_{}.tx", folder, found.seed);
  // The folder may be a part of the corpus: no script that is there is written over.
  for (int k = 1; !random && (k == 1 || std::filesystem::exists(path)); ++k) {
    path =
        fmt::format("{}/{}.short{}.tx", folder, std::filesystem::path(found.path).stem().string(),
                    k == 1 ? "" : std::to_string(k));
  }
  const auto problem =
      write_text(path, commented(found, random ? fmt::format("seed {}", found.seed) : found.path));
  return problem ? problem->text : path;
}

/// The scripts that --corpus names; nothing, with a message, where one cannot be read.
std::optional<std::vector<std::string>> corpus_of(const Options& options, std::ostream& err) {
  std::vector<std::string> files = script_files(options.fuzz.corpus);
  if (files.empty() && !options.fuzz.corpus.empty()) {
    err << "tirx: --corpus found no .tx file in what it was given\n";
    return std::nullopt;
  }
  for (const std::string& file : files) {
    if (const Result<std::string> text = read_file(file, file); !text) {
      err << "tirx: --corpus: " << text.error().text << '\n';
      return std::nullopt;
    }
  }
  return files;
}

/// Which of the programs were given, and where a finding belongs.
void report_corpus(const fuzz::CampaignOptions& campaign,
                   const fuzz::CampaignResult& result,
                   std::ostream& out) {
  if (!campaign.corpus.empty())
    out << fmt::format(
        "fuzz: {} of the programs are scripts of the corpus{}, {} with a record\n", result.scripts,
        campaign.shards == 1 && campaign.corpus.size() != static_cast<std::size_t>(result.scripts)
            ? fmt::format(" of {}", campaign.corpus.size())
            : "",
        result.replayed);
  const bool random = std::any_of(result.found.begin(), result.found.end(),
                                  [](const fuzz::Found& found) { return found.path.empty(); });
  if (random)
    out << "fuzz: keep what was found in a folder that --corpus takes (in tirx's own tree: "
           "tests/fuzz/found), and every run checks it again\n";
}

/// Without blank ones and comments.
std::size_t lines_of(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(' ', at);
    at = std::min(text.find('\n', at), text.size()) + 1;
    if (first < at - 1 && text[first] != '#') ++count;
  }
  return count;
}

/// The report of --negative; wrong is a conflict without a report, and a report without a conflict.
Exit report_negative(const Options& options,
                     const fuzz::NegativeResult& result,
                     std::ostream& out) {
  using Outcome = fuzz::RemovalOutcome;
  using Planted = fuzz::MisbehaviourOutcome;
  const bool good = result.detection_rate() >= 0.99 && result.of(Outcome::false_alarm) == 0 &&
                    result.of(Planted::disagree) == 0 && result.crashes == 0 && result.programs > 0;
  const Exit code = good ? Exit::clean : Exit::difference;
  const std::int64_t due = result.of(Outcome::reported) + result.of(Outcome::missed);
  if (options.json) {
    const json report = {{"tool", "tirx"},
                         {"verb", "fuzz"},
                         {"mode", "negative"},
                         {"verdict", to_string(code)},
                         {"exit", static_cast<int>(code)},
                         {"programs", result.programs},
                         {"conflicts", due},
                         {"reported", result.of(Outcome::reported)},
                         {"detection_rate", result.detection_rate()},
                         {"hangs_reported", result.of(Outcome::hang_reported)},
                         {"harmless", result.of(Outcome::harmless)},
                         {"false_alarms", result.of(Outcome::false_alarm)},
                         {"not_judged", result.of(Outcome::not_judged)},
                         {"planted",
                          {{"faults", result.kinds},
                           {"harmless", result.of(Planted::harmless)},
                           {"refused", result.of(Planted::refused)},
                           {"schedules_alone", result.of(Planted::schedules_alone)},
                           {"not_judged", result.of(Planted::not_judged)},
                           {"disagreements", result.of(Planted::disagree)}}},
                         {"wrong", result.wrong}};
    out << report.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    return code;
  }
  out << fmt::format(
      "fuzz --negative: {} programs: {} of {} removals that leave an unordered conflict reported "
      "({:.1f} %), {} hangs reported, {} harmless, {} false alarms, {} not judged (tile "
      "operations, cp.async)\n",
      result.programs, result.of(Outcome::reported), due, 100 * result.detection_rate(),
      result.of(Outcome::hang_reported), result.of(Outcome::harmless),
      result.of(Outcome::false_alarm), result.of(Outcome::not_judged));
  std::string kinds;
  for (const auto& [kind, count] : result.kinds) kinds += fmt::format(", {} {}", count, kind);
  out << fmt::format(
      "planted faults: {} reported alike by everybody{}; {} harmless, {} refused, {} by the "
      "schedules alone, {} not judged (races, hangs), {} disagreements\n",
      result.of(Planted::faults), kinds.empty() ? "" : " (" + kinds.substr(2) + ")",
      result.of(Planted::harmless), result.of(Planted::refused),
      result.of(Planted::schedules_alone), result.of(Planted::not_judged),
      result.of(Planted::disagree));
  return code;
}

/// The counts, with a 0 for what should be there and is not.
std::map<std::string, std::int64_t> with_absent(std::map<std::string, std::int64_t> features) {
  for (const auto& [count, name] : fuzz::rarest_first(features)) features.emplace(name, count);
  return features;
}

/// How well a run exercised what there is.
struct Exercise {
  std::size_t known = 0;            // operations, instructions and variants
  std::vector<std::string> absent;  // in no program
  std::int64_t rarest = 0;          // of the others
  std::string rarest_name;

  explicit Exercise(const std::map<std::string, std::int64_t>& features) {
    for (const auto& [count, name] : fuzz::rarest_first(features)) {
      ++known;
      if (count == 0) absent.push_back(name);
      if (count > 0 && rarest_name.empty()) {
        rarest = count;
        rarest_name = name;
      }
    }
  }

  [[nodiscard]] bool enough(const FuzzChoices& chosen) const {
    return rarest >= chosen.at_least && (absent.empty() || !chosen.every);
  }

  [[nodiscard]] std::string text() const {
    if (rarest_name.empty()) return "no operation, instruction or variant in any of them";
    return fmt::format(
        "of {} operations, instructions and variants {} in no program, the rarest other in {} ({})",
        known, absent.size(), rarest, rarest_name);
  }
};

Exit report_coverage(const Options& options,
                     const fuzz::CampaignOptions& campaign,
                     std::ostream& out) {
  const fuzz::Coverage coverage = fuzz::measure_coverage(campaign);
  const Exercise exercise(coverage.features);
  const bool enough = exercise.enough(options.fuzz) && coverage.refused == 0;
  const Exit code = enough ? Exit::clean : Exit::difference;
  if (options.json) {
    const json report = {{"tool", "tirx"},
                         {"verb", "fuzz"},
                         {"mode", "coverage"},
                         {"verdict", to_string(code)},
                         {"exit", static_cast<int>(code)},
                         {"programs", coverage.programs},
                         {"refused", coverage.refused},
                         {"with_barriers", coverage.with_barriers},
                         {"features", with_absent(coverage.features)}};
    out << report.dump(2) << '\n';
    return code;
  }
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(kShown, coverage.expected.size()); ++i)
    out << fmt::format("{:6}  {}\n", coverage.expected[i].first, coverage.expected[i].second);
  out << fmt::format(
      "fuzz --coverage: {} programs, {} refused, barriers in {:.1f} %; {}\n", coverage.programs,
      coverage.refused,
      100.0 * static_cast<double>(coverage.with_barriers) / static_cast<double>(coverage.programs),
      exercise.text());
  return code;
}

/// One script, checked and shortened; the shorter one goes to --found.
Exit reduce_file(const Options& options,
                 const fuzz::CampaignOptions& campaign,
                 std::ostream& out,
                 std::ostream& err) {
  const Result<std::string> text = read_file(options.fuzz.reduce, options.fuzz.reduce);
  if (!text) {
    err << "tirx: " << text.error().text << '\n';
    return Exit::usage;
  }
  const fuzz::Found found = fuzz::reduce_script(options.fuzz.reduce, *text, campaign, err);
  json report = {
      {"tool", "tirx"}, {"verb", "fuzz"}, {"mode", "reduce"}, {"file", options.fuzz.reduce}};
  const auto write_report = [&](Exit code) {
    report["verdict"] = to_string(code);
    report["exit"] = static_cast<int>(code);
    out << report.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    return code;
  };
  if (found.finding.kind.empty()) {
    report["found"] = nullptr;
    if (options.json) return write_report(Exit::clean);
    out << fmt::format("{}: nothing is wrong with it\n", options.fuzz.reduce);
    return Exit::clean;
  }
  const std::string path =
      options.fuzz.folder + "/" + std::filesystem::path(options.fuzz.reduce).filename().string();
  if (const auto problem = write_text(path, commented(found, options.fuzz.reduce))) {
    err << "tirx: " << problem->text << '\n';
    return Exit::usage;
  }
  report["found"] = {{"kind", found.finding.kind},
                     {"text", found.finding.text},
                     {"file", path},
                     {"reduced", !found.reduced.empty()}};
  if (options.json) return write_report(Exit::difference);
  out << fmt::format(
      "{}: {}: {}\n{}: {} lines{}\n", options.fuzz.reduce, found.finding.kind, found.finding.text,
      path, lines_of(found.reduced.empty() ? found.script : found.reduced),
      !found.reduced.empty()              ? ""
      : found.finding.kind == "assertion" ? ", not reduced: nearly any shorter script fails it, too"
                                          : ", not reduced");
  return Exit::difference;
}

}  // namespace

Exit cmd_fuzz(const Options& options, std::ostream& out, std::ostream& err) {
  fuzz::CampaignOptions campaign;
  const FuzzChoices& chosen = options.fuzz;
  campaign.seed = options.sim.seed;
  campaign.count = chosen.programs;
  campaign.shard = chosen.shard;
  campaign.shards = chosen.shards;
  campaign.batch = chosen.batch;
  campaign.max_findings = chosen.max_findings;
  campaign.max_seconds = chosen.seconds;
  campaign.reduce = !chosen.keep;
  campaign.reduce_seconds = chosen.reduce_seconds;
  campaign.oracle.sim = options.sim;
  campaign.oracle.sim.seed = 0;
  campaign.oracle.sim.threads = options.sim.threads == 0 ? 1 : options.sim.threads;
  campaign.oracle.sim.max_steps = std::min<std::uint64_t>(options.sim.max_steps, 10'000'000);
  campaign.oracle.target = &options.arch();
  campaign.oracle.emit = emitted;
  if (chosen.print) {
    fuzz::ProgramOptions program;
    program.synchronised = chosen.negative;
    const std::string text = fuzz::generate(campaign.seed, program).text;
    if (options.json) {
      const json report = {{"tool", "tirx"},  {"verb", "fuzz"},
                           {"mode", "print"}, {"verdict", to_string(Exit::clean)},
                           {"exit", 0},       {"seed", campaign.seed},
                           {"script", text}};
      out << report.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    } else {
      out << text;
    }
    return Exit::clean;
  }
  if (options.engine == EngineKind::cuda) {
    campaign.open_device = [&options](std::string& why) { return open_for_fuzzing(options, why); };
    campaign.oracle.alternative = false;
    campaign.oracle.all_opinions = false;
    campaign.oracle.reparse = false;
    campaign.refused_percent = campaign.reported_percent = 0;
  }
  if (chosen.coverage) return report_coverage(options, campaign, out);
  if (!chosen.reduce.empty()) return reduce_file(options, campaign, out, err);
  if (chosen.negative) return report_negative(options, fuzz::run_negative(campaign, err), out);
  const auto corpus = corpus_of(options, err);
  if (!corpus) return Exit::usage;
  campaign.corpus = *corpus;
  // What is printed says nothing about a GPU.
  if (options.engine != EngineKind::cuda) campaign.command = run_command;
  const fuzz::CampaignResult result = fuzz::run_campaign(campaign, err);
  Exit code = Exit::clean;
  if (result.findings > 0) code = Exit::difference;
  if (result.stopped.starts_with("no GPU") || result.programs == 0)
    code = worse(code, Exit::incomplete);
  std::vector<std::string> files;
  for (const fuzz::Found& found : result.found) files.push_back(write_down(chosen.folder, found));
  const Exercise exercise(result.features);
  if (!exercise.enough(chosen)) code = worse(code, Exit::difference);
  if (options.json) {
    json report = {{"tool", "tirx"},
                   {"verb", "fuzz"},
                   {"verdict", to_string(code)},
                   {"exit", static_cast<int>(code)},
                   {"programs", result.programs},
                   {"corpus", result.scripts},
                   {"replayed", result.replayed},
                   {"launches", result.launches},
                   {"elements", result.elements},
                   {"unjudged", result.unjudged},
                   {"refused", result.refused},
                   {"reported", result.reported},
                   {"compiler_crashes", result.compiler_crashes},
                   {"findings", result.findings},
                   {"stopped", result.stopped},
                   {"features", with_absent(result.features)},
                   {"found", json::array()}};
    for (std::size_t i = 0; i < files.size(); ++i) {
      const fuzz::Found& found = result.found[i];
      const json seed = found.path.empty() ? json(found.seed) : json(nullptr);
      report["found"].push_back({{"seed", seed},
                                 {"kind", found.finding.kind},
                                 {"text", found.finding.text},
                                 {"file", files[i]}});
    }
    out << report.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    return code;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fuzz::Found& found = result.found[i];
    const std::string& script = found.reduced.empty() ? found.script : found.reduced;
    out << fmt::format("{}: {}, {} lines{}\n", files[i], found.finding.kind, lines_of(script),
                       found.reduced.empty() ? ", not reduced" : "");
  }
  if (!result.stopped.empty()) out << "fuzz: stopped: " << result.stopped << '\n';
  if (campaign.oracle.all_opinions)
    out << fmt::format(
        "fuzz: {} programs with a planted fault refused, {} reported as their lines say; {} "
        "launches "
        "not judged at tile level\n",
        result.refused, result.reported, result.unjudged);
  report_corpus(campaign, result, out);
  if (result.compiler_crashes > 0)
    out << fmt::format("fuzz: the GPU's compiler crashed on {} programs\n",
                       result.compiler_crashes);
  out << fmt::format("fuzz: {} programs, {} launches, {} elements compared, {} findings; {}\n",
                     result.programs, result.launches, result.elements, result.findings,
                     exercise.text());
  return code;
}

}  // namespace tirx::cli
