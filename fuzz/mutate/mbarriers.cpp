// The protocol of mbarriers broken: waits, arrivals, parities, counts (PTX ISA 9.7.13.15).
#include <algorithm>

#include "fuzz/mutate/places.hpp"
#include "ir/ptx/instruction.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

using ir::Body;
using ir::Expr;
using ir::MachineCall;
using ir::Stmt;
using num::ScalarOp;

bool waits_once(ir::OpId op) {
  return is_one_of<ir::PtxMbarrierTestWait, ir::PtxMbarrierTryWait>(op);
}

/// Whether the call takes a parity as its second argument.
bool by_parity(const MachineCall& call) {
  return is_one_of<ir::MbarrierWait>(call.op) ||
         (waits_once(call.op) && call.text.find(".parity") != std::string::npos);
}

bool polls(const ir::While& loop) {
  bool found = false;
  const auto look = [&](const Expr& expr) {
    const auto* call = ir::as<MachineCall>(expr);
    found = found || (call != nullptr && waits_once(call->op));
  };
  ir::for_each_expr(loop.condition, look);
  ir::for_each_in_body(
      loop.body, [](const Stmt&) {}, look);
  return found;
}

/// phase = phase ^ 1, or 1 - phase
bool flips(const ir::Store& store) {
  const auto* change = ir::as<ir::Scalar>(store.value);
  if (change == nullptr || !store.to.buffer->scalar) return false;
  if (change->op != ScalarOp::bit_xor && change->op != ScalarOp::sub) return false;
  std::int64_t one = 0;
  const std::size_t value = change->op == ScalarOp::sub ? 1 : 0;
  const auto* before = ir::as<ir::Load>(change->args[value]);
  return before != nullptr && before->from.buffer == store.to.buffer &&
         ir::is_const_int(change->args[1 - value], one) && one == 1;
}

void edit_argument(Places& places,
                   std::string_view kind,
                   std::size_t n,
                   const Stmt& stmt,
                   std::size_t at,
                   const std::function<Expr(const Expr&)>& change) {
  places.statement(kind, n, stmt, [at, change](const Stmt& old) {
    MachineCall changed = *call_of(old);
    changed.args[at] = change(changed.args[at]);
    return Body{with_call(old, std::move(changed))};
  });
}

Expr plus(const Expr& value, std::int64_t more) {
  return scalar(ScalarOp::add, value, same_type(more, value));
}

void of_call(Places& places, std::size_t n, const Stmt& stmt, const MachineCall& call) {
  const bool evaluated = std::holds_alternative<ir::Evaluate>(stmt.node);
  const auto nothing = [](const Stmt&) { return Body{}; };
  if (is_one_of<ir::MbarrierWait>(call.op)) places.statement("wait removed", n, stmt, nothing);
  if (by_parity(call)) {
    std::int64_t known = 0;
    edit_argument(places, "wrong parity", n, stmt, 1, [](const Expr& parity) {
      return scalar(ScalarOp::bit_xor, parity, same_type(1, parity));
    });
    if (!ir::is_const_int(call.args[1], known)) {
      edit_argument(places, "phase not flipped", n, stmt, 1,
                    [](const Expr& parity) { return same_type(0, parity); });
    }
  }
  const bool arrives =
      is_one_of<ir::PtxMbarrierArrive, ir::PtxMbarrierArriveDrop, ir::PtxMbarrierArriveExpectTx,
                ir::PtxCpAsyncMbarrierArrive>(call.op);
  if (arrives && evaluated) {
    places.statement("arrival removed", n, stmt, nothing);
    places.statement("arrival twice", n, stmt, [](const Stmt& old) { return Body{old, old}; });
  }
  if (is_one_of<ir::PtxMbarrierInit>(call.op)) {
    std::int64_t count = 0;
    const bool known = ir::is_const_int(call.args[1], count);
    edit_argument(places, "arrival count off by one", n, stmt, 1,
                  [](const Expr& expected) { return plus(expected, 1); });
    if (known && count > 1) {
      edit_argument(places, "arrival count off by one", n, stmt, 1,
                    [count](const Expr& expected) { return same_type(count - 1, expected); });
    }
  }
  if (is_one_of<ir::PtxMbarrierExpectTx, ir::PtxMbarrierArriveExpectTx>(call.op)) {
    edit_argument(places, "transaction bytes off", n, stmt, 1,
                  [](const Expr& bytes) { return plus(bytes, 16); });
  }
}

}  // namespace

void find_mbarriers(Places& places) {
  number_statements(places.kernel(), [&](std::size_t n, const Stmt& stmt) {
    const auto nothing = [](const Stmt&) { return Body{}; };
    if (const MachineCall* call = call_of(stmt)) of_call(places, n, stmt, *call);
    const auto* loop = std::get_if<ir::While>(&stmt.node);
    if (loop != nullptr && polls(*loop)) places.statement("wait removed", n, stmt, nothing);
    const auto* store = std::get_if<ir::Store>(&stmt.node);
    if (store != nullptr && flips(*store)) places.statement("phase not flipped", n, stmt, nothing);
  });
}

}  // namespace tirx::fuzz
