// What fewer lines say as well: imports together, no function around a launch, a tile that nothing
// has to be copied to.
#include "fuzz/reduce/search.hpp"
#include "fuzz/reduce/tree.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;

/// The names that the statement at `from` imports, at `to`.
bool merge_imports(ast::Module& module, std::size_t to, std::size_t from) {
  auto* kept = module.body[to].as<ast::FromImport>();
  const auto* gone = module.body[from].as<ast::FromImport>();
  if (kept == nullptr || gone == nullptr || kept->star || gone->star ||
      kept->level != gone->level || kept->module.text != gone->module.text)
    return false;
  kept->names.insert(kept->names.end(), gone->names.begin(), gone->names.end());
  module.body.erase(module.body.begin() + static_cast<std::ptrdiff_t>(from));
  return true;
}

bool is_import(Search& search, std::size_t at) {
  return search.module().body[at].is<ast::FromImport>();
}

/// The body in place of the call of a function without parameters that is no kernel.
bool inline_launch(ast::Module& module, std::size_t at) {
  const auto* function = module.body[at].as<ast::FunctionDef>();
  if (function == nullptr || !function->decorators.empty() || !function->parameters.empty())
    return false;
  const std::string name = function->name.text;
  const ast::Block body = function->body;
  for (std::size_t call = at + 1; call < module.body.size(); ++call) {
    const auto* alone = module.body[call].as<ast::ExprStmt>();
    const auto* called = alone != nullptr ? alone->value.as<ast::Call>() : nullptr;
    const auto* callee = called != nullptr ? called->callee->as<ast::Name>() : nullptr;
    if (callee == nullptr || callee->id != name || !called->arguments.empty()) continue;
    const auto place = module.body.begin() + static_cast<std::ptrdiff_t>(call);
    module.body.insert(module.body.erase(place), body.begin(), body.end());
    module.body.erase(module.body.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }
  return false;
}

/// `Tx.warp.fill(tile, 0)` in place of `Tx.warp.copy(tile, other)`.
bool fill_tile(ast::Stmt& stmt, std::uint64_t value) {
  auto* alone = stmt.as<ast::ExprStmt>();
  auto* call = alone != nullptr ? alone->value.as<ast::Call>() : nullptr;
  auto* callee = call != nullptr ? call->callee->as<ast::Attribute>() : nullptr;
  if (callee == nullptr || call->arguments.size() < 2 || callee->name.text == "fill") return false;
  callee->name.text = "fill";
  call->arguments.resize(1);
  ast::Argument argument;
  argument.value = make_number(value);
  call->arguments.push_back(argument);
  return true;
}

}  // namespace

void remove_lines(Search& search) {
  for (std::size_t to = 0; to < search.module().body.size() && !search.spent(); ++to) {
    search.attempt([&](ast::Module& candidate) { return inline_launch(candidate, to); });
    if (!is_import(search, to)) continue;
    for (std::size_t from = search.module().body.size(); --from > to;) {
      if (!is_import(search, from)) continue;
      search.attempt([&](ast::Module& candidate) { return merge_imports(candidate, to, from); });
    }
  }
  for (std::size_t n = 1; nth_block(search.module(), n) != nullptr; ++n) {
    for (std::size_t at = 0; nth_block(search.module(), n) != nullptr &&
                             at < nth_block(search.module(), n)->size() && !search.spent();
         ++at) {
      if (!(*nth_block(search.module(), n))[at].is<ast::ExprStmt>()) continue;
      // Of a product, one tells where zero does not.
      for (const std::uint64_t value : {0U, 1U}) {
        search.attempt([&](ast::Module& candidate) {
          return fill_tile((*nth_block(candidate, n))[at], value);
        });
      }
    }
  }
}

}  // namespace tirx::fuzz
