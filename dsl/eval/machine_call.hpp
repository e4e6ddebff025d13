// Building machine calls: operands adapted to what the operation takes, the result type by its
// rule.
#pragma once

#include <string>
#include <vector>

#include "dsl/eval/interpreter.hpp"
#include "ir/all_ops.hpp"

namespace tirx::dsl {

/// The call as a value; operations without a result are emitted at once, and the value is None.
[[nodiscard]] Value machine_call(Interpreter& interpreter,
                                 ir::OpId op,
                                 std::vector<ArgumentValue> operands,
                                 std::string text,
                                 Span span);

/// The address that a pointer operand means: a pointer, or an element of a buffer.
[[nodiscard]] ir::Expr pointer_expr(Interpreter& interpreter, const Value& value, Span span);

/// A scope id that the kernel declared already, or a deferred one.
[[nodiscard]] ir::Expr scope_variable(KernelBuilder& builder, ir::ScopeIdKind kind, Span span);

}  // namespace tirx::dsl
