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
  return end_is_known(expr, End::low) && end_is_known(expr, End::high);
}

/// Of one end of the range: `i` of `for i in range(n, 3)` has a known high one.
bool Evaluator::end_is_known(const ir::Expr& expr, End end) {
  if (!defined_) find_definitions(kernel_.body);
  defined_ = true;
  const auto known = [&](const ir::Expr& e) { return !e || range_is_known(e); };
  const auto same = [&](const ir::Expr& e) { return end_is_known(e, end); };
  const auto opposite = [&](const ir::Expr& e) {
    return end_is_known(e, end == End::low ? End::high : End::low);
  };
  if (ir::as_const(expr) != nullptr) return true;
  if (const auto* ref = ir::as<ir::VarRef>(expr)) {
    for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
      for (std::size_t dim = 0; dim < def.vars.size(); ++dim) {
        if (def.vars[dim] == ref->var) return dim >= def.extents.size() || known(def.extents[dim]);
      }
    }
    if (const auto let = lets_.find(ref->var.get()); let != lets_.end())
      return same(let->second->value);
    const auto loop = loops_.find(ref->var.get());
    if (loop == loops_.end()) return false;
    std::int64_t step = 1;
    if (loop->second->step && !ir::is_const_int(loop->second->step, step)) return false;
    // Of one that counts down, both ends are wanted, as the guards of the lowering want them.
    if (step < 0) return known(loop->second->begin) && known(loop->second->end);
    return same(end == End::low ? loop->second->begin : loop->second->end);
  }
  if (const auto* cast = ir::as<ir::Cast>(expr)) {
    const bool wider = num::bits(expr->type.dtype) > num::bits(cast->value->type.dtype);
    return wider ? same(cast->value) : known(cast->value);
  }
  if (const auto* choice = ir::as<ir::Select>(expr))
    return same(choice->when_true) && same(choice->when_false);
  if (const auto* choice = ir::as<ir::IfThenElse>(expr))
    return same(choice->when_true) && same(choice->when_false);
  const auto* scalar = ir::as<ir::Scalar>(expr);
  if (scalar == nullptr) return false;
  const auto& args = scalar->args;
  std::int64_t number = 0;
  const bool by_number = args.size() == 2 && ir::is_const_int(args[1], number);
  switch (scalar->op) {
    case num::ScalarOp::bit_and:
    case num::ScalarOp::floormod:
    case num::ScalarOp::truncmod:
      if (by_number && number > 0) return true;
      break;
    case num::ScalarOp::add:
      return same(args[0]) && same(args[1]);
    case num::ScalarOp::sub:
      return same(args[0]) && opposite(args[1]);
    case num::ScalarOp::neg:
      return opposite(args[0]);
    case num::ScalarOp::mul:
      if (by_number) return number >= 0 ? same(args[0]) : opposite(args[0]);
      break;
    default:
      break;
  }
  return std::all_of(args.begin(), args.end(), known);
}

}  // namespace tirx::sim::tile
