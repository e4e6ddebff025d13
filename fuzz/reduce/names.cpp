// A name less: its value in its place, another name, a number; and the body of a function in place
// of its call.
#include <algorithm>
#include <set>

#include "dsl/ast/print.hpp"
#include "fuzz/reduce/search.hpp"
#include "fuzz/reduce/tree.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;

// A line saved is not worth a longer one than this.
constexpr std::size_t kMostGrowth = 120;

/// What `name = value` or `name: type = value` gives the name; null of any other statement.
const ast::Expr* value_of(const ast::Stmt& stmt) {
  if (const auto* assign = stmt.as<ast::Assign>())
    return assign->targets.size() == 1 && assign->targets[0].is<ast::Name>() ? &assign->value
                                                                             : nullptr;
  if (const auto* annotated = stmt.as<ast::AnnAssign>())
    return annotated->target.is<ast::Name>() ? annotated->value.get() : nullptr;
  return nullptr;
}

struct Definition {
  std::string name;
  const ast::Expr* value = nullptr;
};

/// Names that have one value, in the order of the text.
std::vector<Definition> definitions(ast::Module& module) {
  std::vector<Definition> found;
  std::multiset<std::string> times;
  for_each_block(module, [&](ast::Block& block) {
    for (const ast::Stmt& stmt : block) {
      for (std::string& name : defined_names(stmt)) times.insert(std::move(name));
      if (const auto* augmented = stmt.as<ast::AugAssign>()) {
        if (const auto* name = augmented->target.as<ast::Name>()) times.insert(name->id);
      }
      if (const ast::Expr* value = value_of(stmt))
        found.push_back({defined_names(stmt).front(), value});
    }
  });
  std::erase_if(found, [&](const Definition& one) { return times.count(one.name) != 1; });
  return found;
}

/// Without the statements that give the name its value, and with `by` in its place.
bool replace_name(ast::Module& module, const std::string& name, const ast::Expr& by) {
  for_each_block(module, [&](ast::Block& block) {
    std::erase_if(block, [&](const ast::Stmt& stmt) {
      if (stmt.is<ast::FunctionDef>() || stmt.is<ast::ClassDef>() || stmt.is<ast::For>())
        return false;
      if (const auto* augmented = stmt.as<ast::AugAssign>()) {
        const auto* target = augmented->target.as<ast::Name>();
        return target != nullptr && target->id == name;
      }
      const std::vector<std::string> names = defined_names(stmt);
      return names.size() == 1 && names[0] == name;
    });
    if (&block != &module.body) fill(block);
  });
  return substitute(module.body, name, by) > 0;
}

std::vector<std::string> all_names(ast::Module& module) {
  std::vector<std::string> names;
  for_each_block(module, [&](ast::Block& block) {
    for (const ast::Stmt& stmt : block) {
      if (stmt.is<ast::FunctionDef>() || stmt.is<ast::ClassDef>() || stmt.is<ast::For>()) continue;
      for (std::string& name : defined_names(stmt)) {
        if (std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(std::move(name));
      }
    }
  });
  return names;
}

/// The value alone where nobody reads the name.
bool drop_target(ast::Module& module, const std::string& name) {
  bool dropped = false;
  for_each_block(module, [&](ast::Block& block) {
    for (ast::Stmt& stmt : block) {
      const ast::Expr* value = value_of(stmt);
      if (value == nullptr || defined_names(stmt).front() != name) continue;
      ast::Expr alone = *value;
      stmt.node = ast::ExprStmt{std::move(alone)};
      dropped = true;
    }
  });
  return dropped;
}

ast::FunctionDef* function_named(ast::Module& module, const std::string& name) {
  ast::FunctionDef* found = nullptr;
  for_each_block(module, [&](ast::Block& block) {
    for (ast::Stmt& stmt : block) {
      auto* function = stmt.as<ast::FunctionDef>();
      if (function != nullptr && function->name.text == name) found = function;
    }
  });
  return found;
}

/// The body with the call's arguments in place of the parameters; empty where that does not go.
ast::Block body_of_call(ast::Module& module, const ast::Stmt& stmt) {
  const auto* statement = stmt.as<ast::ExprStmt>();
  const auto* call = statement != nullptr ? statement->value.as<ast::Call>() : nullptr;
  const auto* callee = call != nullptr ? call->callee->as<ast::Name>() : nullptr;
  const ast::FunctionDef* function =
      callee != nullptr ? function_named(module, callee->id) : nullptr;
  if (function == nullptr || call->arguments.size() != function->parameters.size()) return {};
  ast::Block body = function->body;
  for (std::size_t i = 0; i < call->arguments.size(); ++i)
    substitute(body, function->parameters[i].name.text, call->arguments[i].value);
  return body;
}

}  // namespace

void inline_values(Search& search) {
  for (std::size_t i = 0; !search.spent();) {
    const std::vector<Definition> found = definitions(search.module());
    if (i >= found.size()) break;
    const std::string name = found[i].name;
    const ast::Expr value = *found[i].value;
    const std::size_t before = search.text().size();
    const bool gone = search.attempt([&](ast::Module& candidate) {
      return replace_name(candidate, name, value) &&
             ast::print(candidate).size() < before + kMostGrowth;
    });
    if (!gone) ++i;
  }
  for (const std::string& name : all_names(search.module())) {
    for (const std::uint64_t value : {0U, 1U}) {
      if (search.attempt([&](ast::Module& candidate) {
            return replace_name(candidate, name, make_number(value));
          }))
        break;
    }
    search.attempt([&](ast::Module& candidate) { return drop_target(candidate, name); });
  }
}

void merge_names(Search& search) {
  constexpr std::size_t kMostNames = 14;
  const std::vector<std::string> names = all_names(search.module());
  if (names.size() > kMostNames) return;
  std::set<std::string> gone;
  for (const std::string& name : names) {
    for (const std::string& other : names) {
      if (name == other || gone.contains(other) || gone.contains(name)) continue;
      if (search.attempt([&](ast::Module& candidate) {
            return replace_name(candidate, name, make_name(other));
          }))
        gone.insert(name);
    }
  }
}

void inline_calls(Search& search) {
  for (std::size_t n = 0; nth_block(search.module(), n) != nullptr; ++n) {
    for (std::size_t at = 0; nth_block(search.module(), n) != nullptr &&
                             at < nth_block(search.module(), n)->size() && !search.spent();
         ++at) {
      search.attempt([&](ast::Module& candidate) {
        ast::Block& block = *nth_block(candidate, n);
        const ast::Block body = body_of_call(candidate, block[at]);
        // The call of the kernel itself stays: it launches.
        if (body.empty() || n == 0) return false;
        const std::string name =
            block[at].as<ast::ExprStmt>()->value.as<ast::Call>()->callee->as<ast::Name>()->id;
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
        block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), body.begin(), body.end());
        // Where that was its last call, the function goes, too: else the text would grow.
        int calls = 0;
        for_each_expr(candidate, [&](ast::Expr& expr) {
          const auto* found = expr.as<ast::Name>();
          calls += found != nullptr && found->id == name ? 1 : 0;
        });
        if (calls == 0) {
          for_each_block(candidate, [&](ast::Block& inner) {
            std::erase_if(inner, [&](const ast::Stmt& stmt) {
              const auto* function = stmt.as<ast::FunctionDef>();
              return function != nullptr && function->name.text == name;
            });
          });
        }
        return true;
      });
    }
  }
}

}  // namespace tirx::fuzz
