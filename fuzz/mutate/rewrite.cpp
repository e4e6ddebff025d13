#include "fuzz/mutate/rewrite.hpp"

#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

using ir::Body;
using ir::Expr;
using ir::Stmt;
using Map = std::function<Expr(const Expr&)>;

std::vector<Expr> mapped(const std::vector<Expr>& list, const Map& map) {
  std::vector<Expr> out;
  out.reserve(list.size());
  for (const Expr& expr : list) out.push_back(map(expr));
  return out;
}

ir::Access mapped(const ir::Access& access, const Map& map) {
  ir::Access out = access;
  out.indices = mapped(access.indices, map);
  if (access.flat) out.flat = map(access.flat);
  return out;
}

ir::TileOperand mapped(const ir::TileOperand& operand, const Map& map) {
  if (const auto* value = std::get_if<Expr>(&operand)) return map(*value);
  const auto* region = std::get_if<ir::Region>(&operand);
  if (region == nullptr) return operand;
  ir::Region out = *region;
  for (ir::Range& range : out.ranges) {
    range.begin = map(range.begin);
    range.extent = map(range.extent);
  }
  return out;
}

}  // namespace

Stmt with_operands(const Stmt& stmt, const Map& map) {
  Stmt out = stmt;
  std::visit(ir::Match{
                 [&](ir::Let& s) { s.value = map(s.value); },
                 [&](ir::Store& s) {
                   s.to = mapped(s.to, map);
                   s.value = map(s.value);
                 },
                 [&](ir::For& s) {
                   s.begin = map(s.begin);
                   s.end = map(s.end);
                   if (s.step) s.step = map(s.step);
                 },
                 [&](ir::While& s) { s.condition = map(s.condition); },
                 [&](ir::If& s) { s.condition = map(s.condition); },
                 [&](ir::Assert& s) { s.condition = map(s.condition); },
                 [&](ir::Evaluate& s) { s.call = map(s.call); },
                 [&](ir::TileCall& s) {
                   for (ir::TileOperand& operand : s.operands) operand = mapped(operand, map);
                   for (auto& [key, value] : s.config) {
                     if (auto* e = std::get_if<Expr>(&value)) *e = map(*e);
                   }
                 },
                 [](auto&) {},
             },
             out.node);
  return out;
}

namespace {

template <typename F>
void for_each_own_body(Stmt& stmt, F f) {
  if (auto* loop = std::get_if<ir::For>(&stmt.node)) f(loop->body);
  if (auto* repeat = std::get_if<ir::While>(&stmt.node)) f(repeat->body);
  if (auto* group = std::get_if<ir::Group>(&stmt.node)) f(group->body);
  if (auto* branch = std::get_if<ir::If>(&stmt.node)) {
    f(branch->then_body);
    f(branch->else_body);
  }
}

Body edit_statement(const Body& body, std::size_t& left, const StmtEdit& edit) {
  Body out;
  for (const Stmt& stmt : body) {
    if (left-- == 0) {
      for (Stmt& made : edit(stmt)) out.push_back(std::move(made));
      // What is inside the replaced statement has no numbers any more.
      continue;
    }
    Stmt copy = stmt;
    for_each_own_body(copy, [&](Body& inner) { inner = edit_statement(inner, left, edit); });
    out.push_back(std::move(copy));
  }
  return out;
}

class ExpressionEditor {
 public:
  ExpressionEditor(std::size_t n, const ExprEdit& edit) : left_(n), edit_(edit) {}

  Body run(const Body& body) {
    Body out;
    for (const Stmt& stmt : body) {
      Stmt copy = with_operands(stmt, [this](const Expr& expr) { return one(expr); });
      for_each_own_body(copy, [this](Body& inner) { inner = run(inner); });
      out.push_back(std::move(copy));
    }
    return out;
  }

 private:
  Expr one(const Expr& expr) {
    if (done_) return expr;
    if (left_-- == 0) {
      done_ = true;
      return edit_(expr);
    }
    return map_children(expr, [this](const Expr& child) { return one(child); });
  }

  std::size_t left_;
  bool done_ = false;
  const ExprEdit& edit_;
};

}  // namespace

Expr map_children(const Expr& expr, const Map& map) {
  ir::ExprNode out = *expr;
  std::visit(ir::Match{
                 [&](ir::Scalar& e) { e.args = mapped(e.args, map); },
                 [&](ir::Cast& e) { e.value = map(e.value); },
                 [&](ir::Reinterpret& e) { e.value = map(e.value); },
                 [&](ir::Select& e) {
                   e.condition = map(e.condition);
                   e.when_true = map(e.when_true);
                   e.when_false = map(e.when_false);
                 },
                 [&](ir::IfThenElse& e) {
                   e.condition = map(e.condition);
                   e.when_true = map(e.when_true);
                   e.when_false = map(e.when_false);
                 },
                 [&](ir::And& e) {
                   e.left = map(e.left);
                   e.right = map(e.right);
                 },
                 [&](ir::Or& e) {
                   e.left = map(e.left);
                   e.right = map(e.right);
                 },
                 [&](ir::Load& e) { e.from = mapped(e.from, map); },
                 [&](ir::AddressOf& e) { e.element = mapped(e.element, map); },
                 [&](ir::MachineCall& e) { e.args = mapped(e.args, map); },
                 [&](ir::MakeVector& e) { e.lanes = mapped(e.lanes, map); },
                 [&](ir::Broadcast& e) { e.value = map(e.value); },
                 [&](ir::Extract& e) { e.vector = map(e.vector); },
                 [](auto&) {},
             },
             out.node);
  return ir::make_expr_node(std::move(out));
}

ir::Kernel with_statement(const ir::Kernel& kernel, std::size_t n, const StmtEdit& edit) {
  ir::Kernel out = kernel;
  out.body = edit_statement(kernel.body, n, edit);
  return out;
}

ir::Kernel with_expression(const ir::Kernel& kernel, std::size_t n, const ExprEdit& edit) {
  ir::Kernel out = kernel;
  out.body = ExpressionEditor(n, edit).run(kernel.body);
  return out;
}

void number_statements(const ir::Kernel& kernel,
                       const std::function<void(std::size_t, const Stmt&)>& visit) {
  std::size_t n = 0;
  ir::for_each_in_body(
      kernel.body, [&](const Stmt& stmt) { visit(n++, stmt); }, [](const Expr&) {});
}

void number_expressions(const ir::Kernel& kernel,
                        const std::function<void(std::size_t, const Expr&, const Stmt&)>& visit) {
  std::size_t n = 0;
  const Stmt* holder = nullptr;
  ir::for_each_in_body(
      kernel.body, [&](const Stmt& stmt) { holder = &stmt; },
      [&](const Expr& expr) { visit(n++, expr, *holder); });
}

}  // namespace tirx::fuzz
