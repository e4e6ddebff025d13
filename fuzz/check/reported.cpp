#include "fuzz/check/reported.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "dsl/run_script.hpp"
#include "fuzz/agree/opinions.hpp"
#include "fuzz/agree/trace_closure.hpp"
#include "fuzz/expect/expectation.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

using ir::FaultKind;

/// A fault that must be reported, and whether it was.
struct Mark {
  FaultKind kind = FaultKind::trap;
  std::string element;   // a part of the sentence; empty: any
  std::size_t line = 0;  // 0: any
  bool may = false;      // whoever comes second is told
  bool seen = false;
  std::optional<std::uint64_t> thread{}, times{};  // of its CTA; in all CTAs
};

/// "ps[3] times 3*4": takes it off the end.
std::optional<std::uint64_t> taken(std::string& words, std::string_view what) {
  const std::size_t at = words.rfind(what);
  if (at == std::string::npos || (at > 0 && words[at - 1] != ' ')) return std::nullopt;
  std::uint64_t product = 1;
  std::string_view rest = std::string_view(words).substr(at + what.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('*'), rest.size());
    std::uint64_t factor = 0;
    if (std::from_chars(rest.data(), rest.data() + end, factor).ptr != rest.data() + end)
      return std::nullopt;
    product *= factor;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  words.resize(at > 0 ? at - 1 : 0);
  return product;
}

struct Marks {
  std::vector<Mark> all;
  bool beyond_tile = false;          // the evaluator does not look for it
  bool incomplete = false;           // the simulator has to give up there
  std::string printed;               // the kernel's output
  std::vector<std::string> origins;  // where values came from that are left
};

Marks marks_of(std::string_view text) {
  Marks marks;
  for (const Expectation& one : expectations_of(text)) {
    if (const auto kind = ir::find_fault_kind(one.word)) {
      std::string words = one.words;
      const auto times = taken(words, "times "), thread = taken(words, "thread ");
      marks.all.push_back({*kind, words, one.line, one.may, false, thread, times});
    }
    marks.beyond_tile = marks.beyond_tile || one.word == "beyond";
    marks.incomplete = marks.incomplete || one.word == "incomplete";
    if (one.word == "prints") marks.printed += one.words + '\n';
    if (one.word == "origin") marks.origins.push_back(one.words);
  }
  return marks;
}

std::size_t line_of(const ir::Kernel& kernel, Span span) {
  if (!kernel.source || span.empty()) return 0;
  return kernel.source->locate(span.begin).line;
}

/// What one thread does wrong whoever goes first.
bool alone(FaultKind kind) {
  switch (kind) {
    case FaultKind::bounds:
    case FaultKind::align:
    case FaultKind::uninit:
    case FaultKind::arith:
    case FaultKind::overflow:
      return true;
    default:
      return false;
  }
}

std::string described(const ir::Kernel& kernel, const ir::Fault& fault) {
  return fmt::format("{} at line {}: {}", ir::to_string(fault.kind),
                     line_of(kernel, fault.first.span), fault.text);
}

