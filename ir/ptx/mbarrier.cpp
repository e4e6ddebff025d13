// Barriers in shared memory (PTX ISA 9.7.13.15, "mbarrier").
#include "ir/ops/ptx_mbarrier.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::ir::ptx {

namespace {

constexpr std::string_view kShared = "shared|shared::cta";

constexpr Slot kPlainSlots[] = {{kShared, false}, {"b64"}};
constexpr Slot kArriveSlots[] = {
    {"noComplete", false}, {"release|relaxed", false}, {"cta", false}, {kShared, false}, {"b64"}};
constexpr Slot kExpectArriveSlots[] = {
    {"release|relaxed", false}, {"cta", false}, {kShared, false}, {"b64"}};
constexpr Slot kExpectSlots[] = {{"relaxed", false}, {"cta", false}, {kShared, false}, {"b64"}};
constexpr Slot kWaitSlots[] = {
    {"parity", false}, {"acquire|relaxed", false}, {"cta", false}, {kShared, false}, {"b64"}};
constexpr Slot kCountSlots[] = {{"b64"}};
constexpr Slot kCopySlots[] = {{"noinc", false}, {kShared, false}, {"b64"}};

void barrier(Instruction& made) {
  made.address("addr", Space::shared, 8, true);
}

/// Order and scope come together.
std::string check_mbarrier_order(const Instruction& made) {
  const bool scoped = made.has("cta");
  for (const std::string_view order : {"release", "acquire", "relaxed"}) {
    if (made.has(order) == scoped) continue;
    if (made.has(order)) return "'." + std::string(order) + "' requires a scope: .cta";
  }
  const bool ordered = made.has("release") || made.has("acquire") || made.has("relaxed");
  return scoped && !ordered ? "'.cta' requires .release, .acquire or .relaxed in front of it"
                            : std::string();
}

std::string init(Instruction& made) {
  barrier(made);
  made.input("count", kU32);
  return {};
}

std::string inval(Instruction& made) {
  barrier(made);
  return {};
}

std::string arrive(Instruction& made) {
  if (std::string error = check_mbarrier_order(made); !error.empty()) return error;
  if (made.has("noComplete") && made.has("relaxed")) {
    return "'.relaxed' and '.noComplete' exclude each other";
  }
  made.output("state", kB64);
  barrier(made);
  if (made.has("noComplete")) {
    made.input("count", kU32);
  } else {
    // Before sm_90 the count of an arrival that may complete the phase is 1.
    Operand& count = made.input("count", kU32);
    count.optional = true;
    count.min_sm = 90;
  }
  if (made.has("relaxed")) made.min_sm = 90;
  return {};
}

std::string arrive_expect(Instruction& made) {
  if (std::string error = check_mbarrier_order(made); !error.empty()) return error;
  made.output("state", kB64);
  barrier(made);
  made.input("tx_count", kU32);
  made.min_sm = 90;
  return {};
}

std::string expect(Instruction& made) {
  if (std::string error = check_mbarrier_order(made); !error.empty()) return error;
  barrier(made);
  made.input("tx_count", kU32);
  made.min_sm = 90;
  return {};
}

std::string test_wait(Instruction& made) {
  if (std::string error = check_mbarrier_order(made); !error.empty()) return error;
  made.output("wait_complete", kPredicate);
  barrier(made);
  if (made.has("parity")) {
    made.input("phase_parity", kU32);
  } else {
    made.input("state", kB64);
  }
  if (made.has("relaxed")) made.min_sm = 90;
  return {};
}

std::string try_wait(Instruction& made) {
  if (std::string error = test_wait(made); !error.empty()) return error;
  made.input("suspend_time_hint", kU32).optional = true;
  made.min_sm = 90;
  return {};
}

std::string pending_count(Instruction& made) {
  made.output("count", kU32);
  made.input("state", kB64);
  return {};
}

}  // namespace

constinit const Family kMbarrierInit{"mbarrier.init", kPlainSlots, "[addr], count", init};
constinit const Family kMbarrierInval{"mbarrier.inval", kPlainSlots, "[addr]", inval};
constinit const Family kMbarrierArrive{"mbarrier.arrive", kArriveSlots,
                                       "state, [addr], count=", arrive};
constinit const Family kMbarrierArriveDrop{"mbarrier.arrive_drop", kArriveSlots,
                                           "state, [addr], count=", arrive};
constinit const Family kMbarrierArriveExpectTx{"mbarrier.arrive.expect_tx", kExpectArriveSlots,
                                               "state, [addr], tx_count", arrive_expect};
constinit const Family kMbarrierExpectTx{"mbarrier.expect_tx", kExpectSlots, "[addr], tx_count",
                                         expect};
constinit const Family kMbarrierTestWait{"mbarrier.test_wait", kWaitSlots,
                                         "wait_complete, [addr], state or phase_parity", test_wait};
constinit const Family kMbarrierTryWait{
    "mbarrier.try_wait", kWaitSlots,
    "wait_complete, [addr], state or phase_parity, suspend_time_hint=", try_wait};
constinit const Family kMbarrierPendingCount{"mbarrier.pending_count", kCountSlots, "count, state",
                                             pending_count};
constinit const Family kCpAsyncMbarrierArrive{"cp.async.mbarrier.arrive", kCopySlots, "[addr]",
                                              inval};

}  // namespace tirx::ir::ptx
