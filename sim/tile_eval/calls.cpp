// Machine operations of one thread.  Those that need other threads make it wait; the scheduler
// answers all of them together.
#include <bit>

#include <fmt/format.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "sim/program/ptx_form.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

namespace {

bool is_warp_op(ir::OpId op) {
  return (ir::spec(op).effect == ir::Effect::warp && !is<ir::ActiveMask>(op)) ||
         is<ir::WarpSync>(op);
}

/// Position of the mask operand, or -1.
int mask_operand(const ir::MachineCall& call) {
  return call.args.empty() ? -1 : 0;
}

std::optional<num::ScalarOp> atomic_op(ir::OpId op) {
  if (is<ir::AtomicAdd>(op)) return num::ScalarOp::add;
  if (is<ir::AtomicMin>(op)) return num::ScalarOp::min;
  if (is<ir::AtomicMax>(op)) return num::ScalarOp::max;
  if (is<ir::AtomicAnd>(op)) return num::ScalarOp::bit_and;
  if (is<ir::AtomicOr>(op)) return num::ScalarOp::bit_or;
  if (is<ir::AtomicXor>(op)) return num::ScalarOp::bit_xor;
  return std::nullopt;
}

std::optional<num::ScalarOp> redux_op(ir::OpId op) {
  if (is<ir::ReduxAdd>(op)) return num::ScalarOp::add;
  if (is<ir::ReduxMin>(op)) return num::ScalarOp::min;
  if (is<ir::ReduxMax>(op)) return num::ScalarOp::max;
  if (is<ir::ReduxAnd>(op)) return num::ScalarOp::bit_and;
  if (is<ir::ReduxOr>(op)) return num::ScalarOp::bit_or;
  if (is<ir::ReduxXor>(op)) return num::ScalarOp::bit_xor;
  return std::nullopt;
}

}  // namespace

void Evaluator::reply(Thread& t, Cell value) {
  t.replies.push_back(value);
  t.call = nullptr;
}

Cell Evaluator::machine_call(const ir::Expr& expr, const ir::MachineCall& call) {
  if (is<ir::PtxCpAsyncCommitGroup>(call.op) || is<ir::PtxCpAsyncWaitGroup>(call.op) ||
      is<ir::PtxCpAsyncWaitAll>(call.op)) {
    return {};  // copy_async has copied when it returns
  }
  if (ir::spec(call.op).ptx != nullptr) return instruction(expr->span, call);
  Thread& t = cta_->threads[thread_];
  // Operands first: calls inside them have their replies in front of this one's.
  const ir::OpId op = call.op;
  const bool memory = ir::spec(op).effect == ir::Effect::memory && !is<ir::PrintBuffer>(op);
  std::optional<std::vector<std::int64_t>> at;  // where the first one points
  std::vector<Cell> operands;
  for (const ir::Expr& arg : call.args) {
    const auto* pointer = ir::as<ir::AddressOf>(arg);
    if (pointer != nullptr && memory && operands.empty())
      at = coordinates(pointer->element, expr->span);
    operands.push_back(!arg || pointer != nullptr ? Cell{} : eval_one(arg));
    if (blocked_) return {};
  }
  if (t.next_reply < t.replies.size()) return t.replies[t.next_reply++];
  const auto answer = [&](Cell value) {
    t.replies.push_back(value);
    ++t.next_reply;
    return value;
  };
  const auto wait = [&] {
    t.call = expr.get();
    t.tile = nullptr;
    t.operands = operands;
    t.arrived = false;
    t.state = State::waits;
    blocked_ = true;
    return Cell{};
  };
  if (is<ir::CtaSync>(op) || is_warp_op(op) || is<ir::NamedBarrierSync>(op)) return wait();
  if (is<ir::ClusterWait>(op)) {
    return cta_->cluster == nullptr ? answer({}) : wait();
  }
  if (is<ir::ClusterArrive>(op)) {
    if (cta_->cluster != nullptr) {
      t.phase = cta_->cluster->phase + 1;
      ++cta_->cluster->arrived;
      ++changes_;
    }
    return answer({});
  }
  if (is<ir::NamedBarrierArrive>(op)) {
    ++cta_->barrier_arrived[operands[0].bits & 15];
    cta_->barrier_threads[operands[0].bits & 15].insert(thread_);
    if (options_.trace != nullptr)
      options_.trace->arrive(traced(*cta_, thread_), barrier_key(*cta_, operands[0].bits & 15));
    ++changes_;
    return answer({});
  }
  switch (ir::spec(op).effect) {
    case ir::Effect::memory:
      if (is<ir::PrintBuffer>(op)) {
        print_buffer(call, operands, expr->span);
        return answer({});
      }
      return answer(memory_call(expr, call, at, operands));
    case ir::Effect::opaque:
      unsupported(expr->span, "CUDA source runs only on a GPU");
      return {};
    default:
      break;
  }
  if (is<ir::Trap>(op)) {
    fault(ir::FaultKind::trap, expr->span, "the kernel trapped");
    stopped_ = true;
  }
  if (is<ir::ActiveMask>(op)) return answer({std::uint64_t{1} << (thread_ % 32), false});
  return answer({});
}

