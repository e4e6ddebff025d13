// See reduction.hpp.
#include "lower/reduction/reduction.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ir/all_ops.hpp"
#include "ir/promote.hpp"
#include "lower/local_array.hpp"

namespace tirx::lower {

namespace {

using num::DType;
using num::ScalarOp;

bool flag(const Site& site, const char* key) {
  const auto found = site.call.config.find(key);
  const bool* value = found == site.call.config.end() ? nullptr : std::get_if<bool>(&found->second);
  return value != nullptr && *value;
}

/// Which dimensions the axes name; a reason if they name none.
std::optional<std::string> read_axes(const Site& site, std::vector<bool>& reduced) {
  const auto rank = static_cast<std::int64_t>(reduced.size());
  std::vector<std::int64_t> axes{-1};
  const auto found = site.call.config.find("axes");
  if (found != site.call.config.end()) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&found->second)) {
      axes = *list;
    } else if (const auto* one = std::get_if<std::int64_t>(&found->second)) {
      axes = {*one};
    } else {
      return "axes — the axes are an int or a tuple of ints";
    }
  }
  if (axes.empty()) return "axes — at least one axis must be reduced";
  for (const std::int64_t axis : axes) {
    const std::int64_t dim = axis < 0 ? axis + rank : axis;
    if (dim < 0 || dim >= rank) {
      return fmt::format("axes — axis {} is not one of the {} dimensions of {}", axis, rank,
                         reduction_src(site).buffer().name);
    }
    if (reduced[static_cast<std::size_t>(dim)]) {
      return fmt::format("axes — axis {} is named twice", axis);
    }
    reduced[static_cast<std::size_t>(dim)] = true;
  }
  return std::nullopt;
}

/// Kept dimensions of more than one element, in order, are dst's; units may stand anywhere.
std::optional<DimMap> match_kept(const std::vector<std::int64_t>& src,
                                 const std::vector<bool>& reduced,
                                 const std::vector<std::int64_t>& dst) {
  DimMap map(src.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < src.size(); ++k) {
    if (reduced[k] || src[k] == 1) continue;
    while (next < dst.size() && dst[next] == 1) ++next;
    if (next == dst.size() || dst[next] != src[k]) return std::nullopt;
    map[k] = next++;
  }
  while (next < dst.size()) {
    if (dst[next++] != 1) return std::nullopt;
  }
  return map;
}

}  // namespace

std::vector<std::int64_t> Reduction::extents(const Site& site, bool of_reduced) const {
  std::vector<std::int64_t> found;
  for (std::size_t k = 0; k < reduced.size(); ++k) {
    if (reduced[k] == of_reduced) found.push_back(reduction_src(site).extents[k]);
  }
  return found;
}

Result<Reduction> read_reduction(const Site& site) {
  const std::string_view name = ir::spec(site.call.op).name;
  if (site.sides.size() != 2 || !site.sides[0] || !site.sides[1]) {
    return placeless(fmt::format("operands — {} needs two regions, dst and src", name));
  }
  const TileSide& dst = reduction_dst(site);
  const TileSide& src = reduction_src(site);
  for (const TileSide* side : {&dst, &src}) {
    if (side->extents.size() != side->region.ranges.size()) {
      return placeless("static_extents — the region's extents are not constants");
    }
  }
  Reduction reduction;
  reduction.reduced.resize(src.extents.size(), false);
  if (auto reason = read_axes(site, reduction.reduced)) return placeless(std::move(*reason));
  reduction.accumulate = flag(site, "accum");
  reduction.thread_reduce = flag(site, "thread_reduce");
  reduction.op = site.call.op == ir::TileOp::sum   ? ScalarOp::add
                 : site.call.op == ir::TileOp::max ? ScalarOp::max
                                                   : ScalarOp::min;
  reduction.dtype = dst.buffer().dtype;
  const DType from = src.buffer().dtype;
  if (ir::promote(from, reduction.dtype) != reduction.dtype) {
    return placeless(fmt::format("dtypes — {} is accumulated in {}, which does not hold {}", name,
                                 num::name(reduction.dtype), num::name(from)));
  }
  if (!num::is_legal(reduction.op, reduction.dtype)) {
    return placeless(
        fmt::format("dtypes — {} is not defined on {}", name, num::name(reduction.dtype)));
  }
  if (auto map = match_kept(src.extents, reduction.reduced, dst.extents)) {
    reduction.dst_dims = std::move(*map);
    return reduction;
  }
  // Registers: dst may keep the part of a reduced dimension that lies on threads.
  bool partial =
      dst.extents.size() == src.extents.size() && dst.buffer().scope() == ir::MemoryScope::local;
  reduction.dst_dims.resize(src.extents.size());
  for (std::size_t k = 0; partial && k < src.extents.size(); ++k) {
    if (reduction.reduced[k]) continue;
    partial = dst.extents[k] == src.extents[k];
    reduction.dst_dims[k] = k;
  }
  if (!partial) {
    return placeless(
        fmt::format("extents — {} of extents {} without the axes reduced is not {} of extents {}",
                    src.buffer().name, ir::to_string(std::span<const std::int64_t>(src.extents)),
                    dst.buffer().name, ir::to_string(std::span<const std::int64_t>(dst.extents))));
  }
  reduction.partial = true;
  return reduction;
}

