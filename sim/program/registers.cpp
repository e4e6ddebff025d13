#include "sim/program/registers.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tirx::sim {

Reg Registers::uniform() {
  entries_.push_back({});
  return static_cast<Reg>(entries_.size() - 1);
}

Reg Registers::vector(int lane_bytes, std::int64_t rows) {
  Entry entry;
  entry.cls = Class::vector;
  entry.lane_bytes = lane_bytes;
  entry.rows = rows;
  entries_.push_back(entry);
  return static_cast<Reg>(entries_.size() - 1);
}

Reg Registers::row_of(Reg block, std::int64_t row) {
  Entry entry = entries_[block];
  entry.parent = block;
  entry.row = row;
  entry.rows = 1;
  entries_.push_back(entry);
  return static_cast<Reg>(entries_.size() - 1);
}

Reg Registers::temporary(int lane_bytes, std::int64_t rows, bool tracked) {
  const Reg reg = vector(lane_bytes, rows);
  entries_[reg].reusable = true;
  entries_[reg].tracked = tracked;
  return reg;
}

/// First and last instruction that names each register.  What is live when a loop begins stays so
/// until it ends.
std::vector<Registers::Lifetime> Registers::lifetimes(const Code& code,
                                                      const std::vector<ValueNode>& values) const {
  std::vector<Lifetime> result(entries_.size());
  std::vector<std::size_t> marks;
  std::vector<std::uint32_t> seen(values.size(), 0);
  std::uint32_t round = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const Draft& draft = code[at];
    const auto touch = [&](Reg reg) {
      if (reg == kNoRegister) return;
      const Reg root = entries_[reg].parent == kNoRegister ? reg : entries_[reg].parent;
      result[root].first = std::min(result[root].first, at);
      result[root].last = std::max(result[root].last, at);
    };
    // Reports recompute indices from the registers they are made of.
    std::vector<ValueId> pending;
    const auto keep = [&](const std::vector<ValueId>& index) {
      ++round;
      pending = index;
      while (!pending.empty()) {
        const ValueId id = pending.back();
        pending.pop_back();
        if (seen[id] == round) continue;
        seen[id] = round;
        const ValueNode& node = values[id];
        if (node.kind == ValueNode::Kind::leaf && !node.uniform) touch(node.reg);
        for (const ValueId arg : node.args) {
          if (arg != kNoValue) pending.push_back(arg);
        }
      }
    };
    const auto keep_all = [&](const auto& site) {
      keep(site.index);
      for (const std::vector<ValueId>& lane : site.lane_indices) keep(lane);
    };
    const auto memory = [&](const MemSite& site) {
      touch(site.v);
      keep_all(site);
    };
    if ((draft.registers & Draft::kD) != 0) touch(draft.instr.d);
    if ((draft.registers & Draft::kA) != 0) touch(draft.instr.a);
    if ((draft.registers & Draft::kB) != 0) touch(draft.instr.b);
    if ((draft.registers & Draft::kC) != 0) touch(draft.instr.c);
    if (draft.mem != nullptr) memory(*draft.mem);
    if (draft.local != nullptr) {
      touch(draft.local->v);
      touch(draft.local->base);
      keep_all(*draft.local);
    }
    if (draft.check != nullptr) {
      touch(draft.check->guard);
      if (draft.check->mem != nullptr) memory(*draft.check->mem);
      if (draft.check->local != nullptr) keep_all(*draft.check->local);
    }
    if (draft.call != nullptr) {
      for (const CallOperand& operand : draft.call->args) {
        if (operand.kind == CallOperand::Kind::vector) touch(operand.reg);
        for (const Reg reg : operand.group) touch(reg);
        if (operand.pointer != nullptr) memory(*operand.pointer);
      }
    }
    if (draft.mark != 0xffffffff) {
      if (marks.size() <= draft.mark) marks.resize(draft.mark + 1, code.size());
      marks[draft.mark] = at;
    }
  }
  // Jumps backwards are loops; inner ones end first.
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::uint32_t label = code[at].label;
    if (label >= marks.size() || marks[label] >= at) continue;
    for (Lifetime& life : result) {
      if (life.first < marks[label] && life.last > marks[label]) {
        life.last = std::max(life.last, at);
      }
    }
  }
  return result;
}

void Registers::allocate(const Code& code, const std::vector<ValueNode>& values, Program& program) {
  std::size_t bytes = 0, uniforms = 0;
  const auto size_of = [](const Entry& entry) {
    return static_cast<std::size_t>(entry.rows * entry.lane_bytes) * kLanes;
  };
  std::vector<Reg> temporaries;
  for (Reg reg = 0; reg < entries_.size(); ++reg) {
    Entry& entry = entries_[reg];
    if (entry.parent != kNoRegister) continue;
    if (entry.cls == Class::uniform) {
      entry.place = static_cast<std::uint32_t>(uniforms++);
    } else if (entry.reusable) {
      temporaries.push_back(reg);
    } else {
      entry.place = static_cast<std::uint32_t>(bytes);
      bytes += size_of(entry);
    }
  }
  // Linear scan: places of ended lifetimes are taken again by registers of the same size and kind.
  const std::vector<Lifetime> life = lifetimes(code, values);
  std::sort(temporaries.begin(), temporaries.end(), [&](Reg a, Reg b) {
    return std::pair(life[a].first, a) < std::pair(life[b].first, b);
  });
  std::map<std::pair<std::size_t, bool>, std::vector<std::uint32_t>> free;
  const auto ends_later = [&](Reg a, Reg b) {
    return std::pair(life[a].last, a) > std::pair(life[b].last, b);
  };
  std::vector<Reg> active;  // a heap: the one that ends first is on top
  for (const Reg reg : temporaries) {
    Entry& entry = entries_[reg];
    while (!active.empty() && life[active.front()].last < life[reg].first) {
      std::pop_heap(active.begin(), active.end(), ends_later);
      const Entry& ended = entries_[active.back()];
      free[{size_of(ended), ended.tracked}].push_back(ended.place);
      active.pop_back();
    }
    std::vector<std::uint32_t>& places = free[{size_of(entry), entry.tracked}];
    if (places.empty()) {
      entry.place = static_cast<std::uint32_t>(bytes);
      bytes += size_of(entry);
    } else {
      entry.place = places.back();
      places.pop_back();
    }
    active.push_back(reg);
    std::push_heap(active.begin(), active.end(), ends_later);
  }
  for (Entry& entry : entries_) {
    if (entry.parent == kNoRegister) continue;
    entry.place = entries_[entry.parent].place +
                  static_cast<std::uint32_t>(entry.row * entry.lane_bytes) * kLanes;
  }
  program.vector_bytes = bytes;
  program.uniform_count = uniforms;
}

}  // namespace tirx::sim
