// tirx mutate: how many known ways to break a kernel do the checks and the script's own asserts
// catch?
#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verbs.hpp"
#include "dsl/eval/error.hpp"
#include "fuzz/mutate/trial.hpp"

namespace tirx::cli {

namespace {

using fuzz::MutationKind;
using fuzz::Trial;
using fuzz::TrialVerdict;
using nlohmann::json;

constexpr std::size_t kTextWidth = 60;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// At most so many characters from `begin` on, which are cut where a character starts.
std::string cut(const std::string& text, std::size_t begin) {
  const std::string front = begin > 0 ? "…" : "";
  std::size_t characters = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (continues_character(text[i])) continue;
    if (++characters > kTextWidth) return front + text.substr(begin, i - begin) + "…";
  }
  return front + text.substr(begin);
}

/// "BEFORE  ->  AFTER"; of long texts the part around the first difference.
std::string change_text(const std::string& before, const std::string& after) {
  std::size_t begin = 0;
  if (std::max(before.size(), after.size()) > kTextWidth) {
    const auto same = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto differs = static_cast<std::size_t>(same.first - before.begin());
    // From the start of a word some way ahead of it.
    if (differs > kTextWidth * 2 / 3)
      begin = before.find_last_of(" ([", differs - kTextWidth / 3) + 1;
  }
  return fmt::format("{}  ->  {}", cut(before, begin), cut(after, begin));
}

/// "caught: race on s[3]"
std::string verdict_text(const Trial& trial) {
  if (trial.verdict == TrialVerdict::survived) return "NOT CAUGHT";
  if (trial.verdict == TrialVerdict::no_effect) return "no effect here";
  if (trial.verdict == TrialVerdict::refused) return "refused";
  return "caught: " + trial.by + (trial.element.empty() ? "" : " on " + trial.element);
}

bool chosen(const Options& options, const MutationKind& kind) {
  return options.only.empty() ||
         std::any_of(options.only.begin(), options.only.end(), [&](const std::string& words) {
           return kind.name.find(words) != std::string_view::npos ||
                  kind.area.find(words) != std::string_view::npos;
         });
}

const MutationKind& row_of(const std::string& name) {
  const auto kinds = fuzz::mutation_kinds();
  return *std::find_if(kinds.begin(), kinds.end(),
                       [&](const MutationKind& kind) { return kind.name == name; });
}

/// A word of --only that chooses nothing.
std::string unknown_kind(const Options& options) {
  for (const std::string& words : options.only) {
    Options one = options;
    one.only = {words};
    const auto kinds = fuzz::mutation_kinds();
    if (std::any_of(kinds.begin(), kinds.end(),
                    [&](const MutationKind& kind) { return chosen(one, kind); }))
      continue;
    std::vector<std::string> known;
    for (const MutationKind& kind : kinds) {
      std::istringstream parts{std::string(kind.name)};
      for (std::string word; parts >> word;) known.push_back(word);
    }
    return fmt::format("tirx: --only {}: no mutation is called that{} (tirx mutate --list)\n",
                       words, dsl::did_you_mean(words, known));
  }
  return {};
}

Exit list_kinds(const Options& options, std::ostream& out) {
  json list = json::array();
  std::string_view area;
  for (const MutationKind& kind : fuzz::mutation_kinds()) {
    if (!chosen(options, kind)) continue;
    list.push_back({{"kind", kind.name}, {"about", kind.area}, {"what", kind.doc}});
    if (options.json) continue;
    if (kind.area != area) out << fmt::format("{}\n", kind.area);
    area = kind.area;
    out << fmt::format("  {:<34}  {}\n", kind.name, kind.doc);
  }
  if (options.json) {
    json report = report_head(options, Source(options.file, ""));
    report["verdict"] = to_string(Exit::clean);
    report["exit"] = static_cast<int>(Exit::clean);
    report["kinds"] = std::move(list);
    write_json(out, report);
  }
  return Exit::clean;
}

/// Of the lines: one column for the place, one for the kind, one for the verdict.
struct Widths {
  std::size_t where = 5, kind = 8, verdict = 0;

  Widths(const Source& source, const std::vector<Trial>& trials, bool run) {
    for (const Trial& trial : trials) {
      where = std::max(where, source.where_line(trial.span).size());
      kind = std::max(kind, trial.kind.size());
      if (run) verdict = std::max(verdict, std::min<std::size_t>(verdict_text(trial).size(), 30));
    }
  }
};

void print_trials(const Source& source,
                  const std::vector<Trial>& trials,
                  bool run,
                  std::ostream& out) {
  const Widths widths(source, trials, run);
  for (const Trial& trial : trials) {
    out << fmt::format("{:{}}  {:{}}  ", source.where_line(trial.span), widths.where, trial.kind,
                       widths.kind);
    if (run) out << fmt::format("{:{}}  ", verdict_text(trial), widths.verdict);
    out << change_text(trial.before, trial.after) << '\n';
  }
}

struct MutantTotals {
  std::size_t caught = 0, survived = 0, without = 0, refused = 0;
  std::map<std::string, std::size_t> by;

  explicit MutantTotals(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) {
      if (trial.verdict == TrialVerdict::survived) ++survived;
      if (trial.verdict == TrialVerdict::no_effect) ++without;
      if (trial.verdict == TrialVerdict::refused) ++refused;
      if (trial.verdict != TrialVerdict::caught) continue;
      ++caught;
      ++by[trial.by];
    }
  }

