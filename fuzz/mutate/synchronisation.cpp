// Barriers, fences and waits that are missing, or wait for too little.
#include "fuzz/mutate/places.hpp"

namespace tirx::fuzz {

namespace {

std::string_view removed(const ir::OpSpec& spec) {
  const std::string_view name = spec.name;
  if (spec.effect == ir::Effect::fence) return "fence removed";
  if (name.find("wait") != std::string_view::npos) return "wait removed";
  if (name.find("arrive") != std::string_view::npos) return "arrival removed";
  if (name.find("commit") != std::string_view::npos) return "commit removed";
  return "barrier removed";
}

const ir::MachineCall* synchronises(const ir::Stmt& stmt) {
  const auto* evaluate = std::get_if<ir::Evaluate>(&stmt.node);
  const auto* call = evaluate != nullptr ? ir::as<ir::MachineCall>(evaluate->call) : nullptr;
  if (call == nullptr) return nullptr;
  const ir::OpSpec& spec = ir::spec(call->op);
  const bool orders = spec.effect == ir::Effect::sync || spec.effect == ir::Effect::fence ||
                      spec.name.find("wait_") != std::string_view::npos ||
                      spec.name.find("commit") != std::string_view::npos;
  return orders ? call : nullptr;
}

}  // namespace

void find_synchronisation(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const ir::Stmt& stmt) {
    const ir::MachineCall* call = synchronises(stmt);
    if (call == nullptr) return;
    places.statement(removed(ir::spec(call->op)), n, stmt,
                     [](const ir::Stmt&) { return ir::Body{}; });
    // wait_group(n): one group too many may still be in flight.
    std::int64_t pending = 0;
    if (ir::spec(call->op).name.find("wait_group") == std::string_view::npos) return;
    if (call->args.empty() || !ir::is_const_int(call->args[0], pending)) return;
    places.statement("wait for one group less", n, stmt, [pending](const ir::Stmt& old) {
      ir::MachineCall wait = *call_of(old);
      wait.args[0] = ir::make_int(pending + 1, wait.args[0]->type);
      return ir::Body{with_call(old, std::move(wait))};
    });
  });
}

}  // namespace tirx::fuzz
