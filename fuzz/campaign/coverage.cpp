#include "fuzz/campaign/coverage.hpp"

#include <algorithm>
#include <memory>

#include "dsl/run_script.hpp"
#include "fuzz/check/features.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

std::vector<std::pair<std::int64_t, std::string>> rarest_first(
    const std::map<std::string, std::int64_t>& features) {
  std::vector<std::pair<std::int64_t, std::string>> list;
  for (std::string& name : expected_features()) {
    const auto found = features.find(name);
    list.emplace_back(found == features.end() ? 0 : found->second, std::move(name));
  }
  std::sort(list.begin(), list.end());
  return list;
}

Coverage measure_coverage(const CampaignOptions& options) {
  Coverage coverage;
  const ir::Target& target =
      options.oracle.target != nullptr ? *options.oracle.target : ir::default_target();
  for (std::int64_t i = options.shard; i < options.count; i += options.shards) {
    const Program program = generate(options.seed + static_cast<std::uint64_t>(i));
    std::set<std::string> features = program.features;
    const dsl::ScriptResult script =
        dsl::collect_kernels(std::make_shared<const Source>("fuzz.tx", program.text));
    bool refused = script.kernels.empty();
    for (const auto& kernel : script.kernels) {
      const Result<lower::LoweredKernel> lowered = lower::lower(*kernel, target);
      refused = refused || !lowered;
      if (lowered) add_features(*lowered, features);
    }
    ++coverage.programs;
    coverage.refused += refused ? 1 : 0;
    coverage.with_barriers += features.contains("barrier") ? 1 : 0;
    for (const std::string& feature : features) ++coverage.features[feature];
  }
  coverage.expected = rarest_first(coverage.features);
  return coverage;
}

}  // namespace tirx::fuzz
