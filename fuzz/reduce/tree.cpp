#include "fuzz/reduce/tree.hpp"

#include "dsl/ast/children.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;
using Visit = std::function<void(ast::Expr&)>;

void below(ast::Expr& expr, const Visit& visit) {
  visit(expr);
  // The tree is ours to edit; the visitor hands out what it sees as constant.
  ast::for_each_child(expr,
                      [&](const ast::Expr& child) { below(const_cast<ast::Expr&>(child), visit); });
}

void box(ast::Box<ast::Expr>& expr, const Visit& visit) {
  if (expr) below(*expr, visit);
}

void all(std::vector<ast::Expr>& list, const Visit& visit) {
  for (ast::Expr& expr : list) below(expr, visit);
}

/// The expressions that a statement holds itself.
class Operands {
 public:
  explicit Operands(const Visit& visit) : visit_(visit) {}

  void operator()(ast::ExprStmt& s) const { below(s.value, visit_); }

  void operator()(ast::Assign& s) const {
    all(s.targets, visit_);
    below(s.value, visit_);
  }

  void operator()(ast::AnnAssign& s) const { box(s.value, visit_); }

  void operator()(ast::AugAssign& s) const { below(s.value, visit_); }

  void operator()(ast::For& s) const { below(s.iterable, visit_); }

  void operator()(ast::While& s) const { below(s.condition, visit_); }

  void operator()(ast::If& s) const {
    for (ast::Branch& branch : s.branches) below(branch.condition, visit_);
  }

  void operator()(ast::With& s) const {
    for (ast::WithItem& item : s.items) below(item.context, visit_);
  }

  void operator()(ast::FunctionDef& s) const {
    for (ast::Parameter& parameter : s.parameters) box(parameter.annotation, visit_);
  }

  void operator()(ast::Return& s) const { box(s.value, visit_); }

  void operator()(ast::Assert& s) const { below(s.condition, visit_); }

  template <typename Other>
  void operator()(Other&) const {}

 private:
  const Visit& visit_;
};

void blocks_of(ast::Block& block, const std::function<void(ast::Block&)>& visit) {
  visit(block);
  for (ast::Stmt& stmt : block)
    for_each_body(stmt, [&](ast::Block& inner) { blocks_of(inner, visit); });
}

}  // namespace

void for_each_body(ast::Stmt& stmt, const std::function<void(ast::Block&)>& visit) {
  if (auto* loop = stmt.as<ast::For>()) visit(loop->body);
  if (auto* repeat = stmt.as<ast::While>()) visit(repeat->body);
  if (auto* with = stmt.as<ast::With>()) visit(with->body);
  if (auto* function = stmt.as<ast::FunctionDef>()) visit(function->body);
  if (auto* type = stmt.as<ast::ClassDef>()) visit(type->body);
  if (auto* branch = stmt.as<ast::If>()) {
    for (ast::Branch& one : branch->branches) visit(one.body);
    if (!branch->otherwise.empty()) visit(branch->otherwise);
  }
}

void for_each_block(ast::Module& module, const std::function<void(ast::Block&)>& visit) {
  blocks_of(module.body, visit);
}

void for_each_expr(ast::Module& module, const Visit& visit) {
  for_each_block(module, [&](ast::Block& block) {
    for (ast::Stmt& stmt : block) std::visit(Operands(visit), stmt.node);
  });
}

ast::Block* nth_block(ast::Module& module, std::size_t n) {
  ast::Block* found = nullptr;
  for_each_block(module, [&](ast::Block& block) {
    if (n-- == 0) found = &block;
  });
  return found;
}

ast::Expr* nth_expr(ast::Module& module, std::size_t n) {
  ast::Expr* found = nullptr;
  for_each_expr(module, [&](ast::Expr& expr) {
    if (n-- == 0) found = &expr;
  });
  return found;
}

}  // namespace tirx::fuzz
