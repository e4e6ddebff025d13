#include "fuzz/campaign/campaign.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/isolated.hpp"
#include "fuzz/campaign/shorten.hpp"
#include "fuzz/check/expected.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

namespace {

using nlohmann::json;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, std::ostream& log) : options_(options), log_(log) {}

  CampaignResult run() {
    const double begin = now();
    if (options_.max_seconds > 0) deadline_ = begin + options_.max_seconds;
    std::vector<Task> tasks;
    for (std::int64_t i = options_.shard; i < options_.count; i += options_.shards) {
      const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(i);
      tasks.push_back({seed, std::nullopt});
      if (const auto planted = refused_planting_of(seed, options_.refused_percent))
        tasks.push_back({seed, planted});
      if (const auto planted = reported_planting_of(seed, options_.reported_percent))
        tasks.push_back({seed, planted});
    }
    for (std::size_t at = 0; at < tasks.size() && result_.stopped.empty();) {
      at += batch(std::vector<Task>(
          tasks.begin() + static_cast<std::ptrdiff_t>(at),
          tasks.begin() + static_cast<std::ptrdiff_t>(std::min(
                              tasks.size(), at + static_cast<std::size_t>(options_.batch)))));
      if (late() && at < tasks.size()) result_.stopped = "time limit";
      if (static_cast<int>(result_.found.size()) >= options_.max_findings && at < tasks.size())
        result_.stopped = "enough findings";
    }
    if (options_.reduce) {
      const double end = now() + options_.reduce_seconds;
      for (Found& found : result_.found) {
        const bool limited = options_.max_seconds > 0;
        const double left = limited ? end - now() : options_.reduce_seconds;
        if (left > 1) shorten(found, options_, left);
      }
    }
    result_.seconds = now() - begin;
    return std::move(result_);
  }

  Found reduce_script(const std::string& script) {
    Found found;
    found.script = script;
    const std::optional<Finding> finding = ask(script, options_, true);
    if (!finding) return found;
    found.finding = *finding;
    shorten(found, options_, options_.reduce_seconds);
    return found;
  }

 private:
  /// One program: that of a seed, or one of the seed's with a planted fault.
  struct Task {
    std::uint64_t seed = 0;
    std::optional<Planting> planted;

    [[nodiscard]] Program program() const { return generate(seed, {.planted = planted}); }

    [[nodiscard]] bool refused() const {
      return planted && planted->wrong &&
             expects_refusal(expectations_of(planted_fault(planted->fault).wrong));
    }
  };

  /// Runs programs in one process until it ends; returns how many are dealt with.
  std::size_t batch(const std::vector<Task>& tasks) {
    std::size_t done = 0;
    const auto work = [&](const Send& send) {
      OracleOptions oracle = options_.oracle;
      if (options_.open_device) {
        std::string why;
        std::optional<DeviceRun> device = options_.open_device(why);
        if (!device) return send(json{{"no_device", why}}.dump());
        oracle.device = *device;
      }
      for (const Task& task : tasks) {
        if (late()) return;
        oracle.draw = task.seed;
        const Program program = task.program();
        OracleReport report = check_expected(program.text, oracle);
        json message = {{"launches", report.launches},
                        {"elements", report.elements},
                        {"unjudged", report.unjudged}};
        report.features.insert(program.features.begin(), program.features.end());
        message["features"] = report.features;
        if (!report.compiler_crash.empty()) message["compiler_crash"] = report.compiler_crash;
        if (report.finding) {
          message["kind"] = report.finding->kind;
          message["text"] = report.finding->text;
          message["trait"] = report.finding->trait;
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
      take(tasks[done++], message);
    };
    const ChildEnd end = run_isolated(work, receive, options_.silence_seconds);
    if (!end.finished && done < tasks.size()) {
      // The program it was at brought it down.
      const Task& task = tasks[done++];
      note(task, {end.how, "the process ended", {}});
      if (!task.planted) ++result_.programs;
    }
    if (done == 0 && result_.stopped.empty() && !late()) result_.stopped = "a batch did nothing";
    return done;
  }

  void take(const Task& task, const json& message) {
    if (message.contains("kind")) note(task, {message["kind"], message["text"], message["trait"]});
    if (task.planted) {
      // Its parts say nothing about what valid programs exercise.
      if (!message.contains("kind")) ++(task.refused() ? result_.refused : result_.reported);
      return;
    }
    ++result_.programs;
    result_.launches += message["launches"].get<std::int64_t>();
    result_.elements += message["elements"].get<std::int64_t>();
    result_.unjudged += message["unjudged"].get<std::int64_t>();
    if (message.contains("compiler_crash")) {
      ++result_.compiler_crashes;
      log_ << fmt::format("seed {}: not compared: {}\n", task.seed,
                          message["compiler_crash"].get<std::string>())
           << std::flush;
    }
    for (const auto& feature : message["features"]) ++result_.features[feature.get<std::string>()];
  }

  void note(const Task& task, Finding finding) {
    ++result_.findings;
    if (task.planted) finding.text += fmt::format(" ({})", planted_fault(task.planted->fault).name);
    log_ << fmt::format("seed {}: {}: {}\n", task.seed, finding.kind, finding.text) << std::flush;
    if (static_cast<int>(result_.found.size()) >= options_.max_findings) return;
    Found found{task.seed, std::move(finding), task.program().text, {}, {}, task.planted};
    result_.found.push_back(std::move(found));
  }

  [[nodiscard]] bool late() const { return deadline_ > 0 && now() > deadline_; }

  const CampaignOptions& options_;
  std::ostream& log_;
  CampaignResult result_;
  double deadline_ = 0;
};

}  // namespace

Found reduce_script(const std::string& script, const CampaignOptions& options, std::ostream& log) {
  return Campaign(options, log).reduce_script(script);
}

CampaignResult run_campaign(const CampaignOptions& options, std::ostream& log) {
  return Campaign(options, log).run();
}

}  // namespace tirx::fuzz
