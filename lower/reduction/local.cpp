// sum, max, min / local: src and dst in registers.  A thread folds the elements it holds, row-major
// over the reduced dimensions, from the neutral element (from dst's old value with accum, where no
// lanes take part).  Where a reduced dimension lies on lanes and dst is replicated over them, the
// lanes combine by xor-shuffles, largest distance first (TIRx's warp_reduce); a lane that holds one
// element starts with it.  So at warpgroup and CTA scope too, as long as the lanes that share an
// output are of one warp; TIRx has this at warp scope only.  Where dst keeps one element per lane
// instead, each lane's own fold is its result, or with thread_reduce=True the total, by
// xor-shuffles of ascending distance.  TIRx ignores accum and axes in the first of these; here they
// hold everywhere.
#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "lower/copy/copy.hpp"
#include "lower/reduction/reduction.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

/// The thread iters along one dimension, neighbours joined.
StridedIters along(const StridedTile& tile, const TileSide& side, std::size_t dim, bool& only) {
  StridedIters found;
  for (const StridedIter& iter : tile.iters) {
    if (side.wide_dims[iter.dim] != dim) continue;
    if (iter.axis.is_thread()) {
      found.push_back(iter);
    } else {
      only = false;
    }
  }
  return fuse(found);
}

/// dst keeps a reduced dimension's threads: they count as the places of copies for the alignment.
std::optional<std::string> move_partial_to_replicas(const Site& site,
                                                    const Reduction& reduction,
                                                    const StridedTile& src,
                                                    StridedTile& dst) {
  const TileSide& to = reduction_dst(site);
  const TileSide& from = reduction_src(site);
  for (std::size_t k = 0; k < reduction.reduced.size(); ++k) {
    if (!reduction.reduced[k]) continue;
    bool only_threads = true;
    bool any = true;
    const StridedIters mine = along(dst, to, k, only_threads);
    const StridedIters theirs = along(src, from, k, any);
    bool same = only_threads && mine.size() == theirs.size();
    for (std::size_t i = 0; same && i < mine.size(); ++i) {
      same = mine[i].extent == theirs[i].extent && mine[i].stride == theirs[i].stride &&
             mine[i].axis == theirs[i].axis;
    }
    if (!same) {
      return fmt::format(
          "layouts — mismatch dst/src layout for reduction: along axis {} dst must have one "
          "element "
          "for each thread that holds a part of it",
          k);
    }
  }
  StridedIters kept;
  for (const StridedIter& iter : dst.iters) {
    if (reduction.reduced[to.wide_dims[iter.dim]]) {
      dst.replica.push_back({iter.extent, iter.stride.constant(), iter.axis});
    } else {
      kept.push_back(iter);
    }
  }
  dst.iters = std::move(kept);
  return std::nullopt;
}

class LocalReducer {
 public:
  LocalReducer(const Site& site, Reduction reduction, AlignedRegisters aligned)
      : site_(site),
        reduction_(std::move(reduction)),
        aligned_(std::move(aligned)),
        acc_(accumulator(reduction_, site.span)) {
    for (const AlignedDigit& digit : aligned_.digits) {
      const bool gone = reduction_.reduced[digit.dim];
      if (!digit.axis.is_thread()) {
        (gone ? elements_ : outputs_) *= digit.extent;
      } else if (gone) {
        even_ = even_ && std::has_single_bit(static_cast<std::uint64_t>(digit.extent)) &&
                std::has_single_bit(static_cast<std::uint64_t>(digit.strides[0]));
        for (std::int64_t step = 1; step < digit.extent; step *= 2) {
          masks_.push_back(step * digit.strides[0]);
        }
      }
    }
    std::sort(masks_.begin(), masks_.end());
    if (reduction_.partial && !reduction_.thread_reduce) masks_.clear();
    if (!reduction_.partial && !reduction_.thread_reduce) {
      std::reverse(masks_.begin(), masks_.end());
    }
  }

  [[nodiscard]] std::int64_t outputs() const { return outputs_; }

  [[nodiscard]] bool exchanges() const { return !masks_.empty(); }

  [[nodiscard]] const std::vector<std::int64_t>& masks() const { return masks_; }

  /// Whether an xor of the lane number reaches just the lanes that share an output.
  [[nodiscard]] bool even() const { return even_; }

