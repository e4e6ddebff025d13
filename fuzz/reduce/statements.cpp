// What goes as a whole: statements, the headers of blocks, a name with everything that hangs on it.
#include <algorithm>
#include <set>

#include "fuzz/reduce/search.hpp"
#include "fuzz/reduce/tree.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;
using Names = std::set<std::string>;

bool mentions_any(const ast::Stmt& stmt, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return mentions(stmt, name) > 0; });
}

/// One pass; what goes may define names, which go in the next.
bool erase_mentions(ast::Block& block, Names& names) {
  bool erased = false;
  for (std::size_t at = 0; at < block.size();) {
    ast::Stmt& stmt = block[at];
    // A function or the call of it only loses what is inside.
    if (!stmt.is<ast::FunctionDef>() && mentions_any(stmt, names)) {
      for (std::string& name : defined_names(stmt)) names.insert(std::move(name));
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
      erased = true;
      continue;
    }
    for_each_body(stmt, [&](ast::Block& inner) {
      erased = erase_mentions(inner, names) || erased;
      fill(inner);
    });
    ++at;
  }
  return erased;
}

void erase_slice(ast::Block& block, Names names) {
  while (erase_mentions(block, names)) {
  }
  fill(block);
}

/// The values that the loop variables have in the first trip; none where that is not written.
std::vector<std::vector<ast::Expr>> first_trips(const ast::For& loop) {
  const std::size_t count =
      loop.target.is<ast::Tuple>() ? loop.target.as<ast::Tuple>()->elements.size() : 1;
  std::vector<std::vector<ast::Expr>> trips = {std::vector<ast::Expr>(count, make_number(0)),
                                               std::vector<ast::Expr>(count, make_number(1))};
  const auto* call = loop.iterable.as<ast::Call>();
  if (count == 1 && call != nullptr && call->arguments.size() > 1)
    trips.insert(trips.begin(), {call->arguments[0].value});
  return trips;
}

/// The bodies that may stand in the statement's place.
std::vector<ast::Block> bodies_of(ast::Stmt& stmt) {
  std::vector<ast::Block> bodies;
  if (const auto* loop = stmt.as<ast::For>()) {
    const std::vector<std::string> names = defined_names(stmt);
    for (const std::vector<ast::Expr>& trip : first_trips(*loop)) {
      if (trip.size() != names.size()) continue;
      ast::Block body = loop->body;
      for (std::size_t i = 0; i < names.size(); ++i) substitute(body, names[i], trip[i]);
      bodies.push_back(std::move(body));
    }
  }
  for_each_body(stmt, [&](ast::Block& body) { bodies.push_back(body); });
  if (const auto* branch = stmt.as<ast::If>()) {
    ast::Block every;
    for_each_body(stmt,
                  [&](ast::Block& body) { every.insert(every.end(), body.begin(), body.end()); });
    if (bodies.size() > 1) bodies.push_back(std::move(every));
    // What stands in `else` for all: a line less.
    if (!branch->otherwise.empty()) {
      ast::If rest = *branch;
      rest.otherwise.clear();
      ast::Block body = branch->otherwise;
      body.insert(body.begin(), ast::Stmt{{}, std::move(rest)});
      bodies.push_back(std::move(body));
    }
    // What the condition does besides, as naming a thread id.
    ast::Block body = branch->branches[0].body;
    body.insert(body.begin(), ast::Stmt{{}, ast::ExprStmt{branch->branches[0].condition}});
    bodies.push_back(std::move(body));
  }
  return bodies;
}

/// Without the which-th branch, or without `else`.
bool remove_branch(ast::Stmt& stmt, std::size_t which) {
  auto* branch = stmt.as<ast::If>();
  if (branch == nullptr) return false;
  if (which < branch->branches.size()) {
    if (branch->branches.size() == 1) return false;
    branch->branches.erase(branch->branches.begin() + static_cast<std::ptrdiff_t>(which));
    return true;
  }
  if (which > branch->branches.size() || branch->otherwise.empty()) return false;
  branch->otherwise.clear();
  return true;
}

