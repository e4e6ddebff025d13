// Instructions by name: operands are checked against the instruction's row (ir/ptx).
#pragma once

#include "dsl/eval/interpreter.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::dsl {

/// T.ptx.addr(base, imm): the address imm bytes further.
struct PtxAddress : Object {
  static const ObjectType kType;

  PtxAddress(Value b, Span s, std::int64_t o)
      : Object(kType), base(std::move(b)), span(s), offset(o) {}

  Value base;
  Span span;
  std::int64_t offset;

  void clear() override { base = {}; }
};

/// T.ptx.SINK: the destination `_`, which keeps nothing.
struct PtxSink : Object {
  static const ObjectType kType;

  PtxSink() : Object(kType) {}
};

/// Where the results of an instruction go: into destinations, or into an expression (`.value`:
/// without the optional ones; `.values`: all of them, as one vector).
enum class PtxResult : std::uint8_t { destinations, value, values };

/// `T.ptx.a.b(d0, …, a0, …)`: destinations lead.  `value`: `T.ptx.a.b.value(a0, …)` gives what
/// would go there, one value or a vector, and takes register groups as vectors too.
[[nodiscard]] Value ptx_call(Interpreter& interpreter,
                             const ir::ptx::Instruction& instruction,
                             CallArgs args,
                             PtxResult result);

}  // namespace tirx::dsl
