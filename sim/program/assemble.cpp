// The end of compiling: registers get their places, labels their instructions, and lane patterns
// their kind.
#include "sim/program/compiler.hpp"

namespace tirx::sim {

using Kind = ValueNode::Kind;

/// Labels, registers and sites get their final places.
void Compiler::finish() {
  registers_.allocate(main_, table_.nodes(), *program_);
  assemble(preload_, program_->preload);
  assemble(main_, program_->code);
  const auto put = [&](std::uint32_t& reg) {
    reg = reg == kNoRegister ? 0 : registers_.place(reg);
  };
  for (const auto& site : program_->mem_sites) {
    put(site->u0);
    put(site->u1);
    put(site->v);
  }
  for (const auto& site : program_->local_sites) {
    put(site->base);
    put(site->u);
    put(site->v);
  }
  for (const auto& site : program_->check_sites) {
    if (site->guard != kNoRegister) put(site->guard);
  }
  for (const auto& site : program_->call_sites) {
    for (CallOperand& operand : site->args) {
      if (operand.kind == CallOperand::Kind::uniform || operand.kind == CallOperand::Kind::vector) {
        put(operand.reg);
        for (std::uint32_t& reg : operand.group) put(reg);
      }
    }
  }
  for (std::uint32_t& reg : program_->cta_register) put(reg);
  for (ValueNode& node : table_.nodes()) {
    if (node.kind == Kind::leaf) put(node.reg);
  }
  program_->values.nodes = std::move(table_.nodes());
  program_->values.tables = std::move(table_.tables());
  program_->place_count = next_place_;
  finish_races();
}

void Compiler::assemble(const Code& drafts, std::vector<Instr>& code) {
  std::vector<const Draft*> order;
  std::vector<std::size_t> labels(next_label_, 0);
  for (const Draft& draft : drafts) {
    if (draft.mark != 0xffffffff) {
      labels[draft.mark] = order.size();
    } else {
      order.push_back(&draft);
    }
  }
  code.reserve(order.size());
  for (const Draft* draft : order) code.push_back(draft->instr);
  if (&code == &program_->code) {
    for (const Draft* draft : order) program_->spans.push_back(draft->span);
    program_->counted.reserve(stats_ ? order.size() : 0);
    for (const Draft* draft : order) {
      if (!stats_) break;
      CountedInstr counted;
      if (draft->instr.data.any == draft->mem) counted.access = draft->mem;
      counted.call = draft->call;
      // In front of an access: its checks, and the race detector's part.
      counted.check =
          draft->check != nullptr || (draft->mem != nullptr && counted.access == nullptr);
      program_->counted.push_back(counted);
    }
  }
  const auto put = [&](std::uint32_t& reg) { reg = registers_.place(reg); };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Draft& draft = *order[i];
    Instr& instr = code[i];
    if ((draft.registers & Draft::kD) != 0) put(instr.d);
    if ((draft.registers & Draft::kA) != 0) put(instr.a);
    if ((draft.registers & Draft::kB) != 0) put(instr.b);
    if ((draft.registers & Draft::kC) != 0) put(instr.c);
    if (draft.label != 0xffffffff) instr.target = &code[labels[draft.label]];
    if (draft.branch != nullptr) draft.branch->join_pc = &code[labels[draft.branch->join_label]];
  }
}

/// Patterns that loads and stores treat specially.
void Compiler::classify(LanePattern& known) {
  const std::int32_t step = known.offset[1] - known.offset[0];
  const std::int32_t half = known.offset[16] - known.offset[0];
  bool runs = true, halves = true;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const auto l = static_cast<std::int32_t>(lane);
    runs = runs && known.offset[lane] == known.offset[0] + l * step;
    halves =
        halves && known.offset[lane] == known.offset[0] + (l & 15) * step + (lane >= 16 ? half : 0);
  }
  known.step = step;
  known.half = half;
  known.kind = runs && step == 0 ? LanePattern::Kind::broadcast
               : runs            ? LanePattern::Kind::run
               : halves          ? LanePattern::Kind::halves
                                 : LanePattern::Kind::any;
}

}  // namespace tirx::sim
