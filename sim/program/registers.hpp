// Virtual registers while bytecode is made, and their places in the register file afterwards.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/bytecode.hpp"

namespace tirx::sim {

/// A virtual register.
using Reg = std::uint32_t;

/// An instruction whose operands are virtual registers and whose target is a label.
struct Draft {
  Instr instr;

  enum Field : std::uint8_t { kD = 1, kA = 2, kB = 4, kC = 8 };

  std::uint8_t registers = 0;        // fields that name registers
  std::uint32_t label = 0xffffffff;  // branch target
  std::uint32_t mark = 0xffffffff;   // a label that stands here (no instruction)
  MemSite* mem = nullptr;            // sites whose registers are to be placed
  LocalSite* local = nullptr;
  CallSite* call = nullptr;
  const CheckSite* check = nullptr;
  BranchSite* branch = nullptr;
  Span span;  // of the statement it belongs to
};

using Code = std::vector<Draft>;

class Registers {
 public:
  enum class Class : std::uint8_t { uniform, vector };

  Reg uniform();
  /// `rows` rows of 32 lanes of `lane_bytes` (4 or 8) that keep their place for the whole launch.
  Reg vector(int lane_bytes, std::int64_t rows = 1);
  /// The same for a value that is written before it is read: the place is used again afterwards.
  /// `tracked`: its poison is kept; the poison of all others is never set.
  Reg temporary(int lane_bytes, std::int64_t rows, bool tracked);
  /// Row `row` of a block of rows.
  Reg row_of(Reg block, std::int64_t row);

  [[nodiscard]] bool is_row(Reg reg, std::size_t row) const {
    return entries_[reg].parent != kNoRegister &&
           entries_[reg].row == static_cast<std::int64_t>(row);
  }

  [[nodiscard]] Reg parent(Reg reg) const { return entries_[reg].parent; }

  /// Places every register.
  void allocate(const Code& code, const std::vector<ValueNode>& values, Program& program);

  [[nodiscard]] std::uint32_t place(Reg reg) const { return entries_[reg].place; }

 private:
  struct Entry {
    Class cls = Class::uniform;
    int lane_bytes = 8;
    std::int64_t rows = 1;
    Reg parent = kNoRegister;
    std::int64_t row = 0;
    std::uint32_t place = 0;
    bool reusable = false;
    bool tracked = false;
  };

  struct Lifetime {
    std::size_t first = static_cast<std::size_t>(-1);
    std::size_t last = 0;
  };

  [[nodiscard]] std::vector<Lifetime> lifetimes(const Code& code,
                                                const std::vector<ValueNode>& values) const;

  std::vector<Entry> entries_;
};

}  // namespace tirx::sim
