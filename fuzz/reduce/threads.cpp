// Fewer threads, and fewer lines that name them.
#include <algorithm>
#include <optional>

#include "fuzz/reduce/search.hpp"
#include "fuzz/reduce/tree.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;

/// The number in `T.thread_id([64])`, as a list or alone; null where there is none.
ast::IntLit* only_number(ast::Expr& expr) {
  auto* call = expr.as<ast::Call>();
  if (call == nullptr || call->arguments.size() != 1) return nullptr;
  ast::Expr& value = call->arguments[0].value;
  if (auto* list = value.as<ast::List>())
    return list->elements.size() == 1 ? list->elements[0].as<ast::IntLit>() : nullptr;
  return value.as<ast::IntLit>();
}

/// So many threads in a CTA; returns how many there were.
std::uint64_t set_threads(ast::Module& module, std::uint64_t threads) {
  std::uint64_t before = 0;
  for_each_expr(module, [&](ast::Expr& expr) {
    const std::string callee = called_attribute(expr);
    ast::IntLit* number = only_number(expr);
    if (number == nullptr || (callee != "thread_id" && callee != "warp_id")) return;
    const std::uint64_t now = callee == "thread_id" ? threads : threads / 32;
    before = std::max(before, callee == "thread_id" ? number->value : number->value * 32);
    *number = *make_number(now).as<ast::IntLit>();
  });
  return before;
}

/// The block in place of the n-th of the `if` statements.
bool remove_if(ast::Module& module, std::size_t n) {
  bool found = false;
  for_each_block(module, [&](ast::Block& block) {
    for (std::size_t at = 0; at < block.size() && !found; ++at) {
      const auto* branch = block[at].as<ast::If>();
      if (branch == nullptr || n-- > 0) continue;
      found = true;
      const ast::Block body = branch->branches[0].body;
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), body.begin(), body.end());
    }
  });
  return found;
}

/// The call in `tx = T.thread_id([64])` or in the statement that is nothing else.
const ast::Expr* id_of(const ast::Stmt& stmt) {
  const ast::Expr* value = nullptr;
  if (const auto* assign = stmt.as<ast::Assign>()) value = &assign->value;
  if (const auto* alone = stmt.as<ast::ExprStmt>()) value = &alone->value;
  if (value == nullptr) return nullptr;
  const std::string callee = called_attribute(*value);
  return callee == "thread_id" || callee == "warp_id" || callee == "lane_id" ? value : nullptr;
}

/// One `T.thread_id` in place of ids that only say how many threads there are.
bool name_threads_once(ast::Module& module) {
  std::uint64_t threads = 32;
  std::optional<ast::Expr> made;
  ast::Block* home = nullptr;
  std::size_t place = 0;
  int erased = 0;
  for_each_block(module, [&](ast::Block& block) {
    for (std::size_t at = 0; at < block.size();) {
      const ast::Expr* id = id_of(block[at]);
      bool used = false;
      for (const std::string& name : defined_names(block[at])) {
        for_each_block(module, [&](ast::Block& other) {
          for (const ast::Stmt& stmt : other)
            used = used || (&stmt != &block[at] && mentions(stmt, name) > 0);
        });
      }
      if (id == nullptr || used) {
        ++at;
        continue;
      }
      ast::Expr call = *id;
      if (const ast::IntLit* number = only_number(call))
        threads = std::max(
            threads, called_attribute(call) == "warp_id" ? number->value * 32 : number->value);
      if (!made) {
        made = std::move(call);
        home = &block;
        place = at;
      }
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
      ++erased;
    }
    if (&block != &module.body && &block != home) fill(block);
  });
  if (!made || erased < 2) return false;
  auto* call = made->as<ast::Call>();
  call->callee->as<ast::Attribute>()->name.text = "thread_id";
  ast::Argument argument;
  argument.value = make_number(threads);
  call->arguments.assign(1, argument);
  home->insert(home->begin() + static_cast<std::ptrdiff_t>(place),
               ast::Stmt{{}, ast::ExprStmt{*made}});
  return true;
}

}  // namespace

void remove_threads(Search& search) {
  const auto with = [&](std::uint64_t threads, bool everywhere, std::size_t without_if) {
    return search.attempt([&](ast::Module& candidate) {
      const std::uint64_t before = set_threads(candidate, threads);
      if (before <= threads) return false;
      if (everywhere) replace_number(candidate, before, threads);
      return without_if == 0 || remove_if(candidate, without_if - 1);
    });
  };
  constexpr std::size_t kMostIfs = 6;
  for (std::size_t without = 0; without <= kMostIfs && !search.spent(); ++without) {
    for (const std::uint64_t threads : {32U, 64U, 96U}) {
      if (with(threads, true, without) || with(threads, false, without)) break;
    }
  }
  search.attempt(name_threads_once);
}

}  // namespace tirx::fuzz
