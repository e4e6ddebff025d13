// sum, max, min / shared: src and dst in shared memory.  The threads of the scope form groups of
// g = min(next power of two of the reduced elements, 32, threads) neighbours; group G makes the
// outputs G, G + groups, ….  Lane l of a group folds the elements l, l + g, l + 2g, … (row-major
// over the reduced dimensions) from the neutral element, the lanes combine by xor-shuffles 1, 2, …,
// g/2, and lane 0 writes, with accum after combining with the old value.  The op ends with the
// barrier of its scope.
#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "ir/print.hpp"
#include "lower/barrier.hpp"
#include "lower/copy/copy.hpp"
#include "lower/reduction/reduction.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t result = 1;
  for (const std::int64_t extent : extents) result *= extent;
  return result;
}

std::int64_t group_size(const Site& site, std::int64_t reduced) {
  const auto next = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(reduced)));
  return std::min({next, std::int64_t{ir::kLanesPerWarp}, site.threads});
}

ir::Expr less(const IndexSum& a, std::int64_t b, Span span) {
  return ir::make_expr(ir::kBool, span,
                       ir::Scalar{num::ScalarOp::lt, {a.to_expr(ir::kInt32), ir::make_int(b)}});
}

ir::For loop_over(const ir::Var& var, std::int64_t count) {
  return {var, ir::make_int(0), ir::make_int(count), ir::make_int(1), ir::LoopKind::serial, 0, {}};
}

ir::Access access(const TileSide& side, const std::vector<IndexSum>& offsets) {
  ir::Access made{side.region.buffer, {}, {}, 1, {}};
  for (std::size_t k = 0; k < side.begins.size(); ++k) {
    const ir::Type begin = side.region.ranges[k].begin->type;
    made.indices.push_back(side.begins[k]
                               .plus(offsets[k])
                               .to_expr(num::bits(begin.dtype) == 64 ? ir::kInt64 : ir::kInt32));
  }
  return made;
}

class SharedReducer {
 public:
  SharedReducer(const Site& site, Reduction reduction)
      : site_(site),
        reduction_(std::move(reduction)),
        kept_(reduction_.extents(site, false)),
        gone_(reduction_.extents(site, true)),
        outputs_(product(kept_)),
        elements_(product(gone_)),
        group_(group_size(site, elements_)),
        groups_(site.threads / group_),
        acc_(accumulator(reduction_, site.span)) {}

  [[nodiscard]] std::int64_t rounds() const { return (outputs_ + groups_ - 1) / groups_; }

  void emit(ir::Body& body) const {
    const Span span = site_.span;
    IndexSum lane(0);
    IndexSum output(0);
    if (site_.thread_index) {
      const IndexSum thread = IndexSum::of(site_.thread_index, site_.facts);
      lane = thread.floormod(group_, site_.facts);
      output = thread.floordiv(group_, site_.facts);
    }
    body.push_back({span, ir::Allocate{acc_}});
    ir::Body inner;
    const ir::Var round = rounds() > 1 ? count_variable(site_, "f", rounds()) : ir::Var();
    if (round) output = output.plus(IndexSum::of(round).times(groups_));
    fold(output, lane, inner);
    for (std::int64_t mask = 1; mask < group_; mask *= 2) {
      inner.push_back(combine_lanes(reduction_, acc_, mask, span));
    }
    write(output, lane, inner);
    if (round) {
      ir::For loop = loop_over(round, rounds());
      loop.body = std::move(inner);
      body.push_back({span, std::move(loop)});
    } else {
      std::move(inner.begin(), inner.end(), std::back_inserter(body));
    }
  }

