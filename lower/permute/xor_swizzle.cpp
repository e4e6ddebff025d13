// permute_layout / warp_xor_swizzle: shared memory, one warp.  Each lane reads P = elements / 32
// elements into registers, the warp synchronises, writes them, and synchronises.  Which element a
// lane takes in which round is chosen so that neither side has bank conflicts.
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "lower/barrier.hpp"
#include "lower/copy/copy.hpp"
#include "lower/local_array.hpp"
#include "lower/permute/permute.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

constexpr std::int64_t kLanes = ir::kLanesPerWarp;
constexpr std::int64_t kBanks = 32;
constexpr std::int64_t kBankBytes = 4;

/// Memory offsets of all elements in row-major order, from the region's first.
Result<std::vector<std::int64_t>> offsets_of(const Site& site, std::size_t operand) {
  const TileSide& side = *site.sides[operand];
  const Result<StridedTile> tile =
      strided_tile(side, site.buffer_offsets[operand], site.facts, ir::AxisFusion::none);
  if (!tile) return tile.error();
  std::vector<std::int64_t> offsets{0};
  for (const StridedIter& iter : tile->iters) {
    if (!iter.stride.is_constant() || iter.axis.id() != ir::AxisId::m) {
      return Diagnostic{{}, fmt::format("{} has no constant strides", side.buffer().name), {}};
    }
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : offsets) {
      for (std::int64_t i = 0; i < iter.extent; ++i) {
        next.push_back(offset + i * iter.stride.constant());
      }
    }
    offsets = std::move(next);
  }
  return offsets;
}

bool no_conflict(const std::vector<std::int64_t>& offsets,
                 std::int64_t bytes,
                 std::int64_t registers,
                 int k) {
  for (std::int64_t r = 0; r < registers; ++r) {
    std::uint32_t touched = 0;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t j = r ^ ((lane >> (5 - k)) & ((std::int64_t{1} << k) - 1));
      const std::int64_t place = offsets[static_cast<std::size_t>(j * kLanes + lane)] * bytes;
      touched |= std::uint32_t{1} << (place / kBankBytes % kBanks);
    }
    if (touched != 0xffffffffU) return false;
  }
  return true;
}

ir::Access element(const Site& site, std::size_t operand, const IndexSum& position) {
  const TileSide& side = *site.sides[operand];
  std::vector<IndexSum> sums = side.begins;
  std::int64_t inner = 1;
  for (std::size_t j = side.wide_dims.size(); j-- > 0;) {
    const std::size_t dim = side.wide_dims[j];
    IndexSum digit = position.floordiv(inner, site.facts);
    if (j > 0) digit = digit.floormod(side.extents[dim], site.facts);
    sums[dim] = sums[dim].plus(digit);
    inner *= side.extents[dim];
  }
  ir::Access made{side.region.buffer, {}, {}, 1, {}};
  for (const IndexSum& sum : sums) made.indices.push_back(sum.to_expr(ir::kInt32));
  return made;
}

std::optional<std::string> refuse_layout(const Site& site, std::size_t operand) {
  const ir::BufferNode& buffer = site.sides[operand]->buffer();
  if (!ir::is_shared(buffer.scope())) {
    return fmt::format("scope_allowed — {} must be in shared memory", buffer.name);
  }
  if (!buffer.layout || buffer.layout->is_swizzled() || buffer.layout->tile.has_replicas() ||
      buffer.layout->tile.has_broadcast()) {
    return fmt::format("plain_layout — {} must have a plain layout", buffer.name);
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> conflict_free_xor(const std::vector<std::int64_t>& src,
                                     const std::vector<std::int64_t>& dst,
                                     std::int64_t bytes) {
  const auto registers = static_cast<std::int64_t>(src.size()) / kLanes;
  for (int k = 0; (std::int64_t{1} << k) <= registers; ++k) {
    if (no_conflict(src, bytes, registers, k) && no_conflict(dst, bytes, registers, k)) return k;
  }
  return std::nullopt;
}

std::optional<std::string> refuse_xor_swizzle(const Site& site) {
  if (site.scope != ir::ExecScope::warp) {
    return fmt::format("exec_scope — needs warp scope, not {}", ir::name_of(site.scope));
  }
  if (auto reason = refuse_operands(site)) return reason;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (auto reason = refuse_layout(site, i)) return reason;
    if (site.sides[i]->extents.size() != site.sides[i]->region.ranges.size()) {
      return "static_extents — the region's extents are not constants";
    }
  }
  if (auto reason = refuse_inactive(site)) return reason;
  const std::int64_t size = copy_dst(site).size();
  if (size % kLanes != 0 || size / kLanes > kLanes ||
      !std::has_single_bit(static_cast<std::uint64_t>(size / kLanes))) {
    return fmt::format("size — {} elements are not 32 times a power of two up to 32", size);
  }
  if (element_bits(copy_dst(site).buffer().dtype) < 8) return "whole_bytes — 4-bit elements";
  return std::nullopt;
}

Result<Expansion> expand_xor_swizzle(const Site& site) {
  const auto src = offsets_of(site, 1);
  if (!src) return src.error();
  const auto dst = offsets_of(site, 0);
  if (!dst) return dst.error();
  const num::DType dtype = copy_dst(site).buffer().dtype;
  const auto k = conflict_free_xor(*src, *dst, num::bytes(dtype));
  if (!k) {
    return Diagnostic{
        {}, "bank_conflicts — no xor of the lanes avoids bank conflicts on both sides", {}};
  }
  const std::int64_t count = copy_dst(site).size() / kLanes;
  const ir::Buffer moved = local_array("moved", dtype, count, site.span);
  const IndexSum lane = IndexSum::of(site.thread_index, site.facts);
  Expansion expansion;
  expansion.vector = 1;
  expansion.rounds = count;
  expansion.body.push_back({site.span, ir::Allocate{moved}});
  const auto phase = [&](bool write) {
    const auto round = std::make_shared<ir::Variable>(ir::Variable{"r", ir::kInt32, site.span});
    site.facts.set(round, {{0, count - 1}, 1});
    IndexSum block = IndexSum::of(round);
    if (*k > 0) {
      const ir::Expr high = lane.floordiv(std::int64_t{1} << (5 - *k), site.facts)
                                .floormod(std::int64_t{1} << *k, site.facts)
                                .to_expr(ir::kInt32);
      const ir::Expr flipped = ir::make_expr(
          ir::kInt32, site.span, ir::Scalar{num::ScalarOp::bit_xor, {ir::make_var(round), high}});
      block = IndexSum::of(flipped, site.facts).assuming({0, count - 1});
    }
    const IndexSum position = block.times(kLanes).plus(lane);
    const ir::Access own{moved, {ir::make_var(round)}, {}, 1, {}};
    const ir::Access to = write ? element(site, 0, position) : own;
    const ir::Access from = write ? own : element(site, 1, position);
    ir::For loop{
        round, ir::make_int(0), ir::make_int(count), ir::make_int(1), ir::LoopKind::unroll, 0, {}};
    loop.body.push_back(
        {site.span, ir::Store{to, ir::make_expr({dtype, 1}, site.span, ir::Load{from})}});
    expansion.body.push_back({site.span, std::move(loop)});
    add_barrier(site, expansion.body);
  };
  phase(false);
  phase(true);
  return expansion;
}

}  // namespace tirx::lower
