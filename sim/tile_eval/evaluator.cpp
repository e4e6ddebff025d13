// Launch and scheduling.  Each thread runs until it waits; what waits together goes on together.
#include "sim/tile_eval/evaluator.hpp"

#include <algorithm>
#include <list>

#include <fmt/format.h>

#include "ir/scope/bindings.hpp"
#include "numerics/scalar.hpp"
#include "sim/program/walk.hpp"

namespace tirx::sim {

ir::LaunchOutcome tile_evaluate(const ir::Kernel& kernel,
                                std::span<const ir::Argument> arguments,
                                const TileEvalOptions& options) {
  return tile::Evaluator(kernel, options).run(arguments);
}

namespace tile {

using ir::ScopeIdKind;

Evaluator::Evaluator(const ir::Kernel& kernel, const TileEvalOptions& options)
    : kernel_(kernel),
      options_(options),
      target_(options.target != nullptr ? *options.target : ir::default_target()) {}

ir::LaunchOutcome Evaluator::run(std::span<const ir::Argument> arguments) {
  if (auto refused = prepare(arguments)) {
    outcome_.status = ir::LaunchStatus::refused;
    outcome_.diagnostics.push_back(std::move(*refused));
    return std::move(outcome_);
  }
  run_grid();
  if (outcome_.faults.size() > static_cast<std::size_t>(options_.max_faults)) {
    outcome_.faults.resize(static_cast<std::size_t>(options_.max_faults));
  }
  return std::move(outcome_);
}

std::optional<Diagnostic> Evaluator::prepare(std::span<const ir::Argument> arguments) {
  std::vector<ir::ScopeDecl> decls;
  const ir::ScopeIdDef* ctas = nullptr;
  const ir::ScopeIdDef* clusters = nullptr;
  for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
    ir::ScopeDecl decl{def.kind, {}, false, {}, def.span};
    for (const ir::Expr& extent : def.extents) {
      std::int64_t value = 0;
      if (ir::is_const_int(extent, value)) {
        decl.extents.push_back(value);
      } else {
        decl.symbolic = true;
      }
    }
    if (decl.symbolic) decl.extents.clear();
    if (def.kind == ScopeIdKind::cta_id && !def.extents.empty()) ctas = &def;
    if (def.kind == ScopeIdKind::cluster_id && !def.extents.empty()) clusters = &def;
    decls.push_back(std::move(decl));
  }
  const Result<ir::ScopeBindings> bindings = ir::ScopeBindings::close(decls);
  if (!bindings) return bindings.error();
  const Result<std::int64_t> threads = bindings.value().threads();
  if (!threads) return threads.error();
  lower::Launch launch;
  const auto fill = [](std::array<std::int64_t, 3>& to, const std::vector<std::int64_t>& from) {
    for (std::size_t i = 0; i < from.size() && i < 3; ++i) to[i] = from[i];
  };
  launch.block = {threads.value(), 1, 1};
  fill(launch.block, bindings.value().shape(ScopeIdKind::thread_id));
  fill(launch.cluster, bindings.value().shape(ScopeIdKind::cta_id_in_cluster));
  for (std::size_t i = 0; i < 3; ++i) {
    launch.grid[i] = ir::make_int(ctas != nullptr ? 1 : launch.cluster[i]);
    if (ctas != nullptr && i < ctas->extents.size()) launch.grid[i] = ctas->extents[i];
    if (ctas == nullptr && clusters != nullptr && i < clusters->extents.size()) {
      const ir::Type type = clusters->extents[i]->type;
      launch.grid[i] =
          ir::make_expr(type, {},
                        ir::Scalar{num::ScalarOp::mul,
                                   {clusters->extents[i], ir::make_int(launch.cluster[i], type)}});
    }
  }
  const Signature signature{kernel_.name,      kernel_.span, kernel_.params, kernel_.symbols,
                            kernel_.host_body, kernel_.body, launch,         target_};
  Result<Binding> bound = bind(signature, arguments);
  if (!bound) return bound.error();
  binding_ = std::move(bound).value();
  number_variables(kernel_.body);
  return std::nullopt;
}

void Evaluator::number_variables(const ir::Body& body) {
  const auto variable = [&](const ir::Var& var) { slots_.try_emplace(var.get(), slots_.size()); };
  for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
    for (const ir::Var& var : def.vars) variable(var);
  }
  walk_statements(
      body,
      [&](const ir::Stmt& stmt) {
        if (const auto* let = std::get_if<ir::Let>(&stmt.node)) variable(let->var);
        if (const auto* loop = std::get_if<ir::For>(&stmt.node)) variable(loop->var);
        if (const auto* tile = std::get_if<ir::TileCall>(&stmt.node)) {
          for (const ir::Var& var : tile->index_vars) variable(var);
        }
        if (const auto* allocation = std::get_if<ir::Allocate>(&stmt.node)) {
          const ir::Storage* storage = allocation->buffer->storage.get();
          if (storage->scope == ir::MemoryScope::local) {
            local_slots_.try_emplace(storage, local_slots_.size());
          }
        }
      },
      [](const ir::Expr&) {});
}

