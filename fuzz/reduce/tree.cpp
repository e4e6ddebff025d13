#include "fuzz/reduce/tree.hpp"

#include "dsl/ast/children.hpp"

namespace tirx::fuzz {

namespace {

namespace ast = dsl::ast;
using Visit = std::function<void(ast::Expr&)>;

/// What a statement holds itself; targets and annotations where they are asked for.
class Operands {
 public:
  Operands(const Visit& visit, bool all) : visit_(visit), all_(all) {}

  void operator()(ast::ExprStmt& s) const { visit_(s.value); }

  void operator()(ast::Assign& s) const {
    for (ast::Expr& target : s.targets) {
      if (all_ || !(target.is<ast::Name>() || target.is<ast::Tuple>())) visit_(target);
    }
    visit_(s.value);
  }

  void operator()(ast::AnnAssign& s) const {
    if (all_) visit_(s.target);
    if (all_) visit_(s.annotation);
    box(s.value);
  }

  void operator()(ast::AugAssign& s) const {
    if (all_) visit_(s.target);
    visit_(s.value);
  }

  void operator()(ast::For& s) const {
    if (all_) visit_(s.target);
    visit_(s.iterable);
  }

  void operator()(ast::While& s) const { visit_(s.condition); }

  void operator()(ast::If& s) const {
    for (ast::Branch& branch : s.branches) visit_(branch.condition);
  }

  void operator()(ast::With& s) const {
    for (ast::WithItem& item : s.items) {
      visit_(item.context);
      if (all_) box(item.target);
    }
  }

  void operator()(ast::FunctionDef& s) const {
    if (all_) list(s.decorators);
    for (ast::Parameter& parameter : s.parameters) {
      box(parameter.annotation);
      if (all_) box(parameter.default_value);
    }
    if (all_) box(s.returns);
  }

  void operator()(ast::ClassDef& s) const {
    if (all_) list(s.decorators);
    for (ast::Argument& base : s.bases) {
      if (all_) visit_(base.value);
    }
  }

  void operator()(ast::Return& s) const { box(s.value); }

  void operator()(ast::Assert& s) const {
    visit_(s.condition);
    if (all_) box(s.message);
  }

  void operator()(ast::Raise& s) const {
    if (all_) box(s.value);
  }

  void operator()(ast::Del& s) const {
    if (all_) list(s.targets);
  }

  template <typename Other>
  void operator()(Other&) const {}

 private:
  void box(ast::Box<ast::Expr>& expr) const {
    if (expr) visit_(*expr);
  }

  void list(std::vector<ast::Expr>& exprs) const {
    for (ast::Expr& expr : exprs) visit_(expr);
  }

