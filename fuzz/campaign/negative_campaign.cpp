// Negative mode over many programs.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/campaign.hpp"
#include "fuzz/campaign/isolated.hpp"

namespace tirx::fuzz {

std::int64_t NegativeResult::of(RemovalOutcome outcome) const {
  const auto found = outcomes.find(outcome);
  return found == outcomes.end() ? 0 : found->second;
}

std::int64_t NegativeResult::of(MisbehaviourOutcome outcome) const {
  const auto found = planted.find(outcome);
  return found == planted.end() ? 0 : found->second;
}

double NegativeResult::detection_rate() const {
  const std::int64_t reported = of(RemovalOutcome::reported);
  const std::int64_t due = reported + of(RemovalOutcome::missed);
  return due == 0 ? 1 : static_cast<double>(reported) / static_cast<double>(due);
}

NegativeResult run_negative(const CampaignOptions& options, std::ostream& log) {
  using nlohmann::json;
  NegativeResult result;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::uint64_t> seeds;
  for (std::int64_t i = options.shard; i < options.count; i += options.shards)
    seeds.push_back(options.seed + static_cast<std::uint64_t>(i));
  for (std::size_t at = 0; at < seeds.size();) {
    const std::size_t end = std::min(seeds.size(), at + static_cast<std::size_t>(options.batch));
    const auto work = [&](const Send& send) {
      for (std::size_t i = at; i < end; ++i) {
        const Removal removal = remove_one(seeds[i], options.oracle.sim);
        const Misbehaviour planted = plant_one(seeds[i], options.oracle.sim);
        send(json{{"outcome", static_cast<int>(removal.outcome)},
                  {"what", removal.what},
                  {"report", removal.report},
                  {"conflicts", removal.conflicts},
                  {"planted", static_cast<int>(planted.outcome)},
                  {"place", planted.what},
                  {"disagreement", planted.text},
                  {"kinds", planted.kinds}}
                 .dump(-1, ' ', false, json::error_handler_t::replace));
      }
    };
    std::size_t done = at;
    const auto receive = [&](const std::string& text) {
      const json message = json::parse(text);
      const auto outcome = static_cast<RemovalOutcome>(message["outcome"].get<int>());
      ++result.programs;
      ++result.outcomes[outcome];
      if (outcome == RemovalOutcome::missed || outcome == RemovalOutcome::false_alarm) {
        result.wrong.push_back(fmt::format(
            "seed {}: {}: {}, {} unordered conflicts{}{}", seeds[done],
            outcome == RemovalOutcome::missed ? "missed" : "false alarm",
            message["what"].get<std::string>(), message["conflicts"].get<std::int64_t>(),
            message["report"].get<std::string>().empty() ? "" : ", ",
            message["report"].get<std::string>()));
        log << result.wrong.back() << '\n';
      }
      const auto planted = static_cast<MisbehaviourOutcome>(message["planted"].get<int>());
      ++result.planted[planted];
      if (planted == MisbehaviourOutcome::faults)
        ++result.kinds[message["kinds"].get<std::string>()];
      if (planted == MisbehaviourOutcome::disagree) {
        result.wrong.push_back(fmt::format("seed {}: planted fault: {}: {}", seeds[done],
                                           message["place"].get<std::string>(),
                                           message["disagreement"].get<std::string>()));
        log << result.wrong.back() << '\n';
      }
      ++done;
    };
    const ChildEnd child = run_isolated(work, receive, options.silence_seconds);
    if (!child.finished && done < end) {
      ++result.crashes;
      result.wrong.push_back(fmt::format("seed {}: {}", seeds[done++], child.how));
      log << result.wrong.back() << '\n';
    }
    at = std::max(done, at + 1);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tirx::fuzz
