// Is it known before the launch which values an index can have?  From literals, scope ids and loop
// variables it is; from memory, parameters and sizes that only the launch knows it is not, but for
// what a mask or a remainder leaves (docs/language/tile_ops.md, "Edges").
#include <algorithm>

#include "ir/visit.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

void Evaluator::find_definitions(const ir::Body& body) {
  ir::for_each_in_body(
      body,
      [&](const ir::Stmt& stmt) {
        if (const auto* let = std::get_if<ir::Let>(&stmt.node)) lets_[let->var.get()] = let;
        if (const auto* loop = std::get_if<ir::For>(&stmt.node)) loops_[loop->var.get()] = loop;
      },
      [](const ir::Expr&) {});
}

bool Evaluator::range_is_known(const ir::Expr& expr) {
  if (!defined_) find_definitions(kernel_.body);
  defined_ = true;
  const auto known = [&](const ir::Expr& e) { return !e || range_is_known(e); };
  if (ir::as_const(expr) != nullptr) return true;
  if (const auto* ref = ir::as<ir::VarRef>(expr)) {
    for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
      for (std::size_t dim = 0; dim < def.vars.size(); ++dim) {
        if (def.vars[dim] == ref->var) return dim >= def.extents.size() || known(def.extents[dim]);
      }
    }
    if (const auto let = lets_.find(ref->var.get()); let != lets_.end())
      return known(let->second->value);
    const auto loop = loops_.find(ref->var.get());
    return loop != loops_.end() && known(loop->second->begin) && known(loop->second->end) &&
           known(loop->second->step);
  }
  if (const auto* cast = ir::as<ir::Cast>(expr)) return known(cast->value);
  if (const auto* choice = ir::as<ir::Select>(expr))
    return known(choice->when_true) && known(choice->when_false);
  if (const auto* choice = ir::as<ir::IfThenElse>(expr))
    return known(choice->when_true) && known(choice->when_false);
  const auto* scalar = ir::as<ir::Scalar>(expr);
  if (scalar == nullptr) return false;
  std::int64_t bound = 0;
  const bool bounded = scalar->op == num::ScalarOp::bit_and ||
                       scalar->op == num::ScalarOp::floormod ||
                       scalar->op == num::ScalarOp::truncmod;
  if (bounded && ir::is_const_int(scalar->args[1], bound) && bound > 0) return true;
  return std::all_of(scalar->args.begin(), scalar->args.end(), known);
}

}  // namespace tirx::sim::tile
