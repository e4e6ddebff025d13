#include "sim/program/registers.hpp"

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

void Registers::allocate(const Code& code, Program& program) {
  static_cast<void>(code);
  std::size_t bytes = 0, uniforms = 0;
  for (Entry& entry : entries_) {
    if (entry.parent != kNoRegister) continue;
    if (entry.cls == Class::uniform) {
      entry.place = static_cast<std::uint32_t>(uniforms++);
    } else {
      entry.place = static_cast<std::uint32_t>(bytes);
      bytes += static_cast<std::size_t>(entry.rows * entry.lane_bytes) * kLanes;
    }
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
