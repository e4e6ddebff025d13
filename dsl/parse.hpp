// From the text of a script to its syntax tree, or to the list of what is wrong with it.
// The grammar is Python's, cut down (docs/language/syntax.md); names and types mean nothing here.
#pragma once

#include <cstdint>

#include "dsl/ast/ast.hpp"
#include "ir/base/diagnostic.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl {

/// Limits that keep every later walk of the tree within the stack; breaking one is a diagnostic.
inline constexpr std::uint32_t kMaxBracketDepth = 256;
inline constexpr std::uint32_t kMaxIndentDepth = 100;
inline constexpr std::uint32_t kMaxExpressionHeight =
    600;  // also the longest chain a + b + …; as in kernels
/// After this many errors the parser gives up.
inline constexpr std::size_t kMaxSyntaxErrors = 20;

struct ParseResult {
  ast::Module module;     // meaningful only without errors
  DiagnosticList errors;  // in the order of the text; empty: the script is well formed

  [[nodiscard]] bool ok() const { return errors.empty(); }
};

/// Never throws and never crashes, whatever the bytes.
[[nodiscard]] ParseResult parse(const SourceRef& source);

}  // namespace tirx::dsl
