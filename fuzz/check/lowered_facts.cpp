// Rounds, threads and places are worked out again, from what docs/language/tile_ops.md says.
#include "fuzz/check/lowered_facts.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fuzz/check/access_places.hpp"
#include "fuzz/check/limits.hpp"
#include "ir/all_ops.hpp"
#include "ir/tensor.hpp"
#include "ir/visit.hpp"

namespace tirx::fuzz {

namespace {

using Indices = std::vector<std::int64_t>;

std::int64_t product(const Indices& extents) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  return size;
}

/// The extents of an operand, where all are numbers.
std::optional<Indices> extents_of(const ir::TileCall& call, std::size_t operand) {
  const auto* region =
      operand < call.operands.size() ? std::get_if<ir::Region>(&call.operands[operand]) : nullptr;
  if (region == nullptr) return std::nullopt;
  Indices extents;
  for (const ir::Range& range : region->ranges) {
    std::int64_t extent = 0;
    if (!ir::is_const_int(range.extent, extent)) return std::nullopt;
    extents.push_back(extent);
  }
  return extents;
}

bool in_registers(const ir::TileCall& call, std::size_t operand) {
  const auto* region = std::get_if<ir::Region>(&call.operands[operand]);
  return region != nullptr && region->buffer->scope() == ir::MemoryScope::local;
}

/// "mma.m16n8k8": the rows and the step of an instruction.
std::pair<std::int64_t, std::int64_t> mma_size(std::string_view variant) {
  const auto number = [&](char letter) {
    std::size_t at = variant.find(letter, 4) + 1;
    std::int64_t value = 0;
    for (; at < variant.size() && variant[at] >= '0' && variant[at] <= '9'; ++at)
      value = value * 10 + (variant[at] - '0');
    return std::max<std::int64_t>(value, 1);
  };
  return {number('m'), number('k')};
}

/// Whether the rounds, of so many elements by so many threads, are those of the operation.
bool counts_right(const ir::TileCall& call, const lower::DispatchNote& note) {
  const auto dst = extents_of(call, 0);
  if (!dst) return true;
  const std::int64_t size = product(*dst), step = note.threads * note.vector;
  const bool covered = note.rounds * step >= size && (note.rounds - 1) * step < size;
  // In registers, each element is in as many threads as its layout says.
  const bool spread = note.rounds > 0 && note.rounds * step % size == 0;
  const std::string_view variant = note.variant;
  switch (ir::spec(call.op).family) {
    case ir::TileFamily::copy:
    case ir::TileFamily::copy_async:
      if (variant == "fallback") return note.vector == 1 && note.rounds == size;
      if (variant == "gmem_smem" || variant == "ldgsts") return note.rounds * step == size;
      if (variant == "ldstmatrix") return note.rounds * step * 2 % size == 0;
      if (variant == "reg") return spread;
      if (variant == "predicated")
        return in_registers(call, 0) || in_registers(call, 1) ? spread : covered;
      return note.rounds == 1 && note.vector == size;
    case ir::TileFamily::permute_layout:
      return variant == "reg" ? spread : note.rounds * step == size;
    case ir::TileFamily::elementwise:
      return variant == "reg" ? spread : covered;
    case ir::TileFamily::reduction: {
      if (variant == "local") return note.rounds * note.threads % size == 0;
      const auto src = extents_of(call, 1);
      if (!src) return true;
      const auto reduced = static_cast<std::uint64_t>(product(*src) / size);
      const std::int64_t group = std::min(
          {static_cast<std::int64_t>(std::bit_ceil(reduced)), std::int64_t{32}, note.threads});
      const std::int64_t groups = note.threads / group;
      return note.rounds == (size + groups - 1) / groups;
    }
    case ir::TileFamily::gemm: {
      const auto a = extents_of(call, 1);
      const auto rows = std::find_if(dst->begin(), dst->end(), [](auto e) { return e != 1; });
      if (!a || rows == dst->end()) return true;
      const auto [m, k] = mma_size(variant);
      const std::int64_t all = size / (8 * m) * (product(*a) / *rows / k);
      return note.rounds <= all && note.rounds * (note.threads / 32) % all == 0;
    }
  }
  return true;
}

/// How many threads a whole instance of the scope has.
std::int64_t threads_of(ir::ExecScope scope, const lower::LoweredKernel& lowered) {
  switch (scope) {
    case ir::ExecScope::thread:
      return 1;
    case ir::ExecScope::warp:
      return std::min<std::int64_t>(32, lowered.launch.threads());
    case ir::ExecScope::warpgroup:
      return 128;
    default:
      return lowered.launch.threads();
  }
}

/// The barrier that an operation of the scope ends with.
ir::OpId barrier_of(ir::ExecScope scope) {
  if (scope == ir::ExecScope::warp) return ir::AllOps::id_of<ir::WarpSync>();
  if (scope == ir::ExecScope::cta) return ir::AllOps::id_of<ir::CtaSync>();
  return ir::AllOps::id_of<ir::NamedBarrierSync>();
}

/// How many barriers the operation implies (docs/language/tile_ops.md).
int barriers_of(const lower::DispatchNote& note) {
  switch (ir::spec(note.op).family) {
    case ir::TileFamily::elementwise:
    case ir::TileFamily::reduction:
      return note.scope == ir::ExecScope::thread || note.variant == "reg" || note.variant == "local"
                 ? 0
                 : 1;
    case ir::TileFamily::permute_layout:
      return note.variant == "reg" ? 0 : 2;
    default:
      return 0;
  }
}

/// Barriers of the scope, each the last in its place, and registers at numbers that a loop which is
/// unrolled counts.
bool expands_right(const ir::Group& group, const lower::DispatchNote& note) {
  int barriers = 0;
  bool right = true;
  const auto barrier = [&](const ir::Expr& expr) {
    const auto* call = ir::as<ir::MachineCall>(expr);
    if (call == nullptr) return;
    const bool warp = call->op == ir::AllOps::id_of<ir::WarpSync>();
    if (!warp && call->op != ir::AllOps::id_of<ir::CtaSync>() &&
        call->op != ir::AllOps::id_of<ir::NamedBarrierSync>())
      return;
    ++barriers;
    right = right && call->op == barrier_of(note.scope);
  };
  const auto loop = [&](const ir::Stmt& stmt) {
    const auto* counted = std::get_if<ir::For>(&stmt.node);
    if (counted == nullptr || counted->kind == ir::LoopKind::unroll || note.variant == "fallback")
      return;
    const auto by_the_loop = [&](const ir::Access& access) {
      if (access.buffer->scope() != ir::MemoryScope::local || !access.flat) return;
      ir::for_each_expr(access.flat, [&](const ir::Expr& e) {
        const auto* ref = ir::as<ir::VarRef>(e);
        right = right && (ref == nullptr || ref->var != counted->var);
      });
    };
    ir::for_each_in_body(
        counted->body,
        [&](const ir::Stmt& inner) {
          if (const auto* store = std::get_if<ir::Store>(&inner.node)) by_the_loop(store->to);
        },
        [&](const ir::Expr& expr) {
          if (const auto* load = ir::as<ir::Load>(expr)) by_the_loop(load->from);
        });
  };
  ir::for_each_in_body(group.body, loop, barrier);
  return right && barriers == barriers_of(note);
}

std::optional<std::string> wrong_expansion(const ir::Kernel& kernel,
                                           const lower::LoweredKernel& lowered) {
  std::vector<const ir::Group*> groups;
  ir::for_each_in_body(
      lowered.body,
      [&](const ir::Stmt& stmt) {
        const auto* group = std::get_if<ir::Group>(&stmt.node);
        if (group != nullptr && !group->body.empty()) groups.push_back(group);
      },
      [](const ir::Expr&) {});
  if (groups.size() != lowered.dispatch.size()) return std::nullopt;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const lower::DispatchNote& note = lowered.dispatch[i];
    if (expands_right(*groups[i], note)) continue;
    return fmt::format(
        "{}: other barriers than it implies, or registers in a loop: {}", note.variant,
        kernel.source && !note.span.empty() ? kernel.source->locate(note.span.begin).text
                                            : groups[i]->comment);
  }
  return std::nullopt;
}