ir::Expr identity(const Reduction& reduction, Span span) {
  const num::DTypeRow& row = num::row(reduction.dtype);
  const bool lowest = reduction.op == ScalarOp::max;
  std::uint64_t bits = 0;
  if (reduction.op != ScalarOp::add) {
    if (row.kind == num::Kind::floating) {
      // The largest finite value: all exponent bits but the last, all fraction bits.
      bits = (((std::uint64_t{1} << row.exponent) - 2) << row.fraction) |
             ((std::uint64_t{1} << row.fraction) - 1);
      if (lowest) bits |= std::uint64_t{1} << (row.exponent + row.fraction);
    } else if (row.kind == num::Kind::signed_int) {
      const std::uint64_t top = std::uint64_t{1} << (row.bits - 1);
      bits = lowest ? top : top - 1;
    } else {
      bits = lowest ? 0 : std::numeric_limits<std::uint64_t>::max() >> (64 - row.bits);
    }
  }
  return ir::make_expr({reduction.dtype, 1}, span, ir::Const{bits});
}

ir::Expr combine(const Reduction& reduction, ir::Expr a, ir::Expr b, Span span) {
  const ir::Type type{reduction.dtype, 1};
  if (!(b->type == type)) b = ir::make_expr(type, span, ir::Cast{std::move(b)});
  return ir::make_expr(type, span, ir::Scalar{reduction.op, {std::move(a), std::move(b)}});
}

ir::Buffer accumulator(const Reduction& reduction, Span span) {
  return local_scalar("acc", reduction.dtype, span);
}

ir::Access scalar_access(const ir::Buffer& scalar) {
  return {scalar, {ir::make_int(0)}, {}, 1, {}};
}

ir::Expr read_scalar(const ir::Buffer& scalar, Span span) {
  return ir::make_expr({scalar->dtype, 1}, span, ir::Load{scalar_access(scalar)});
}

ir::Stmt combine_lanes(const Reduction& reduction,
                       const ir::Buffer& acc,
                       std::int64_t mask,
                       Span span) {
  const ir::Expr all = ir::make_int(0xffffffff, {DType::u32, 1});
  const ir::Expr other =
      ir::make_expr({acc->dtype, 1}, span,
                    ir::MachineCall{ir::AllOps::id_of<ir::ShuffleXor>(),
                                    {all, read_scalar(acc, span), ir::make_int(mask)},
                                    {}});
  return {span,
          ir::Store{scalar_access(acc), combine(reduction, read_scalar(acc, span), other, span)}};
}

std::vector<ir::IndexSum> row_major_digits(const ir::IndexSum& position,
                                           const std::vector<std::int64_t>& extents,
                                           const ir::Facts& facts) {
  std::vector<ir::IndexSum> digits(extents.size());
  std::int64_t inner = 1;
  std::size_t outermost = 0;  // the first dimension of more than one element
  while (outermost < extents.size() && extents[outermost] == 1) ++outermost;
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (extents[k] == 1) continue;
    digits[k] = position.floordiv(inner, facts);
    if (k != outermost) digits[k] = digits[k].floormod(extents[k], facts);
    inner *= extents[k];
  }
  return digits;
}

ir::Var count_variable(const Site& site, const char* name, std::int64_t count) {
  const auto var = std::make_shared<ir::Variable>(ir::Variable{name, ir::kInt32, site.span});
  site.facts.set(var, {{0, count - 1}, 1});
  return var;
}

}  // namespace tirx::lower
