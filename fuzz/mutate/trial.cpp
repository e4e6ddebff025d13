#include "fuzz/mutate/trial.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "fuzz/agree/compare.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

using Arguments = std::vector<ir::Argument>;

/// A launch of the script as it is.
struct Recorded {
  const ir::Kernel* kernel = nullptr;
  Arguments before, after;
  ir::LaunchOutcome outcome;
};

/// One kernel of the text, whatever it was specialised to.
bool same_text(const ir::Kernel& a, const ir::Kernel& b) {
  return a.span == b.span && a.name == b.name;
}

bool same_bytes(std::span<const ir::Argument> a, std::span<const ir::Argument> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto* x = std::get_if<ir::Tensor>(&a[i]);
    const auto* y = std::get_if<ir::Tensor>(&b[i]);
    if ((x == nullptr) != (y == nullptr)) return false;
    if (x != nullptr &&
        (x->memory->bytes != y->memory->bytes || x->memory->valid != y->memory->valid))
      return false;
  }
  return true;
}

ir::LaunchOutcome simulate(const lower::LoweredKernel* kernel,
                           const std::optional<Diagnostic>& refused,
                           std::span<const ir::Argument> args,
                           const sim::SimOptions& options) {
  if (kernel != nullptr) return sim::simulate(*kernel, args, options);
  ir::LaunchOutcome outcome;
  outcome.status = ir::LaunchStatus::refused;
  outcome.diagnostics.push_back(*refused);
  return outcome;
}

/// Kernels with one mutation, lowered once each.
class Mutants {
 public:
  Mutants(const ir::Target& target, const Mutation* mutation, const ir::Kernel* home)
      : target_(target), mutation_(mutation), home_(home) {}

  struct Entry {
    bool changed = false;
    std::optional<lower::LoweredKernel> lowered;
    std::optional<Diagnostic> refused;
  };

  /// The kernel, with the mutation where it has that place.
  const Entry& of(const ir::Kernel& kernel) {
    const auto [at, fresh] = entries_.try_emplace(&kernel);
    Entry& entry = at->second;
    if (!fresh) return entry;
    std::optional<ir::Kernel> broken;
    if (mutation_ != nullptr && same_text(kernel, *home_)) {
      for (const Mutation& other : possible_mutations(kernel)) {
        if (other.place() == mutation_->place()) broken = other.apply(kernel);
      }
    }
    entry.changed = broken.has_value();
    Result<lower::LoweredKernel> lowered = lower::lower(broken ? *broken : kernel, target_);
    if (lowered) {
      entry.lowered = std::move(lowered).value();
    } else {
      entry.refused = lowered.error();
    }
    return entry;
  }

 private:
  const ir::Target& target_;
  const Mutation* mutation_;
  const ir::Kernel* home_;
  std::map<const ir::Kernel*, Entry> entries_;
};

ir::LaunchOutcome launch_on(const Mutants::Entry& entry,
                            std::span<const ir::Argument> args,
                            const sim::SimOptions& options) {
  return simulate(entry.lowered ? &*entry.lowered : nullptr, entry.refused, args, options);
}

/// Copies of arguments; of memory that nobody has written since, the copy that there is.
class Snapshots {
 public:
  Arguments take(std::span<const ir::Argument> args) {
    Arguments out(args.begin(), args.end());
    for (ir::Argument& argument : out) {
      auto* tensor = std::get_if<ir::Tensor>(&argument);
      if (tensor == nullptr) continue;
      std::shared_ptr<ir::Memory>& last = last_[tensor->memory.get()];
      if (!last || last->bytes != tensor->memory->bytes || last->valid != tensor->memory->valid)
        last = std::make_shared<ir::Memory>(*tensor->memory);
      tensor->memory = last;
    }
    return out;
  }

 private:
  // An address may be another memory's by now: what counts is that the bytes are the same.
  std::map<const ir::Memory*, std::shared_ptr<ir::Memory>> last_;
};

/// Runs the script as it is, and keeps what each launch started from and left.
class RecordingEngine : public dsl::Engine {
 public:
  RecordingEngine(const ir::Target& target, const sim::SimOptions& options)
      : kernels_(target, nullptr, nullptr), options_(options) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    Recorded record{&kernel, snapshots_.take(args), {}, {}};
    record.outcome = launch_on(kernels_.of(kernel), args, options_);
    record.after = snapshots_.take(args);
    recorded.push_back(std::move(record));
    return recorded.back().outcome;
  }

  [[nodiscard]] bool checks(ir::FaultKind kind) const override {
    return sim::notices(options_, kind);
  }

  std::vector<Recorded> recorded;

 private:
  Snapshots snapshots_;
  Mutants kernels_;
  const sim::SimOptions& options_;
};

