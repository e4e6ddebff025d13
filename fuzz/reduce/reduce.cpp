#include "fuzz/reduce/reduce.hpp"

#include <memory>

#include "dsl/ast/print.hpp"
#include "dsl/parse.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/reduce/search.hpp"

namespace tirx::fuzz {

namespace {

/// What makes lines go, until none goes any more; then what is left gets simpler, which may make
/// more lines go.
void shorten(Search& search) {
  for (bool progress = true; progress && !search.spent();) {
    const auto before = search.cost();
    for (bool lines = true; lines && !search.spent();) {
      const std::size_t count = search.cost().first;
      remove_statements(search);
      remove_headers(search);
      remove_lines(search);
      remove_parameters(search);
      inline_calls(search);
      lines = search.cost().first < count;
    }
    inline_values(search);
    merge_names(search);
    remove_threads(search);
    simplify_expressions(search);
    shrink_numbers(search);
    progress = search.cost() < before;
  }
}

/// The canonical print, with expectations: those of the whole script in front, each other one
/// behind its statement.
Search::Print print_with_expectations(const SourceRef& source) {
  std::string front;
  for (const std::string_view line : lines_of(source->text())) {
    const std::string_view comment = expectations_in(line);
    if (!comment.empty() && line.substr(0, line.size() - comment.size()).find_first_not_of(' ') ==
                                std::string_view::npos)
      front += std::string(comment) + '\n';
  }
  return [source, front](const dsl::ast::Module& module) {
    return front + dsl::ast::print(module, [&](const dsl::ast::Stmt& stmt) -> std::string {
             if (stmt.span.empty()) return {};
             const auto* function = stmt.as<dsl::ast::FunctionDef>();
             const Span span = function != nullptr ? function->name.span : stmt.span;
             const std::string_view comment = marks_in(source->locate(span.begin).text);
             return comment.empty() ? std::string() : "  " + std::string(comment);
           });
  };
}

}  // namespace

std::string reduce(const std::string& text,
                   const std::function<bool(const std::string&)>& still_fails,
                   const ReduceOptions& options) {
  const auto source = std::make_shared<const Source>("fuzz.tx", text);
  dsl::ParseResult parsed = dsl::parse(source);
  if (!parsed.ok()) return text;
  const Search::Print print =
      options.expectations ? print_with_expectations(source)
                           : [](const dsl::ast::Module& module) { return dsl::ast::print(module); };
  Search search(std::move(parsed.module), print, still_fails, options);
  shorten(search);
  return still_fails(search.text()) ? search.text() : text;
}

}  // namespace tirx::fuzz
