// Output, delays, stops, and the door to raw CUDA.
#pragma once

#include "ir/op.hpp"

namespace tirx::ir {

/// The text is the format string; the operands are scalars.
struct Printf {
  static constexpr OpSpec kSpec{.name = "cuda.printf",
                                .operands = {"a?", "b?", "c?", "d?", "e?", "f?"},
                                .effect = Effect::control,
                                .doc = "Prints from each thread that executes it.",
                                .has_text = true};
};

/// Prints a whole buffer once per executing thread; operand 0 points to its first element, the text
/// is its name.
struct PrintBuffer {
  static constexpr OpSpec kSpec{
      .name = "print_buffer",
      .operands = {"pointer", "count"},
      .effect = Effect::memory,
      .doc = "Prints the elements of a buffer from each thread that executes it.",
      .has_text = true};
};

struct NanoSleep {
  static constexpr OpSpec kSpec{.name = "cuda.nano_sleep",
                                .operands = {"nanoseconds"},
                                .effect = Effect::control,
                                .doc = "Suspends the thread for about that long (nanosleep)."};
};

struct Clock {
  static constexpr OpSpec kSpec{.name = "cuda.clock",
                                .result = ResultRule::u32,
                                .effect = Effect::control,
                                .fidelity = Fidelity::unordered,
                                .doc = "A cycle counter; its values are not specified (%clock)."};
};

struct Trap {
  static constexpr OpSpec kSpec{.name = "cuda.trap",
                                .effect = Effect::control,
                                .doc = "Stops the kernel with a fault (trap)."};
};

/// `T.cuda.func_call(name, *args, source_code=…)`: the text is "NAME\n" followed by the CUDA
/// source.
struct RawCudaCall {
  static constexpr OpSpec kSpec{
      .name = "cuda.func_call",
      .operands = {"a?", "b?", "c?", "d?", "e?", "f?"},
      .result = ResultRule::i32,
      .effect = Effect::opaque,
      .doc = "Calls a device function given as CUDA source; emitted only.",
      .has_text = true};
};

}  // namespace tirx::ir