  void emit(ir::Body& body) const {
    body.push_back({site_.span, ir::Allocate{acc_}});
    if (outputs_ == 1) {
      reduce(IndexSum(0), body);
      return;
    }
    const ir::Var each = count_variable(site_, "o", outputs_);
    ir::For loop = unrolled(each, outputs_);
    reduce(IndexSum::of(each), loop.body);
    body.push_back({site_.span, std::move(loop)});
  }

 private:
  static ir::For unrolled(const ir::Var& var, std::int64_t count) {
    return {var, ir::make_int(0), ir::make_int(count), ir::make_int(1), ir::LoopKind::unroll, 0,
            {}};
  }

  /// The values of all digits for an output and one of its elements.
  [[nodiscard]] std::vector<IndexSum> digits(const IndexSum& output,
                                             const IndexSum& element) const {
    std::vector<IndexSum> values(aligned_.digits.size());
    std::int64_t inner_output = 1;
    std::int64_t inner_element = 1;
    for (std::size_t k = values.size(); k-- > 0;) {
      const AlignedDigit& digit = aligned_.digits[k];
      if (digit.axis.is_thread()) {
        values[k] = thread_digit(site_, digit.axis, digit.strides[0], digit.extent);
        continue;
      }
      const bool gone = reduction_.reduced[digit.dim];
      std::int64_t& inner = gone ? inner_element : inner_output;
      const std::int64_t total = gone ? elements_ : outputs_;
      values[k] = (gone ? element : output).floordiv(inner, site_.facts);
      inner *= digit.extent;
      if (inner < total) values[k] = values[k].floormod(digit.extent, site_.facts);
    }
    return values;
  }

  [[nodiscard]] ir::Access access(bool dst, const std::vector<IndexSum>& values) const {
    const TileSide& side = dst ? reduction_dst(site_) : reduction_src(site_);
    const std::size_t operand = dst ? 1 : 0;
    std::vector<IndexSum> indices = side.begins;
    IndexSum place = aligned_.bases[operand];
    for (std::size_t k = 0; k < values.size(); ++k) {
      const AlignedDigit& digit = aligned_.digits[k];
      const bool on_threads = digit.axis.is_thread();
      if (!on_threads) place = place.plus(values[k].times(digit.strides[operand]));
      if (!dst) {
        indices[digit.dim] = indices[digit.dim].plus(values[k].times(digit.weight));
        continue;
      }
      if (reduction_.reduced[digit.dim]) {
        // Of a reduced dimension dst has the thread digits, or nothing.
        if (!reduction_.partial || !on_threads) continue;
        std::int64_t weight = 1;
        for (std::size_t j = k + 1; j < values.size(); ++j) {
          const AlignedDigit& inner = aligned_.digits[j];
          if (inner.dim == digit.dim && inner.axis.is_thread()) weight *= inner.extent;
        }
        indices[digit.dim] = indices[digit.dim].plus(values[k].times(weight));
      } else if (const auto& dim = reduction_.dst_dims[digit.dim]) {
        indices[*dim] = indices[*dim].plus(values[k].times(digit.weight));
      }
    }
    ir::Access made{side.region.buffer, {}, place.to_expr(ir::kInt32), 1, {}};
    for (const IndexSum& index : indices) made.indices.push_back(index.to_expr(ir::kInt32));
    return made;
  }

  [[nodiscard]] ir::Expr load(bool dst, const std::vector<IndexSum>& values) const {
    const num::DType dtype = (dst ? reduction_dst(site_) : reduction_src(site_)).buffer().dtype;
    return ir::make_expr({dtype, 1}, site_.span, ir::Load{access(dst, values)});
  }

  void set(ir::Expr value, ir::Body& body) const {
    body.push_back({site_.span, ir::Store{scalar_access(acc_), std::move(value)}});
  }

