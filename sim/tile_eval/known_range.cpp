// Which values can an index have, as far as that is known before the launch?  From literals, scope
// ids and loop variables it is known; of memory, parameters and sizes that only the launch knows,
// only what a mask or a remainder leaves (docs/language/tile_ops.md, "Edges").
#include <algorithm>

#include "ir/known_values.hpp"
#include "ir/loop_values.hpp"
#include "ir/simplify.hpp"
#include "ir/visit.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

void Evaluator::find_facts() {
  ir::Facts& facts = facts_.emplace();
  for (const ir::Var& symbol : kernel_.symbols) facts.set(symbol, ir::facts_of_symbol(symbol));
  constexpr std::int64_t kMostThreads = 1 << 20;  // more than a cluster has
  for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
    for (std::size_t dim = 0; dim < def.vars.size(); ++dim) {
      const std::int64_t extent =
          dim < def.extents.size() ? facts.range(def.extents[dim]).high : kMostThreads;
      const std::int64_t last = std::max<std::int64_t>(ir::one_below(extent), 0);
      facts.set(def.vars[dim], {{0, last}, 1});
    }
  }
  const auto add = [&](const ir::Stmt& stmt) {
    if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
      if (num::is_int(let->var->type.dtype) && !let->var->type.is_vector())
        facts.set(let->var, ir::facts_of_let(let->var, let->value, facts));
    } else if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
      const auto known = ir::facts_of_loop(loop->var, loop->begin, loop->end, loop->step, facts);
      if (known) facts.set(loop->var, *known);
    }
  };
  const auto nothing = [](const ir::Expr&) {};
  ir::for_each_in_body(kernel_.host_body, add, nothing);
  ir::for_each_in_body(kernel_.body, add, nothing);
}

ir::Interval Evaluator::known_range(const ir::Expr& expr) {
  if (!facts_) find_facts();
  return ir::IndexSum::of(expr, *facts_).range(*facts_);
}

}  // namespace tirx::sim::tile
