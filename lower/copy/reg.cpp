// copy / reg: registers <-> global or shared.  The register tile's layout says which thread holds
// what, so each thread moves its own elements: the widest vector that is contiguous in memory and
// in the registers.  (TIRx looks at the memory side only, and reads the wrong registers where the
// tile is gapped in the same order.)
#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lower/copy/copy.hpp"
#include "lower/copy/edge.hpp"

namespace tirx::lower {

namespace {

using ir::IndexSum;

bool lies_in_registers(const TileSide& side) {
  return side.buffer().scope() == ir::MemoryScope::local;
}

struct Part {
  StridedIter reg;      // an iter of the register tile
  StridedIters memory;  // the memory side of the same digits
};

/// Whether the threads of the op, axis by axis, are covered exactly by the tile and its replicas.
std::optional<std::string> check_axes(const Site& site,
                                      const StridedTile& reg,
                                      std::int64_t& holders) {
  std::map<ir::Axis, std::vector<std::pair<std::int64_t, std::int64_t>>> by_axis;
  holders = site.threads;
  for (const StridedIter& iter : reg.iters) {
    if (!iter.axis.is_thread()) continue;
    by_axis[iter.axis].emplace_back(iter.stride.constant(), iter.extent);
    holders /= std::max<std::int64_t>(std::min(iter.extent, holders), 1);
  }
  for (const ir::Iter& iter : reg.replica) {
    if (!iter.axis.is_thread()) return "the register tile has replicas in memory";
    by_axis[iter.axis].emplace_back(iter.stride, iter.extent);
  }
  for (auto& [axis, steps] : by_axis) {
    const ir::AxisFacts& facts = axis.facts();
    const bool registers = facts.subscope <= ir::ExecScope::warpgroup;
    const auto extent = site.axis_extents.find(axis.id());
    if (!registers || facts.scope > site.scope || extent == site.axis_extents.end()) {
      return fmt::format("R thread axis '{}' is above the op's scope {}", axis.name(),
                         ir::name_of(site.scope));
    }
    std::sort(steps.begin(), steps.end());
    std::int64_t reached = 1;
    for (const auto& [stride, count] : steps) {
      if (count > 1 && stride != reached) {
        return fmt::format("R thread axis '{}' is not tiled without gaps", axis.name());
      }
      reached *= count;
    }
    if (reached != extent->second) {
      return fmt::format("R thread axis '{}' spans {} instances, not all {} of the {}", axis.name(),
                         reached, extent->second, ir::name_of(site.scope));
    }
  }
  return std::nullopt;
}

/// Why vectors of `vec` elements do not work out; empty if they do.
std::string try_vector(const Site& site,
                       const std::vector<CopyAtom>& atoms,
                       const std::vector<IndexSum>& others,
                       const std::optional<ir::Swizzle>& swizzle,
                       std::int64_t vec) {
  const ir::Facts& facts = site.facts;
  // The tail: neighbours on both sides.
  std::size_t tail_begin = atoms.size();
  std::int64_t tail = 1;
  while (tail_begin > 0) {
    const CopyAtom& atom = atoms[tail_begin - 1];
    if (!(atom.dst_stride == IndexSum(tail)) || !(atom.src_stride == IndexSum(tail))) break;
    tail *= atom.extent;
    --tail_begin;
  }
  if (tail % vec != 0) {
    return fmt::format("runs of {} elements are neighbours in memory and in registers", tail);
  }
  if (!storage_aligned(site, vec)) return "a buffer is not aligned so far";
  if (swizzle && vec > swizzle->chunk()) {
    return fmt::format("the swizzle keeps only {} elements together", swizzle->chunk());
  }
  for (std::size_t k = 0; k < tail_begin; ++k) {
    if (!atoms[k].dst_stride.divisible_by(vec, facts) ||
        !atoms[k].src_stride.divisible_by(vec, facts)) {
      return "a stride is not known to be a multiple of it";
    }
  }
  for (const IndexSum& other : others) {
    if (!other.divisible_by(vec, facts))
      return "a thread's first element is not at a multiple of it";
  }
  return {};
}

}  // namespace

std::optional<std::string> refuse_reg(const Site& site) {
  if (auto reason = refuse_scope(site)) return reason;
  if (auto reason = refuse_operands(site)) return reason;
  const TileSide& dst = copy_dst(site);
  const TileSide& src = copy_src(site);
  if (lies_in_registers(dst) == lies_in_registers(src)) {
    return fmt::format("scope_allowed — needs exactly one side in registers, not {} -> {}",
                       ir::to_string(src.buffer().scope()), ir::to_string(dst.buffer().scope()));
  }
  if (auto reason = refuse_inactive(site)) return reason;
  if (dst.extents.empty() != dst.region.ranges.empty() ||
      src.extents.empty() != src.region.ranges.empty()) {
    return "static_extents — the region's extents are not constants";
  }
  const ir::BufferNode& reg = lies_in_registers(dst) ? dst.buffer() : src.buffer();
  if (reg.layout && reg.layout->is_swizzled()) {
    return fmt::format("plain_layout — the register tile {} is swizzled", reg.name);
  }
  return refuse_edge(site);
}

Result<Expansion> expand_reg(const Site& site) {
  const bool dst_local = lies_in_registers(copy_dst(site));
  const auto tile = [&](bool dst) {
    return strided_tile(dst ? copy_dst(site) : copy_src(site), site.buffer_offsets[dst ? 0 : 1],
                        site.facts, ir::AxisFusion::cuda);
  };
  const Result<StridedTile> reg = tile(dst_local);
  if (!reg) return reg.error();
  const Result<StridedTile> memory = tile(!dst_local);
  if (!memory) return memory.error();
  const auto refuse = [](std::string reason) { return Diagnostic{{}, std::move(reason), {}}; };
  for (const auto& [axis, offset] : reg->thread_offset) {
    if (offset != 0) {
      return refuse(fmt::format("R sliced offset on thread axis '{}' is {}", axis.name(), offset));
    }
  }
  for (const StridedIter& iter : memory->iters) {
    if (iter.axis.id() != ir::AxisId::m) {
      return refuse(fmt::format("axis {} is not an address", iter.axis.name()));
    }
  }
  if (!memory->replica.empty()) return refuse("a layout with replicas in memory");
  std::int64_t holders = 1;
  if (auto reason = check_axes(site, *reg, holders)) return refuse(std::move(*reason));
  if (!dst_local && holders > 1) {
    return refuse(
        fmt::format("each element is held by {} threads, which would all write it", holders));
  }
  const auto groups = group(memory->iters, extents_of(reg->iters));
  if (!groups) {
    return refuse(fmt::format("the memory layout {} can not be grouped by the register tile {}",
                              to_string(memory->iters), to_string(reg->iters)));
  }

  CopyPlan plan;
  const IndexSum* reg_base = &reg->base;
  IndexSum memory_base = memory->base;
  plan.coordinate_base.resize(copy_dst(site).wide_dims.size());
  std::vector<IndexSum> others;  // what else a vector's alignment depends on
  std::vector<Part> own;         // the digits that one thread walks
  for (std::size_t k = 0; k < reg->iters.size(); ++k) {
    const StridedIter& iter = reg->iters[k];
    if (!iter.axis.is_thread()) {
      own.push_back({iter, (*groups)[k]});
      continue;
    }
    const IndexSum value = IndexSum::of(site.axis_values.at(iter.axis.id()), site.facts);
    const IndexSum digit =
        value.floordiv(iter.stride.constant(), site.facts).floormod(iter.extent, site.facts);
    plan.coordinate_base[iter.dim] = plan.coordinate_base[iter.dim].plus(digit.times(iter.weight));
    std::int64_t inner = iter.extent;
    for (const StridedIter& part : (*groups)[k]) {
      inner /= part.extent;
      memory_base = memory_base.plus(
          digit.floordiv(inner, site.facts).floormod(part.extent, site.facts).times(part.stride));
      others.push_back(part.stride);
    }
  }
  std::stable_sort(own.begin(), own.end(), [](const Part& a, const Part& b) {
    return a.reg.stride.constant() > b.reg.stride.constant();
  });
  std::int64_t elements = 1;
  for (const Part& part : own) {
    std::int64_t inner = part.reg.extent;
    for (const StridedIter& m : part.memory) {
      inner /= m.extent;
      const IndexSum reg_stride = part.reg.stride.times(inner);
      plan.atoms.push_back({m.extent, dst_local ? reg_stride : m.stride,
                            dst_local ? m.stride : reg_stride, part.reg.dim,
                            part.reg.weight * inner});
    }
    elements *= part.reg.extent;
  }
  plan.dst_base = dst_local ? *reg_base : memory_base;
  plan.src_base = dst_local ? memory_base : *reg_base;
  (dst_local ? plan.src_swizzle : plan.dst_swizzle) = memory->swizzle;
  others.push_back(*reg_base);
  others.push_back(memory->base);
  std::vector<Refusal> wider;
  plan.vector = 0;
  for (const std::int64_t vec : vector_candidates(copy_dst(site).buffer().dtype)) {
    std::string reason = try_vector(site, plan.atoms, others, memory->swizzle, vec);
    if (reason.empty()) {
      plan.vector = vec;
      break;
    }
    wider.push_back({fmt::format("vec {}", vec), std::move(reason)});
  }
  if (plan.vector == 0) {
    return refuse("no vector length fits, not even the shortest: " + wider.back().reason);
  }
  plan.round_step = plan.vector;
  plan.rounds = elements / plan.vector;
  // Registers are only registers where their index is a constant: the loop is unrolled.
  plan.loop = ir::LoopKind::unroll;
  Expansion expansion = emit_copy(site, plan);
  expansion.wider = std::move(wider);
  return expansion;
}

}  // namespace tirx::lower