 private:
  /// Offsets in src's region, or in dst's.
  [[nodiscard]] std::vector<IndexSum> src_offsets(const IndexSum& output,
                                                  const IndexSum& element) const {
    const auto kept = row_major_digits(output, kept_, site_.facts);
    const auto gone = row_major_digits(element, gone_, site_.facts);
    std::vector<IndexSum> offsets(reduction_.reduced.size());
    std::size_t at_kept = 0;
    std::size_t at_gone = 0;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      offsets[k] = reduction_.reduced[k] ? gone[at_gone++] : kept[at_kept++];
    }
    return offsets;
  }

  [[nodiscard]] std::vector<IndexSum> dst_offsets(const IndexSum& output) const {
    const auto kept = row_major_digits(output, kept_, site_.facts);
    std::vector<IndexSum> offsets(reduction_dst(site_).extents.size());
    std::size_t at_kept = 0;
    for (std::size_t k = 0; k < reduction_.reduced.size(); ++k) {
      if (reduction_.reduced[k]) continue;
      if (reduction_.dst_dims[k]) offsets[*reduction_.dst_dims[k]] = kept[at_kept];
      ++at_kept;
    }
    return offsets;
  }

  void fold(const IndexSum& output, const IndexSum& lane, ir::Body& body) const {
    const Span span = site_.span;
    body.push_back({span, ir::Store{scalar_access(acc_), identity(reduction_, span)}});
    const std::int64_t steps = (elements_ + group_ - 1) / group_;
    const ir::Var step = count_variable(site_, "k", steps);
    const IndexSum element = steps > 1 ? IndexSum::of(step).times(group_).plus(lane) : lane;
    const TileSide& src = reduction_src(site_);
    const ir::Expr value = ir::make_expr({src.buffer().dtype, 1}, span,
                                         ir::Load{access(src, src_offsets(output, element))});
    ir::Body add;
    add.push_back({span, ir::Store{scalar_access(acc_),
                                   combine(reduction_, read_scalar(acc_, span), value, span)}});
    if (elements_ % group_ != 0) guard(less(element, elements_, span), add);
    if (steps > 1) {
      ir::For loop = loop_over(step, steps);
      loop.body = std::move(add);
      add.clear();
      add.push_back({span, std::move(loop)});
    }
    if (outputs_ % groups_ != 0) guard(less(output, outputs_, span), add);
    std::move(add.begin(), add.end(), std::back_inserter(body));
  }

  void write(const IndexSum& output, const IndexSum& lane, ir::Body& body) const {
    const Span span = site_.span;
    const ir::Access to = access(reduction_dst(site_), dst_offsets(output));
    ir::Expr value = read_scalar(acc_, span);
    if (reduction_.accumulate) {
      const ir::Expr old = ir::make_expr({reduction_.dtype, 1}, span, ir::Load{to});
      value = combine(reduction_, old, value, span);
    }
    ir::Body store;
    store.push_back({span, ir::Store{to, value}});
    if (outputs_ % groups_ != 0) guard(less(output, outputs_, span), store);
    if (group_ > 1) {
      guard(
          ir::make_expr(ir::kBool, span,
                        ir::Scalar{num::ScalarOp::eq, {lane.to_expr(ir::kInt32), ir::make_int(0)}}),
          store);
    }
    std::move(store.begin(), store.end(), std::back_inserter(body));
  }

  void guard(const ir::Expr& condition, ir::Body& body) const {
    ir::If branch{condition, std::move(body), {}};
    body.clear();
    body.push_back({site_.span, std::move(branch)});
  }

  const Site& site_;
  Reduction reduction_;
  std::vector<std::int64_t> kept_, gone_;
  std::int64_t outputs_, elements_;
  std::int64_t group_, groups_;
  ir::Buffer acc_;
};

/// Whether the regions certainly share elements.
bool overlaps(const Site& site) {
  const TileSide& dst = reduction_dst(site);
  const TileSide& src = reduction_src(site);
  if (dst.region.buffer != src.region.buffer) return false;
  for (std::size_t k = 0; k < dst.extents.size(); ++k) {
    const IndexSum difference = dst.begins[k].plus(src.begins[k].times(-1));
    if (!difference.is_constant()) return false;
    const std::int64_t d = difference.constant();
    if (d >= src.extents[k] || -d >= dst.extents[k]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> refuse_reduction_shared(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  for (const auto& side : site.sides) {
    if (!side || ir::is_shared(side->buffer().scope())) continue;
    return fmt::format("scope_allowed — both operands must be in shared memory, and {} is {}",
                       side->buffer().name, ir::to_string(side->buffer().scope()));
  }
  if (auto reason = refuse_inactive(site)) return reason;
  const Result<Reduction> reduction = read_reduction(site);
  if (!reduction) return reduction.error().text;
  if (reduction->thread_reduce) {
    return "thread_reduce — the threads always share the work in shared memory; leave it out";
  }
  if (overlaps(site)) {
    return fmt::format("in_place — {} overlaps the destination {}",
                       ir::to_string(reduction_src(site).region),
                       ir::to_string(reduction_dst(site).region));
  }
  return std::nullopt;
}

Result<Expansion> expand_reduction_shared(const Site& site) {
  const Result<Reduction> reduction = read_reduction(site);
  if (!reduction) return reduction.error();
  const SharedReducer reducer(site, *reduction);
  Expansion expansion;
  expansion.vector = 1;
  expansion.rounds = reducer.rounds();
  reducer.emit(expansion.body);
  add_barrier(site, expansion.body);
  return expansion;
}

}  // namespace tirx::lower
