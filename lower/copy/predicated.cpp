// copy / predicated: for what the exact variants refuse.  The region does not divide among the
// threads, or it runs over the end of a buffer (the last tile of a ragged matrix): elements
// (f * T + t) * vec + v, row-major, belong to thread t in round f, each vector behind the tests it
// needs.  What lies outside of src or dst is not moved; with fill=value, an element of dst whose
// source lies outside gets the value.  A register tile's own layout says who moves what.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lower/copy/edge.hpp"
#include "lower/memory_run.hpp"
#include "lower/register_align.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

bool is_local(const TileSide& side) {
  return side.buffer().scope() == ir::MemoryScope::local;
}

/// The operand in registers: 0 (dst), 1 (src), or none.
std::optional<std::size_t> register_operand(const Site& site) {
  if (is_local(copy_dst(site))) return 0;
  if (is_local(copy_src(site))) return 1;
  return std::nullopt;
}

/// Vectors must lie inside or outside as a whole.
bool guards_allow(const Site& site, std::size_t operand, std::int64_t vec) {
  const TileSide& side = *site.sides[operand];
  for (const EdgeGuard& guard : edge_guards(site, operand)) {
    if (guard.dim + 1 != side.extents.size()) continue;
    const IndexSum size = IndexSum::of(side.buffer().shape[guard.dim], site.facts);
    if (!size.divisible_by(vec, site.facts) ||
        !side.begins[guard.dim].divisible_by(vec, site.facts)) {
      return false;
    }
  }
  return true;
}

std::int64_t choose_vector(const Site& site) {
  if (register_operand(site)) return 1;
  for (const std::int64_t vec : vector_candidates(copy_dst(site).buffer().dtype)) {
    if (vec == 1) break;
    bool fits = true;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      fits = fits && is_run(site, i, vec) && site.sides[i]->extents.back() % vec == 0 &&
             guards_allow(site, i, vec);
    }
    if (fits) return vec;
  }
  return 1;
}

class Predicated {
 public:
  Predicated(const Site& site, std::int64_t vec) : site_(site), vec_(vec) {}

  /// The guarded move of the elements whose coordinates (per wide dimension) these are; the
  /// register side's place is given.
  void move(const std::vector<IndexSum>& coordinates, const ir::Expr& place, ir::Body& body) const {
    const Span span = site_.span;
    const ir::Type type{copy_dst(site_).buffer().dtype, static_cast<std::uint16_t>(vec_)};
    const auto reg = register_operand(site_);
    const auto access = [&](std::size_t i) {
      ir::Access made{site_.sides[i]->region.buffer, indices(i, coordinates), {}, 1, {}};
      if (reg == i) made.flat = place;
      return made;
    };
    const ir::Expr in_dst = condition(0, coordinates);
    ir::Expr in_src = condition(1, coordinates);
    const auto store = [&](ir::Expr value) {
      ir::Body one;
      one.push_back({span, ir::Store{access(0), std::move(value)}});
      return one;
    };
    ir::Body inner = store(ir::make_expr(type, span, ir::Load{access(1)}));
    const auto fill = site_.call.config.find("fill");
    if (in_src && fill != site_.call.config.end()) {
      ir::Expr value = std::get<ir::Expr>(fill->second);
      if (vec_ > 1) value = ir::make_expr(type, span, ir::Broadcast{value});
      inner = guarded(in_src, std::move(inner), store(std::move(value)));
    } else if (in_src) {
      inner = guarded(in_src, std::move(inner), {});
    }
    if (in_dst) inner = guarded(in_dst, std::move(inner), {});
    std::move(inner.begin(), inner.end(), std::back_inserter(body));
  }

  [[nodiscard]] ir::Body guarded(const ir::Expr& test, ir::Body then, ir::Body otherwise) const {
    ir::Body one;
    one.push_back({site_.span, ir::If{test, std::move(then), std::move(otherwise)}});
    return one;
  }

