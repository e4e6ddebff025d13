// Exchanges between the lanes of a warp by their PTX names, as the PTX ISA writes them down
// (9.7.9.6 shfl.sync, 9.7.13.10-13 vote, match and redux, 9.7.14.5.15 ldmatrix), written apart from
// the simulator's.
#include <algorithm>
#include <array>
#include <bit>

#include "numerics/scalar.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

namespace {

/// The pseudocode of shfl.sync: where lane `lane` reads, and its predicate.
struct Shuffled {
  std::int64_t from = 0;
  bool inside = false;
};

Shuffled shuffled(std::string_view mode, std::int64_t lane, std::int64_t bval, std::int64_t c) {
  const std::int64_t cval = c & 31, segmask = c >> 8 & 31;
  const std::int64_t max_lane = (lane & segmask) | (cval & (~segmask & 31));
  const std::int64_t min_lane = lane & segmask;
  bval &= 31;
  if (mode == "up") return {lane - bval, lane - bval >= max_lane};
  if (mode == "down") return {lane + bval, lane + bval <= max_lane};
  if (mode == "bfly") return {lane ^ bval, (lane ^ bval) <= max_lane};
  const std::int64_t from = min_lane | (bval & (~segmask & 31));
  return {from, from <= max_lane};
}

}  // namespace

bool Evaluator::exchanges_by_name(ir::OpId op) {
  return is<ir::PtxShfl, ir::PtxVote, ir::PtxMatch, ir::PtxRedux, ir::PtxBarWarpSync,
            ir::PtxLdmatrix, ir::PtxBarRed>(op);
}

/// Answers an instruction for which all lanes of its mask have come.
bool Evaluator::finish_exchange(CtaRun& cta, std::size_t thread) {
  const std::size_t base = thread / 32 * 32;
  const Thread& first = cta.threads[thread];
  const auto& call = std::get<ir::MachineCall>(first.call->node);
  const auto decoded = ir::ptx::decode(call);
  const ir::ptx::Instruction& made = *decoded;
  std::size_t mask_at = first.operands.size();  // of the mask among the operands; the end: none
  for (const ir::ptx::Operand& operand : made.operands) {
    if (operand.name == "membermask") mask_at = operand.at;
  }
  const auto mask_of = [&](const Thread& t) {
    return mask_at < t.operands.size() ? t.operands[mask_at].bits : 0xffffffffU;
  };
  const std::uint64_t mask = mask_of(first);
  // Whoever names each other exchanges; whom its own mask leaves out, nobody answers.
  if ((mask >> (thread - base) & 1) == 0) return false;
  if (mask_at < first.operands.size() && first.operands[mask_at].poison) return false;
  std::array<Thread*, 32> lane{};
  std::uint32_t lanes = 0;
  for (std::size_t l = 0; l < 32 && base + l < cta.threads.size(); ++l) {
    Thread& t = cta.threads[base + l];
    if ((mask >> l & 1) == 0 || t.state == State::done) continue;
    if (t.state != State::waits || t.call != first.call || mask_of(t) != mask) return false;
    lane[l] = &t;
    lanes |= 1U << l;
  }
  const auto value = [&](std::size_t l) { return lane[l]->operands[0]; };
  std::array<Cells, 32> result;
  std::uint32_t yes = 0;
  bool poison = false;
  Cell folded;
  bool started = false;
  const bool words = !is<ir::PtxLdmatrix, ir::PtxBarWarpSync>(call.op);
  for (std::size_t l = 0; l < 32 && words; ++l) {
    if (lane[l] == nullptr) continue;
    if (value(l).bits != 0) yes |= 1U << l;
    poison = poison || value(l).poison;
    if (!is<ir::PtxRedux>(call.op)) continue;
    const std::string_view op = made.word(1);
    const num::ScalarOp fold = op == "and"   ? num::ScalarOp::bit_and
                               : op == "or"  ? num::ScalarOp::bit_or
                               : op == "xor" ? num::ScalarOp::bit_xor
                               : op == "min" ? num::ScalarOp::min
                               : op == "max" ? num::ScalarOp::max
                                             : num::ScalarOp::add;
    const num::DType dtype = made.word(2) == "s32" ? num::DType::i32 : num::DType::u32;
    folded.bits =
        started ? num::evaluate(fold, dtype, folded.bits, value(l).bits).value : value(l).bits;
    started = true;
  }
  folded.poison = poison;
  for (std::size_t l = 0; l < 32; ++l) {
    if (lane[l] == nullptr) continue;
    if (is<ir::PtxShfl>(call.op)) {
      const Cell b = lane[l]->operands[1], c = lane[l]->operands[2];
      const auto [from, inside] = shuffled(made.word(1), static_cast<std::int64_t>(l),
                                           static_cast<std::int64_t>(b.bits & 0xffffffffU),
                                           static_cast<std::int64_t>(c.bits & 0xffffffffU));
      const std::size_t source = inside ? static_cast<std::size_t>(from) : l;
      Cell got = lane[source] != nullptr ? value(source) : Cell{0, true};
      got.poison = got.poison || b.poison || c.poison;
      result[l] = {got, {inside ? 1U : 0U, b.poison}};
    } else if (is<ir::PtxVote>(call.op)) {
      const std::string_view mode = made.word(1);
      const bool holds = mode == "all"   ? yes == lanes
                         : mode == "any" ? yes != 0
                                         : yes == lanes || yes == 0;
      result[l] = {{mode == "ballot" ? yes : holds ? 1U : 0U, poison}};
    } else if (is<ir::PtxMatch>(call.op)) {
      std::uint32_t same = 0;
      for (std::size_t o = 0; o < 32; ++o) {
        if (lane[o] != nullptr && value(o).bits == value(l).bits) same |= 1U << o;
      }
      const bool all = made.word(0) == "all";
      result[l] = {{all && same != lanes ? 0 : same, poison}, {same == lanes ? 1U : 0U, poison}};
    } else if (is<ir::PtxRedux>(call.op)) {
      result[l] = {folded};
    } else if (is<ir::PtxLdmatrix>(call.op)) {
      // Matrix j has its rows from lanes 8 j …; lane l holds elements 2 (l % 4) and the next of
      // row l / 4, or of column l / 4.
      const auto matrices = static_cast<std::size_t>(made.argument(0).lanes / 8);
      for (std::size_t j = 0; j < matrices; ++j) {
        Cell word;
        for (std::size_t half = 0; half < 2; ++half) {
          const std::size_t a = l / 4, b = l % 4 * 2 + half;
          const Thread* row = lane[8 * j + (made.has("trans") ? b : a)];
          const std::size_t column = made.has("trans") ? a : b;
          const Cell part =
              row != nullptr && row->row ? read_bytes(*row->row, 2 * column, 2) : Cell{0, true};
          word.bits |= part.bits << 16 * half;
          word.poison = word.poison || part.poison;
        }
        result[l].push_back(word);
      }
    }
  }
  const std::size_t replies = std::max<std::size_t>(first.call->type.lanes, 1);
  for (std::size_t l = 0; l < 32; ++l) {
    if (lane[l] == nullptr) continue;
    result[l].resize(replies);
    lane[l]->replies.insert(lane[l]->replies.end(), result[l].begin(), result[l].end());
    lane[l]->call = nullptr;
    lane[l]->state = State::runnable;
  }
  return true;
}

