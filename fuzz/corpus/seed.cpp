#include "fuzz/corpus/seed.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "fuzz/check/expected.hpp"
#include "fuzz/expect/expectation.hpp"
#include "ir/target.hpp"

namespace tirx::fuzz {

namespace {

/// Scripts may be larger than random programs.
constexpr std::uint64_t kMostSteps = 100'000'000;

/// As what the opinions take the script: the options of a command that decide what it computes.
struct Setting {
  const ir::Target* target = nullptr;  // null: the run's own
  std::map<std::string, std::string> set;
  std::uint64_t max_steps = kMostSteps;

  [[nodiscard]] bool operator==(const Setting&) const = default;
};

std::optional<Setting> setting_of(const std::vector<std::string>& words) {
  const bool runs = !words.empty() && (words[0] == "run" || words[0] == "test");
  if (!runs || std::find(words.begin(), words.end(), "--kernel") != words.end())
    return std::nullopt;
  Setting setting;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& value = words[i + 1];
    if (words[i] == "--arch") {
      setting.target = ir::find_target(value);
      if (setting.target == nullptr) return std::nullopt;
    }
    const std::size_t equals = value.find('=');
    if (words[i] == "--max-steps")
      std::from_chars(value.data(), value.data() + value.size(), setting.max_steps);
    if (words[i] == "--set" && equals != std::string::npos)
      setting.set[value.substr(0, equals)] = value.substr(equals + 1);
  }
  return setting;
}

/// Each once; without a command that runs the script, the script as it stands.
std::vector<Setting> settings_of(const Record& record) {
  std::vector<Setting> settings;
  for (const std::string& command : record.commands) {
    std::optional<Setting> setting = setting_of(words_of(record, command));
    if (setting && std::find(settings.begin(), settings.end(), *setting) == settings.end())
      settings.push_back(std::move(*setting));
  }
  if (settings.empty()) settings.emplace_back();
  return settings;
}

/// A corpus in a record of the corpus would have no end.
bool has_end(const Record& record) {
  return std::none_of(record.commands.begin(), record.commands.end(), [](const std::string& line) {
    return line.find("--corpus") != std::string::npos;
  });
}

/// In one line.
std::string squeezed(const std::string& text) {
  std::string line;
  std::istringstream in(text);
  for (std::string word; in >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

void add(OracleReport& sum, OracleReport one) {
  sum.launches += one.launches;
  sum.elements += one.elements;
  sum.unjudged += one.unjudged;
  if (sum.compiler_crash.empty()) sum.compiler_crash = std::move(one.compiler_crash);
  sum.features.merge(one.features);
  if (!sum.finding) sum.finding = std::move(one.finding);
}

}  // namespace

SeedReport check_seed(const std::string& path,
                      const std::string& text,
                      const OracleOptions& options,
                      const Command& command) {
  namespace fs = std::filesystem;
  SeedReport report;
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  const Record record = record_in(text, fs::absolute(path, ignored));
  const bool recorded = !record.commands.empty();
  if (recorded && command && has_end(record)) {
    const auto alive = [&](const auto& args, std::ostream& out, std::ostream& err) {
      if (options.alive) options.alive("`# run: " + (args.empty() ? "" : args[0]) + "`");
      return command(args, out, err);
    };
    const std::string differs = difference(record, replay(record, alive));
    fs::current_path(here, ignored);
    report.replayed = true;
    if (!differs.empty()) {
      report.oracle.finding = Finding{"record", squeezed(differs), {}};
      return report;
    }
  }
  // What a script says in its lines (fuzz/expect) is what a random one says.
  const std::vector<Expectation> expected = expectations_of(text);
  if (!recorded && !expected.empty()) {
    report.oracle = check_expected(text, options);
    return report;
  }
  for (const Setting& setting : settings_of(record)) {
    // The GPU is of one architecture.
    if (setting.target != nullptr && options.device) continue;
    OracleOptions own = options;
    own.given = Given{record.path.parent_path().string(), setting.set, recorded};
    if (setting.target != nullptr) own.target = setting.target;
    own.sim.max_steps = std::min(setting.max_steps, kMostSteps);
    add(report.oracle, check_given(text, own));
  }
  return report;
}

}  // namespace tirx::fuzz
