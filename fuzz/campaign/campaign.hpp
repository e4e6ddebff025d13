// Many random programs, in batches of one process each: what was found, and what was covered.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "fuzz/check/oracle.hpp"
#include "fuzz/corpus/record.hpp"
#include "fuzz/generate/program.hpp"
#include "fuzz/negative/misbehaviour.hpp"
#include "fuzz/negative/negative.hpp"

namespace tirx::fuzz {

struct CampaignOptions {
  std::uint64_t seed = 1;  // of the first program
  std::int64_t count = 500;
  std::int64_t shard = 0, shards = 1;  // this one takes every shards-th program
  /// Scripts that come before the random programs, and count as programs.
  std::vector<std::string> corpus{};
  Command command{};          // for their `# run:` lines; empty: these are not run
  int batch = 50;             // programs a process
  int silence_seconds = 60;   // a program that takes longer is a finding
  int max_findings = 5;       // then stop
  int refused_percent = 30;   // of the seeds: also a program that must be refused
  int reported_percent = 40;  // and a small one that goes wrong when it runs
  double max_seconds = 0;     // for the programs; 0: no limit
  bool reduce = true;
  double reduce_seconds = 60;  // for each finding; for all of them where there is a time limit
  OracleOptions oracle;
  /// Called in each process before its first program; null: no GPU.
  std::function<std::optional<DeviceRun>(std::string& why_not)> open_device;
};

struct Found {
  std::uint64_t seed = 0;
  std::string path;  // of a script of the corpus, which has no seed
  Finding finding;
  std::string script;   // as generated
  std::string reduced;  // empty where it was not reduced
  std::string shown;    // what the reduced one ends in
  std::optional<Planting> planted{};
};

struct CampaignResult {
  std::int64_t programs = 0, launches = 0, elements = 0, findings = 0;
  std::int64_t unjudged = 0;  // launches without the tile-level evaluator (fuzz/check/unjudged.hpp)
  std::int64_t compiler_crashes = 0;  // programs on which the GPU's compiler ended
  std::int64_t refused = 0;           // programs with a planted fault, refused as they must be
  std::int64_t scripts = 0;           // of the programs, those of the corpus
  std::int64_t replayed = 0;          // of these, those whose record was compared
  std::int64_t reported = 0;          // those that go wrong when they run, and are reported
  std::vector<Found> found;
  std::map<std::string, std::int64_t> features;  // programs that use each
  std::string stopped;                           // why it ended early; empty: it did not
  double seconds = 0;
};

/// What came of programs with one barrier, fence or wait removed, and of those with a fault
/// planted.
struct NegativeResult {
  std::int64_t programs = 0;
  std::map<RemovalOutcome, std::int64_t> outcomes;
  std::map<MisbehaviourOutcome, std::int64_t> planted;
  std::map<std::string, std::int64_t> kinds;  // of the planted faults that everybody reports
  std::vector<std::string> wrong;  // missed ones, false alarms, disagreements: seed, what, report
  std::int64_t crashes = 0;        // programs that brought their process down, or did not end
  double seconds = 0;

  [[nodiscard]] std::int64_t of(RemovalOutcome outcome) const;
  [[nodiscard]] std::int64_t of(MisbehaviourOutcome outcome) const;
  /// Reported, of those that leave an unordered conflict; 1 where there are none.
  [[nodiscard]] double detection_rate() const;
};

[[nodiscard]] NegativeResult run_negative(const CampaignOptions& options, std::ostream& log);

/// Checks one script of a file as one of the corpus, and then as a random program; makes it short.
/// Nothing is wrong with it where the finding has no kind; a failed assertion of its own says
/// nothing of which part is to blame, and such a script stays as it is.
[[nodiscard]] Found reduce_script(const std::string& path,
                                  const std::string& script,
                                  const CampaignOptions& options,
                                  std::ostream& log);

/// Progress goes to `log`, a line now and then.
[[nodiscard]] CampaignResult run_campaign(const CampaignOptions& options, std::ostream& log);

}  // namespace tirx::fuzz
