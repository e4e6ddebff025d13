#include "fuzz/campaign/shorten.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/agree/opinions.hpp"
#include "fuzz/campaign/isolated.hpp"
#include "fuzz/check/expected.hpp"
#include "fuzz/check/refused.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/planted.hpp"
#include "fuzz/reduce/planted_pair.hpp"
#include "fuzz/reduce/reduce.hpp"

namespace tirx::fuzz {

namespace {

using nlohmann::json;

constexpr int kSilence = 20;  // seconds after which a script that is asked about does not end
constexpr std::uint64_t kFewSteps = 100'000;  // what does not end, does not end in these either

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Says what a script ends in.
using Judge = std::function<std::optional<Finding>(const std::string&)>;

bool is_opinion(const std::string& kind) {
  const auto all = opinions();
  return std::any_of(all.begin(), all.end(), [&](const Opinion& one) { return one.name == kind; });
}

json message_of(const Finding& finding) {
  return {{"kind", finding.kind}, {"text", finding.text}, {"trait", finding.trait}};
}

Finding finding_in(const json& message) {
  return {message["kind"], message["text"], message["trait"]};
}

std::string dumped(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The judge by what a script says of itself; opens the GPU where that is what found it.
Judge judge_of(const CampaignOptions& options, const OracleOptions& oracle, bool on_device) {
  OracleOptions own = oracle;
  std::string why;
  if (options.open_device && on_device) {
    const std::optional<DeviceRun> device = options.open_device(why);
    if (device) own.device = *device;
  }
  return [own](const std::string& script) {
    return own.given ? check_given(script, own).finding : check_expected(script, own).finding;
  };
}

/// One script in a process of its own, which is judged by how it ends, too.
std::optional<Finding> ask_in_child(const std::string& script,
                                    const std::function<Judge()>& make_judge,
                                    int silence) {
  std::optional<Finding> got;
  const auto work = [&](const Send& send) {
    const std::optional<Finding> finding = make_judge()(script);
    if (finding) send(dumped(message_of(*finding)));
  };
  const auto receive = [&](const std::string& text) { got = finding_in(json::parse(text)); };
  const ChildEnd end = run_isolated(work, receive, silence);
  return end.finished ? got : Finding{end.how, "the process ended", {}};
}

/// A process that ended early; what reads behind the end of something ends in several ways.
bool crashed(const std::string& kind) {
  return kind.starts_with("crash") || kind.starts_with("exit");
}

std::string wanted_signature(const Found& found) {
  Finding finding = found.finding;
  if (found.planted) {
    // The campaign has put the name of the fault behind it.
    const std::string name = fmt::format(" ({})", planted_fault(found.planted->fault).name);
    if (finding.text.ends_with(name)) finding.text.resize(finding.text.size() - name.size());
  }
  return crashed(finding.kind) ? "crash" : signature(finding);
}

/// What is being reduced: the shortest script so far, and what it ends in.
class Shortening {
 public:
  Shortening(Found& found, double seconds)
      : found_(found), end_(now() + seconds), signature_(wanted_signature(found)) {}

  void run(const CampaignOptions& options) {
    const std::string& kind = found_.finding.kind;
    const bool ended = crashed(kind) || kind == "timeout";
    if (found_.planted && found_.planted->wrong && !ended) return planted(options);
    if (kind == "cuda" && !found_.finding.trait.empty()) return claimed(options);
    if (kind == "lowering" || kind == "accepted") {
      marked(options);
      // A lowered kernel that contradicts itself does so without a line that says anything.
      if (kind == "accepted" || !found_.reduced.empty()) return;
    }
    if (!ended && !options.oracle.given && expects_report(expectations_of(found_.script)))
      return expecting(options);
    OracleOptions oracle = options.oracle;
    const bool on_device = kind == "gpu";
    const auto judge = [&] { return judge_of(options, oracle, on_device); };
    if (found_.planted && ended) begin_with_fault(judge);
    if (kind == "timeout") {
      // A loop without an end of its own is none of tirx.
      oracle.sim.max_steps = std::min<std::uint64_t>(oracle.sim.max_steps, kFewSteps);
      if (!wanted(ask_in_child(best(), judge, kSilence))) oracle = options.oracle;
      // A second of silence counts as no end, until the shortest is asked with more patience.
      one_by_one(judge, 1);
      oracle = options.oracle;
      return confirm(judge);
    }
    if (ended) return one_by_one(judge, kSilence);
    const bool endless = found_.finding.text.find("step limit") != std::string::npos;
    if (endless) oracle.sim.max_steps = std::min<std::uint64_t>(oracle.sim.max_steps, kFewSteps);
    // Whom the finding does not need is not asked.
    const OracleOptions all = oracle;
    oracle.reparse = kind == "reparse";
    oracle.alternative = false;
    oracle.all_opinions = is_opinion(kind) || kind == "no opinion";
    if (is_opinion(kind)) oracle.last_opinion = kind;
    if (!wanted(ask_in_child(found_.script, judge, kSilence))) oracle = all;
    // In one process, with the GPU opened once; a script that brings it down costs a new one.
    bool done = false;
    for (int starts = on_device ? 5 : 1; starts > 0 && !done && now() < end_; --starts)
      done = together(judge);
    if (!done) one_by_one(judge, kSilence);
    oracle = options.oracle;
    if (endless) confirm(judge);
  }

 private:
  [[nodiscard]] const std::string& best() const {
    return found_.reduced.empty() ? found_.script : found_.reduced;
  }

  [[nodiscard]] bool wanted(const std::optional<Finding>& finding) const {
    return finding && (crashed(finding->kind) ? "crash" : signature(*finding)) == signature_;
  }

  void take(const std::string& script, Finding finding) {
    found_.reduced = script;
    found_.shown = std::move(finding.text);
  }

  /// All attempts in one child; false where it ended early.
  bool together(const std::function<Judge()>& make_judge) {
    const auto work = [&](const Send& send) {
      const Judge judge = make_judge();
      const auto fails = [&](const std::string& script) {
        const std::optional<Finding> finding = judge(script);
        // The GPU may be lost after a launch that failed.
        if (finding && finding->kind == "gpu" && finding->trait.empty()) std::_Exit(3);
        if (!wanted(finding)) return false;
        json message = message_of(*finding);
        message["script"] = script;
        send(dumped(message));
        return true;
      };
      const std::string start = best();
      if (fails(start))
        (void)reduce(start, fails, {.max_seconds = end_ - now(), .expectations = expectations_});
    };
    const auto receive = [&](const std::string& text) {
      const json message = json::parse(text);
      take(message["script"], finding_in(message));
    };
    const int patience = std::max(1, static_cast<int>(end_ - now())) + 10;
    return run_isolated(work, receive, patience).finished;
  }

  /// Each attempt in a child of its own.
  void one_by_one(const std::function<Judge()>& make_judge, int silence) {
    const auto fails = [&](const std::string& script) {
      std::optional<Finding> finding = ask_in_child(script, make_judge, silence);
      if (!wanted(finding)) return false;
      take(script, std::move(*finding));
      return true;
    };
    const std::string start = best();
    // A line's comment decides who is asked about it.
    if (now() < end_ && fails(start))
      (void)reduce(start, fails, {.max_seconds = end_ - now(), .expectations = true});
  }

  /// The short one ends as the long one did, given as much time.
  void confirm(const std::function<Judge()>& make_judge) {
    if (!found_.reduced.empty() && !wanted(ask_in_child(found_.reduced, make_judge, kSilence)))
      found_.reduced.clear();
  }

  /// The program with the planted fault, or the same lines as they should be; `bare`: nothing
  /// before them.
  [[nodiscard]] std::string planted_text(bool wrong, bool bare) const {
    const Planting planting{.fault = found_.planted->fault, .wrong = wrong, .bare = bare};
    return generate(found_.seed, {.planted = planting}).text;
  }

  /// What ends with the whole program ends as a rule with the fault alone.
  void begin_with_fault(const std::function<Judge()>& make_judge) {
    const std::string alone = planted_text(found_.planted->wrong, true);
    const std::optional<Finding> finding = ask_in_child(alone, make_judge, kSilence);
    if (wanted(finding)) take(alone, *finding);
  }

  /// A planted fault of which something else comes than it says.
  void planted(const CampaignOptions& options) {
    for (const bool bare : {true, false}) {
      const std::string text = planted_text(true, bare);
      const bool refused = refusal(text);
      if (!refused && contradiction(text, options)) return;
      // Its own lines stay, with what they hang on, and nothing but them is wrong with what is
      // left.
      const auto pair = PlantedPair::make(text, planted_text(false, bare),
                                          refused ? Hangs::on_meaning : Hangs::on_values);
      if (!pair) return;
      const auto judge = [&] { return judge_of(options, options.oracle, false); };
      const std::optional<Finding> fresh = ask_in_child(text, judge, kSilence);
      if (!fresh || fresh->kind != found_.finding.kind) continue;
      signature_ = signature(*fresh);
      if (around(*pair, text, options.oracle)) return;
    }
  }

  /// Where the opinions do not agree, either, no line has to say what is right.
  bool contradiction(const std::string& text, const CampaignOptions& options) {
    OracleOptions oracle = options.oracle;
    oracle.given = Given{.folder = "/nonexistent", .set = {}, .recorded = true, .changes = 0};
    const auto judge = [&] { return judge_of(options, oracle, false); };
    const std::string bare = without_expectations(text, [](std::string_view) { return true; });
    const std::optional<Finding> finding = ask_in_child(bare, judge, kSilence);
    if (!finding || crashed(finding->kind) || finding->kind == "timeout") return false;
    signature_ = signature(*finding);
    take(bare, *finding);
    const bool done = together(judge) && lines_of(found_.reduced).size() < lines_of(bare).size();
    if (!done) found_.reduced.clear();
    return done;
  }

  /// A script of somebody's, whose lines say what must come of it.
  void expecting(const CampaignOptions& options) {
    const std::string& text = found_.script;
    const bool refused = refusal(text);
    if (!refused && contradiction(text, options)) return;
    const Hangs hangs = refused ? Hangs::on_meaning : Hangs::on_values;
    if (const auto pair = PlantedPair::marked(text, hangs))
      (void)around(*pair, text, options.oracle);
  }

  [[nodiscard]] static bool refusal(const std::string& text) {
    return expects_refusal(expectations_of(text));
  }

  /// A line whose CUDA is not what it says, without the claims that are true.
  void claimed(const CampaignOptions& options) {
    const std::string script =
        with_one_claim(without_expectations(found_.script, [](std::string_view) { return true; }),
                       found_.finding.trait);
    OracleOptions oracle = options.oracle;
    oracle.all_opinions = oracle.alternative = oracle.reparse = false;
    if (const auto pair = PlantedPair::marked(script, Hangs::on_values))
      (void)around(*pair, script, oracle);
  }

  /// A line that is not what it says of itself.
  void marked(const CampaignOptions& options) {
    std::string script = found_.script;
    OracleOptions oracle = options.oracle;
    if (found_.finding.kind == "lowering") {
      // Its sentence ends in the line; what the others say may change.
      script = without_expectations(
          script, [&](std::string_view line) { return !found_.finding.text.ends_with(line); });
      script = with_one_claim(script, {});
      oracle.all_opinions = oracle.alternative = oracle.reparse = false;
    }
    if (const auto pair = PlantedPair::marked(script)) (void)around(*pair, script, oracle);
  }

  /// What the pair keeps stays.  Where the twin is right, it stays right: it is refused for
  /// nothing, and where the fault shows in a run, nothing is found in the twin's.
  bool around(const PlantedPair& pair, const std::string& script, const OracleOptions& oracle) {
    found_.reduced = script;
    expectations_ = true;
    const auto right = [&](const std::string& twin) {
      return refusal(script) ? found_accepted(check_refused(twin, oracle))
                             : !check_script(twin, oracle).finding;
    };
    const bool done = together([&]() -> Judge {
      const bool twins = found_.planted && right(pair.twin(script));
      return [&, twins](const std::string& shorter) -> std::optional<Finding> {
        if (!pair.holds(shorter)) return std::nullopt;
        if (twins && !right(pair.twin(shorter))) return std::nullopt;
        return check_expected(shorter, oracle).finding;
      };
    });
    if (done && !found_.shown.empty()) return true;
    found_.reduced.clear();
    return false;
  }

  [[nodiscard]] static bool found_accepted(const std::optional<Finding>& finding) {
    return finding && finding->kind == "accepted";
  }

  Found& found_;
  double end_;
  std::string signature_;      // of what is wanted
  bool expectations_ = false;  // stay in what is reduced
};

}  // namespace

std::optional<Finding> ask(const std::string& script,
                           const CampaignOptions& options,
                           bool on_device) {
  return ask_in_child(
      script, [&] { return judge_of(options, options.oracle, on_device); }, kSilence);
}

void shorten(Found& found, const CampaignOptions& options, double seconds) {
  Shortening(found, seconds).run(options);
  if (found.reduced == found.script) found.reduced.clear();
  if (found.reduced.empty()) found.shown.clear();
}

}  // namespace tirx::fuzz
