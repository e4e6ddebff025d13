// One script on its way to a shorter one: an edit stays where the script still fails with it and
// got shorter.  Lines count first, then characters: a line less may make another one longer.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "dsl/ast/ast.hpp"
#include "fuzz/reduce/reduce.hpp"

namespace tirx::fuzz {

class Search {
 public:
  using Predicate = std::function<bool(const std::string&)>;
  /// Changes the module in place; false where there is nothing to change.
  using Edit = std::function<bool(dsl::ast::Module&)>;

  using Print = std::function<std::string(const dsl::ast::Module&)>;

  Search(dsl::ast::Module module,
         Print print,
         const Predicate& still_fails,
         const ReduceOptions& options);

  /// Whether the edit stays.
  bool attempt(const Edit& edit);

  [[nodiscard]] bool spent() const {
    return attempts_left_ <= 0 || std::chrono::steady_clock::now() > end_;
  }

  /// To be looked at; only an attempt changes it.
  [[nodiscard]] dsl::ast::Module& module() { return module_; }

  [[nodiscard]] const std::string& text() const { return text_; }

  [[nodiscard]] std::pair<std::size_t, std::size_t> cost() const { return cost_of(text_); }

 private:
  /// Lines and characters.
  static std::pair<std::size_t, std::size_t> cost_of(const std::string& text);

  dsl::ast::Module module_;
  Print print_;
  std::string text_;
  const Predicate& still_fails_;
  int attempts_left_;
  std::chrono::steady_clock::time_point end_;
};

/// The steps; each goes through the whole script once.
/// Runs of statements: half of a block, then quarters, then single ones; with all that mentions a
/// name of theirs, all that mentions what went with that, and without.
void remove_statements(Search& search);
/// A block in place of the statement that holds it, the first trip in place of a loop.
void remove_headers(Search& search);
/// Two imports from one module as one, a function that launches in place of its call, a fill in
/// place of a tile operation with other operands.
void remove_lines(Search& search);
/// A parameter of a function with the argument in every call of it, with and without its uses.
void remove_parameters(Search& search);
/// The body of a function in place of its call.
void inline_calls(Search& search);
/// The value of a name in place of the name, or a number, or another name.
void inline_values(Search& search);
void merge_names(Search& search);
/// Fewer threads, with and without the guards that told them apart.
void remove_threads(Search& search);
/// A part in place of the whole, then a small number; arguments that are not needed.
void simplify_expressions(Search& search);
/// The same number everywhere smaller.
void shrink_numbers(Search& search);

}  // namespace tirx::fuzz
