// Helpers of the parser's tests: parse a text, and show a tree as nested lists, so that a test can
// state how an expression groups without the printer under test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsl/ast/ast.hpp"
#include "dsl/parse.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl::test {

struct Parsed {
  SourceRef source;
  ParseResult result;

  [[nodiscard]] bool ok() const { return result.ok(); }

  [[nodiscard]] const ast::Block& body() const { return result.module.body; }

  [[nodiscard]] std::string text(Span span) const { return std::string(source->text(span)); }

  /// All diagnostics as the user sees them.
  [[nodiscard]] std::string errors() const;
};

[[nodiscard]] Parsed parse_text(std::string text);
/// Parses `text` as one expression statement; a test fails elsewhere if it is none.
[[nodiscard]] std::string shape_of(const std::string& text);
/// Lists in Lisp's manner: "(+ a (* b c))".
[[nodiscard]] std::string shape(const ast::Expr& expr);

}  // namespace tirx::dsl::test
