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
#include "fuzz/corpus/seed.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/planted.hpp"
#include "ir/base/file.hpp"

namespace tirx::fuzz {

namespace {

using nlohmann::json;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string dumped(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, std::ostream& log) : options_(options), log_(log) {}

  CampaignResult run() {
    const double begin = now();
    if (options_.max_seconds > 0) deadline_ = begin + options_.max_seconds;
    std::vector<Task> tasks;
    const auto scripts = static_cast<std::int64_t>(options_.corpus.size());
    for (std::int64_t i = options_.shard; i < options_.count; i += options_.shards) {
      if (i < scripts) {
        tasks.push_back({0, std::nullopt, options_.corpus[static_cast<std::size_t>(i)]});
        continue;
      }
      const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(i - scripts);
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
        if (left > 1) make_short(found, left);
      }
    }
    result_.seconds = now() - begin;
    return std::move(result_);
  }

  Found reduce_script(const std::string& path, const std::string& script) {
    Found found;
    found.path = path;
    found.script = script;
    CampaignOptions as_given = options_;
    std::error_code ignored;
    const auto folder = std::filesystem::absolute(path, ignored).parent_path();
    as_given.oracle.given = Given{folder.string(), {}, false};
    // What only the generator writes is about lines; what somebody wrote is asked as it stands.
    const bool speaks = !expectations_of(script).empty();
    const bool generated =
        speaks || says_cuda(script) || script.find("\"ALT\"") != std::string::npos;
    for (const bool given : {true, false}) {
      if (given ? speaks : !generated) continue;
      const CampaignOptions& asked = given ? as_given : options_;
      const std::optional<Finding> finding = ask(script, asked, true);
      if (!finding) continue;
      found.finding = *finding;
      // Nearly any other script fails an assertion as well.
      if (finding->kind != "assertion") shorten(found, asked, options_.reduce_seconds);
      return found;
    }
    return found;
  }

 private:
  /// One program: that of a seed, or one of the seed's with a planted fault; or a script of the
  /// corpus.
  struct Task {
    std::uint64_t seed = 0;
    std::optional<Planting> planted;
    std::string path{};

    [[nodiscard]] Program program() const {
      if (path.empty()) return generate(seed, {.planted = planted});
      Program program;
      if (Result<std::string> text = read_file(path, path)) program.text = std::move(text).value();
      return program;
    }

    [[nodiscard]] std::string name() const {
      return path.empty() ? fmt::format("seed {}", seed) : path;
    }

    [[nodiscard]] bool refused() const {
      return planted && planted->wrong &&
             expects_refusal(expectations_of(planted_fault(planted->fault).wrong));
    }
  };

  /// What a script records is about the whole of it.
  void make_short(Found& found, double seconds) const {
    if (found.path.empty()) return shorten(found, options_, seconds);
    const Record record = record_in(found.script, std::filesystem::absolute(found.path));
    if (!record.commands.empty()) return;
    CampaignOptions own = options_;
    own.oracle.given = Given{record.path.parent_path().string(), {}, false};
    shorten(found, own, seconds);
  }

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
        oracle.alive = nullptr;
        const Program program = task.program();
        OracleReport report;
        bool replayed = false;
        if (task.path.empty()) {
          report = check_expected(program.text, oracle);
        } else {
          // Whoever wrote it had more patience than the generator.
          oracle.alive = [&](const std::string& doing) { send(dumped({{"alive", doing}})); };
          SeedReport seed = check_seed(task.path, program.text, oracle, options_.command);
          report = std::move(seed.oracle);
          replayed = seed.replayed;
        }
        json message = {{"launches", report.launches},
                        {"elements", report.elements},
                        {"unjudged", report.unjudged},
                        {"replayed", replayed}};
        report.features.insert(program.features.begin(), program.features.end());
        message["features"] = report.features;
        if (!report.compiler_crash.empty()) message["compiler_crash"] = report.compiler_crash;
        if (report.finding) {
          message["kind"] = report.finding->kind;
          message["text"] = report.finding->text;
          message["trait"] = report.finding->trait;
        }
        send(dumped(message));
        // After a fault of the device nothing can be trusted in this process.
        if (report.finding && report.finding->kind == "gpu") return;
      }
    };
    std::string doing;
    const auto receive = [&](const std::string& text) {
      const json message = json::parse(text);
      doing = message.value("alive", "");
      if (message.contains("alive")) return;
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
      note(task, {end.how, "the process ended" + (doing.empty() ? "" : " at " + doing), {}});
      if (!task.planted) ++result_.programs;
      if (!task.path.empty()) ++result_.scripts;
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
    result_.scripts += task.path.empty() ? 0 : 1;
    result_.replayed += message["replayed"].get<bool>() ? 1 : 0;
    result_.launches += message["launches"].get<std::int64_t>();
    result_.elements += message["elements"].get<std::int64_t>();
    result_.unjudged += message["unjudged"].get<std::int64_t>();
    if (message.contains("compiler_crash")) {
      ++result_.compiler_crashes;
      log_ << fmt::format("{}: not compared: {}\n", task.name(),
                          message["compiler_crash"].get<std::string>())
           << std::flush;
    }
    for (const auto& feature : message["features"]) ++result_.features[feature.get<std::string>()];
  }

  void note(const Task& task, Finding finding) {
    ++result_.findings;
    if (task.planted) finding.text += fmt::format(" ({})", planted_fault(task.planted->fault).name);
    log_ << fmt::format("{}: {}: {}\n", task.name(), finding.kind, finding.text) << std::flush;
    if (static_cast<int>(result_.found.size()) >= options_.max_findings) return;
    Found found{task.seed, task.path, std::move(finding), task.program().text,
                {},        {},        task.planted};
    result_.found.push_back(std::move(found));
  }

  [[nodiscard]] bool late() const { return deadline_ > 0 && now() > deadline_; }

  const CampaignOptions& options_;
  std::ostream& log_;
  CampaignResult result_;
  double deadline_ = 0;
};

}  // namespace

Found reduce_script(const std::string& path,
                    const std::string& script,
                    const CampaignOptions& options,
                    std::ostream& log) {
  return Campaign(options, log).reduce_script(path, script);
}

CampaignResult run_campaign(const CampaignOptions& options, std::ostream& log) {
  return Campaign(options, log).run();
}

}  // namespace tirx::fuzz
