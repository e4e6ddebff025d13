// Looked at for a few threads and trips of the loops each, in what tile operations became:
// everywhere else the two engines compare a run by indices with one by offsets.
#include "fuzz/check/access_places.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fuzz/generate/dice.hpp"
#include "ir/all_ops.hpp"
#include "ir/visit.hpp"
#include "lower/bind.hpp"
#include "numerics/scalar.hpp"

namespace tirx::fuzz {

namespace {

using ir::AxisId;
using ir::ScopeIdKind;
using Indices = std::vector<std::int64_t>;

/// Where a thread is along a thread axis of its CTA.
std::optional<std::int64_t> on_axis(AxisId axis, std::int64_t thread) {
  switch (axis) {
    case AxisId::laneid:
      return thread % 32;
    case AxisId::warpid:
      return thread / 32;
    case AxisId::tx:
      return thread;
    case AxisId::tid_in_wg:
      return thread % 128;
    case AxisId::wid_in_wg:
      return thread / 32 % 4;
    case AxisId::wgid:
      return thread / 128;
    default:
      return std::nullopt;
  }
}

/// Which trip of each loop is looked at.
enum class Trips : std::uint8_t { last, any };

class Accesses {
 public:
  explicit Accesses(const lower::LoweredKernel& kernel)
      : kernel_(kernel), dice_(kernel.source ? kernel.source->text().size() : 0) {}

  std::optional<std::string> run() {
    const std::int64_t threads = kernel_.launch.threads();
    for (const Trips trips : {Trips::last, Trips::any}) {
      trips_ = trips;
      thread_ = trips == Trips::last ? threads - 1 : dice_.below(static_cast<int>(threads));
      enter();
      walk(kernel_.body, false);
      if (wrong_) break;
    }
    return wrong_;
  }

 private:
  void set(const ir::Var& var, std::int64_t value) {
    env_.constants[var.get()] = num::from_int64(value, var->type.dtype);
  }

  void enter() {
    env_ = {};
    // Any numbers: both sides of what is compared know the same.
    for (const ir::Param& param : kernel_.params) {
      if (param.scalar && num::is_int(param.scalar->type.dtype)) set(param.scalar, 3);
    }
    std::int64_t size = 96;
    for (const ir::Var& symbol : kernel_.symbols) set(symbol, size += 32);
    for (const lower::ThreadVar& var : kernel_.thread_vars) {
      if (const auto id = id_of(var)) set(var.var, *id);
    }
  }

  [[nodiscard]] std::optional<std::int64_t> id_of(const lower::ThreadVar& var) const {
    const auto& block = kernel_.launch.block;
    switch (var.kind) {
      case ScopeIdKind::warpgroup_id:
        return thread_ / 128;
      case ScopeIdKind::warp_id:
        return thread_ / 32;
      case ScopeIdKind::warp_id_in_wg:
        return thread_ / 32 % 4;
      case ScopeIdKind::lane_id:
        return thread_ % 32;
      case ScopeIdKind::thread_id_in_wg:
        return thread_ % 128;
      case ScopeIdKind::thread_id:
        if (var.dim == 0) return thread_ % block[0];
        return var.dim == 1 ? thread_ / block[0] % block[1] : thread_ / block[0] / block[1];
      default:
        return 0;  // the first CTA
    }
  }

  [[nodiscard]] std::optional<std::int64_t> value(const ir::Expr& expr) const {
    return lower::evaluate_int(expr, env_);
  }

  void forget(const ir::Var& var) { env_.constants.erase(var.get()); }

