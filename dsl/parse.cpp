// The two stages, tokens and grammar, and the order of their complaints.
#include "dsl/parse.hpp"

#include <algorithm>
#include <iterator>

#include "dsl/grammar/script.hpp"
#include "dsl/grammar/state.hpp"
#include "dsl/grammar/tokenizer.hpp"

namespace tirx::dsl {

ParseResult parse(const SourceRef& source) {
  ParseResult result;
  grammar::TokenList list = grammar::tokenize(*source);
  if (!list.gave_up) {
    grammar::ParseState state(*source, list);
    result.module.body = grammar::parse_tokens(state);
    result.errors = state.errors();
  }
  std::move(list.errors.begin(), list.errors.end(), std::back_inserter(result.errors));
  std::stable_sort(
      result.errors.begin(), result.errors.end(),
      [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  if (result.errors.size() > kMaxSyntaxErrors) result.errors.resize(kMaxSyntaxErrors);
  return result;
}

}  // namespace tirx::dsl