/// A function and whatever calls it: none of the two can go before the other.
void remove_functions(Search& search) {
  for (std::size_t at = search.module().body.size(); at-- > 0 && !search.spent();) {
    search.attempt([&](ast::Module& candidate) {
      const auto* function = candidate.body[at].as<ast::FunctionDef>();
      if (function == nullptr) return false;
      Names names = {function->name.text};
      candidate.body.erase(candidate.body.begin() + static_cast<std::ptrdiff_t>(at));
      while (erase_mentions(candidate.body, names)) {
      }
      return true;
    });
    at = std::min(at, search.module().body.size());
  }
}

}  // namespace

void remove_statements(Search& search) {
  remove_functions(search);
  // With what hangs on them first: a valid program stays one.
  const auto remove = [&](std::size_t n, std::size_t at, std::size_t count, bool slice) {
    return search.attempt([&](ast::Module& candidate) {
      ast::Block& inside = *nth_block(candidate, n);
      if (at + count > inside.size()) return false;
      if (inside.size() == 1 && inside[0].is<ast::Pass>()) return false;
      const auto begin = inside.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = begin + static_cast<std::ptrdiff_t>(count);
      Names names;
      for (auto stmt = begin; stmt != end; ++stmt) {
        if (slice && stmt->is<ast::FunctionDef>()) return false;
        for (std::string& name : defined_names(*stmt)) names.insert(std::move(name));
      }
      if (slice && names.empty()) return false;
      inside.erase(begin, end);
      if (slice) erase_slice(inside, std::move(names));
      if (n > 0) fill(inside);
      return true;
    });
  };
  for (std::size_t n = 0; nth_block(search.module(), n) != nullptr; ++n) {
    for (std::size_t length = nth_block(search.module(), n)->size(); length > 0; length /= 2) {
      const ast::Block* block = nth_block(search.module(), n);
      if (block == nullptr) break;
      for (std::size_t at = block->size(); at > 0 && !search.spent();) {
        const std::size_t count = std::min(length, at);
        at -= count;
        if (!remove(n, at, count, true)) (void)remove(n, at, count, false);
        block = nth_block(search.module(), n);
        if (block == nullptr) break;
        at = std::min(at, block->size());
      }
    }
  }
}

void remove_headers(Search& search) {
  for (std::size_t n = 0; nth_block(search.module(), n) != nullptr; ++n) {
    for (std::size_t at = 0; nth_block(search.module(), n) != nullptr &&
                             at < nth_block(search.module(), n)->size() && !search.spent();
         ++at) {
      const std::size_t bodies = bodies_of((*nth_block(search.module(), n))[at]).size();
      for (std::size_t which = 0; which < bodies; ++which) {
        search.attempt([&](ast::Module& candidate) {
          ast::Block& block = *nth_block(candidate, n);
          if (at >= block.size() || block[at].is<ast::FunctionDef>()) return false;
          const std::vector<ast::Block> inside = bodies_of(block[at]);
          if (which >= inside.size()) return false;
          block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
          block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), inside[which].begin(),
                       inside[which].end());
          return true;
        });
      }
      for (std::size_t which = bodies + 1; which-- > 0;) {
        search.attempt([&](ast::Module& candidate) {
          ast::Block& block = *nth_block(candidate, n);
          return at < block.size() && remove_branch(block[at], which);
        });
      }
    }
  }
}

void remove_parameters(Search& search) {
  const auto remove = [&](std::size_t i, bool with_uses) {
    return search.attempt([&](ast::Module& candidate) {
      std::string name;
      for (ast::Stmt& stmt : candidate.body) {
        auto* function = stmt.as<ast::FunctionDef>();
        if (function == nullptr || i >= function->parameters.size()) continue;
        const auto place = function->parameters.begin() + static_cast<std::ptrdiff_t>(i);
        if (with_uses) erase_slice(function->body, {place->name.text});
        function->parameters.erase(place);
        name = function->name.text;
      }
      if (name.empty()) return false;
      for_each_expr(candidate, [&](ast::Expr& expr) {
        auto* call = expr.as<ast::Call>();
        const auto* callee = call != nullptr ? call->callee->as<ast::Name>() : nullptr;
        if (callee == nullptr || callee->id != name || i >= call->arguments.size()) return;
        call->arguments.erase(call->arguments.begin() + static_cast<std::ptrdiff_t>(i));
      });
      return true;
    });
  };
  for (std::size_t i = 32; i-- > 0 && !search.spent();) {
    if (!remove(i, false)) (void)remove(i, true);
  }
}

}  // namespace tirx::fuzz
