// The launches of a script, each with everything that must agree with it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/host/engine.hpp"
#include "fuzz/agree/opinions.hpp"
#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

/// What of a fault a shorter script must still show: the kinds of the statements it is at, and of a
/// race what they do.
[[nodiscard]] std::string trait_of(const ir::Kernel& kernel, const ir::Fault& fault);

/// The simulator, then everything that must agree with it; keeps what each launch left.
class OracleEngine : public dsl::Engine {
 public:
  /// `alone`: only the simulator.
  OracleEngine(const OracleOptions& options, bool alone) : options_(options), alone_(alone) {}

  ir::LaunchOutcome launch(const ir::Kernel& kernel,
                           std::span<const ir::Argument> args,
                           Span call) override;
  [[nodiscard]] bool checks(ir::FaultKind kind) const override;

  void note(std::string kind, std::string text, std::string trait = {}) {
    if (!report.finding)
      report.finding = Finding{std::move(kind), std::move(text), std::move(trait)};
  }

  OracleReport report;
  std::vector<std::vector<ir::Argument>> results;
  /// A script that was given asks for what has no order, and another one leaves something else.
  bool order_matters = false;

 private:
  const lower::LoweredKernel* lower_once(const ir::Kernel& kernel, ir::LaunchOutcome& outcome);
  bool emits(const lower::LoweredKernel& lowered);
  void count(const ir::Kernel& kernel,
             const lower::LoweredKernel& lowered,
             std::span<const ir::Argument> before);
  void compare_all(const ir::Kernel& kernel,
                   const lower::LoweredKernel& lowered,
                   std::span<const ir::Argument> before,
                   const Run& first);
  [[nodiscard]] bool may_take_long(const ir::Kernel& kernel, const Run& first) const;
  [[nodiscard]] std::uint64_t most_tile_steps(const Run& first) const;

  /// What the opinions on one launch come to.
  struct Said {
    std::string nothing;           // somebody gives up where he should not
    std::optional<Finding> alone;  // the evaluator differs, and the kernel polls
    bool order_matters = false;    // a schedule leaves something else, as it may
  };

  void compare_one(const Opinion& opinion,
                   const ir::Kernel& kernel,
                   const Run& first,
                   const Run& second,
                   Said& said);
  void ask_device(const ir::Kernel& kernel,
                  const lower::LoweredKernel& lowered,
                  std::span<const ir::Argument> before,
                  const Run& first);
  void bare(const ir::Kernel& kernel,
            const lower::LoweredKernel& lowered,
            std::span<const ir::Argument> before,
            const Run& first);
  void by_its_trace(const lower::LoweredKernel& lowered,
                    std::span<const ir::Argument> before,
                    const Run& first);
  void change(const ir::Kernel& kernel, std::span<const ir::Argument> before, const Run& first);
  void compare_prints(const Run& first, const Run& second, std::string_view name);

  /// Something is about to take a while.
  void alive(std::string_view doing) const {
    if (options_.alive) options_.alive(std::string(doing));
  }

  static constexpr std::uint64_t kChangesALaunch = 8;
  const OracleOptions& options_;
  std::uint64_t changed_ = 0;
  bool alone_;
  std::map<const ir::Kernel*, lower::LoweredKernel> lowered_;
};

}  // namespace tirx::fuzz
