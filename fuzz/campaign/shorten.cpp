#include "fuzz/campaign/shorten.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "fuzz/agree/opinions.hpp"
#include "fuzz/campaign/attempts.hpp"
#include "fuzz/check/expected.hpp"
#include "fuzz/check/refused.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/planted.hpp"
#include "fuzz/reduce/planted_pair.hpp"
#include "fuzz/reduce/reduce.hpp"

namespace tirx::fuzz {

namespace {

constexpr double kSilence = 20;  // seconds after which a script that is asked about does not end
constexpr double kCertain = 1;   // after which a short one does not: else it takes milliseconds
// What does not end, does not end in these either.
constexpr std::uint64_t kFewSteps = 100'000, kFewTileSteps = 200'000;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_opinion(const std::string& kind) {
  const auto all = opinions();
  return std::any_of(all.begin(), all.end(), [&](const Opinion& one) { return one.name == kind; });
}

std::string bare(const std::string& script) {
  return without_expectations(script, [](std::string_view) { return true; });
}

/// A loop without an end of its own is none of tirx.
OracleOptions with_few_steps(OracleOptions oracle) {
  oracle.sim.max_steps = std::min(oracle.sim.max_steps, kFewSteps);
  oracle.max_tile_steps = std::min(oracle.max_tile_steps, kFewTileSteps);
  return oracle;
}

/// The judge by what a script says of itself; opens the GPU where that is what found it.
std::function<Judge()> judge_by(const CampaignOptions& options,
                                const OracleOptions& oracle,
                                bool on_device) {
  return [open = options.open_device, oracle, on_device]() -> Judge {
    OracleOptions own = oracle;
    std::string why;
    if (open && on_device) {
      if (const std::optional<DeviceRun> device = open(why)) own.device = *device;
    }
    return [own](const std::string& script) {
      return own.given ? check_given(script, own).finding : check_expected(script, own).finding;
    };
  };
}

std::string wanted_signature(const Found& found) {
  Finding finding = found.finding;
  if (found.planted) {
    // The campaign has put the name of the fault behind it.
    const std::string name = fmt::format(" ({})", planted_fault(found.planted->fault).name);
    if (finding.text.ends_with(name)) finding.text.resize(finding.text.size() - name.size());
  }
  // What reads behind the end of something ends in several ways.
  return crashed(finding.kind) ? "crash" : signature(finding);
}

/// What is being reduced: the shortest script so far, and what it ends in.
class Shortening {
 public:
  Shortening(Found& found, double seconds)
      : found_(found), end_(now() + seconds), signature_(wanted_signature(found)) {}

  void run(const CampaignOptions& options) {
    const std::string& kind = found_.finding.kind;
    if (kind == "timeout") return hanging(options);
    if (crashed(kind)) return crashing(options);
    if (found_.planted && found_.planted->wrong) return planted(options);
    if (kind == "cuda" && !found_.finding.trait.empty()) return claimed(options);
    if (kind == "lowering" || kind == "accepted") {
      marked(options);
      // A lowered kernel that contradicts itself does so without a line that says anything.
      if (kind == "accepted" || !found_.reduced.empty()) return;
    }
    if (!options.oracle.given && expects_report(expectations_of(found_.script)))
      return expecting(options);
    disagreeing(options);
  }

 private:
  [[nodiscard]] bool wanted(const std::optional<Finding>& finding) const {
    return finding && (crashed(finding->kind) ? "crash" : signature(*finding)) == signature_;
  }

  void take(const std::string& script, const Finding& finding) {
    trail_.push_back(script);
    found_.reduced = script;
    found_.shown = finding.text;
  }

  void forget() {
    trail_.clear();
    found_.reduced.clear();
    found_.shown.clear();
  }

  struct Way {
    double patience = 0;        // seconds for an attempt; 0: by how long the first one takes
    bool expectations = false;  // stay in what is reduced
  };

  /// Shorter and shorter from `start`; false where that does not end as wanted, either.
  bool search(Attempts& attempts, const std::string& start, Way way) {
    if (now() > end_) return false;
    const double begin = now();
    const std::optional<Finding> first =
        attempts.ask(start, way.patience > 0 ? way.patience : kSilence);
    if (!wanted(first)) return false;
    take(start, *first);
    // What is shorter takes no longer, as a rule; what takes much longer shows something else.
    if (way.patience <= 0) way.patience = std::clamp(5 * (now() - begin), 1.0, kSilence);
    const auto fails = [&](const std::string& script) {
      const std::optional<Finding> finding = attempts.ask(script, way.patience);
      if (!wanted(finding)) return false;
      take(script, *finding);
      return true;
    };
    (void)reduce(start, fails, {.max_seconds = end_ - now(), .expectations = way.expectations});
    return true;
  }

