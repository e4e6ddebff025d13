// How do the regions of an elementwise op meet?  Broadcasting, and what may overlap what.
#include <algorithm>

#include <fmt/format.h>

#include "ir/print.hpp"
#include "ir/visit.hpp"
#include "lower/elementwise/elementwise.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

std::string extents_text(const TileSide& side) {
  return ir::to_string(std::span<const std::int64_t>(side.extents));
}

bool is_static(const TileSide& side) {
  return side.extents.size() == side.region.ranges.size();
}

enum class Relation : std::uint8_t { same, apart, unknown, overlap };

/// Two ranges of one dimension of one buffer.
Relation compare(const IndexSum& a,
                 std::int64_t a_extent,
                 const IndexSum& b,
                 std::int64_t b_extent,
                 const ir::Facts& facts) {
  const IndexSum difference = a.plus(b.times(-1));
  if (difference.is_constant()) {
    const std::int64_t d = difference.constant();
    if (d == 0 && a_extent == b_extent) return Relation::same;
    return d >= b_extent || -d >= a_extent ? Relation::apart : Relation::overlap;
  }
  // Tiles of a common grid are the same or apart, whichever.
  if (a_extent == b_extent && difference.divisible_by(a_extent, facts)) return Relation::unknown;
  const ir::Interval range = difference.range(facts);
  return range.low >= b_extent || range.high <= -a_extent ? Relation::apart : Relation::unknown;
}

Relation compare(const Site& site, const TileSide& dst, const TileSide& src) {
  if (dst.region.buffer != src.region.buffer) {
    // Other views of one storage (a pool's buffers) are the user's own arrangement.
    return Relation::unknown;
  }
  bool same = true;
  bool sure = true;
  for (std::size_t k = 0; k < dst.extents.size(); ++k) {
    switch (compare(dst.begins[k], dst.extents[k], src.begins[k], src.extents[k], site.facts)) {
      case Relation::apart:
        return Relation::apart;
      case Relation::overlap:
        same = false;
        break;
      case Relation::unknown:
        sure = false;
        break;
      case Relation::same:
        break;
    }
  }
  if (!sure) return Relation::unknown;
  return same ? Relation::same : Relation::overlap;
}

}  // namespace

std::vector<std::size_t> region_operands(const Site& site) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < site.sides.size(); ++i) {
    // zero's src is never read.
    if (i == 1 && site.call.op == ir::TileOp::zero) continue;
    if (site.sides[i]) found.push_back(i);
  }
  return found;
}

std::optional<DimMap> align_dims(const std::vector<std::int64_t>& dst,
                                 const std::vector<std::int64_t>& operand) {
  DimMap right(dst.size());
  bool fits = true;
  for (std::size_t k = 1; k <= std::max(dst.size(), operand.size()) && fits; ++k) {
    if (k > operand.size()) break;
    const std::int64_t extent = operand[operand.size() - k];
    if (k > dst.size()) {
      fits = extent == 1;
    } else if (extent == dst[dst.size() - k]) {
      right[dst.size() - k] = operand.size() - k;
    } else {
      fits = extent == 1;
    }
  }
  if (fits) return right;
  DimMap wide(dst.size());
  std::size_t next = 0;
  for (std::size_t d = 0; d < dst.size(); ++d) {
    if (dst[d] == 1) continue;
    while (next < operand.size() && operand[next] == 1) ++next;
    if (next == operand.size() || operand[next] != dst[d]) return std::nullopt;
    wide[d] = next++;
  }
  while (next < operand.size()) {
    if (operand[next++] != 1) return std::nullopt;
  }
  return wide;
}

std::optional<std::string> refuse_shapes(const Site& site) {
  const TileSide& dst = elementwise_dst(site);
  for (const std::size_t i : region_operands(site)) {
    if (!is_static(*site.sides[i])) {
      return "static_extents — the region's extents are not constants";
    }
  }
  for (const std::size_t i : region_operands(site)) {
    const TileSide& side = *site.sides[i];
    if (align_dims(dst.extents, side.extents)) continue;
    return fmt::format("broadcast — {} of extents {} cannot be broadcast to {} of extents {}",
                       side.buffer().name, extents_text(side), dst.buffer().name,
                       extents_text(dst));
  }
  return std::nullopt;
}

std::optional<std::string> refuse_overlap(const Site& site) {
  for (const std::size_t i : region_operands(site)) {
    if (i == 0) continue;
    const TileSide& dst = elementwise_dst(site);
    const TileSide& src = *site.sides[i];
    if (compare(site, dst, src) != Relation::overlap) continue;
    return fmt::format(
        "in_place — {} overlaps the destination {}: a source is the destination itself or apart "
        "from it",
        ir::to_string(src.region), ir::to_string(dst.region));
  }
  return std::nullopt;
}

std::vector<ir::Expr> scalar_values(const Site& site, ir::Body& prologue) {
  std::vector<ir::Expr> values(site.call.operands.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* scalar = std::get_if<ir::Expr>(&site.call.operands[i]);
    if (scalar == nullptr) continue;
    const bool predicate = i + 1 == values.size() && !site.call.index_vars.empty();
    if (predicate || ir::as_const(*scalar) != nullptr || ir::as<ir::VarRef>(*scalar) != nullptr) {
      values[i] = *scalar;
      continue;
    }
    std::string name(ir::spec(site.call.op).operands[i]);
    if (!name.empty() && name.back() == '?') name.pop_back();
    const auto var = std::make_shared<ir::Variable>(ir::Variable{name, (*scalar)->type, site.span});
    prologue.push_back({site.span, ir::Let{var, *scalar}});
    values[i] = ir::make_var(var, site.span);
  }
  return values;
}

void define_indices(const Site& site, const std::vector<ir::Expr>& coordinates, ir::Body& body) {
  if (site.call.index_vars.empty()) return;
  const auto* predicate = std::get_if<ir::Expr>(&site.call.operands.back());
  for (std::size_t k = 0; k < site.call.index_vars.size(); ++k) {
    const ir::Var& var = site.call.index_vars[k];
    bool read = false;
    ir::for_each_expr(*predicate, [&](const ir::Expr& e) {
      const auto* ref = ir::as<ir::VarRef>(e);
      read = read || (ref != nullptr && ref->var == var);
    });
    if (read) body.push_back({site.span, ir::Let{var, coordinates[k]}});
  }
}

}  // namespace tirx::lower
