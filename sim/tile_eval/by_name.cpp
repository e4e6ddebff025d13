// Instructions by their PTX names that reach memory or other threads, as the PTX ISA defines them
// (9.7.9.8-11 ld and st, 9.7.13.6-8 atom and red, 9.7.9.25 cp.async, 9.7.13.15 mbarrier), written
// apart from the simulator's.  One thread runs after the other, so copies are complete when they
// return, and fences have nothing to do.
#include <algorithm>

#include <fmt/format.h>

#include "numerics/scalar.hpp"
#include "numerics/storage_bits.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

namespace {

num::ScalarOp fold_of(std::string_view word) {
  if (word == "and") return num::ScalarOp::bit_and;
  if (word == "or") return num::ScalarOp::bit_or;
  if (word == "xor") return num::ScalarOp::bit_xor;
  if (word == "min") return num::ScalarOp::min;
  if (word == "max") return num::ScalarOp::max;
  return num::ScalarOp::add;
}

/// What an atomic leaves: `b` and `c` are its operands.
std::uint64_t changed(const ir::ptx::Instruction& made,
                      num::DType dtype,
                      bool global,
                      std::uint64_t old,
                      std::uint64_t b,
                      std::uint64_t c) {
  const std::string_view op = made.word(3), type = made.word(6);
  if (op == "exch") return b;
  if (op == "cas") return old == b ? c : old;
  if (op == "inc") return old < b ? old + 1 : 0;
  if (op == "dec") return old == 0 || old > b ? b : old - 1;
  if (type == "f16x2" || type == "bf16x2") {
    const num::DType half = type == "f16x2" ? num::DType::f16 : num::DType::bf16;
    std::uint64_t sums = 0;
    for (const int shift : {0, 16}) {
      const auto sum =
          num::evaluate(num::ScalarOp::add, half, old >> shift & 0xffffU, b >> shift & 0xffffU);
      sums |= sum.value << shift;
    }
    return sums;
  }
  // Additions to float32 in global memory flush subnormals.
  const bool flush = op == "add" && dtype == num::DType::f32 && global;
  return num::evaluate(flush ? num::ScalarOp::add_ftz : fold_of(op), dtype, old, b).value;
}

}  // namespace

/// The bytes that a pointer names; nothing after a report.
std::optional<Bytes> Evaluator::bytes_at(const ir::Expr& pointer,
                                         std::int64_t size,
                                         Span span,
                                         bool write) {
  const auto* address = ir::as<ir::AddressOf>(pointer);
  if (address == nullptr) {
    unsupported(span, "this operation needs a pointer");
    return std::nullopt;
  }
  const ir::BufferNode& buffer = *address->element.buffer;
  auto at = coordinates(address->element, span);
  if (!at) return std::nullopt;
  const auto element = offset_of(buffer, *at);
  const Place place = element ? place_of(buffer, *element, thread_) : Place{};
  const int bits = num::storage_bits(buffer.dtype);
  const std::int64_t begin = element ? place.base + *element * bits / 8 : 0;
  bool good = element && place.memory != nullptr && *element >= 0 &&
              begin + size <= place.base + place.limit;
  // Where elements that lie together are neighbours by their indices, all of them must be inside.
  std::int64_t last = 0;
  bool neighbours =
      buffer.strides.empty() || (ir::is_const_int(buffer.strides.back(), last) && last == 1);
  if (buffer.layout) {
    const auto shape = ir::static_shape(buffer);
    const auto plain = ir::TileLayout::row_major(shape.value_or(std::vector<std::int64_t>{}));
    neighbours = shape && !buffer.layout->is_swizzled() && plain.ok() &&
                 plain.value() == buffer.layout->tile;
  }
  const std::int64_t count = neighbours ? size * 8 / bits : 1;
  for (std::int64_t i = 1; i < count && good && !at->empty(); ++i) {
    ++at->back();
    good = offset_of(buffer, *at).has_value();
  }
  if (!good) {
    outside(buffer, *at, span, write);
    return std::nullopt;
  }
  return Bytes{place.memory, static_cast<std::size_t>(begin),
               buffer.scope() == ir::MemoryScope::global};
}