std::optional<std::string> wrong_notes(const ir::Kernel& kernel,
                                       const lower::LoweredKernel& lowered) {
  std::vector<const ir::TileCall*> calls;
  ir::for_each_in_body(
      kernel.body,
      [&](const ir::Stmt& stmt) {
        if (const auto* call = std::get_if<ir::TileCall>(&stmt.node)) calls.push_back(call);
      },
      [](const ir::Expr&) {});
  if (calls.size() != lowered.dispatch.size()) return std::nullopt;  // one that nobody reaches
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const lower::DispatchNote& note = lowered.dispatch[i];
    const bool all = note.threads == threads_of(note.scope, lowered);
    if (note.op == calls[i]->op && note.scope == calls[i]->scope &&
        (all || note.variant == "fallback") && counts_right(*calls[i], note))
      continue;
    std::string text = fmt::format("{}, {} rounds of vec {} by {} threads", note.variant,
                                   note.rounds, note.vector, note.threads);
    if (kernel.source && !note.span.empty())
      text += fmt::format(": {}", kernel.source->locate(note.span.begin).text);
    return text;
  }
  return std::nullopt;
}

/// One allocation behind the other, each at the next multiple of its alignment.
std::optional<std::string> wrong_places(const lower::LoweredKernel& lowered) {
  std::int64_t end = 0, dynamic = 0;
  for (const lower::SharedPlace& place : lowered.shared) {
    const ir::Storage& storage = *place.storage;
    std::int64_t elements = 0, wanted = 0;
    const bool known = ir::is_const_int(storage.elements, elements);
    const std::int64_t bytes = ir::storage_bytes(storage.dtype, elements);
    if (storage.scope == ir::MemoryScope::shared) {
      const std::int64_t align = std::max<std::int64_t>(storage.alignment, 1);
      while (wanted < end) wanted += align;
      end = wanted + bytes;
    } else {
      dynamic = bytes;
    }
    if (!known || place.offset != wanted || place.bytes != bytes) {
      return fmt::format("{} of {} bytes lies at byte {}, not at {}", storage.name, place.bytes,
                         place.offset, wanted);
    }
  }
  dynamic = std::max(dynamic, lowered.attributes.dynamic_shared_bytes.value_or(0));
  if (lowered.static_shared_bytes == end && lowered.dynamic_shared_bytes == dynamic)
    return std::nullopt;
  return fmt::format("{} and {} bytes of shared memory, not {} and {}", lowered.static_shared_bytes,
                     lowered.dynamic_shared_bytes, end, dynamic);
}

