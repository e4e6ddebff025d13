#include "lower/copy/edge.hpp"

#include <fmt/format.h>

#include "ir/facts.hpp"
#include "ir/known_values.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

struct Reach {
  ir::Interval inside;  // of begin + extent - size of the dimension: positive is outside
  ir::Interval begin;
};

Reach reach(const Site& site, const TileSide& side, std::size_t dim) {
  const IndexSum size = IndexSum::of(side.buffer().shape[dim], site.facts);
  const IndexSum over = side.begins[dim].plus(side.extents[dim]).plus(size.times(-1));
  return {over.range(site.facts), side.begins[dim].range(site.facts)};
}

}  // namespace

bool edge_asked(const Site& site) {
  if (site.call.config.contains("fill")) return true;
  const auto found = site.call.config.find("clip");
  if (found == site.call.config.end()) return false;
  const bool* clip = std::get_if<bool>(&found->second);
  return clip != nullptr && *clip;
}

std::vector<EdgeGuard> edge_guards(const Site& site, std::size_t operand) {
  const TileSide& side = *site.sides[operand];
  std::vector<EdgeGuard> guards;
  if (side.extents.size() != side.buffer().shape.size()) return guards;
  const bool asked = edge_asked(site);
  // Without being asked, only buffers all of whose dimensions are constants.
  if (!asked && (site.guarded || !ir::static_shape(side.buffer()))) return guards;
  for (std::size_t k = 0; k < side.extents.size(); ++k) {
    const Reach r = reach(site, side, k);
    EdgeGuard guard{k, r.begin.low<0, r.inside.high> 0};
    if (!asked) {
      // Only what the known ranges show: an index that may be anything faults where it is wrong.
      guard.below = guard.below && ir::low_is_known(r.begin);
      guard.above = guard.above && ir::high_is_known(r.begin);
    }
    if (guard.below || guard.above) guards.push_back(guard);
  }
  return guards;
}

std::string edge_reason(const Site& site) {
  for (std::size_t i = 0; i < site.sides.size(); ++i) {
    if (!site.sides[i]) continue;
    const TileSide& side = *site.sides[i];
    const std::vector<EdgeGuard> guards = edge_guards(site, i);
    if (guards.empty()) continue;
    const Reach r = reach(site, side, guards[0].dim);
    std::int64_t size = 0;
    if (guards[0].above && ir::is_const_int(side.buffer().shape[guards[0].dim], size)) {
      return fmt::format("dimension {} of {} has {} elements, and the region reaches {}",
                         guards[0].dim, side.buffer().name, size,
                         r.begin.high + side.extents[guards[0].dim]);
    }
    return fmt::format("the region may leave dimension {} of {}", guards[0].dim,
                       side.buffer().name);
  }
  return {};
}

IndexAndEnd in_one_type(const ir::Expr& index, const ir::Expr& end, Span span) {
  const bool wide = ir::values_of(end->type.dtype).high > ir::values_of(index->type.dtype).high;
  const ir::Type type = wide ? ir::kInt64 : index->type;
  const auto in_it = [&](const ir::Expr& expr) {
    return expr->type == type ? expr : ir::make_expr(type, span, ir::Cast{expr});
  };
  return {in_it(index), in_it(end)};
}

std::optional<std::string> refuse_edge(const Site& site) {
  if (edge_asked(site))
    return "edge — clip or fill asks for a copy that looks at the buffers' ends";
  if (std::string reason = edge_reason(site); !reason.empty()) return "edge — " + reason;
  return std::nullopt;
}

}  // namespace tirx::lower
