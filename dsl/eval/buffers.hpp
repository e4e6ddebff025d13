// What can be done with a buffer at build time?  Accesses, regions, pointers and views (docs/
// language.md, "Buffers").
#pragma once

#include <vector>

#include "dsl/eval/arguments.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/value.hpp"

namespace tirx::dsl {

/// `x: T.int32 = 0`, or alloc_local((1,)): assignment to its name is a store.
[[nodiscard]] bool is_mutable_scalar(const ir::Buffer& buffer);

/// A[i, j] as a load; A[a:b, i] as a region; A[0:8:2] as a vector load.
[[nodiscard]] Value index_buffer(Interpreter&, const ir::Buffer& buffer, const Subscripts& items);
[[nodiscard]] Value index_region(Interpreter&, const RegionValue& region, const Subscripts& items);
/// A[i, j] = v, A[i, 0:4] = v.
void store_buffer(Interpreter&, const ir::Buffer& buffer, const Subscripts& items, const Value& v);
void store_region(
    Interpreter&, const RegionValue& region, const Value& v, Span span, Span value_span);
/// Emits a store with the implicit conversion (a warning for float to integer).
void emit_store(Interpreter&,
                ir::Access to,
                ir::Type type,
                const Value& value,
                Span span,
                Span value_span = {});

[[nodiscard]] ir::Region whole_region(const ir::Buffer& buffer, Span span);
/// A tensor operand: a buffer (whole), a region, or a scalar's buffer; nothing otherwise.
[[nodiscard]] std::optional<ir::Region> to_region(const Value& value, Span span);
/// A region of one element, or a vector along the last dimension, as an access.
[[nodiscard]] std::optional<std::pair<ir::Access, ir::Type>> to_access(const ir::Region& region);
[[nodiscard]] ir::Expr load_expr(ir::Access access, ir::Type type, Span span);
/// Where an expression can be written to: a load's own place.
[[nodiscard]] const ir::Access* writable_place(const Value& value);

/// A shape argument: ints, symbolic expressions, and (where allowed) strings that name symbols.
[[nodiscard]] std::vector<ir::Expr> shape_exprs(Interpreter&,
                                                const Value& shape,
                                                Span span,
                                                bool names_allowed);
/// "global", "shared", "shared.dyn", "local".
[[nodiscard]] ir::MemoryScope memory_scope(const std::string& word, Span span);
/// layout=: a layout value, None, or the word "default"; sets both fields of the spec.
void set_layout(BufferSpec& spec, const Value& layout, Span span);

}  // namespace tirx::dsl