  const Visit& visit_;
  bool all_;
};

void blocks_of(ast::Block& block, const std::function<void(ast::Block&)>& visit) {
  visit(block);
  for (ast::Stmt& stmt : block)
    for_each_body(stmt, [&](ast::Block& inner) { blocks_of(inner, visit); });
}

void names_of_target(const ast::Expr& target, std::vector<std::string>& names) {
  if (const auto* name = target.as<ast::Name>()) names.push_back(name->id);
  if (const auto* tuple = target.as<ast::Tuple>()) {
    for (const ast::Expr& element : tuple->elements) names_of_target(element, names);
  }
}

/// A bare name as a target is no use of it; `a[i] = …` reads `a`.
bool is_plain_target(const ast::Stmt& stmt, const ast::Expr& expr) {
  if (!expr.is<ast::Name>() && !expr.is<ast::Tuple>()) return false;
  if (const auto* assign = stmt.as<ast::Assign>()) {
    for (const ast::Expr& target : assign->targets) {
      if (&target == &expr) return true;
    }
  }
  if (const auto* annotated = stmt.as<ast::AnnAssign>()) return &annotated->target == &expr;
  if (const auto* augmented = stmt.as<ast::AugAssign>()) return &augmented->target == &expr;
  if (const auto* loop = stmt.as<ast::For>()) return &loop->target == &expr;
  return false;
}

bool has_parameter(const ast::FunctionDef& function, const std::string& name) {
  for (const ast::Parameter& parameter : function.parameters) {
    if (parameter.name.text == name) return true;
  }
  return false;
}

}  // namespace

void for_each_part(ast::Expr& expr, const Visit& visit) {
  visit(expr);
  // The tree is ours to edit; the visitor hands out what it sees as constant.
  ast::for_each_child(
      expr, [&](const ast::Expr& child) { for_each_part(const_cast<ast::Expr&>(child), visit); });
}

void for_each_operand(ast::Stmt& stmt, const Visit& visit) {
  std::visit(Operands(visit, true), stmt.node);
}

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
  const Visit deep = [&](ast::Expr& expr) { for_each_part(expr, visit); };
  for_each_block(module, [&](ast::Block& block) {
    for (ast::Stmt& stmt : block) std::visit(Operands(deep, false), stmt.node);
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

std::vector<std::string> defined_names(const ast::Stmt& stmt) {
  std::vector<std::string> names;
  if (const auto* assign = stmt.as<ast::Assign>()) {
    for (const ast::Expr& target : assign->targets) names_of_target(target, names);
  } else if (const auto* annotated = stmt.as<ast::AnnAssign>()) {
    names_of_target(annotated->target, names);
  } else if (const auto* loop = stmt.as<ast::For>()) {
    names_of_target(loop->target, names);
  } else if (const auto* function = stmt.as<ast::FunctionDef>()) {
    names.push_back(function->name.text);
  } else if (const auto* type = stmt.as<ast::ClassDef>()) {
    names.push_back(type->name.text);
  }
  return names;
}

int mentions(const ast::Stmt& stmt, const std::string& name) {
  int count = 0;
  // Looked at only.
  for_each_operand(const_cast<ast::Stmt&>(stmt), [&](ast::Expr& operand) {
    for_each_part(operand, [&](ast::Expr& expr) {
      const auto* found = expr.as<ast::Name>();
      if (found != nullptr && found->id == name) ++count;
    });
  });
  return count;
}

int substitute(ast::Block& block, const std::string& name, const ast::Expr& by) {
  if (mentions(ast::Stmt{{}, ast::ExprStmt{by}}, name) > 0) return 0;
  int count = 0;
  for (ast::Stmt& stmt : block) {
    for_each_operand(stmt, [&](ast::Expr& operand) {
      if (is_plain_target(stmt, operand)) return;
      for_each_part(operand, [&](ast::Expr& expr) {
        const auto* found = expr.as<ast::Name>();
        if (found == nullptr || found->id != name) return;
        expr = by;
        ++count;
      });
    });
    // A parameter of this name is another thing.
    const auto* function = stmt.as<ast::FunctionDef>();
    if (function != nullptr && has_parameter(*function, name)) continue;
    for_each_body(stmt, [&](ast::Block& inner) { count += substitute(inner, name, by); });
  }
  return count;
}

void fill(ast::Block& block) {
  if (block.empty()) block.push_back(ast::Stmt{{}, ast::Pass{}});
}

ast::Expr make_number(std::uint64_t value) {
  return ast::Expr{{}, 1, ast::IntLit{std::to_string(value), value, false}};
}

ast::Expr make_name(const std::string& name) {
  return ast::Expr{{}, 1, ast::Name{name}};
}

void replace_number(ast::Module& module, std::uint64_t from, std::uint64_t to) {
  for_each_expr(module, [&](ast::Expr& expr) {
    const auto* literal = expr.as<ast::IntLit>();
    if (literal != nullptr && literal->value == from) expr = make_number(to);
  });
}

std::string called_attribute(const ast::Expr& expr) {
  const auto* call = expr.as<ast::Call>();
  const auto* callee = call != nullptr ? call->callee->as<ast::Attribute>() : nullptr;
  return callee != nullptr ? callee->name.text : std::string();
}

}  // namespace tirx::fuzz
