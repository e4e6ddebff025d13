#include "fuzz/check/unjudged.hpp"

#include <algorithm>
#include <iterator>

#include "ir/all_ops.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

std::string_view beyond_tile_level(const ir::MachineCall& call) {
  const ir::OpSpec& spec = ir::spec(call.op);
  if (spec.effect == ir::Effect::opaque) return "CUDA source, which only a GPU runs";
  // The closed list: instructions by their PTX names that sim/tile_eval/by_name.cpp does not have.
  if (spec.ptx == nullptr) return {};
  static constexpr std::string_view kMissing[] = {"ptx.elect",
                                                  "ptx.activemask",
                                                  "ptx.mma",
                                                  "ptx.stmatrix",
                                                  "ptx.mbarrier.arrive.expect_tx",
                                                  "ptx.mbarrier.expect_tx",
                                                  "ptx.mbarrier.pending_count"};
  if (std::find(std::begin(kMissing), std::end(kMissing), spec.name) == std::end(kMissing))
    return {};
  switch (spec.effect) {
    case ir::Effect::memory:
      return "an access to memory by its PTX name";
    case ir::Effect::warp:
      return "an exchange between lanes by its PTX name";
    case ir::Effect::sync:
    case ir::Effect::fence:
      return "an order of threads by its PTX name";
    default:
      return {};
  }
}

std::string_view may_give_up(const ir::Kernel& kernel, const ir::LaunchOutcome& outcome) {
  const Diagnostic* reason = nullptr;
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    if (diagnostic.severity == Severity::error && reason == nullptr) reason = &diagnostic;
  }
  if (reason == nullptr) return {};
  std::string_view why;
  ir::for_each_in_body(
      kernel.body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        const auto* call = ir::as<ir::MachineCall>(expr);
        if (call == nullptr || !why.empty()) return;
        if (expr->span == reason->span) why = beyond_tile_level(*call);
      });
  return why;
}

}  // namespace tirx::fuzz