/// Ids that nobody reads cost a thread an instruction.
std::optional<std::string> unused_ids(const lower::LoweredKernel& lowered) {
  std::set<const ir::Variable*> used;
  ir::for_each_in_body(
      lowered.body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        if (const auto* ref = ir::as<ir::VarRef>(expr)) used.insert(ref->var.get());
      });
  for (const lower::ThreadVar& var : lowered.thread_vars) {
    if (!used.contains(var.var.get())) return fmt::format("nobody reads the id {}", var.var->name);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> wrong_facts(const ir::Kernel& kernel,
                                       const lower::LoweredKernel& lowered) {
  if (auto wrong = wrong_notes(kernel, lowered)) return wrong;
  if (auto wrong = wrong_expansion(kernel, lowered)) return wrong;
  if (auto wrong = wrong_places(lowered)) return wrong;
  if (auto wrong = unused_ids(lowered)) return wrong;
  if (auto wrong = wrong_access(lowered)) return wrong;
  // One kernel in so many: they are lowered a dozen times.
  constexpr std::size_t kSome = 16;
  const std::size_t length = kernel.source ? kernel.source->text().size() : 0;
  return length % kSome == 0 ? wrong_limits(kernel, lowered) : std::nullopt;
}

}  // namespace tirx::fuzz