  /// Whether a short one ends as the long one did, given as much time.
  [[nodiscard]] bool confirmed(const std::function<Judge()>& make_judge,
                               const std::string& script,
                               double seconds) const {
    return wanted(Attempts(make_judge).ask(script, seconds));
  }

  /// Back to the last script on the way whose end is confirmed; false where none is.
  bool step_back(const std::function<Judge()>& make_judge, double seconds) {
    std::size_t sure = 0, unsure = trail_.size();  // of the first `sure` the last one is
    while (unsure - sure > 1) {
      const std::size_t middle = sure + (unsure - sure) / 2;
      (confirmed(make_judge, trail_[middle - 1], seconds) ? sure : unsure) = middle;
    }
    trail_.resize(sure);
    if (sure > 0) found_.reduced = trail_.back();
    return sure > 0;
  }

  /// From where a program that ends early is made short: what ends with a whole program ends as a
  /// rule with the fault alone, and without lines that say what must come of it.
  [[nodiscard]] std::vector<std::string> starts() const {
    std::vector<std::string> texts = {found_.script};
    if (found_.planted) {
      texts.insert(texts.begin(), planted_text(found_.planted->wrong, true));
      // The seed's first program ran before it in the same process.
      texts.push_back(generate(found_.seed).text);
    }
    std::vector<std::string> all;
    for (const std::string& text : texts) {
      all.push_back(bare(text));
      if (all.back() != text) all.push_back(text);
    }
    return all;
  }

  /// Each attempt that hangs is one more, and waited for: as briefly as can be, until the shortest
  /// one is asked with more patience.
  void hanging(const CampaignOptions& options) {
    const OracleOptions few = with_few_steps(options.oracle);
    OracleOptions first = few;  // what ends, ends at once where only the simulator is asked
    first.all_opinions = first.alternative = first.reparse = false;
    const auto all = judge_by(options, options.oracle, false);
    for (const OracleOptions& oracle : {first, few, options.oracle}) {
      for (const std::string& start : starts()) {
        for (const double patience : {0.3, 1.0}) {
          Attempts attempts(judge_by(options, oracle, false));
          // What only takes long may end when it gets shorter: less of it, and more time for each.
          const std::string begin = trail_.empty() ? start : trail_.back();
          if (!search(attempts, begin, {.patience = patience, .expectations = true})) break;
          if (confirmed(all, found_.reduced, kCertain)) return;
          if (!step_back(all, kCertain)) forget();
        }
        if (!trail_.empty()) return;
      }
    }
  }

  void crashing(const CampaignOptions& options) {
    for (const std::string& start : starts()) {
      Attempts attempts(judge_by(options, options.oracle, false), Attempts::Children::once);
      if (search(attempts, start, {.expectations = true})) return;
    }
  }

  /// Two that must agree and do not.
  void disagreeing(const CampaignOptions& options) {
    const std::string& kind = found_.finding.kind;
    const bool on_device = kind == "gpu";
    // Whom the finding does not need is not asked.
    OracleOptions few = options.oracle;
    few.reparse = kind == "reparse";
    few.alternative = false;
    few.all_opinions = is_opinion(kind) || kind == "no opinion";
    if (is_opinion(kind)) few.last_opinion = kind;
    // Lines that say what must come of them may be asked about first; the CUDA of a script that
    // says nothing of it is not looked at.
    const bool speaks = kind == "cuda";
    for (const std::string& start : {speaks ? found_.script : bare(found_.script), found_.script}) {
      for (const OracleOptions& oracle : {few, options.oracle}) {
        // As few steps as show it, too; the short one is asked with all of them.
        const auto judge = judge_by(options, oracle, on_device);
        for (const auto& quick : {judge_by(options, with_few_steps(oracle), on_device), judge}) {
          Attempts attempts(quick);
          if (search(attempts, start, {.expectations = speaks}) &&
              confirmed(judge, found_.reduced, kSilence))
            return;
          forget();
        }
      }
    }
  }