std::int64_t Evaluator::id_of(const ir::ScopeIdDef& def,
                              std::size_t dim,
                              const CtaRun& cta,
                              std::int64_t thread) const {
  // x first: digit `dim` of a number in a mixed radix.
  const auto digit = [&](std::int64_t number, const std::array<std::int64_t, 3>& radix) {
    for (std::size_t i = 0; i < dim; ++i) number /= radix[i];
    return dim < 2 ? number % radix[dim] : number;
  };
  const auto& c = binding_.cluster;
  const std::int64_t rank_x = cta.coordinates[0] % c[0];
  switch (def.kind) {
    case ScopeIdKind::cta_id:
      return cta.coordinates[dim];
    case ScopeIdKind::cluster_id:
      return cta.coordinates[dim] / c[dim];
    case ScopeIdKind::cta_id_in_cluster:
      return cta.coordinates[dim] % c[dim];
    case ScopeIdKind::cta_id_in_pair:
      return rank_x % 2;
    case ScopeIdKind::warpgroup_id:
      return thread / 128;
    case ScopeIdKind::warp_id:
      return thread / 32;
    case ScopeIdKind::warp_id_in_wg:
      return thread % 128 / 32;
    case ScopeIdKind::lane_id:
      return thread % 32;
    case ScopeIdKind::thread_id:
      return digit(thread, binding_.block);
    case ScopeIdKind::thread_id_in_wg:
      return thread % 128;
  }
  return 0;
}

void Evaluator::start(CtaRun& cta) {
  const auto& grid = binding_.grid;
  cta.coordinates = {cta.linear % grid[0], cta.linear / grid[0] % grid[1],
                     cta.linear / (grid[0] * grid[1])};
  cta.threads.resize(static_cast<std::size_t>(binding_.threads()));
  for (std::size_t i = 0; i < cta.threads.size(); ++i) {
    Thread& t = cta.threads[i];
    t.variables.resize(slots_.size());
    t.locals.resize(local_slots_.size());
    for (const ir::ScopeIdDef& def : kernel_.scope_ids) {
      for (std::size_t dim = 0; dim < def.vars.size(); ++dim) {
        const std::int64_t id = id_of(def, dim, cta, static_cast<std::int64_t>(i));
        t.variables[slots_.at(def.vars[dim].get())] = {
            Cell{num::from_int64(id, def.vars[dim]->type.dtype), false}};
      }
    }
    t.frames.push_back({&kernel_.body});
  }
}

bool Evaluator::advance(CtaRun& cta) {
  bool moved = false;
  for (std::size_t i = 0; i < cta.threads.size() && !stopped_; ++i) {
    Thread& t = cta.threads[i];
    if (t.state != State::runnable) continue;
    run_thread(cta, i);
    moved = true;
  }
  return moved;
}