 private:
  [[nodiscard]] IndexSum index(std::size_t i,
                               std::size_t dim,
                               const std::vector<IndexSum>& coordinates) const {
    const TileSide& side = *site_.sides[i];
    for (std::size_t j = 0; j < side.wide_dims.size(); ++j) {
      if (side.wide_dims[j] == dim) return side.begins[dim].plus(coordinates[j]);
    }
    return side.begins[dim];
  }

  [[nodiscard]] ir::Type index_type(std::size_t i, std::size_t dim) const {
    const ir::Type begin = site_.sides[i]->region.ranges[dim].begin->type;
    return num::bits(begin.dtype) == 64 ? ir::kInt64 : ir::kInt32;
  }

  [[nodiscard]] std::vector<ir::Expr> indices(std::size_t i,
                                              const std::vector<IndexSum>& coordinates) const {
    std::vector<ir::Expr> made;
    for (std::size_t k = 0; k < site_.sides[i]->begins.size(); ++k) {
      made.push_back(index(i, k, coordinates).to_expr(index_type(i, k)));
    }
    return made;
  }

  /// Whether the element is inside; empty where that is known.
  [[nodiscard]] ir::Expr condition(std::size_t i, const std::vector<IndexSum>& coordinates) const {
    ir::Expr all;
    const auto test = [&](num::ScalarOp op, const ir::Expr& a, const ir::Expr& b) {
      const ir::Expr one = ir::make_expr(ir::kBool, site_.span, ir::Scalar{op, {a, b}});
      all = all ? ir::make_expr(ir::kBool, site_.span, ir::And{all, one}) : one;
    };
    for (const EdgeGuard& guard : edge_guards(site_, i)) {
      const ir::Type type = index_type(i, guard.dim);
      const ir::Expr at = index(i, guard.dim, coordinates).to_expr(type);
      if (guard.below) test(num::ScalarOp::ge, at, ir::make_int(0, type));
      if (guard.above) {
        const auto [index, end] =
            in_one_type(at, site_.sides[i]->buffer().shape[guard.dim], site_.span);
        test(num::ScalarOp::lt, index, end);
      }
    }
    return all;
  }

  const Site& site_;
  std::int64_t vec_;
};

ir::Var counter(const Site& site, const char* name, std::int64_t count) {
  const auto var = std::make_shared<ir::Variable>(ir::Variable{name, ir::kInt32, site.span});
  site.facts.set(var, {{0, count - 1}, 1});
  return var;
}

ir::Stmt loop(
    const Site& site, const ir::Var& var, std::int64_t count, ir::LoopKind kind, ir::Body body) {
  return {site.span, ir::For{var, ir::make_int(0), ir::make_int(count), ir::make_int(1), kind, 0,
                             std::move(body)}};
}

void warn(const Site& site, Expansion& expansion) {
  if (edge_asked(site)) return;
  const std::string reason = edge_reason(site);
  if (reason.empty()) return;
  expansion.warnings.push_back(
      {site.span,
       fmt::format("copy/predicated: {}; what lies outside is left out", reason),
       {{{}, "clip=True says that this is meant; fill=0 writes zeros where src ends"}},
       Severity::warning});
}

Result<Expansion> expand_registers(const Site& site, std::size_t reg) {
  const TileSide& own = *site.sides[reg];
  DimMap whole(own.extents.size());
  for (std::size_t k = 0; k < whole.size(); ++k) whole[k] = k;
  const Result<AlignedRegisters> aligned = align_registers(site, {reg}, {whole});
  if (!aligned) return aligned.error();
  const std::int64_t count = aligned->count();
  Expansion expansion;
  expansion.vector = 1;
  expansion.rounds = count;
  const ir::Var each = count > 1 ? counter(site, "e", count) : ir::Var();
  const RegisterPlace place =
      register_place(site, *aligned, each ? IndexSum::of(each) : IndexSum(0));
  std::vector<IndexSum> coordinates;
  for (const std::size_t dim : own.wide_dims) coordinates.push_back(place.coordinates[dim]);
  ir::Body body;
  Predicated(site, 1).move(coordinates, place.registers[0].to_expr(ir::kInt32), body);
  if (each) {
    expansion.body.push_back(loop(site, each, count, ir::LoopKind::unroll, std::move(body)));
  } else {
    expansion.body = std::move(body);
  }
  warn(site, expansion);
  return expansion;
}

}  // namespace

