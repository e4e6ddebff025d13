// Barriers, fences and waits that are missing, or wait for too little.
#include "fuzz/mutate/places.hpp"

namespace tirx::fuzz {

namespace {

std::string_view removed(ir::OpId op) {
  using Step = ir::OpOrder::Step;
  if (ir::spec(op).effect == ir::Effect::fence) return "fence removed";
  const Step step = ir::order(op).step;
  return step == Step::wait     ? "wait removed"
         : step == Step::arrive ? "arrival removed"
         : step == Step::commit ? "commit removed"
                                : "barrier removed";
}

const ir::MachineCall* synchronises(const ir::Stmt& stmt) {
  const auto* evaluate = std::get_if<ir::Evaluate>(&stmt.node);
  const auto* call = evaluate != nullptr ? ir::as<ir::MachineCall>(evaluate->call) : nullptr;
  if (call == nullptr) return nullptr;
  const ir::OpSpec& spec = ir::spec(call->op);
  return spec.effect == ir::Effect::sync || spec.effect == ir::Effect::fence ? call : nullptr;
}

}  // namespace

void find_synchronisation(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const ir::Stmt& stmt) {
    const ir::MachineCall* call = synchronises(stmt);
    if (call == nullptr) return;
    places.statement(removed(call->op), n, stmt, [](const ir::Stmt&) { return ir::Body{}; });
    // wait_group(n): one group too many may still be in flight.
    std::int64_t pending = 0;
    if (!is_one_of<ir::PtxCpAsyncWaitGroup>(call->op)) return;
    if (call->args.empty() || !ir::is_const_int(call->args[0], pending)) return;
    places.statement("wait for one group less", n, stmt, [pending](const ir::Stmt& old) {
      ir::MachineCall wait = *call_of(old);
      wait.args[0] = ir::make_int(pending + 1, wait.args[0]->type);
      return ir::Body{with_call(old, std::move(wait))};
    });
  });
}

}  // namespace tirx::fuzz
