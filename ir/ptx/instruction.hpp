// Which PTX instructions can be named, which modifiers do they take, and what are their operands?
// One row (Family) per instruction family; everything else follows from it: the parser's checks,
// the operands that the simulator reads, the inline assembly, the documentation (PTX ISA,
// "Instruction Set").
//
// In the IR an instruction is a MachineCall whose text is the instruction in the order of the ISA.
// Its arguments are the inputs, one for each operand: a group of registers {a0, a1} is a vector.
// Its value is the destinations: one value, or a vector with one lane for each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/expr.hpp"

namespace tirx::ir::ptx {

struct Instruction;

/// One place in the chain of modifiers: the words that can stand there.
struct Slot {
  std::string_view words;  // "x1|x2|x4"
  bool required = true;
};

struct Family {
  std::string_view opcode;  // "cp.async"
  std::span<const Slot> slots;
  std::string_view operands;           // for the reader: "d…, [p]"
  std::string (*shape)(Instruction&);  // adds the operands; a complaint, or nothing
  bool (*exists)(const Instruction&, int sm) = nullptr;  // where min_sm does not say it all
};

enum class Space : std::uint8_t { generic, global, shared };

/// What a register holds: a type, or (.b32) any type of that width.
struct Register {
  num::DType dtype = num::DType::u32;
  bool any = false;
};

inline constexpr Register kB16{num::DType::u16, true};
inline constexpr Register kB32{num::DType::u32, true};
inline constexpr Register kB64{num::DType::u64, true};
inline constexpr Register kU32{num::DType::u32, false};
inline constexpr Register kU64{num::DType::u64, false};
inline constexpr Register kF32{num::DType::f32, false};
inline constexpr Register kPredicate{num::DType::boolean, false};

struct Operand {
  enum class Kind : std::uint8_t { output, input, address, immediate };
  Kind kind = Kind::input;
  std::string_view name;
  Register type;
  int count = 1;        // registers of the group
  bool braces = false;  // written {…} even when it is one register
  bool optional = false;
  bool joined = false;  // written behind the previous operand: d|p
  int min_sm = 80;      // an optional operand may be newer than its instruction
  // Addresses.
  Space space = Space::generic;
  int bytes = 0;  // that one lane accesses there; 0: the value of the first immediate
  bool writes = false;
  int lanes = 32;                        // lanes 0 … lanes-1 give addresses
  std::size_t size_argument = SIZE_MAX;  // an optional argument that says how many bytes are read
  // Immediates: one of these, or the range.
  std::string_view legal;
  std::int64_t low = 0, high = 0;
  /// Position in MachineCall::args; required operands come first there.  Outputs: their first lane.
  std::size_t at = 0;
};

struct Instruction {
  const Family* family = nullptr;
  OpId op{};
  std::vector<std::string_view> words;  // one for each slot; empty where it was left out
  std::vector<Operand> operands;        // in the order of the ISA
  int min_sm = 80;
  bool recorded = true;  // its bits are known: false where it can be emitted only

  [[nodiscard]] std::string_view word(std::size_t slot) const { return words[slot]; }

  /// Its place among the words of the slot; -1 where it was left out.
  [[nodiscard]] int choice(std::size_t slot) const;

  [[nodiscard]] bool has(std::string_view word) const;

  /// The instruction in the order of the ISA: "cp.async.cg.shared.global".
  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool exists_on(int sm) const;

  /// Type of the value: without optional outputs, or with all of them.
  [[nodiscard]] Type value_type(bool all) const;
  [[nodiscard]] std::size_t outputs(bool all) const;

  /// The operand that MachineCall::args[at] is.
  [[nodiscard]] const Operand& argument(std::size_t at) const;

  // For the rows.
  Operand& output(std::string_view name, Register type, int count = 1);
  Operand& input(std::string_view name, Register type, int count = 1);
  Operand& address(std::string_view name, Space space, int bytes, bool writes);
  Operand& immediate(std::string_view name, std::string_view legal);
  Operand& immediate(std::string_view name, std::int64_t low, std::int64_t high);
};

/// The register of a type word: "f32", "b16", "s8", "f16x2".
[[nodiscard]] Register register_of(std::string_view word);
/// "global", "shared", "shared::cta", or nothing.
[[nodiscard]] Space space_of(std::string_view word);

/// Finds the family and places the modifiers, which may come in any order.  An error without a
/// place: the caller knows it.  `known` says whether the opcode was found.
[[nodiscard]] Result<Instruction> parse(std::string_view text);
[[nodiscard]] const Family* find_family(std::string_view text);

/// The instruction of a call by name: the one the call was made with, if it keeps it.
[[nodiscard]] std::shared_ptr<const Instruction> decode(const MachineCall& call);

/// The value of the call's first immediate operand; 0 if it has none.
[[nodiscard]] int immediate_of(const MachineCall& call);

/// The call of an instruction; `args` as the instruction's inputs in MachineCall order.
[[nodiscard]] MachineCall make_call(Instruction instruction, std::vector<Expr> args);

/// Builds a call: `args` as the instruction's inputs in MachineCall order.  `all`: with optional
/// outputs.
[[nodiscard]] Expr call(std::string_view text,
                        std::vector<Expr> args,
                        Span span = {},
                        bool all = false);

/// Whether the operation of a call exists on this architecture.
[[nodiscard]] bool exists_on(const MachineCall& call, int sm);
/// Its name for a reader: that of the operation, or the instruction's text.
[[nodiscard]] std::string_view name_of(const MachineCall& call);
/// Whether the operation may write through its operand `at`, a pointer.
[[nodiscard]] bool writes_through(const MachineCall& call, std::size_t at);

/// "ldmatrix.sync.aligned.m8n8.{x1|x2|x4}[.trans]…": for documentation and errors.
[[nodiscard]] std::string syntax(const Family& family);

}  // namespace tirx::ir::ptx
