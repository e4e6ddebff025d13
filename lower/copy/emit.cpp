// From a CopyPlan to statements: a loop over the rounds with one vector load and store.
#include <utility>

#include "lower/addressing.hpp"
#include "lower/copy/copy.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

/// The digits of a position in the row-major space of the given extents.
std::vector<IndexSum> digits_of(const IndexSum& position,
                                const std::vector<std::int64_t>& extents,
                                const ir::Facts& facts) {
  std::vector<IndexSum> digits(extents.size());
  std::int64_t inner = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    digits[k] = position.floordiv(inner, facts);
    if (k > 0) digits[k] = digits[k].floormod(extents[k], facts);
    inner *= extents[k];
  }
  return digits;
}

/// Neighbours that continue each other on both sides become one: offsets read better.
std::vector<CopyAtom> fuse_atoms(const std::vector<CopyAtom>& atoms) {
  std::vector<CopyAtom> fused;
  for (const CopyAtom& atom : atoms) {
    if (atom.extent == 1) continue;
    if (!fused.empty() && fused.back().dst_stride == atom.dst_stride.times(atom.extent) &&
        fused.back().src_stride == atom.src_stride.times(atom.extent)) {
      const std::int64_t outer = fused.back().extent;
      fused.back() = atom;
      fused.back().extent *= outer;
    } else {
      fused.push_back(atom);
    }
  }
  return fused;
}

class CopyEmitter {
 public:
  CopyEmitter(const Site& site, const CopyPlan& plan)
      : site_(site), plan_(plan), fused_(fuse_atoms(plan.atoms)) {}

  ir::Stmt move(const IndexSum& position, const CopyMove& made) const {
    return made(access(position, true), access(position, false));
  }

 private:
  [[nodiscard]] const TileSide& side(bool dst) const {
    return dst ? copy_dst(site_) : copy_src(site_);
  }

  [[nodiscard]] IndexSum address(const IndexSum& position, bool dst) const {
    std::vector<std::int64_t> extents;
    for (const CopyAtom& atom : fused_) extents.push_back(atom.extent);
    const std::vector<IndexSum> digits = digits_of(position, extents, site_.facts);
    IndexSum sum = dst ? plan_.dst_base : plan_.src_base;
    for (std::size_t k = 0; k < fused_.size(); ++k) {
      sum = sum.plus(digits[k].times(dst ? fused_[k].dst_stride : fused_[k].src_stride));
    }
    return sum;
  }

  /// Logical indices of the element at a position, in the side's own buffer.
  [[nodiscard]] std::vector<ir::Expr> indices(const IndexSum& position, bool dst) const {
    std::vector<std::int64_t> extents;
    for (const CopyAtom& atom : plan_.atoms) extents.push_back(atom.extent);
    const std::vector<IndexSum> digits = digits_of(position, extents, site_.facts);
    std::vector<IndexSum> coordinate = plan_.coordinate_base;
    coordinate.resize(side(dst).wide_dims.size());
    for (std::size_t k = 0; k < plan_.atoms.size(); ++k) {
      const CopyAtom& atom = plan_.atoms[k];
      if (atom.extent == 1) continue;
      coordinate[atom.dim] = coordinate[atom.dim].plus(digits[k].times(atom.weight));
    }
    std::vector<IndexSum> sums = side(dst).begins;
    for (std::size_t j = 0; j < coordinate.size(); ++j) {
      IndexSum& sum = sums[side(dst).wide_dims[j]];
      sum = sum.plus(coordinate[j]);
    }
    std::vector<ir::Expr> result;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const ir::Type begin = side(dst).region.ranges[i].begin->type;
      result.push_back(sums[i].to_expr(num::bits(begin.dtype) == 64 ? ir::kInt64 : ir::kInt32));
    }
    return result;
  }

  /// Whether the lanes of a vector walk the last dimension of the side's buffer.
  [[nodiscard]] bool lanes_in_last_dim(bool dst) const {
    if (plan_.vector == 1) return true;
    const TileSide& operand = side(dst);
    std::int64_t run = 1;
    for (std::size_t k = plan_.atoms.size(); k-- > 0;) {
      const CopyAtom& atom = plan_.atoms[k];
      if (atom.extent == 1) continue;
      if (operand.wide_dims[atom.dim] + 1 != operand.region.ranges.size() || atom.weight != run) {
        break;
      }
      run *= atom.extent;
      if (run % plan_.vector == 0) return true;
    }
    return false;
  }

  [[nodiscard]] ir::Access access(const IndexSum& position, bool dst) const {
    const ir::BufferNode& buffer = side(dst).buffer();
    const ir::Type type = offset_type(buffer, site_.facts);
    const auto& swizzle = dst ? plan_.dst_swizzle : plan_.src_swizzle;
    const IndexSum place = address(position, dst);
    ir::Access result{side(dst).region.buffer, indices(position, dst), {}, 1, {}};
    result.flat =
        swizzle ? swizzle_offset(place, *swizzle, type, site_.facts) : place.to_expr(type);
    if (!lanes_in_last_dim(dst)) {
      for (std::int64_t lane = 1; lane < plan_.vector; ++lane) {
        result.lane_indices.push_back(indices(position.plus(lane), dst));
      }
    }
    return result;
  }

  const Site& site_;
  const CopyPlan& plan_;
  std::vector<CopyAtom> fused_;
};

}  // namespace

Expansion emit_copy(const Site& site, const CopyPlan& plan) {
  return emit_copy(site, plan, [&](ir::Access to, ir::Access from) -> ir::Stmt {
    const ir::Type type{copy_dst(site).buffer().dtype, static_cast<std::uint16_t>(plan.vector)};
    ir::Expr value = ir::make_expr(type, site.span, ir::Load{std::move(from)});
    return {site.span, ir::Store{std::move(to), std::move(value)}};
  });
}

Expansion emit_copy(const Site& site, const CopyPlan& plan, const CopyMove& made) {
  Expansion expansion;
  expansion.vector = plan.vector;
  expansion.rounds = plan.rounds;
  if (plan.rounds == 1) {
    expansion.body.push_back(CopyEmitter(site, plan).move(plan.thread_position, made));
    return expansion;
  }
  const auto round = std::make_shared<ir::Variable>(ir::Variable{"f", ir::kInt32, site.span});
  site.facts.set(round, {{0, plan.rounds - 1}, 1});
  const IndexSum position = IndexSum::of(round).times(plan.round_step).plus(plan.thread_position);
  ir::For loop{round, ir::make_int(0), ir::make_int(plan.rounds), ir::make_int(1), plan.loop, 0,
               {}};
  loop.body.push_back(CopyEmitter(site, plan).move(position, made));
  expansion.body.push_back({site.span, std::move(loop)});
  return expansion;
}

}  // namespace tirx::lower