/// Runs the script with one kernel broken.  The launches before `first` are known to leave the
/// bytes that were recorded.
class BrokenEngine : public dsl::Engine {
 public:
  BrokenEngine(Mutants mutants,
               const std::vector<Recorded>& recorded,
               std::size_t first,
               bool stop_at_fault,
               const sim::SimOptions& options)
      : mutants_(std::move(mutants)),
        recorded_(recorded),
        first_(first),
        stop_at_fault_(stop_at_fault),
        options_(options) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span) override {
    const std::size_t number = launches_++;
    if (number < first_) {
      for (std::size_t i = 0; i < args.size(); ++i) {
        const auto* to = std::get_if<ir::Tensor>(&args[i]);
        if (to != nullptr) *to->memory = *std::get<ir::Tensor>(recorded_[number].after[i]).memory;
      }
      return recorded_[number].outcome;
    }
    ir::LaunchOutcome outcome = launch_on(mutants_.of(kernel), args, options_);
    // What the host part would say after a fault does not matter any more.
    if (stop_at_fault_ && !outcome.faults.empty()) outcome.status = ir::LaunchStatus::incomplete;
    return outcome;
  }

  [[nodiscard]] bool checks(ir::FaultKind kind) const override {
    return sim::notices(options_, kind);
  }

 private:
  Mutants mutants_;
  const std::vector<Recorded>& recorded_;
  std::size_t first_, launches_ = 0;
  bool stop_at_fault_;
  const sim::SimOptions& options_;
};

void caught(Trial& trial, std::string by, std::string element, std::string text) {
  trial.verdict = TrialVerdict::caught;
  trial.by = std::move(by);
  trial.element = std::move(element);
  trial.text = std::move(text);
}

std::string first_error(const DiagnosticList& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::error) return diagnostic.text;
  }
  return diagnostics.empty() ? std::string() : diagnostics.front().text;
}

/// Whether something of the launch itself tells; `expected`: the fault that the script waits for.
bool noticed(Trial& trial, const ir::LaunchOutcome& outcome, const std::string& expected) {
  for (const ir::Fault& fault : outcome.faults) {
    if (expected == ir::to_string(fault.kind)) continue;
    caught(trial, std::string(ir::to_string(fault.kind)), fault.element, fault.text);
    return true;
  }
  if (!outcome.faults.empty() || outcome.status == ir::LaunchStatus::ok) return false;
  const std::string why = first_error(outcome.diagnostics);
  if (why.starts_with("step limit")) {
    caught(trial, "does not end", {}, why);
    return true;
  }
  trial.verdict = TrialVerdict::refused;
  trial.text = why;
  return true;
}

/// The verdict of a run of the script in which some launch left other bytes.
void judge(Trial& trial, const dsl::ScriptResult& result) {
  trial.verdict = TrialVerdict::survived;
  for (const dsl::LaunchRecord& launch : result.launches) {
    if (noticed(trial, launch.outcome, launch.expected)) return;
  }
  if (!result.findings.empty()) {
    caught(trial, "host check", {}, result.findings.front().text);
  } else if (!result.differences.empty()) {
    caught(trial, "assertion", {}, result.differences.front().text);
  } else if (result.has_errors()) {
    caught(trial, "error", {}, first_error(result.diagnostics));
  }
}

/// A mutation with the kernel that has it.
struct Place {
  Mutation mutation;
  const ir::Kernel* home;
};

std::vector<Place> places_of(const std::vector<const ir::Kernel*>& kernels,
                             const TrialOptions& options) {
  std::vector<Place> out;
  std::set<const ir::Kernel*> seen;
  for (const ir::Kernel* kernel : kernels) {
    if (!seen.insert(kernel).second) continue;
    for (Mutation& mutation : all_mutations(*kernel)) {
      if (options.wanted && !options.wanted(mutation.kind)) continue;
      const bool known = std::any_of(out.begin(), out.end(), [&](const Place& place) {
        return same_text(*place.home, *kernel) && place.mutation.place() == mutation.place();
      });
      if (!known) out.push_back({std::move(mutation), kernel});
    }
  }
  return out;
}

