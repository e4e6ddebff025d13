#include "fuzz/reduce/search.hpp"

#include <algorithm>

namespace tirx::fuzz {

Search::Search(dsl::ast::Module module,
               Print print,
               const Predicate& still_fails,
               const ReduceOptions& options)
    : module_(std::move(module)),
      print_(std::move(print)),
      text_(print_(module_)),
      still_fails_(still_fails),
      attempts_left_(options.max_attempts),
      end_(std::chrono::steady_clock::now() +
           std::chrono::milliseconds(static_cast<std::int64_t>(options.max_seconds * 1000))) {}

std::pair<std::size_t, std::size_t> Search::cost_of(const std::string& text) {
  return {static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), text.size()};
}

bool Search::attempt(const Edit& edit) {
  if (spent()) return false;
  dsl::ast::Module candidate = module_;
  if (!edit(candidate)) return false;
  std::string text = print_(candidate);
  if (cost_of(text) > cost_of(text_) || text == text_) return false;
  --attempts_left_;
  if (!still_fails_(text)) return false;
  module_ = std::move(candidate);
  text_ = std::move(text);
  return true;
}

}  // namespace tirx::fuzz
