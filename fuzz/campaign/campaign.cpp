#include "fuzz/campaign/campaign.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/isolated.hpp"
#include "fuzz/reduce/reduce.hpp"

namespace tirx::fuzz {

namespace {

using nlohmann::json;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the reducer must keep: the kind and, of a fault or a refusal, the sentence without its
/// numbers; a difference may be any difference.
std::string signature(const Finding& finding) {
  if (!finding.kind.starts_with("fault") && finding.kind != "refused" && finding.kind != "reparse")
    return finding.kind;
  std::string text = finding.kind + ": ";
  for (const char c : finding.text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) text += c;
  }
  return text.substr(0, 90);
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, std::ostream& log) : options_(options), log_(log) {}

  CampaignResult run() {
    const double begin = now();
    std::vector<std::uint64_t> seeds;
    for (std::int64_t i = options_.shard; i < options_.count; i += options_.shards)
      seeds.push_back(options_.seed + static_cast<std::uint64_t>(i));
    for (std::size_t at = 0; at < seeds.size() && result_.stopped.empty();) {
      at += batch(std::vector<std::uint64_t>(
          seeds.begin() + static_cast<std::ptrdiff_t>(at),
          seeds.begin() + static_cast<std::ptrdiff_t>(std::min(
                              seeds.size(), at + static_cast<std::size_t>(options_.batch)))));
      if (options_.max_seconds > 0 && now() - begin > options_.max_seconds && at < seeds.size())
        result_.stopped = "time limit";
      if (static_cast<int>(result_.found.size()) >= options_.max_findings && at < seeds.size())
        result_.stopped = "enough findings";
    }
    if (options_.reduce) {
      for (Found& found : result_.found) shorten(found);
    }
    result_.seconds = now() - begin;
    return std::move(result_);
  }

 private:
  /// Runs programs in one process until it ends; returns how many are dealt with.
  std::size_t batch(const std::vector<std::uint64_t>& seeds) {
    std::size_t done = 0;
    const auto work = [&](const Send& send) {
      OracleOptions oracle = options_.oracle;
      if (options_.open_device) {
        std::string why;
        std::optional<DeviceRun> device = options_.open_device(why);
        if (!device) return send(json{{"no_device", why}}.dump());
        oracle.device = *device;
      }
      for (const std::uint64_t seed : seeds) {
        const Program program = generate(seed);
        const OracleReport report = check_script(program.text, oracle);
        json message = {{"launches", report.launches}, {"elements", report.elements}};
        message["features"] = program.features;
        if (report.finding) {
          message["kind"] = report.finding->kind;
          message["text"] = report.finding->text;
        }
        send(message.dump(-1, ' ', false, json::error_handler_t::replace));
        // After a fault of the device nothing can be trusted in this process.
        if (report.finding && report.finding->kind == "gpu") return;
      }
    };
    const auto receive = [&](const std::string& text) {
      const json message = json::parse(text);
      if (message.contains("no_device")) {
        result_.stopped = "no GPU: " + message["no_device"].get<std::string>();
        return;
      }
      take(seeds[done++], message);
    };
    const ChildEnd end = run_isolated(work, receive, options_.silence_seconds);
    if (!end.finished && done < seeds.size()) {
      // The program it was at brought it down.
      note(seeds[done++], {end.how, "the process ended"});
      ++result_.programs;
    }
    if (done == 0 && result_.stopped.empty()) result_.stopped = "a batch did nothing";
    return done;
  }

  void take(std::uint64_t seed, const json& message) {
    ++result_.programs;
    result_.launches += message["launches"].get<std::int64_t>();
    result_.elements += message["elements"].get<std::int64_t>();
    for (const auto& feature : message["features"]) ++result_.features[feature.get<std::string>()];
    if (message.contains("kind")) note(seed, {message["kind"], message["text"]});
  }

  void note(std::uint64_t seed, Finding finding) {
    ++result_.findings;
    log_ << fmt::format("seed {}: {}: {}\n", seed, finding.kind, finding.text) << std::flush;
    if (static_cast<int>(result_.found.size()) >= options_.max_findings) return;
    result_.found.push_back({seed, std::move(finding), generate(seed).text, {}});
  }

  /// Whether the script still ends in a finding of this kind; in a process of its own.
  bool still_fails(const std::string& script, const Finding& wanted) {
    const std::string& kind = wanted.kind;
    std::string got;
    const auto work = [&](const Send& send) {
      OracleOptions oracle = options_.oracle;
      std::string why;
      if (options_.open_device && kind == "gpu") {
        const std::optional<DeviceRun> device = options_.open_device(why);
        if (device) oracle.device = *device;
      }
      const OracleReport report = check_script(script, oracle);
      if (report.finding) send(signature(*report.finding));
    };
    const ChildEnd end = run_isolated(
        work, [&](const std::string& text) { got = text; }, 20);
    return end.finished ? got == signature(wanted) : end.how == kind;
  }

  void shorten(Found& found) {
    if (found.finding.kind == "timeout") return;
    const auto fails = [&](const std::string& script) {
      return still_fails(script, found.finding);
    };
    if (!fails(found.script)) return;
    found.reduced = reduce(found.script, fails);
  }

  const CampaignOptions& options_;
  std::ostream& log_;
  CampaignResult result_;
};

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options, std::ostream& log) {
  return Campaign(options, log).run();
}

}  // namespace tirx::fuzz
