// Which machine operations exist?  One struct per operation with its facts, one list (all_ops.hpp);
// the simulator's eval(), the emitter's emit() and the documentation are overloads on the struct's
// type, so that a forgotten consumer is a compile error that names the operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ir/type.hpp"

namespace tirx::ir {

namespace ptx {
struct Family;
struct Instruction;
}  // namespace ptx

/// Index into the one list of machine operations (all_ops.hpp).
enum class OpId : std::uint16_t {};

/// How the result type follows from the operands.
enum class ResultRule : std::uint8_t {
  none,  // no value
  boolean,
  i32,
  u32,
  first_arg,   // type of operand 0
  second_arg,  // type of operand 1
  pointee,     // element type of the buffer that operand 0 points into
};

/// What the operation does beyond computing its result.
enum class Effect : std::uint8_t {
  pure,     // value of this lane's operands only
  warp,     // exchanges values between lanes of the warp (no memory order)
  sync,     // waits for other threads
  memory,   // reads or writes through its pointer operands
  fence,    // orders memory
  control,  // stops or delays the thread
  opaque,   // raw CUDA: cannot be simulated
};

/// Where equality of bits comes from: seen on hardware, published, our model of the documentation;
/// or there is no unique answer (the order of float atomics).
enum class Fidelity : std::uint8_t { witnessed, published, modelled, unordered };

[[nodiscard]] std::string_view to_string(Fidelity fidelity);

/// Facts of one machine operation.
struct OpSpec {
  std::string_view name;  // as in the language, without the module: "cuda.cta_sync"
  std::array<std::string_view, 6>
      operands{};  // names in order; a trailing '?' marks an optional one
  ResultRule result = ResultRule::none;
  Effect effect = Effect::pure;
  int min_sm = 80;
  Fidelity fidelity = Fidelity::modelled;
  std::string_view doc{};  // one sentence, with the PTX ISA section it follows
  bool has_text = false;   // takes a string operand (MachineCall::text)
  // An instruction called by name: its row says what the operands are, and the text is the
  // instruction.
  const ptx::Family* ptx = nullptr;

  [[nodiscard]] constexpr std::size_t max_operands() const {
    std::size_t count = 0;
    while (count < operands.size() && !operands[count].empty()) ++count;
    return count;
  }

  [[nodiscard]] constexpr std::size_t min_operands() const {
    std::size_t count = 0;
    while (count < operands.size() && !operands[count].empty() && operands[count].back() != '?')
      ++count;
    return count;
  }
};

}  // namespace tirx::ir
