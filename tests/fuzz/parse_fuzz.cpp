// Does any text make the parser crash, hang, or say something senseless?  For each input: every
// diagnostic has a place inside the text; a well-formed script prints, and the print parses to the
// same tree; the spans of a tree nest.
//
// Built twice: with libFuzzer (TIRX_FUZZ, clang), and with replay.cpp as an ordinary test of the
// corpus.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "dsl/ast/children.hpp"
#include "dsl/ast/equal.hpp"
#include "dsl/ast/print.hpp"
#include "dsl/parse.hpp"

namespace {

using namespace tirx;  // NOLINT(google-build-using-namespace)

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "parse_fuzz: %s\n", what);
  std::abort();
}

void check_diagnostics(const Source& source, const DiagnosticList& errors) {
  require(errors.size() <= dsl::kMaxSyntaxErrors, "too many diagnostics");
  for (const Diagnostic& error : errors) {
    require(!error.text.empty(), "a diagnostic without a text");
    require(!error.span.empty(), "a diagnostic without a place");
    require(error.span.begin <= source.text().size(), "a diagnostic outside of the text");
    require(render(source, error).find("error: ") != std::string::npos,
            "a diagnostic that does not render");
  }
}

void check_spans(const dsl::ast::Expr& expr) {
  require(!expr.span.empty(), "an expression without a place");
  require(expr.height <= dsl::kMaxExpressionHeight, "an expression that is too high");
  dsl::ast::for_each_child(expr, [&](const dsl::ast::Expr& child) {
    require(child.span.begin >= expr.span.begin && child.span.end <= expr.span.end,
            "a child outside of its parent");
    require(child.height < expr.height, "a height that does not grow");
    check_spans(child);
  });
}

void check_tree(const dsl::ast::Module& module) {
  for (const dsl::ast::Stmt& stmt : module.body) {
    require(!stmt.span.empty(), "a statement without a place");
    if (const auto* simple = stmt.as<dsl::ast::ExprStmt>()) check_spans(simple->value);
    if (const auto* assign = stmt.as<dsl::ast::Assign>()) check_spans(assign->value);
  }
  const std::string text = dsl::ast::print(module);
  const auto printed = std::make_shared<const Source>("printed.tx", text);
  const dsl::ParseResult again = dsl::parse(printed);
  if (!again.ok())
    std::fprintf(stderr, "%s\n%s", text.c_str(), render(*printed, again.errors[0]).c_str());
  require(again.ok(), "the print of a script does not parse");
  require(dsl::ast::same(module, again.module), "the print of a script is another script");
  require(dsl::ast::print(again.module) == text, "the print is not canonical");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source = std::make_shared<const Source>(
      "fuzz.tx", std::string(reinterpret_cast<const char*>(data), size));
  const dsl::ParseResult result = dsl::parse(source);
  check_diagnostics(*source, result.errors);
  if (result.ok()) check_tree(result.module);
  return 0;
}
