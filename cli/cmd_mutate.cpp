// tirx mutate: how many known ways to break a kernel do the checks and the script's own asserts
// catch?
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/engines.hpp"
#include "cli/verbs.hpp"
#include "fuzz/mutate/mutations.hpp"

namespace tirx::cli {

namespace {

using nlohmann::json;

/// The simulator, with one kernel of the script broken: the n-th that is launched for the first
/// time.
class BrokenEngine : public dsl::Engine {
 public:
  BrokenEngine(const Options& options, std::size_t kernel, const fuzz::Mutation* mutation)
      : cache_(options.arch()), options_(options), target_(kernel), mutation_(mutation) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override {
    const auto [known, fresh] = numbers_.try_emplace(&kernel, numbers_.size());
    if (fresh) kernels.push_back(&kernel);
    const ir::Kernel* chosen = &kernel;
    if (mutation_ != nullptr && known->second == target_) {
      if (!broken_) broken_ = mutation_->apply(kernel);
      chosen = &*broken_;
    }
    ir::LaunchOutcome outcome;
    const lower::LoweredKernel* lowered = cache_.get(*chosen, outcome);
    if (lowered == nullptr) return outcome;
    (void)call;
    outcome = sim::simulate(*lowered, args, options_.sim);
    for (const ir::Argument& argument : args) {
      const auto* tensor = std::get_if<ir::Tensor>(&argument);
      if (tensor != nullptr) left.push_back(*tensor->memory);
    }
    return outcome;
  }

  [[nodiscard]] bool checks(ir::FaultKind kind) const override {
    return sim::notices(options_.sim, kind);
  }

  std::vector<const ir::Kernel*> kernels;
  std::vector<ir::Memory> left;  // what each launch left in each tensor

 private:
  LoweringCache cache_;
  const Options& options_;
  std::size_t target_;
  const fuzz::Mutation* mutation_;
  std::map<const ir::Kernel*, std::size_t> numbers_;
  std::optional<ir::Kernel> broken_;
};

struct Row {
  std::string kind, where, kernel, caught_by;  // empty: not caught
  bool effect = true;                          // some launch left other bytes

  [[nodiscard]] bool caught() const { return !caught_by.empty(); }

  [[nodiscard]] std::string_view verdict() const {
    return caught() ? std::string_view(caught_by) : effect ? "NOT CAUGHT" : "no effect here";
  }
};

bool same_bytes(const std::vector<ir::Memory>& a, const std::vector<ir::Memory>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].bytes != b[i].bytes || a[i].valid != b[i].valid) return false;
  }
  return true;
}

/// What noticed it: the kind of the first fault, the script's assertion, a refusal.
std::string caught_by(const dsl::ScriptResult& result) {
  for (const dsl::LaunchRecord& launch : result.launches) {
    for (const ir::Fault& fault : launch.outcome.faults) {
      if (launch.expected != ir::to_string(fault.kind))
        return std::string(ir::to_string(fault.kind));
    }
  }
  if (!result.findings.empty()) return "host check";
  if (!result.differences.empty()) return "assertion";
  if (result.incomplete) return "does not end";
  if (result.has_errors()) return "refused";
  return {};
}

dsl::ScriptResult run(const Options& options, const SourceRef& source, BrokenEngine& engine) {
  return dsl::run_script(source, engine, script_options(options));
}

void print_rows(const std::vector<Row>& rows, std::ostream& out) {
  std::size_t kind = 8, where = 5;
  for (const Row& row : rows) {
    kind = std::max(kind, row.kind.size());
    where = std::max(where, row.where.size());
  }
  for (const Row& row : rows)
    out << fmt::format("{:{}}  {:{}}  {}\n", row.kind, kind, row.where, where, row.verdict());
}

}  // namespace

Exit cmd_mutate(const Options& options, std::ostream& out, std::ostream& err) {
  const SourceRef source = read_script(options, err);
  if (!source) return Exit::usage;
  BrokenEngine whole(options, 0, nullptr);
  const dsl::ScriptResult healthy = run(options, source, whole);
  const Exit before = verdict(healthy);
  if (before != Exit::clean) {
    if (options.json) {
      write_json(out, result_json(options, *source, healthy, {}));
    } else {
      print_result(*source, healthy, err);
    }
    err << "tirx: mutate starts from a script that runs clean\n";
    return before;
  }
  if (whole.kernels.empty()) {
    err << "tirx: mutate: the script launches no kernel\n";
    return Exit::usage;
  }
  Options limited = options;
  std::uint64_t steps = 0;
  for (const dsl::LaunchRecord& launch : healthy.launches)
    steps = std::max(steps, launch.outcome.warp_instructions);
  // A loop that lost its end is caught as one that does not end.
  limited.sim.max_steps = std::min(options.sim.max_steps, 20 * steps + 100'000);
  std::vector<Row> rows;
  std::size_t caught = 0, without = 0;
  for (std::size_t k = 0; k < whole.kernels.size(); ++k) {
    const ir::Kernel& kernel = *whole.kernels[k];
    for (const fuzz::Mutation& mutation : fuzz::all_mutations(kernel)) {
      BrokenEngine engine(limited, k, &mutation);
      const dsl::ScriptResult result = run(limited, source, engine);
      rows.push_back(
          {mutation.kind, source->where_line(mutation.span), kernel.name, caught_by(result)});
      rows.back().effect = rows.back().caught() || !same_bytes(whole.left, engine.left);
      caught += rows.back().caught() ? 1 : 0;
      without += rows.back().effect ? 0 : 1;
    }
  }
  const std::size_t due = rows.size() - without;
  const Exit code = caught == due ? Exit::clean : Exit::difference;
  if (options.json) {
    json list = json::array();
    for (const Row& row : rows) {
      list.push_back({{"kind", row.kind},
                      {"at", row.where},
                      {"kernel", row.kernel},
                      {"caught", row.caught()},
                      {"effect", row.effect},
                      {"by", row.caught_by}});
    }
    const json report = {{"tool", "tirx"},           {"verb", "mutate"},
                         {"file", source->name()},   {"exit", static_cast<int>(code)},
                         {"mutations", rows.size()}, {"caught", caught},
                         {"rows", std::move(list)}};
    out << report.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    return code;
  }
  print_rows(rows, out);
  const double score =
      due == 0 ? 100 : 100.0 * static_cast<double>(caught) / static_cast<double>(due);
  out << fmt::format("mutate: {} of {} mutations caught ({:.0f} %), {} more have no effect here\n",
                     caught, due, score, without);
  return code;
}

}  // namespace tirx::cli