/// Instructions by name that compute from registers; by_name.cpp has most of the others.
Cell Evaluator::instruction(Span span, const ir::MachineCall& call) {
  const PtxForm form = sim::resolve(*ir::ptx::decode(call));
  if (form.lane == nullptr) {
    const ir::Effect effect = ir::spec(call.op).effect;
    const bool memory = effect == ir::Effect::memory;
    if (is<ir::PtxPrefetch>(call.op)) return {};
    if (effect == ir::Effect::pure) {
      unsupported(span, fmt::format("the bits of {} have not been recorded", call.text));
      return {};
    }
    unsupported(span, fmt::format("{} {}, which the tile-level evaluator does not know", call.text,
                                  memory                       ? "is an access to memory by name"
                                  : effect == ir::Effect::warp ? "exchanges values between lanes"
                                                               : "waits for other threads"));
    return {};
  }
  std::array<std::uint64_t, 6> args{};
  bool poison = false;
  for (std::size_t i = 0; i < call.args.size() && i < args.size(); ++i) {
    const Cell cell = eval_one(call.args[i]);
    if (blocked_) return {};
    args[i] = cell.bits;
    poison = poison || cell.poison;
  }
  return {form.lane(form, args.data()), poison};
}

/// Prints nothing; what lies outside is a fault.
void Evaluator::print_buffer(const ir::MachineCall& call,
                             const std::vector<Cell>& operands,
                             Span span) {
  const ir::Access& access = ir::as<ir::AddressOf>(call.args[0])->element;
  const auto at = coordinates(access, span);
  if (!at) return;
  const auto element = offset_of(*access.buffer, *at);
  const auto count = static_cast<std::int64_t>(operands[1].bits);
  for (std::int64_t i = 0; i < count; ++i) {
    const Place place = element ? place_of(*access.buffer, *element + i, thread_) : Place{};
    if (element && inside(place, access.buffer->dtype)) continue;
    outside(*access.buffer, *at, span, false);
    return;
  }
}

Cell Evaluator::memory_call(const ir::Expr& expr,
                            const ir::MachineCall& call,
                            const std::optional<std::vector<std::int64_t>>& at,
                            const std::vector<Cell>& operands) {
  Thread& t = cta_->threads[thread_];
  const auto* pointer = ir::as<ir::AddressOf>(call.args[0]);
  if (pointer == nullptr) {
    unsupported(expr->span, "this operation needs a pointer");
    return {};
  }
  const ir::Access& access = pointer->element;
  const num::DType dtype = access.buffer->dtype;
  if (!at) return {0, true};
  const auto element = offset_of(*access.buffer, *at);
  const Place place = element ? place_of(*access.buffer, *element, thread_) : Place{};
  if (!element || !inside(place, dtype)) {
    outside(*access.buffer, *at, expr->span, !is<ir::LoadAcquire>(call.op));
    return {0, true};
  }

  // Both accesses of an atomic are told as one kind; ldg is a plain load.
  struct Atomic {
    bool& flag;

    Atomic(bool& f, bool value) : flag(f) { flag = value; }

    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    ~Atomic() { flag = false; }
  };

  const auto operand = [&](std::size_t i) { return operands[i]; };
  const Atomic kind(atomic_, !is<ir::LoadReadOnly>(call.op));
  const Cell old = read(place, dtype);
  if (is<ir::LoadAcquire>(call.op) || is<ir::LoadReadOnly>(call.op)) {
    if (is<ir::LoadAcquire>(call.op)) {
      // A polling loop lets the others run; the value is the one seen now.
      t.state = State::polls;
    }
    return old;
  }
  if (is<ir::StoreRelease>(call.op)) {
    write(place, dtype, operand(1));
    return {};
  }
  t.state = State::polls;
  if (is<ir::AtomicExchange>(call.op)) {
    write(place, dtype, operand(1));
    return old;
  }
  if (is<ir::AtomicCas>(call.op)) {
    if (old.bits == operand(1).bits) write(place, dtype, operand(2));
    return old;
  }
  if (auto op = atomic_op(call.op)) {
    const bool flush = *op == num::ScalarOp::add && dtype == num::DType::f32 &&
                       access.buffer->scope() == ir::MemoryScope::global;
    const Cell value = operand(1);
    const std::uint64_t bits =
        num::evaluate(flush ? num::ScalarOp::add_ftz : *op, dtype, old.bits, value.bits).value;
    write(place, dtype, {bits, old.poison || value.poison});
    return old;
  }
  unsupported(expr->span, fmt::format("{} is not known here", ir::spec(call.op).name));
  return {};
}