  void reduce(const IndexSum& output, ir::Body& body) const {
    const Span span = site_.span;
    const ir::Type type{reduction_.dtype, 1};
    const std::vector<IndexSum> place = digits(output, IndexSum(0));
    const bool old_first = reduction_.accumulate && !exchanges();
    if (exchanges() && !reduction_.partial && elements_ == 1) {
      ir::Expr own = load(false, place);
      if (!(own->type == type)) own = ir::make_expr(type, span, ir::Cast{own});
      set(std::move(own), body);
    } else {
      set(old_first ? load(true, place) : identity(reduction_, span), body);
      const auto fold = [&](const IndexSum& element, ir::Body& into) {
        const ir::Expr value = load(false, digits(output, element));
        into.push_back(
            {span, ir::Store{scalar_access(acc_),
                             combine(reduction_, read_scalar(acc_, span), value, span)}});
      };
      if (elements_ == 1) {
        fold(IndexSum(0), body);
      } else {
        const ir::Var each = count_variable(site_, "k", elements_);
        ir::For loop = unrolled(each, elements_);
        fold(IndexSum::of(each), loop.body);
        body.push_back({span, std::move(loop)});
      }
    }
    for (const std::int64_t mask : masks_) {
      body.push_back(combine_lanes(reduction_, acc_, mask, span));
    }
    ir::Expr result = read_scalar(acc_, span);
    if (reduction_.accumulate && !old_first) {
      result = combine(reduction_, load(true, place), result, span);
    }
    body.push_back({span, ir::Store{access(true, place), result}});
  }

  const Site& site_;
  Reduction reduction_;
  AlignedRegisters aligned_;
  ir::Buffer acc_;
  bool even_ = true;
  std::int64_t outputs_ = 1;
  std::int64_t elements_ = 1;  // that one thread holds of one output
  std::vector<std::int64_t> masks_;
};

}  // namespace

std::optional<std::string> refuse_reduction_local(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  for (const auto& side : site.sides) {
    if (!side) continue;
    const ir::BufferNode& buffer = side->buffer();
    if (buffer.scope() != ir::MemoryScope::local) {
      return fmt::format("scope_allowed — both operands must be registers, and {} is {}",
                         buffer.name, ir::to_string(buffer.scope()));
    }
    if (buffer.layout && buffer.layout->is_swizzled()) {
      return fmt::format("plain_layout — the register tile {} is swizzled", buffer.name);
    }
  }
  if (auto reason = refuse_inactive(site)) return reason;
  const Result<Reduction> reduction = read_reduction(site);
  if (!reduction) return reduction.error().text;
  if (reduction->thread_reduce && site.scope != ir::ExecScope::warp) {
    return fmt::format(
        "thread_reduce — thread_reduce=True is only supported in warp scope, not at {} scope",
        ir::name_of(site.scope));
  }
  return std::nullopt;
}

Result<Expansion> expand_reduction_local(const Site& site) {
  Result<Reduction> reduction = read_reduction(site);
  if (!reduction) return reduction.error();
  const auto tile = [&](std::size_t i) {
    return strided_tile(*site.sides[i], site.buffer_offsets[i], site.facts, ir::AxisFusion::cuda);
  };
  Result<StridedTile> src = tile(1);
  if (!src) return src.error();
  Result<StridedTile> dst = tile(0);
  if (!dst) return dst.error();
  for (const auto& [side, strided] :
       {std::pair(&reduction_src(site), &*src), std::pair(&reduction_dst(site), &*dst)}) {
    if (auto reason = refuse_spread(site, *side, *strided)) return placeless(std::move(*reason));
  }
  if (reduction->partial) {
    if (auto reason = move_partial_to_replicas(site, *reduction, *src, *dst)) {
      return placeless(std::move(*reason));
    }
  }
  DimMap whole(reduction->reduced.size());
  for (std::size_t k = 0; k < whole.size(); ++k) whole[k] = k;
  DimMap kept = reduction->dst_dims;
  std::vector<StridedTile> tiles;
  tiles.push_back(std::move(*src));
  tiles.push_back(std::move(*dst));
  Result<AlignedRegisters> aligned =
      align_tiles(site, {&reduction_src(site), &reduction_dst(site)}, std::move(tiles),
                  {std::move(whole), std::move(kept)});
  if (!aligned) return aligned.error();
  const LocalReducer reducer(site, *reduction, std::move(*aligned));
  for (const std::int64_t mask : reducer.masks()) {
    if (mask < ir::kLanesPerWarp && reducer.even()) continue;
    return placeless(
        fmt::format("layouts — a reduced dimension lies across the warps of the {}: lanes exchange "
                    "registers, warps meet in shared memory",
                    ir::name_of(site.scope)));
  }
  Expansion expansion;
  expansion.vector = 1;
  expansion.rounds = reducer.outputs();
  reducer.emit(expansion.body);
  return expansion;
}

}  // namespace tirx::lower