std::optional<std::string> refuse_predicated(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  if (auto reason = refuse_operands(site)) return reason;
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  if (dst.extents.size() != dst.region.ranges.size() ||
      src.extents.size() != src.region.ranges.size()) {
    return "static_extents — the region's extents are not constants";
  }
  if (is_local(dst) && is_local(src)) {
    return "scope_allowed — both sides are registers: use cast or permute_layout";
  }
  if (element_bits(dst.buffer().dtype) < 8) return "whole_bytes — 4-bit elements share bytes";
  if (auto reason = refuse_inactive(site)) return reason;
  if (const auto reg = register_operand(site)) {
    const TileSide& own = *site.sides[*reg];
    if (own.buffer().layout && own.buffer().layout->is_swizzled()) {
      return fmt::format("plain_layout — the register tile {} is swizzled", own.buffer().name);
    }
    const Result<StridedTile> tile =
        strided_tile(own, site.buffer_offsets[*reg], site.facts, ir::AxisFusion::cuda);
    if (!tile) return tile.error().text;
    if (auto reason = refuse_spread(site, own, *tile)) return reason;
    if (*reg == 1 && !tile->replica.empty()) {
      return "replicas — each element is held by several threads, which would all write it";
    }
    return std::nullopt;
  }
  for (const TileSide* side : {&dst, &src}) {
    if (side->buffer().layout && side->buffer().layout->tile.has_thread_axes()) {
      return fmt::format("no_thread_axes — {} is spread over threads", side->buffer().name);
    }
  }
  return std::nullopt;
}

Result<Expansion> expand_predicated(const Site& site) {
  if (const auto reg = register_operand(site)) return expand_registers(site, *reg);
  const std::vector<std::int64_t> extents = copy_dst(site).wide_extents();
  const std::int64_t size = copy_dst(site).size();
  const std::int64_t vec = choose_vector(site);
  const std::int64_t step = site.threads * vec;
  Expansion expansion;
  expansion.vector = vec;
  expansion.rounds = (size + step - 1) / step;
  const ir::Var round = expansion.rounds > 1 ? counter(site, "f", expansion.rounds) : ir::Var();
  IndexSum position;
  if (round) position = IndexSum::of(round).times(step);
  if (site.thread_index) {
    position = position.plus(IndexSum::of(site.thread_index, site.facts).times(vec));
  }
  std::vector<IndexSum> coordinates(extents.size());
  std::int64_t inner = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    coordinates[k] = position.floordiv(inner, site.facts);
    if (k > 0) coordinates[k] = coordinates[k].floormod(extents[k], site.facts);
    inner *= extents[k];
  }
  const Predicated emitter(site, vec);
  ir::Body body;
  emitter.move(coordinates, {}, body);
  if (size % step != 0) {
    const ir::Expr inside = ir::make_expr(
        ir::kBool, site.span,
        ir::Scalar{num::ScalarOp::lt, {position.to_expr(ir::kInt32), ir::make_int(size)}});
    body = emitter.guarded(inside, std::move(body), {});
  }
  if (round) {
    expansion.body.push_back(
        loop(site, round, expansion.rounds, ir::LoopKind::serial, std::move(body)));
  } else {
    expansion.body = std::move(body);
  }
  warn(site, expansion);
  return expansion;
}

}  // namespace tirx::lower