/// Answers an operation for which all named lanes of the warp have come.
bool Evaluator::finish_warp_call(CtaRun& cta, std::size_t warp) {
  const std::size_t base = warp * 32;
  const std::size_t end = std::min(base + 32, cta.threads.size());
  for (std::size_t i = base; i < end; ++i) {
    Thread& first = cta.threads[i];
    if (first.state != State::waits || first.call == nullptr) continue;
    const auto& call = std::get<ir::MachineCall>(first.call->node);
    if (exchanges_by_name(call.op) && !is<ir::PtxBarRed>(call.op)) {
      if (finish_exchange(cta, i)) return true;
      continue;
    }
    if (!is_warp_op(call.op)) continue;
    const bool has_mask = mask_operand(call) >= 0;
    const auto mask_of = [&](const Thread& t) {
      return has_mask ? static_cast<std::uint32_t>(t.operands[0].bits) : 0xffffffffU;
    };
    const std::uint32_t mask = mask_of(first);
    // Whoever names each other exchanges; whom its own mask leaves out, nobody answers.
    if ((mask >> (i - base) & 1) == 0 || (has_mask && first.operands[0].poison)) continue;
    std::vector<std::size_t> party;
    bool all = true;
    for (std::size_t k = base; k < end; ++k) {
      const Thread& t = cta.threads[k];
      if ((mask >> (k - base) & 1) == 0 || t.state == State::done) continue;
      const bool here = t.state == State::waits && t.call != nullptr &&
                        std::get<ir::MachineCall>(t.call->node).op == call.op && mask_of(t) == mask;
      all = all && here;
      party.push_back(k);
    }
    if (!all || party.empty()) continue;
    if (is<ir::WarpSync>(call.op)) trace_meeting(cta, party, barrier_key(cta, 16 + warp));
    std::array<const Thread*, 32> lane{};
    std::uint32_t lanes = 0;
    for (const std::size_t k : party) {
      lane[k - base] = &cta.threads[k];
      lanes |= 1U << (k - base);
    }
    std::array<Cell, 32> result{};
    const auto value = [&](std::size_t l) { return lane[l]->operands[1]; };
    std::uint64_t ballot = 0;
    bool poison = false;
    Cell folded;
    bool started = false;
    for (std::size_t l = 0; l < 32; ++l) {
      if (lane[l] == nullptr || lane[l]->operands.size() < 2) continue;
      if (value(l).bits != 0) ballot |= std::uint64_t{1} << l;
      poison = poison || value(l).poison;
      if (const auto op = redux_op(call.op)) {
        const num::DType dtype = call.args[1]->type.dtype;
        folded.bits =
            started ? num::evaluate(*op, dtype, folded.bits, value(l).bits).value : value(l).bits;
        started = true;
      }
    }
    int elected = std::countr_zero(lanes);
    for (std::size_t l = 0; l < 32; ++l) {
      if (lane[l] == nullptr) continue;
      const auto me = static_cast<int>(l);
      const auto arg = [&](std::size_t k) {
        const auto& c = std::get<ir::MachineCall>(lane[l]->call->node);
        return static_cast<int>(num::to_int64(lane[l]->operands[k].bits, c.args[k]->type.dtype));
      };
      const auto shuffle = [&](int from) {
        const auto f = static_cast<std::size_t>(from);
        result[l] = lane[f] != nullptr ? value(f) : Cell{0, true};
        result[l].poison = result[l].poison || lane[l]->operands[2].poison;
      };
      const int width = lane[l]->operands.size() > 3 ? arg(3) : 32;
      const int begin = me / width * width;
      if (is<ir::ShuffleIdx>(call.op)) {
        shuffle(begin + (arg(2) & (width - 1)));
      } else if (is<ir::ShuffleUp>(call.op)) {
        shuffle(me - arg(2) < begin ? me : me - arg(2));
      } else if (is<ir::ShuffleDown>(call.op)) {
        shuffle(me + arg(2) >= begin + width ? me : me + arg(2));
      } else if (is<ir::ShuffleXor>(call.op)) {
        const int from = me ^ (arg(2) & 31);
        shuffle(from >= begin + width ? me : from);
      } else if (is<ir::VoteAll>(call.op)) {
        result[l] = {ballot == lanes ? 1U : 0U, poison};
      } else if (is<ir::VoteAny>(call.op)) {
        result[l] = {ballot != 0 ? 1U : 0U, poison};
      } else if (is<ir::VoteBallot>(call.op)) {
        result[l] = {ballot, poison};
      } else if (is<ir::MatchAny>(call.op)) {
        result[l].poison = poison;
        for (std::size_t o = 0; o < 32; ++o) {
          if (lane[o] != nullptr && value(o).bits == value(l).bits) {
            result[l].bits |= std::uint64_t{1} << o;
          }
        }
      } else if (is<ir::ElectSync>(call.op)) {
        result[l] = {me == elected ? 1U : 0U, false};
      } else if (redux_op(call.op)) {
        result[l] = {folded.bits, poison};
      }
    }
    for (const std::size_t k : party) {
      reply(cta.threads[k], result[k - base]);
      cta.threads[k].state = State::runnable;
    }
    return true;
  }
  return false;
}

}  // namespace tirx::sim::tile