Cell Evaluator::read_bytes(const Bytes& from, std::size_t offset, std::size_t size) {
  Cell cell;
  for (std::size_t i = 0; i < size; ++i) {
    cell.bits |= std::to_integer<std::uint64_t>(from.memory->bytes[from.begin + offset + i])
                 << 8 * i;
  }
  cell.poison = !from.memory->is_valid(from.begin + offset, from.begin + offset + size);
  return cell;
}

void Evaluator::write_bytes(const Bytes& to, std::size_t offset, std::size_t size, Cell value) {
  for (std::size_t i = 0; i < size; ++i)
    to.memory->bytes[to.begin + offset + i] = static_cast<std::byte>(value.bits >> 8 * i & 0xffU);
  to.memory->set_valid(to.begin + offset, to.begin + offset + size, !value.poison);
  ++changes_;
}

/// Whether the evaluator knows it; a trace tells of the language's own operations only.
bool Evaluator::known_by_name(const ir::MachineCall& call) const {
  if (options_.trace != nullptr) return false;
  if (is<ir::PtxLoad, ir::PtxStore, ir::PtxAtom, ir::PtxRed, ir::PtxFence, ir::PtxMembar,
         ir::PtxCpAsync, ir::PtxCpAsyncMbarrierArrive, ir::PtxMbarrierInit, ir::PtxMbarrierInval,
         ir::PtxMbarrierArrive, ir::PtxMbarrierArriveDrop, ir::PtxMbarrierTestWait,
         ir::PtxMbarrierTryWait, ir::MbarrierWait>(call.op))
    return true;
  return exchanges_by_name(call.op);
}

Cells Evaluator::by_name(const ir::Expr& expr, const ir::MachineCall& call) {
  Thread& t = cta_->threads[thread_];
  // Operands first: calls inside them have their replies in front of this one's.
  std::vector<Cells> operands;
  for (const ir::Expr& arg : call.args) {
    operands.push_back(!arg || ir::as<ir::AddressOf>(arg) != nullptr ? Cells(1) : eval(arg));
    if (blocked_) return {};
  }
  const auto lanes = static_cast<std::size_t>(expr->type.lanes);
  const std::size_t replies = std::max<std::size_t>(lanes, 1);
  if (t.next_reply + replies <= t.replies.size()) {
    const auto from = t.replies.begin() + static_cast<std::ptrdiff_t>(t.next_reply);
    t.next_reply += replies;
    return {from, from + static_cast<std::ptrdiff_t>(replies)};
  }
  const auto wait = [&] {
    t.call = expr.get();
    t.tile = nullptr;
    t.state = State::waits;
    blocked_ = true;
    return Cells(replies);
  };
  if (exchanges_by_name(call.op)) {
    t.operands.clear();
    for (const Cells& cells : operands) t.operands.push_back(cells[0]);
    // A row of a matrix is found by its own thread.
    t.row.reset();
    if (is<ir::PtxLdmatrix>(call.op)) {
      const ir::ptx::Operand& rows = ir::ptx::decode(call)->argument(0);
      if (static_cast<int>(thread_ % 32) < rows.lanes)
        t.row = bytes_at(call.args[0], 16, expr->span, false);
    }
    return wait();
  }
  if (is<ir::MbarrierWait>(call.op)) {
    const auto at = bytes_at(call.args[0], 8, expr->span, false);
    PhaseBarrier* barrier = at ? mbarrier_at(*at, expr->span) : nullptr;
    const Cell asked = operands[1][0];
    const bool usable = barrier != nullptr && is_parity(asked, expr->span);
    if (usable && (barrier->phase & 1U) == asked.bits) {
      t.awaited = barrier;
      t.operands = {asked};
      return wait();
    }
    t.replies.resize(t.replies.size() + replies);
    t.next_reply += replies;
    return Cells(replies);
  }
  Cells result = act_by_name(expr, call, operands);
  result.resize(replies);
  t.replies.insert(t.replies.end(), result.begin(), result.end());
  t.next_reply += replies;
  return result;
}