  /// The program with the planted fault, or the same lines as they should be; `alone`: nothing
  /// before them.
  [[nodiscard]] std::string planted_text(bool wrong, bool alone) const {
    const Planting planting{.fault = found_.planted->fault, .wrong = wrong, .bare = alone};
    return generate(found_.seed, {.planted = planting}).text;
  }

  /// A planted fault of which something else comes than it says.
  void planted(const CampaignOptions& options) {
    for (const bool alone : {true, false}) {
      const std::string text = planted_text(true, alone);
      const bool refused = refusal(text);
      if (!refused && contradiction(text, options)) return;
      // Its own lines stay, with what they hang on, and nothing but them is wrong with what is
      // left.
      const auto pair = PlantedPair::make(text, planted_text(false, alone),
                                          refused ? Hangs::on_meaning : Hangs::on_values);
      if (!pair) return;
      const std::optional<Finding> fresh =
          Attempts(judge_by(options, options.oracle, false)).ask(text, kSilence);
      if (!fresh || fresh->kind != found_.finding.kind) continue;
      signature_ = signature(*fresh);
      if (around(*pair, text, options.oracle)) return;
    }
  }

  /// Where the opinions do not agree, either, no line has to say what is right.
  bool contradiction(const std::string& text, const CampaignOptions& options) {
    OracleOptions oracle = options.oracle;
    oracle.given = Given{.folder = "/nonexistent", .set = {}, .recorded = true, .changes = 0};
    const std::string start = bare(text);
    Attempts attempts(judge_by(options, oracle, false));
    const std::optional<Finding> finding = attempts.ask(start, kSilence);
    if (!finding || crashed(finding->kind) || finding->kind == "timeout") return false;
    signature_ = signature(*finding);
    if (search(attempts, start, {}) && lines_of(found_.reduced).size() < lines_of(start).size())
      return true;
    forget();
    return false;
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
    OracleOptions oracle = options.oracle;
    oracle.all_opinions = oracle.alternative = oracle.reparse = false;
    for (const std::size_t which : {1U, 2U, 0U}) {
      const std::string script = with_one_claim(bare(found_.script), found_.finding.trait, which);
      const auto pair = PlantedPair::marked(script, Hangs::on_read_values);
      if (pair && around(*pair, script, oracle)) return;
    }
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
    const auto right = [&](const std::string& twin) {
      return refusal(script) ? found_accepted(check_refused(twin, oracle))
                             : !check_script(twin, oracle).finding;
    };
    Attempts attempts([&]() -> Judge {
      const bool twins = found_.planted && right(pair.twin(script));
      return [&, twins](const std::string& shorter) -> std::optional<Finding> {
        if (!pair.holds(shorter)) return std::nullopt;
        if (twins && !right(pair.twin(shorter))) return std::nullopt;
        return check_expected(shorter, oracle).finding;
      };
    });
    if (search(attempts, script, {.expectations = true})) return true;
    forget();
    return false;
  }

  [[nodiscard]] static bool found_accepted(const std::optional<Finding>& finding) {
    return finding && finding->kind == "accepted";
  }

  Found& found_;
  double end_;
  std::string signature_;           // of what is wanted
  std::vector<std::string> trail_;  // what was taken, each shorter than the one before
};

}  // namespace

std::optional<Finding> ask(const std::string& script,
                           const CampaignOptions& options,
                           bool on_device) {
  return Attempts(judge_by(options, options.oracle, on_device)).ask(script, kSilence);
}

namespace {

/// What hangs on what happens to be in memory may end in something else when it is asked again.
void shorten_what_it_is_now(Found& found, const CampaignOptions& options, double seconds) {
  const std::optional<Finding> finding = ask(found.script, options, found.finding.kind == "gpu");
  if (!finding || signature(*finding) == signature(found.finding)) return;
  Found now = found;
  now.finding = *finding;
  Shortening(now, seconds).run(options);
  found.reduced = std::move(now.reduced);
  found.shown = std::move(now.shown);
}

}  // namespace

void shorten(Found& found, const CampaignOptions& options, double seconds) {
  Shortening(found, seconds).run(options);
  if (found.reduced.empty()) shorten_what_it_is_now(found, options, seconds);
  if (found.reduced == found.script) found.reduced.clear();
  if (found.reduced.empty()) found.shown.clear();
}

}  // namespace tirx::fuzz