void Evaluator::run_grid() {
  const std::int64_t cluster_size = binding_.cluster[0] * binding_.cluster[1] * binding_.cluster[2];
  std::vector<std::int64_t> order(static_cast<std::size_t>(binding_.ctas()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const auto cluster_of = [&](std::int64_t linear) {
    const auto &g = binding_.grid, &c = binding_.cluster;
    return linear % g[0] / c[0] +
           g[0] / c[0] *
               (linear / g[0] % g[1] / c[1] + g[1] / c[1] * (linear / (g[0] * g[1]) / c[2]));
  };
  if (cluster_size > 1) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return cluster_of(a) < cluster_of(b); });
  }
  std::list<CtaRun> active;
  std::size_t next = 0;
  std::uint64_t quiet = 0;
  while (!stopped_) {
    bool moved = false;
    ++rounds_;
    const std::uint64_t before = changes_;
    for (auto at = active.begin(); at != active.end() && !stopped_;) {
      CtaRun& cta = *at;
      // Until nothing but polling threads is left.
      while (!stopped_ && (advance(cta) || resolve(cta))) moved = true;
      const bool done = std::all_of(cta.threads.begin(), cta.threads.end(),
                                    [](const Thread& t) { return t.state == State::done; });
      if (done) {
        at = active.erase(at);
        continue;
      }
      bool polls = false;
      for (Thread& t : cta.threads) {
        if (t.state != State::polls) continue;
        t.state = State::runnable;
        polls = true;
      }
      if (!polls && narrowed(cta)) moved = true;
      ++at;
    }
    quiet = changes_ != before ? 0 : quiet + 1;
    constexpr std::uint64_t kPatience = 2000;
    const bool polling = std::any_of(active.begin(), active.end(), [](const CtaRun& cta) {
      return std::any_of(cta.threads.begin(), cta.threads.end(),
                         [](const Thread& t) { return t.state == State::runnable; });
    });
    const std::uint64_t patience = next < order.size() ? 4 : kPatience;
    if (moved && (!polling || quiet < patience) && !active.empty()) continue;
    if (next == order.size()) {
      if (active.empty()) return;
      for (const CtaRun& cta : active) deadlock(cta);
      return;
    }
    std::shared_ptr<ClusterState> cluster;
    if (cluster_size > 1) {
      cluster = std::make_shared<ClusterState>();
      cluster->live = binding_.threads() * cluster_size;
    }
    for (std::int64_t k = 0; k < cluster_size && next < order.size(); ++k) {
      active.emplace_back();
      active.back().linear = order[next++];
      active.back().cluster = cluster;
      start(active.back());
    }
    quiet = 0;
  }
}

/// The threads of the instance of `scope` that thread i belongs to.
static std::pair<std::size_t, std::size_t> instance(ir::ExecScope scope,
                                                    std::size_t i,
                                                    std::size_t threads) {
  const auto block = [&](std::size_t size) {
    const std::size_t begin = i / size * size;
    return std::pair(begin, std::min(begin + size, threads));
  };
  switch (scope) {
    case ir::ExecScope::thread:
      return {i, i + 1};
    case ir::ExecScope::warp:
      return block(32);
    case ir::ExecScope::warpgroup:
      return block(128);
    default:
      return {0, threads};
  }
}

std::size_t Evaluator::traced(const CtaRun& cta, std::size_t thread) const {
  return static_cast<std::size_t>(cta.linear) * cta.threads.size() + thread;
}

void Evaluator::trace_meeting(const CtaRun& cta,
                              std::span<const std::size_t> threads,
                              std::uint64_t barrier) {
  if (options_.trace == nullptr || threads.empty()) return;
  std::vector<std::size_t> numbers;
  for (const std::size_t thread : threads) numbers.push_back(traced(cta, thread));
  for (const std::size_t number : numbers) options_.trace->arrive(number, barrier);
  options_.trace->pass(numbers, barrier);
}