Cells Evaluator::act_by_name(const ir::Expr& expr,
                             const ir::MachineCall& call,
                             const std::vector<Cells>& operands) {
  Thread& t = cta_->threads[thread_];
  const auto decoded = ir::ptx::decode(call);
  const ir::ptx::Instruction& made = *decoded;
  const Span span = expr->span;
  const auto operand = [&](std::string_view name) -> const ir::ptx::Operand& {
    return *std::find_if(made.operands.begin(), made.operands.end(),
                         [&](const ir::ptx::Operand& one) { return one.name == name; });
  };
  const auto lost = [&] { return Cells(std::max<std::size_t>(expr->type.lanes, 1), {0, true}); };
  if (is<ir::PtxLoad>(call.op)) {
    const ir::ptx::Operand& to = operand("d");
    const auto size = static_cast<std::size_t>(num::bits(to.type.dtype) / 8);
    const auto from = bytes_at(call.args[0], operand("a").bytes, span, false);
    // A polling loop lets the others run.
    if (!made.word(0).empty() && made.word(0) != "weak") t.state = State::polls;
    if (!from) return lost();
    Cells values;
    for (std::size_t k = 0; k < static_cast<std::size_t>(to.count); ++k)
      values.push_back(read_bytes(*from, k * size, size));
    return values;
  }
  if (is<ir::PtxStore>(call.op)) {
    const ir::ptx::Operand& value = operand("b");
    const auto size = static_cast<std::size_t>(num::bits(value.type.dtype) / 8);
    const auto to = bytes_at(call.args[0], operand("a").bytes, span, true);
    for (std::size_t k = 0; to && k < static_cast<std::size_t>(value.count); ++k)
      write_bytes(*to, k * size, size, operands[1][k]);
    return {};
  }
  if (is<ir::PtxAtom, ir::PtxRed>(call.op)) {
    const num::DType dtype = operand("b").type.dtype;
    const auto size = static_cast<std::size_t>(num::bits(dtype) / 8);
    const auto at = bytes_at(call.args[0], static_cast<std::int64_t>(size), span, true);
    t.state = State::polls;
    if (!at) return lost();
    const bool cas = made.word(3) == "cas";
    const Cell old = read_bytes(*at, 0, size), b = operands[1][0];
    const Cell c = cas ? operands[2][0] : Cell{};
    const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
    const std::uint64_t now =
        changed(made, dtype, at->global, old.bits, b.bits & mask, c.bits & mask);
    const bool poison = b.poison || c.poison || (old.poison && made.word(3) != "exch");
    if (!cas || old.bits == (b.bits & mask)) write_bytes(*at, 0, size, {now & mask, poison});
    return {old};
  }
  if (is<ir::PtxCpAsync>(call.op)) {
    const auto size = static_cast<std::size_t>(operands[2][0].bits);
    const std::size_t at = operand("src").size_argument;
    auto kept = static_cast<std::int64_t>(size);
    if (at < call.args.size() && call.args[at]) {
      const std::int64_t wanted = num::to_int64(operands[at][0].bits, call.args[at]->type.dtype);
      if (operands[at][0].poison) {
        fault(ir::FaultKind::uninit, span, "the source size of a copy was never written");
        kept = 0;
      } else if (wanted < 0 || wanted > kept) {
        fault(ir::FaultKind::bounds, span,
              fmt::format("cp.async: a source size of {} bytes for a copy of {}", wanted, kept));
      } else {
        kept = wanted;
      }
    }
    const auto to = bytes_at(call.args[0], static_cast<std::int64_t>(size), span, true);
    if (!to) return {};
    Bytes from;
    if (kept != 0) {
      const auto named = bytes_at(call.args[1], kept, span, false);
      if (!named) return {};
      from = *named;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const bool copied = static_cast<std::int64_t>(i) < kept;
      write_bytes(*to, i, 1, copied ? read_bytes(from, i, 1) : Cell{});
    }
    return {};
  }
  if (ir::spec(call.op).effect == ir::Effect::fence) return {};
  return mbarrier_by_name(call, made, operands, span);
}

PhaseBarrier* Evaluator::mbarrier_at(const Bytes& at, Span span) {
  const auto found = cta_->mbarriers.find({at.memory, at.begin});
  if (found != cta_->mbarriers.end()) return &found->second;
  fault(ir::FaultKind::trap, span, "there is no mbarrier here");
  return nullptr;
}

std::optional<std::uint64_t> Evaluator::mbarrier_count(const Cell& count, Span span) {
  constexpr std::uint64_t kMost = (1U << 20) - 1;  // PTX ISA, "Valid range of values": 1 to 2^20-1
  if (count.poison) {
    fault(ir::FaultKind::uninit, span, "the count of an mbarrier was never written");
    return std::nullopt;
  }
  if (count.bits >= 1 && count.bits <= kMost) return count.bits;
  fault(ir::FaultKind::trap, span, "no count of an mbarrier");
  return std::nullopt;
}

