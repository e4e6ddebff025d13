#include "fuzz/reduce/reduce.hpp"

#include <memory>

#include "dsl/parse.hpp"
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

}  // namespace

std::string reduce(const std::string& text,
                   const std::function<bool(const std::string&)>& still_fails,
                   const ReduceOptions& options) {
  dsl::ParseResult parsed = dsl::parse(std::make_shared<const Source>("fuzz.tx", text));
  if (!parsed.ok()) return text;
  Search search(std::move(parsed.module), still_fails, options);
  shorten(search);
  return still_fails(search.text()) ? search.text() : text;
}

}  // namespace tirx::fuzz