void Evaluator::trace_access(const Place& place,
                             std::size_t begin,
                             std::size_t end,
                             bool write) const {
  if (options_.trace == nullptr) return;
  // Registers are nobody else's.
  for (const auto& local : cta_->threads[thread_].locals) {
    if (local.get() == place.memory) return;
  }
  // Shared memory of another CTA may lie where this one's lay.
  auto space = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(place.memory)) << 8U;
  for (const auto& [storage, memory] : cta_->shared) {
    if (memory.get() == place.memory) space |= static_cast<std::uint64_t>(cta_->linear % 255 + 1);
  }
  options_.trace->access(traced(*cta_, thread_), space, begin, end, write, atomic_);
}

std::int64_t absent_lanes(const CtaRun& cta, const std::set<std::size_t>& came) {
  std::int64_t absent = 0;
  std::size_t next = 0;  // the first thread of the warps that have not been looked at
  for (const std::size_t thread : came) {
    if (thread < next) continue;
    const std::size_t first = thread / 32 * 32;
    next = first + 32;
    for (std::size_t i = first; i < next; ++i) {
      const bool gone = i >= cta.threads.size() || cta.threads[i].state == State::done;
      absent += gone && !came.contains(i) ? 1 : 0;
    }
  }
  return absent;
}

bool Evaluator::resolve(CtaRun& cta) {
  bool moved = false;
  const auto go_on = [&](Thread& t) {
    t.state = State::runnable;
    moved = true;
  };
  const auto waits_at = [](const Thread& t, ir::OpId op) {
    return t.state == State::waits && t.call != nullptr &&
           std::get<ir::MachineCall>(t.call->node).op == op;
  };
  // Tile calls: all threads of the instance that still run.
  for (std::size_t i = 0; i < cta.threads.size(); ++i) {
    const Thread& first = cta.threads[i];
    if (first.state != State::waits || first.tile == nullptr) continue;
    const auto [begin, end] = instance(first.tile->scope, i, cta.threads.size());
    std::vector<std::size_t> party;
    bool all = true;
    for (std::size_t k = begin; k < end; ++k) {
      const Thread& t = cta.threads[k];
      if (t.state == State::done) continue;
      all = all && t.state == State::waits && t.tile == first.tile;
      party.push_back(k);
    }
    if (!all) continue;
    execute(cta, *first.tile, party, first.tile_span);
    for (const std::size_t k : party) {
      cta.threads[k].tile = nullptr;
      go_on(cta.threads[k]);
    }
  }
  // cta_sync: everyone, or gone.
  const ir::OpId sync = ir::AllOps::id_of<ir::CtaSync>();
  const bool all_sync = std::all_of(cta.threads.begin(), cta.threads.end(), [&](const Thread& t) {
    return t.state == State::done || waits_at(t, sync);
  });
  std::vector<std::size_t> met;
  for (std::size_t i = 0; i < cta.threads.size(); ++i) {
    Thread& t = cta.threads[i];
    if (!all_sync || !waits_at(t, sync)) continue;
    reply(t, {});
    go_on(t);
    met.push_back(i);
  }
  trace_meeting(cta, met, barrier_key(cta, 0));
  // Named barriers.
  const ir::OpId named = ir::AllOps::id_of<ir::NamedBarrierSync>();
  for (std::size_t id = 0; id < cta.barrier_arrived.size(); ++id) {
    std::int64_t expected = 0;
    bool counted = false;
    for (std::size_t i = 0; i < cta.threads.size(); ++i) {
      Thread& t = cta.threads[i];
      if (!waits_at(t, named) || t.operands[0].bits != id) continue;
      // Without a count: all of the CTA that have not returned.
      counted = t.operands.size() > 1;
      expected = counted ? static_cast<std::int64_t>(t.operands[1].bits)
                         : std::count_if(cta.threads.begin(), cta.threads.end(),
                                         [](const Thread& of) { return of.state != State::done; });
      if (!t.arrived) {
        t.arrived = true;
        ++cta.barrier_arrived[id];
        cta.barrier_threads[id].insert(i);
      }
    }
    if (expected == 0) continue;
    const std::int64_t absent = counted ? absent_lanes(cta, cta.barrier_threads[id]) : 0;
    if (cta.barrier_arrived[id] + absent < expected) continue;
    cta.barrier_arrived[id] += absent - expected;
    cta.barrier_threads[id].clear();
    met.clear();
    for (std::size_t i = 0; i < cta.threads.size(); ++i) {
      Thread& t = cta.threads[i];
      if (!waits_at(t, named) || t.operands[0].bits != id) continue;
      t.arrived = false;
      reply(t, {});
      go_on(t);
      met.push_back(i);
    }
    trace_meeting(cta, met, barrier_key(cta, id));
  }
  // The cluster's barrier.
  const ir::OpId cluster_wait = ir::AllOps::id_of<ir::ClusterWait>();
  if (cta.cluster != nullptr && cta.cluster->arrived >= cta.cluster->live &&
      cta.cluster->arrived > 0) {
    cta.cluster->arrived = 0;
    ++cta.cluster->phase;
    ++changes_;
  }
  for (Thread& t : cta.threads) {
    if (!waits_at(t, cluster_wait)) continue;
    if (cta.cluster != nullptr && cta.cluster->phase < t.phase) continue;
    reply(t, {});
    go_on(t);
  }
  moved = finish_mbarrier_waits(cta) || moved;
  moved = finish_bar_red(cta) || moved;
  for (std::size_t warp = 0; warp * 32 < cta.threads.size(); ++warp) {
    moved = finish_warp_call(cta, warp) || moved;
  }
  return moved;
}