  void walk(const ir::Body& body, bool looked_at) {
    for (const ir::Stmt& stmt : body) {
      if (wrong_) return;
      if (looked_at) look_at(stmt);
      if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
        forget(let->var);
        if (const auto known = lower::evaluate_constant(let->value, env_))
          env_.constants[let->var.get()] = *known;
      } else if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
        if (trip(*loop)) walk(loop->body, looked_at);
      } else if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
        const auto taken = value(branch->condition);
        if (taken.value_or(1) != 0) walk(branch->then_body, looked_at);
        if (taken.value_or(0) == 0) walk(branch->else_body, looked_at);
      } else if (const auto* repeat = std::get_if<ir::While>(&stmt.node)) {
        walk(repeat->body, looked_at);
      } else if (const auto* group = std::get_if<ir::Group>(&stmt.node)) {
        walk(group->body, true);
      }
    }
  }

  /// Chooses a trip; false: there is none.
  bool trip(const ir::For& loop) {
    const auto begin = value(loop.begin), end = value(loop.end), step = value(loop.step);
    forget(loop.var);
    if (!begin || !end || !step || *step <= 0) return true;
    if (*begin >= *end) return false;
    // Two int64 may be further apart than an int64 holds.
    const auto by = static_cast<std::uint64_t>(*step), first = static_cast<std::uint64_t>(*begin);
    const std::uint64_t last = (static_cast<std::uint64_t>(*end) - first - 1) / by;
    const std::uint64_t some = trips_ == Trips::last
                                   ? last
                                   : static_cast<std::uint64_t>(dice_.below(
                                         static_cast<int>(std::min<std::uint64_t>(last, 999)) + 1));
    set(loop.var, static_cast<std::int64_t>(first + some * by));
    return true;
  }

  void look_at(const ir::Stmt& stmt) {
    if (const auto* store = std::get_if<ir::Store>(&stmt.node))
      look_at(store->to, store->value->type.lanes, stmt.span);
    ir::for_each_operand(stmt, [&](const ir::Expr& operand) {
      ir::for_each_expr(operand, [&](const ir::Expr& expr) {
        if (const auto* load = ir::as<ir::Load>(expr))
          look_at(load->from, expr->type.lanes, stmt.span);
        if (const auto* pointer = ir::as<ir::AddressOf>(expr))
          look_at(pointer->element, 1, stmt.span);
        if (const auto* call = ir::as<ir::MachineCall>(expr)) look_at(*call, stmt.span);
      });
    });
  }

  /// A warpgroup's own barrier: 8 and its number, for its 128 threads.
  void look_at(const ir::MachineCall& call, Span span) {
    if (call.op != ir::AllOps::id_of<ir::NamedBarrierSync>()) return;
    const auto id = value(call.args[0]), count = value(call.args[1]);
    if (!id || !count || (*id == 8 + thread_ / 128 && *count == 128)) return;
    wrong(span, fmt::format("barrier {} for {} threads", *id, *count));
  }

  void look_at(const ir::Access& access, int lanes, Span span) {
    if (wrong_ || !access.flat) return;
    const auto flat = value(access.flat);
    if (!flat) return;
    for (int lane = 0; lane < lanes && !wrong_; ++lane) {
      const auto k = static_cast<std::size_t>(lane);
      const bool apart = lane > 0 && !access.lane_indices.empty();
      Indices at;
      for (const ir::Expr& index : apart ? access.lane_indices[k - 1] : access.indices) {
        const auto known = value(index);
        if (!known) return;
        at.push_back(*known);
      }
      const std::int64_t moved = lane * (apart ? 1 : access.stride);
      if (!apart && lane > 0 && !at.empty()) at.back() += moved;
      compare(*access.buffer, at, *flat + moved, span);
    }
  }

  void compare(const ir::BufferNode& buffer, const Indices& at, std::int64_t flat, Span span) {
    for (std::size_t k = 0; k < at.size() && k < buffer.shape.size(); ++k) {
      const auto extent = value(buffer.shape[k]);
      if (!extent || at[k] < 0 || at[k] >= *extent) return;  // a fault, or behind a test
    }
    std::int64_t place = 0;
    if (buffer.offset) {
      const auto offset = value(buffer.offset);
      if (!offset) return;
      place = *offset;
    }
    if (buffer.layout) {
      const ir::Placement* placement = placement_of(buffer);
      if (placement == nullptr || at.size() != buffer.shape.size()) return;
      place += placement->at(at, ir::Axis(AxisId::m));
      if (buffer.layout->tile.has_thread_axes() && !is_held(*placement, at)) {
        return wrong(span, fmt::format("{}[{}] is not in the registers of thread {}", buffer.name,
                                       fmt::join(at, ", "), thread_));
      }
    } else if (!buffer.strides.empty()) {
      for (std::size_t k = 0; k < at.size(); ++k) {
        const auto stride = value(buffer.strides[k]);
        if (!stride) return;
        place += at[k] * *stride;
      }
    } else {
      place += at.empty() ? 0 : at[0];
    }
    if (place == flat) return;
    wrong(span, fmt::format("{}[{}] lies at {}, and {} is accessed", buffer.name,
                            fmt::join(at, ", "), place, flat));
  }

  const ir::Placement* placement_of(const ir::BufferNode& buffer) {
    const auto [found, fresh] = placements_.try_emplace(&buffer);
    if (fresh) {
      if (const auto shape = ir::static_shape(buffer)) {
        Result<ir::Placement> made = ir::Placement::make(*buffer.layout, *shape);
        if (made) found->second = std::move(made).value();
      }
    }
    return found->second ? &*found->second : nullptr;
  }

  /// Whether the thread has the element, or one of its copies.
  [[nodiscard]] bool is_held(const ir::Placement& placement, const Indices& at) const {
    const ir::TileLayout& tile = placement.layout().tile;
    ir::AxisValues missing;  // from where the element is to where the thread is
    for (const ir::Iters* iters : {&tile.shard(), &tile.replica()}) {
      for (const ir::Iter& iter : *iters) {
        if (!iter.axis.is_thread() || missing.contains(iter.axis)) continue;
        const auto own = on_axis(iter.axis.id(), thread_);
        if (!own) return true;
        missing[iter.axis] = *own - placement.at(at, iter.axis);
      }
    }
    return is_copied(tile.replica(), 0, missing);
  }

  static bool is_copied(const ir::Iters& replicas, std::size_t next, ir::AxisValues missing) {
    if (next == replicas.size()) {
      return std::all_of(missing.begin(), missing.end(),
                         [](const auto& one) { return one.second == 0; });
    }
    const ir::Iter& iter = replicas[next];
    if (!iter.axis.is_thread()) return is_copied(replicas, next + 1, std::move(missing));
    for (std::int64_t k = 0; k < iter.extent; ++k) {
      if (is_copied(replicas, next + 1, missing)) return true;
      missing[iter.axis] -= iter.stride;
    }
    return false;
  }

  void wrong(Span span, std::string text) {
    if (kernel_.source && !span.empty())
      text += fmt::format(": {}", kernel_.source->locate(span.begin).text);
    if (!wrong_) wrong_ = std::move(text);
  }

  const lower::LoweredKernel& kernel_;
  Dice dice_;
  Trips trips_ = Trips::last;
  std::int64_t thread_ = 0;
  lower::Binding env_;
  std::map<const ir::BufferNode*, std::optional<ir::Placement>> placements_;
  std::optional<std::string> wrong_;
};

}  // namespace

std::optional<std::string> wrong_access(const lower::LoweredKernel& lowered) {
  return Accesses(lowered).run();
}

}  // namespace tirx::fuzz