  [[nodiscard]] std::size_t due() const { return caught + survived; }

  [[nodiscard]] double score() const {
    return 100.0 * static_cast<double>(caught) / static_cast<double>(due());
  }
};

/// "12 by assertion, 5 by race", most frequent first.
std::string reasons(const MutantTotals& totals) {
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto& [by, count] : totals.by) sorted.emplace_back(count, by);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [count, by] : sorted)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, by);
  return out;
}

json trial_json(const Source& source, const Trial& trial, bool run) {
  const LineAt at = source.locate(trial.span.begin);
  json row = {{"kind", trial.kind},
              {"about", row_of(trial.kind).area},
              {"at", source.where_line(trial.span)},
              {"line", at.line},
              {"column", at.column},
              {"kernel", trial.kernel},
              {"before", trial.before},
              {"after", trial.after}};
  if (!run) return row;
  row["verdict"] = trial.verdict == TrialVerdict::caught     ? "caught"
                   : trial.verdict == TrialVerdict::survived ? "not caught"
                   : trial.verdict == TrialVerdict::refused  ? "refused"
                                                             : "no effect";
  row["caught"] = trial.verdict == TrialVerdict::caught;
  row["effect"] = trial.verdict == TrialVerdict::caught || trial.verdict == TrialVerdict::survived;
  row["by"] = trial.by;
  row["element"] = trial.element;
  row["text"] = trial.text;
  return row;
}

void print_json(const Options& options,
                const Source& source,
                const std::vector<Trial>& trials,
                const MutantTotals& totals,
                Exit code,
                std::ostream& out) {
  json report = report_head(options, source);
  report["verb"] = "mutate";
  report["verdict"] = to_string(code);
  report["exit"] = static_cast<int>(code);
  report["mutations"] = trials.size();
  if (!options.list) {
    report["caught"] = totals.caught;
    report["not_caught"] = totals.survived;
    report["refused"] = totals.refused;
    report["no_effect"] = totals.without;
    report["score"] = totals.due() == 0 ? json(nullptr) : json(totals.score());
    report["by"] = totals.by;
  }
  report["rows"] = json::array();
  for (const Trial& trial : trials)
    report["rows"].push_back(trial_json(source, trial, !options.list));
  write_json(out, report);
}

}  // namespace

Exit cmd_mutate(const Options& options, std::ostream& out, std::ostream& err) {
  if (const std::string wrong = unknown_kind(options); !wrong.empty()) {
    err << wrong;
    return Exit::usage;
  }
  if (options.list && options.file.empty()) return list_kinds(options, out);
  const SourceRef source = read_script(options, err);
  if (!source) return Exit::usage;
  fuzz::TrialOptions how;
  how.script = script_options(options);
  how.sim = options.sim;
  how.threads = options.sim.threads;
  how.wanted = [&](const std::string& kind) { return chosen(options, row_of(kind)); };
  const fuzz::TrialResult result =
      options.list ? fuzz::list_mutations(source, how)
                   : fuzz::mutate_script(source, how, [](const dsl::ScriptResult& healthy) {
                       return verdict(healthy) == Exit::clean;
                     });
  const Exit before = verdict(result.healthy);
  if (before != Exit::clean) {
    if (options.json) {
      write_json(out, result_json(options, *source, result.healthy, {}));
    } else {
      print_result(*source, result.healthy, err);
    }
    if (!options.list) err << "tirx: mutate starts from a script that runs clean\n";
    return before;
  }
  if (options.list ? result.healthy.kernels.empty() : result.healthy.launches.empty()) {
    err << (options.list ? "tirx: mutate: the script has no kernel\n"
                         : "tirx: mutate: the script launches no kernel\n");
    return Exit::usage;
  }
  const MutantTotals totals(result.trials);
  Exit code = totals.survived == 0 ? Exit::clean : Exit::difference;
  // A score of nothing is no score.
  if (!options.list && totals.due() == 0) code = Exit::incomplete;
  if (options.json) {
    print_json(options, *source, result.trials, totals, code, out);
    return code;
  }
  print_trials(*source, result.trials, !options.list, out);
  if (options.list) {
    out << fmt::format("mutate --list: {} mutations\n", result.trials.size());
    return code;
  }
  if (totals.due() == 0) {
    out << (totals.without + totals.refused == 0
                ? std::string("mutate: nothing was mutated: no kernel that the script launches has "
                              "such a place (tirx mutate --list)\n")
                : fmt::format("mutate: nothing was tested: {} mutations, {}\n",
                              totals.without + totals.refused,
                              totals.refused == 0
                                  ? std::string("none of which has an effect here")
                                  : fmt::format("of which {} were refused, and {} have no effect "
                                                "here",
                                                totals.refused, totals.without)));
    return code;
  }
  out << fmt::format("mutate: {} of {} mutations caught ({:.0f} %)", totals.caught, totals.due(),
                     totals.score());
  if (totals.caught > 0) out << ": " << reasons(totals);
  // What never ran says nothing about the script.
  if (totals.refused > 0) out << fmt::format("; {} more were refused, not tested", totals.refused);
  out << fmt::format("; {} more have no effect here\n", totals.without);
  return code;
}

}  // namespace tirx::cli