/// Nobody moves: a tile call inside a condition that only some threads of the scope take.
bool Evaluator::narrowed(CtaRun& cta) {
  for (std::size_t i = 0; i < cta.threads.size(); ++i) {
    const Thread& first = cta.threads[i];
    if (first.state != State::waits || first.tile == nullptr) continue;
    const auto [begin, end] = instance(first.tile->scope, i, cta.threads.size());
    std::vector<std::size_t> party;
    for (std::size_t k = begin; k < end; ++k) {
      const Thread& t = cta.threads[k];
      if (t.state == State::waits && t.tile == first.tile) party.push_back(k);
    }
    const ir::TileCall& call = *first.tile;
    execute(cta, call, party, first.tile_span);
    for (const std::size_t k : party) {
      cta.threads[k].tile = nullptr;
      cta.threads[k].state = State::runnable;
    }
    return true;
  }
  return false;
}

void Evaluator::deadlock(const CtaRun& cta) {
  for (std::size_t i = 0; i < cta.threads.size(); ++i) {
    const Thread& t = cta.threads[i];
    if (t.state == State::done) continue;
    const Span span = t.tile != nullptr ? t.tile_span : t.call != nullptr ? t.call->span : Span{};
    fault(ir::FaultKind::deadlock, span,
          fmt::format("thread {} of CTA {} waits for something that never comes", i, cta.linear));
    return;
  }
}

void Evaluator::fault(ir::FaultKind kind, Span span, std::string text, std::string element) {
  const std::uint64_t site = static_cast<std::uint64_t>(span.begin) << 32 | span.end;
  const auto [at, fresh] =
      seen_.try_emplace({site, static_cast<int>(kind)}, outcome_.faults.size());
  if (!fresh) {
    ++outcome_.faults[at->second].count;
    return;
  }
  ir::Fault made;
  made.kind = kind;
  made.text = std::move(text);
  made.element = std::move(element);
  made.first.span = span;
  if (cta_ != nullptr) {
    made.first.thread.cta = cta_->coordinates;
    made.first.thread.thread = static_cast<std::int64_t>(thread_);
    made.first.thread.warp = static_cast<std::int64_t>(thread_ / 32);
    made.first.thread.lane = static_cast<std::int64_t>(thread_ % 32);
  }
  outcome_.faults.push_back(std::move(made));
}

void Evaluator::unsupported(Span span, std::string text) {
  if (!stopped_) {
    outcome_.status = ir::LaunchStatus::incomplete;
    outcome_.diagnostics.push_back({span, std::move(text), {}, Severity::error});
  }
  stopped_ = true;
}

}  // namespace tile
}  // namespace tirx::sim
