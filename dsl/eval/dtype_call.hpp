// What does calling a dtype mean?  T.float32(x) casts, T.int32() is a new symbolic dimension,
// T.handle("float32") annotates.
#pragma once

#include "dsl/eval/arguments.hpp"
#include "dsl/eval/value.hpp"

namespace tirx::dsl {

[[nodiscard]] Value call_dtype(Interpreter& interpreter, ir::Type type, CallArgs args);
/// T.float32[N]: the annotation of a local array.
[[nodiscard]] Value subscript_dtype(Interpreter& interpreter,
                                    ir::Type type,
                                    const Subscripts& items);

}  // namespace tirx::dsl