bool Evaluator::is_phase(const Cell& asked, Span span) {
  if (asked.poison)
    fault(ir::FaultKind::uninit, span, "the phase of an mbarrier was never written");
  return !asked.poison;
}

bool Evaluator::is_parity(const Cell& asked, Span span) {
  if (!is_phase(asked, span)) return false;
  if (asked.bits > 1) fault(ir::FaultKind::trap, span, "no parity of an mbarrier's phase");
  return asked.bits <= 1;
}

Cells Evaluator::mbarrier_by_name(const ir::MachineCall& call,
                                  const ir::ptx::Instruction& made,
                                  const std::vector<Cells>& operands,
                                  Span span) {
  constexpr int kPhaseShift = 20;
  const auto at = bytes_at(call.args[0], 8, span, true);
  if (!at) return {{0, true}};
  ++changes_;
  if (is<ir::PtxMbarrierInit>(call.op)) {
    const auto count = mbarrier_count(operands[1][0], span);
    if (!count) return {};
    if (cta_->mbarriers.contains({at->memory, at->begin}))
      fault(ir::FaultKind::trap, span, "there is an mbarrier already");
    cta_->mbarriers[{at->memory, at->begin}] = {*count, *count, 0};
    return {};
  }
  const bool tests = is<ir::PtxMbarrierTestWait, ir::PtxMbarrierTryWait>(call.op);
  if (tests) cta_->threads[thread_].state = State::polls;
  PhaseBarrier* barrier = mbarrier_at(*at, span);
  // That is said; a wait counts as over, so that what follows from it is not said again.
  if (barrier == nullptr) return {tests ? Cell{1, false} : Cell{0, true}};
  const auto arrive = [&](std::uint64_t count) {
    if (count > barrier->pending) {
      fault(ir::FaultKind::trap, span, "more arrivals than the phase expects");
      count = barrier->pending;
    }
    barrier->pending -= count;
    if (barrier->pending != 0) return;
    if (made.has("noComplete"))
      fault(ir::FaultKind::trap, span, "the arrival completes the phase, which .noComplete denies");
    ++barrier->phase;
    barrier->pending = barrier->expected;
  };
  if (is<ir::PtxMbarrierInval>(call.op)) {
    cta_->mbarriers.erase({at->memory, at->begin});
    at->memory->set_valid(at->begin, at->begin + 8, false);
    return {};
  }
  if (is<ir::PtxCpAsyncMbarrierArrive>(call.op)) {
    // The thread's copies have arrived.  Without .noinc the arrival is one more than init's count.
    if (made.has("noinc")) arrive(1);
    return {};
  }
  if (is<ir::PtxMbarrierArrive, ir::PtxMbarrierArriveDrop>(call.op)) {
    const bool counted = call.args.size() > 1 && static_cast<bool>(call.args[1]);
    const auto count =
        counted ? mbarrier_count(operands[1][0], span) : std::optional<std::uint64_t>(1);
    if (!count) return {{0, true}};
    const Cell state{barrier->phase << kPhaseShift | barrier->pending, false};
    if (is<ir::PtxMbarrierArriveDrop>(call.op))
      barrier->expected -= std::min(*count, barrier->expected);
    arrive(*count);
    return {state};
  }
  const Cell asked = operands[1][0];
  if (made.has("parity"))
    return {{!is_parity(asked, span) || (barrier->phase & 1U) != asked.bits ? 1U : 0U, false}};
  if (!is_phase(asked, span)) return {{1, false}};
  return {{barrier->phase > asked.bits >> kPhaseShift ? 1U : 0U, false}};
}

bool Evaluator::finish_mbarrier_waits(CtaRun& cta) {
  bool moved = false;
  for (Thread& t : cta.threads) {
    if (t.state != State::waits || t.call == nullptr || t.awaited == nullptr) continue;
    if ((t.awaited->phase & 1U) == (t.operands[0].bits & 1U)) continue;
    t.awaited = nullptr;
    reply(t, {});
    t.state = State::runnable;
    moved = true;
  }
  return moved;
}

}  // namespace tirx::sim::tile
