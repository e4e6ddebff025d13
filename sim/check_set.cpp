// The words of --check.
#include "sim/simulate.hpp"

namespace tirx::sim {

std::optional<CheckSet> CheckSet::parse(std::string_view text) {
  if (text == "all") return all();
  if (text == "mem") return mem();
  if (text == "none") return none();
  CheckSet set;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<ir::FaultKind> kind = ir::find_fault_kind(text.substr(0, comma));
    if (!kind) return std::nullopt;
    set = set.with(*kind);
    // A destination in flight is marked as uninitialised memory is.
    if (*kind == ir::FaultKind::async) set = set.with(ir::FaultKind::uninit);
    if (comma == std::string_view::npos) return set;
    text.remove_prefix(comma + 1);
  }
}

bool notices(const SimOptions& options, ir::FaultKind kind) {
  return options.checks.has(kind);
}

}  // namespace tirx::sim
