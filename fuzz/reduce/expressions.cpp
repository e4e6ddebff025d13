// What becomes simpler inside of statements: parts in place of the whole, arguments, numbers.
#include <algorithm>
#include <set>

#include "dsl/ast/children.hpp"
#include "fuzz/reduce/search.hpp"
#include "fuzz/reduce/tree.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;

bool simplify(Search& search, std::size_t n) {
  const ast::Expr& expr = *nth_expr(search.module(), n);
  std::vector<ast::Expr> shorter;
  ast::for_each_child(expr, [&](const ast::Expr& child) { shorter.push_back(child); });
  if (const auto* literal = expr.as<ast::IntLit>()) {
    if (literal->value > 1) shorter.push_back(make_number(1));
    if (literal->value > 32 && literal->value % 32 == 0) shorter.push_back(make_number(32));
    if (literal->value > 3) shorter.push_back(make_number(literal->value / 2));
  } else if (!expr.is<ast::StringLit>()) {
    shorter.push_back(make_number(0));
    shorter.push_back(make_number(1));
  }
  for (const ast::Expr& replacement : shorter) {
    if (search.attempt([&](ast::Module& candidate) {
          *nth_expr(candidate, n) = replacement;
          return true;
        }))
      return true;
  }
  return false;
}

/// How many parts the expression can lose; then it loses the which-th.
std::size_t parts_of(const ast::Expr& expr) {
  if (const auto* call = expr.as<ast::Call>()) return call->arguments.size();
  if (const auto* list = expr.as<ast::BoolOp>()) return list->operands.size();
  return 0;
}

bool remove_part(ast::Expr& expr, std::size_t which) {
  if (auto* call = expr.as<ast::Call>(); call != nullptr && which < call->arguments.size()) {
    call->arguments.erase(call->arguments.begin() + static_cast<std::ptrdiff_t>(which));
    return true;
  }
  auto* logical = expr.as<ast::BoolOp>();
  if (logical == nullptr || which >= logical->operands.size() || logical->operands.size() < 3)
    return false;
  logical->operands.erase(logical->operands.begin() + static_cast<std::ptrdiff_t>(which));
  return true;
}

}  // namespace

void simplify_expressions(Search& search) {
  for (std::size_t n = 0; nth_expr(search.module(), n) != nullptr && !search.spent();) {
    bool shorter = simplify(search, n);
    for (std::size_t part = parts_of(*nth_expr(search.module(), n)); part-- > 0;) {
      shorter = search.attempt([&](ast::Module& candidate) {
        return remove_part(*nth_expr(candidate, n), part);
      }) || shorter;
    }
    if (!shorter) ++n;
  }
  // Names of an import that nobody uses.
  for (std::size_t at = 0; at < search.module().body.size(); ++at) {
    for (std::size_t i = 8; i-- > 0;) {
      search.attempt([&](ast::Module& candidate) {
        auto* import = candidate.body[at].as<ast::FromImport>();
        if (import == nullptr || i >= import->names.size() || import->names.size() < 2)
          return false;
        import->names.erase(import->names.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
    }
  }
}

void shrink_numbers(Search& search) {
  std::set<std::uint64_t> numbers;
  for_each_expr(search.module(), [&](ast::Expr& expr) {
    const auto* literal = expr.as<ast::IntLit>();
    if (literal != nullptr && !literal->overflow && literal->value > 1)
      numbers.insert(literal->value);
  });
  for (const std::uint64_t number : numbers) {
    for (const std::uint64_t smaller :
         {std::uint64_t{1}, std::uint64_t{2}, number / 4, number / 2}) {
      if (smaller == 0 || smaller >= number) continue;
      if (search.attempt([&](ast::Module& candidate) {
            replace_number(candidate, number, smaller);
            return true;
          }))
        break;
    }
  }
}

}  // namespace tirx::fuzz
