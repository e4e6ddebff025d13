// permute_layout / reg: both layouts lie in registers and give each element to the same thread, so
// every thread reorders its own registers: it reads all of them, then writes all of them.
#include <utility>

#include <fmt/format.h>

#include "lower/copy/copy.hpp"
#include "lower/local_array.hpp"
#include "lower/permute/permute.hpp"
#include "lower/register_align.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

/// dst's dimension for each of src's.
DimMap dims_of(const Site& site) {
  DimMap map(copy_src(site).extents.size());
  for (std::size_t j = 0; j < copy_src(site).wide_dims.size(); ++j) {
    map[copy_src(site).wide_dims[j]] = copy_dst(site).wide_dims[j];
  }
  return map;
}

}  // namespace

std::optional<std::string> refuse_permute_reg(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  if (auto reason = refuse_operands(site)) return reason;
  for (const auto& side : site.sides) {
    const ir::BufferNode& buffer = side->buffer();
    if (buffer.scope() != ir::MemoryScope::local) {
      return fmt::format("scope_allowed — both sides must be registers, and {} is {}", buffer.name,
                         ir::to_string(buffer.scope()));
    }
    if (buffer.layout && buffer.layout->is_swizzled()) {
      return fmt::format("plain_layout — the register tile {} is swizzled", buffer.name);
    }
    if (side->extents.size() != side->region.ranges.size()) {
      return "static_extents — the region's extents are not constants";
    }
  }
  if (element_bits(copy_dst(site).buffer().dtype) < 8) return "whole_bytes — 4-bit elements";
  return refuse_inactive(site);
}

Result<Expansion> expand_permute_reg(const Site& site) {
  DimMap whole(copy_src(site).extents.size());
  for (std::size_t k = 0; k < whole.size(); ++k) whole[k] = k;
  const DimMap to_dst = dims_of(site);
  const Result<AlignedRegisters> aligned = align_registers(site, {1, 0}, {whole, to_dst});
  if (!aligned) return aligned.error();
  const std::int64_t count = aligned->count();
  const num::DType dtype = copy_dst(site).buffer().dtype;
  const ir::Buffer moved = local_array("moved", dtype, count, site.span);
  Expansion expansion;
  expansion.vector = 1;
  expansion.rounds = count;
  expansion.body.push_back({site.span, ir::Allocate{moved}});
  const auto phase = [&](bool write) {
    const auto each = std::make_shared<ir::Variable>(ir::Variable{"e", ir::kInt32, site.span});
    site.facts.set(each, {{0, count - 1}, 1});
    const TileSide& side = write ? copy_dst(site) : copy_src(site);
    const RegisterPlace place = register_place(site, *aligned, IndexSum::of(each));
    std::vector<IndexSum> indices = side.begins;
    for (const std::size_t from : copy_src(site).wide_dims) {
      const std::size_t dim = write ? *to_dst[from] : from;
      indices[dim] = indices[dim].plus(place.coordinates[from]);
    }
    const IndexSum& at = place.registers[write ? 1 : 0];
    ir::Access tile{side.region.buffer, {}, at.to_expr(ir::kInt32), 1, {}};
    for (const IndexSum& index : indices) tile.indices.push_back(index.to_expr(ir::kInt32));
    const ir::Access own{moved, {ir::make_var(each)}, {}, 1, {}};
    const ir::Access from = write ? own : tile;
    ir::For loop{
        each, ir::make_int(0), ir::make_int(count), ir::make_int(1), ir::LoopKind::unroll, 0, {}};
    loop.body.push_back(
        {site.span,
         ir::Store{write ? tile : own, ir::make_expr({dtype, 1}, site.span, ir::Load{from})}});
    expansion.body.push_back({site.span, std::move(loop)});
  };
  phase(false);
  phase(true);
  return expansion;
}

}  // namespace tirx::lower