class ReportingEngine : public dsl::Engine {
 public:
  ReportingEngine(Marks marks, const OracleOptions& options)
      : marks_(std::move(marks)), options_(options) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    ++launches;
    const ir::Target& target = options_.target != nullptr ? *options_.target : ir::default_target();
    const Result<lower::LoweredKernel> lowered = lower::lower(kernel, target);
    if (!lowered) {
      note("refused", lowered.error().text);
      return {};
    }
    const std::vector<ir::Argument> own = clone(args);
    const Run first{sim::simulate(*lowered, own, options_.sim), own};
    judge_marks("simulator", kernel, first.outcome);
    judge_origins(own);
    by_the_closure(kernel, *lowered, args, first.outcome);
    const auto all = [&](auto&& holds) {
      return std::all_of(marks_.all.begin(), marks_.all.end(),
                         [&](const Mark& mark) { return holds(mark.kind); });
    };
    const bool timeless = all(alone);
    // The evaluator's indices are as wide as it takes.
    const bool tile_level = !marks_.beyond_tile && !marks_.incomplete && all([](FaultKind kind) {
      return kind == FaultKind::trap || kind == FaultKind::deadlock ||
             (alone(kind) && kind != FaultKind::overflow);
    });
    with_few_checks(kernel, *lowered, args);
    without_memory(*lowered, args);
    // Where time is short two of the simulators, others for another program.
    std::uint64_t number = options_.draw.value_or(0);
    for (const Opinion& opinion : opinions()) {
      if (finding) break;
      if (!opinion.tile_level && options_.draw && number++ % 2 == 0) continue;
      if (opinion.tile_level && !tile_level) continue;
      const Run second =
          run_opinion(opinion, kernel, *lowered, args, options_.sim, most_tile_steps());
      if (opinion.tile_level) {
        const Verdict verdict = judge(kernel, first, second, opinion.name, true);
        if (verdict.judgement == Judgement::differs) note(std::string(opinion.name), verdict.text);
        continue;
      }
      judge_marks(opinion.name, kernel, second.outcome);
      if (timeless) judge_details(opinion.name, kernel, first, second);
    }
    return {};
  }

  [[nodiscard]] bool checks(FaultKind) const override { return false; }

  void note(std::string kind, std::string text) {
    if (!finding) finding = Finding{std::move(kind), std::move(text), {}};
  }

  int launches = 0;
  std::optional<Finding> finding;

 private:
  // These programs are small: one that polls for ever has no opinion sooner.
  [[nodiscard]] std::uint64_t most_tile_steps() const {
    return std::min<std::uint64_t>(options_.max_tile_steps, 1'000'000);
  }

  void judge_marks(std::string_view who, const ir::Kernel& kernel, const ir::LaunchOutcome& got) {
    if (marks_.incomplete) {
      if (got.status != ir::LaunchStatus::incomplete)
        note("verdict", fmt::format("{} does not give up", who));
      return;
    }
    if (got.output != marks_.printed)
      return note("verdict", fmt::format("{} prints '{}'", who, got.output));
    if (got.status != ir::LaunchStatus::ok) {
      std::string why = "incomplete";
      for (const Diagnostic& diagnostic : got.diagnostics) why = diagnostic.text;
      return note("no verdict", fmt::format("{}: {}", who, why));
    }
    std::vector<Mark> marks = marks_.all;
    std::set<std::string> known;
    for (const ir::Fault& fault : got.faults) {
      // Of those who wait for ever, the lists name all; one of them comes first.
      const bool waits = fault.kind == FaultKind::deadlock || fault.kind == FaultKind::divergence;
      std::vector<std::size_t> lines = {line_of(kernel, fault.first.span)};
      if (fault.second && !fault.second->span.empty())
        lines.push_back(line_of(kernel, fault.second->span));
      if (waits) {
        for (const Note& one : fault.notes) lines.push_back(line_of(kernel, one.span));
      }
      bool some = false, every = true;
      for (const std::size_t line : lines) {
        bool named = false;
        for (Mark& mark : marks) {
          if ((mark.line != 0 && mark.line != line) || mark.kind != fault.kind) continue;
          if (fault.text.find(mark.element) == std::string::npos) continue;
          if (mark.times && *mark.times != fault.count) continue;
          if (mark.thread && static_cast<std::int64_t>(*mark.thread) != fault.first.thread.thread)
            continue;
          named = mark.seen = true;
        }
        some = some || named;
        every = every && named;
      }
      if (!(waits ? some : every))
        return note("verdict", fmt::format("{}: {}", who, described(kernel, fault)));
      if (!known.insert(described(kernel, fault)).second)
        return note("verdict", fmt::format("{}: twice: {}", who, described(kernel, fault)));
    }
    for (const Mark& mark : marks) {
      if (!mark.seen && !mark.may)
        return note("verdict", fmt::format("{} does not report {} {} at line {}", who,
                                           ir::to_string(mark.kind), mark.element, mark.line));
    }
  }

  /// What is known of the bytes without a value.
  static std::set<std::string> origins_of(std::span<const ir::Argument> args) {
    std::set<std::string> texts;
    for (const ir::Argument& arg : args) {
      const auto* tensor = std::get_if<ir::Tensor>(&arg);
      if (tensor == nullptr) continue;
      for (std::size_t byte = 0; byte < tensor->memory->bytes.size(); ++byte) {
        const ir::PoisonOrigin* origin = tensor->memory->origins.at(byte);
        if (origin != nullptr) texts.insert(origin->text);
      }
    }
    return texts;
  }

  void judge_origins(std::span<const ir::Argument> args) {
    const std::set<std::string> known = origins_of(args);
    for (const std::string& origin : marks_.origins) {
      const bool named = std::any_of(known.begin(), known.end(), [&](const std::string& text) {
        return text.find(origin) != std::string::npos;
      });
      if (!named)
        note("verdict", fmt::format("the origin of what is left is not {}, but {}", origin,
                                    known.empty() ? "unknown" : *known.begin()));
    }
  }

  /// Only the marked kinds, or none of them: reported, or not.
  void with_few_checks(const ir::Kernel& kernel,
                       const lower::LoweredKernel& lowered,
                       std::span<const ir::Argument> args) {
    if (marks_.all.empty() || marks_.incomplete) return;
    std::set<FaultKind> kinds;
    for (const Mark& mark : marks_.all) kinds.insert(mark.kind);
    std::string list;
    for (const FaultKind kind : kinds)
      list += (list.empty() ? "" : ",") + std::string(ir::to_string(kind));
    sim::SimOptions options = options_.sim;
    const std::optional<sim::CheckSet> set = sim::CheckSet::parse(list);
    if (!set) return note("verdict", list + " is no list of checks");
    options.checks = *set;
    judge_marks("simulator --check " + list, kernel, sim::simulate(lowered, clone(args), options));
    const bool shared = std::all_of(kinds.begin(), kinds.end(), [](FaultKind kind) {
      return kind == FaultKind::race || kind == FaultKind::async;
    });
    const bool memory = std::all_of(kinds.begin(), kinds.end(), alone);
    if (!shared && !memory) return;
    options.checks = *sim::CheckSet::parse(shared ? "mem" : "race");
    const ir::LaunchOutcome silent = sim::simulate(lowered, clone(args), options);
    for (const ir::Fault& fault : silent.faults) {
      if (kinds.contains(fault.kind))
        note("verdict", "not to be looked for: " + described(kernel, fault));
    }
  }

  /// Where the state of one CTA is too much, nothing runs.
  void without_memory(const lower::LoweredKernel& lowered, std::span<const ir::Argument> args) {
    sim::SimOptions options = options_.sim;
    options.max_memory = 1;
    const std::vector<ir::Argument> own = clone(args);
    const ir::LaunchOutcome none = sim::simulate(lowered, own, options);
    if (none.status != ir::LaunchStatus::incomplete || none.warp_instructions != 0 ||
        !none.output.empty() || !compare(args, own).same())
      note("memory", "it runs without any");
  }

  /// The same faults as often, and the same bytes.
  void judge_details(std::string_view who,
                     const ir::Kernel& kernel,
                     const Run& first,
                     const Run& second) {
    const auto details = [&](const Run& run) {
      std::multiset<std::string> all;
      for (const ir::Fault& fault : run.outcome.faults) {
        all.insert(fmt::format("{} at line {}, {} times", ir::to_string(fault.kind),
                               line_of(kernel, fault.first.span), fault.count));
      }
      for (const std::string& origin : origins_of(run.arguments)) all.insert("origin " + origin);
      return all;
    };
    const auto left = details(first), right = details(second);
    if (left != right) {
      return note("verdict", fmt::format("{} says {}; the first run {}", who,
                                         right.empty() ? "" : *right.begin(),
                                         left.empty() ? "" : *left.begin()));
    }
    if (second.outcome.warp_instructions == 0 &&
        second.outcome.status != ir::LaunchStatus::incomplete)
      return note("steps", fmt::format("{} counts no instruction", who));
    const Agreement agreement = compare(first.arguments, second.arguments);
    if (!agreement.same())
      note("verdict", "after the fault: differs in " +
                          describe(agreement.mismatches.front(), kernel.params, "simulator", who));
  }

  /// The definition of a race, on what the threads did.
  void by_the_closure(const ir::Kernel& kernel,
                      const lower::LoweredKernel& lowered,
                      std::span<const ir::Argument> args,
                      const ir::LaunchOutcome& got) {
    bool reported = false;
    for (const ir::Fault& fault : got.faults) {
      // Where who meets whom is open, and where nobody comes any more.
      if (fault.kind == FaultKind::deadlock || fault.kind == FaultKind::divergence) return;
      if (fault.kind == FaultKind::race && fault.space.empty()) return;
      reported = reported || fault.kind == FaultKind::race || fault.kind == FaultKind::async;
    }
    sim::race::Trace trace;
    sim::SimOptions options = options_.sim;
    options.trace = &trace;
    options.races_remembered = 4;
    judge_marks("simulator that remembers little", kernel,
                sim::simulate(lowered, clone(args), options));
    const std::optional<bool> race = has_race(trace);
    if (race && *race != reported)
      note("closure", fmt::format("{}: the closure of its trace has {} race", kernel.name,
                                  *race ? "a" : "no"));
  }

  Marks marks_;
  const OracleOptions& options_;
};

}  // namespace

std::optional<Finding> check_reported(const std::string& text, const OracleOptions& options) {
  ReportingEngine engine(marks_of(text), options);
  dsl::ScriptOptions script;
  script.target = options.target;
  script.folder = "/nonexistent";
  const dsl::ScriptResult result =
      dsl::run_script(std::make_shared<const Source>("fuzz.tx", text), engine, script);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::error) engine.note("refused", diagnostic.text);
  }
  if (engine.launches == 0) engine.note("refused", "nothing was launched");
  return engine.finding;
}

}  // namespace tirx::fuzz