/// Before anything ran.
Trial trial_of(const Place& place) {
  Trial trial;
  trial.kind = place.mutation.kind;
  trial.before = place.mutation.before;
  trial.after = place.mutation.after;
  trial.span = place.mutation.span;
  trial.kernel = place.home->name;
  return trial;
}

class Court {
 public:
  Court(const SourceRef& source,
        const TrialOptions& options,
        const sim::SimOptions& sim,
        const dsl::ScriptResult& healthy,
        const std::vector<Recorded>& recorded)
      : source_(source), options_(options), sim_(sim), healthy_(healthy), recorded_(recorded) {
    for (const dsl::LaunchRecord& launch : healthy.launches)
      expects_faults_ = expects_faults_ || !launch.expected.empty();
  }

  [[nodiscard]] Trial hear(const Place& place) const {
    Trial trial = trial_of(place);
    const ir::Target& target =
        options_.script.target != nullptr ? *options_.script.target : ir::default_target();
    Mutants mutants(target, &place.mutation, place.home);
    std::size_t number = 0;
    for (; number < recorded_.size(); ++number) {
      const Recorded& launch = recorded_[number];
      if (!same_text(*launch.kernel, *place.home)) continue;
      const Mutants::Entry& entry = mutants.of(*launch.kernel);
      if (!entry.changed) continue;
      const std::string& expected = healthy_.launches[number].expected;
      const Arguments args = clone(launch.before);
      const ir::LaunchOutcome outcome = launch_on(entry, args, sim_);
      if (expected.empty() && noticed(trial, outcome, expected)) return trial;
      if (!expected.empty() || !same_bytes(args, launch.after)) break;
    }
    if (number == recorded_.size()) return trial;
    BrokenEngine engine(std::move(mutants), recorded_, number, !expects_faults_, sim_);
    judge(trial, dsl::run_script(source_, engine, options_.script));
    return trial;
  }

 private:
  const SourceRef& source_;
  const TrialOptions& options_;
  const sim::SimOptions& sim_;
  const dsl::ScriptResult& healthy_;
  const std::vector<Recorded>& recorded_;
  bool expects_faults_ = false;
};

}  // namespace

TrialResult list_mutations(const SourceRef& source, const TrialOptions& options) {
  TrialResult out;
  out.healthy = dsl::collect_kernels(source, options.script);
  std::vector<const ir::Kernel*> kernels;
  for (const dsl::LaunchRecord& launch : out.healthy.launches)
    kernels.push_back(launch.kernel.get());
  if (kernels.empty()) {
    for (const auto& kernel : out.healthy.kernels) kernels.push_back(kernel.get());
  }
  for (const Place& place : places_of(kernels, options)) out.trials.push_back(trial_of(place));
  return out;
}

TrialResult mutate_script(const SourceRef& source,
                          const TrialOptions& options,
                          const std::function<bool(const dsl::ScriptResult&)>& clean) {
  TrialResult out;
  const ir::Target& target =
      options.script.target != nullptr ? *options.script.target : ir::default_target();
  RecordingEngine whole(target, options.sim);
  out.healthy = dsl::run_script(source, whole, options.script);
  if (!clean(out.healthy)) return out;
  sim::SimOptions limited = options.sim;
  std::uint64_t steps = 0;
  for (const Recorded& launch : whole.recorded)
    steps = std::max(steps, launch.outcome.warp_instructions);
  // A loop that lost its end is caught as one that does not end.
  limited.max_steps = std::min(options.sim.max_steps, 20 * steps + 100'000);
  std::vector<const ir::Kernel*> kernels;
  for (const Recorded& launch : whole.recorded) kernels.push_back(launch.kernel);
  const std::vector<Place> places = places_of(kernels, options);
  const unsigned machine = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t workers = std::min(
      places.size(), static_cast<std::size_t>(
                         options.threads > 0 ? static_cast<unsigned>(options.threads) : machine));
  if (workers > 1) limited.threads = 1;
  const Court court(source, options, limited, out.healthy, whole.recorded);
  out.trials.resize(places.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < places.size(); i = next++)
      out.trials[i] = court.hear(places[i]);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return out;
}

}  // namespace tirx::fuzz