/// bar.red: as many threads as it names, or all that still run, bring a condition each.
bool Evaluator::finish_bar_red(CtaRun& cta) {
  std::map<std::uint64_t, std::vector<Thread*>> waiting;  // by barrier
  std::map<std::uint64_t, std::set<std::size_t>> came;
  std::size_t running = 0;
  for (std::size_t i = 0; i < cta.threads.size(); ++i) {
    Thread& t = cta.threads[i];
    if (t.state != State::done) ++running;
    const auto* call = t.state == State::waits && t.call != nullptr
                           ? &std::get<ir::MachineCall>(t.call->node)
                           : nullptr;
    if (call == nullptr || !is<ir::PtxBarRed>(call->op)) continue;
    waiting[t.operands[0].bits].push_back(&t);
    came[t.operands[0].bits].insert(i);
  }
  bool moved = false;
  for (const auto& [id, threads] : waiting) {
    const auto& call = std::get<ir::MachineCall>(threads.front()->call->node);
    const auto decoded = ir::ptx::decode(call);
    std::size_t condition = 0, count = 0;
    for (const ir::ptx::Operand& operand : decoded->operands) {
      if (operand.name == "c") condition = operand.at;
      if (operand.name == "b") count = operand.at;
    }
    const bool counted = count < call.args.size() && static_cast<bool>(call.args[count]);
    const std::size_t expected = counted ? threads.front()->operands[count].bits : running;
    const std::int64_t absent = counted ? absent_lanes(cta, came[id]) : 0;
    if (threads.size() + static_cast<std::size_t>(absent) < expected) continue;
    std::uint64_t holds = 0;
    bool poison = false;
    for (const Thread* t : threads) {
      holds += t->operands[condition].bits != 0 ? 1 : 0;
      poison = poison || t->operands[condition].poison;
    }
    const std::string_view fold = decoded->word(0);
    const std::uint64_t result = fold == "popc"  ? holds
                                 : fold == "and" ? (holds == threads.size() ? 1U : 0U)
                                                 : (holds != 0 ? 1U : 0U);
    for (Thread* t : threads) {
      reply(*t, {result, poison});
      t->state = State::runnable;
    }
    moved = true;
  }
  return moved;
}

}  // namespace tirx::sim::tile
