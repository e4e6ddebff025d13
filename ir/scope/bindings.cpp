// The kernel's scope ids, closed under products and quotients: a fixpoint over ten bindings.
#include "ir/scope/bindings.hpp"

#include <utility>

#include <fmt/format.h>

namespace tirx::ir {

namespace {

constexpr std::int64_t kMostInstances = std::int64_t{1} << 40;

std::optional<std::int64_t> product_of(const std::vector<std::int64_t>& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent <= 0 || extent > kMostInstances / product) return std::nullopt;
    product *= extent;
  }
  return product;
}

bool counts_warps(ScopeIdKind kind) {
  const ScopeIdFacts& facts = facts_of(kind);
  return kind != ScopeIdKind::thread_id &&
         (facts.child <= ExecScope::warpgroup || facts.parent <= ExecScope::warpgroup);
}

}  // namespace

/// The closure under construction.
class ScopeClosure {
 public:
  std::optional<Diagnostic> declare(const ScopeDecl& decl) {
    const ScopeIdFacts& facts = facts_of(decl.kind);
    if (decl.extents.size() > static_cast<std::size_t>(facts.max_dims)) {
      return Diagnostic{decl.span,
                        fmt::format("T.{} takes at most {} extents, got {}", facts.name,
                                    facts.max_dims, decl.extents.size()),
                        {}};
    }
    if (auto error = check_preferred(decl)) return error;
    if (decl.extents.empty()) return std::nullopt;
    const auto product = product_of(decl.extents);
    if (!product) {
      return Diagnostic{
          decl.span,
          fmt::format("T.{}: extents must be positive and their product at most 2^40", facts.name),
          {}};
    }
    if (facts.hardware_extent != 0 && *product != facts.hardware_extent) {
      return Diagnostic{
          decl.span,
          fmt::format("Inconsistent extents for scope binding {}: {} declared, but the "
                      "hardware has {}",
                      binding_name(decl.kind), *product, facts.hardware_extent),
          {}};
    }
    return learn(decl.kind, *product, decl.extents, decl.span);
  }

  /// Applies products and quotients until nothing new follows.
  std::optional<Diagnostic> close() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t outer = 0; outer < ScopeBindings::kCount; ++outer) {
        for (std::size_t inner = 0; inner < ScopeBindings::kCount; ++inner) {
          if (auto error = derive(static_cast<ScopeIdKind>(outer), static_cast<ScopeIdKind>(inner),
                                  changed)) {
            return error;
          }
        }
      }
    }
    return std::nullopt;
  }

  /// Deferred ids that the declarations leave open take what the hardware fixes (32 lanes, …).
  std::optional<Diagnostic> assume_hardware() {
    // Lanes first: they tell how many warps there are.
    for (const ScopeIdKind kind : {ScopeIdKind::cta_id_in_pair, ScopeIdKind::lane_id,
                                   ScopeIdKind::warp_id_in_wg, ScopeIdKind::thread_id_in_wg}) {
      const std::int64_t extent = facts_of(kind).hardware_extent;
      if (known(kind)) continue;
      const auto threads = known(ScopeIdKind::thread_id);
      const auto warps = known(ScopeIdKind::warp_id);
      if (kind == ScopeIdKind::lane_id && threads && *threads % extent != 0) continue;
      if (kind == ScopeIdKind::warp_id_in_wg && warps && *warps % extent != 0) continue;
      if (kind == ScopeIdKind::thread_id_in_wg && threads && *threads % extent != 0) continue;
      at(kind).product = extent;
      if (auto error = close()) return error;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> known(ScopeIdKind kind) const {
    return result_.extents_[static_cast<std::size_t>(kind)].product;
  }

  ScopeBindings take() { return std::move(result_); }

 private:
  ScopeBindings::Extent& at(ScopeIdKind kind) {
    return result_.extents_[static_cast<std::size_t>(kind)];
  }

  static std::optional<Diagnostic> check_preferred(const ScopeDecl& decl) {
    if (decl.preferred.empty()) return std::nullopt;
    if (decl.kind != ScopeIdKind::cta_id_in_cluster) {
      return Diagnostic{
          decl.span,
          "preferred_extents is only valid for the cluster->cta scope (T.cta_id_in_cluster)",
          {}};
    }
    if (decl.extents.empty() && !decl.symbolic) {
      return Diagnostic{decl.span, "preferred_extents cannot be set on a deferred ScopeIdDef", {}};
    }
    if (!decl.symbolic && decl.preferred.size() != decl.extents.size()) {
      return Diagnostic{
          decl.span,
          fmt::format("preferred_extents must have the same size as extents, got {} vs {}",
                      decl.preferred.size(), decl.extents.size()),
          {}};
    }
    if (!product_of(decl.preferred)) {
      return Diagnostic{decl.span, "preferred_extents must be positive", {}};
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> learn(ScopeIdKind kind,
                                  std::int64_t product,
                                  const std::vector<std::int64_t>& shape,
                                  Span span) {
    ScopeBindings::Extent& extent = at(kind);
    if (!extent.product) {
      extent = {product, shape, span};
      return std::nullopt;
    }
    if (*extent.product == product) return std::nullopt;
    Diagnostic error{span.empty() ? extent.span : span,
                     fmt::format("Inconsistent extents for scope binding {}: {} and {}",
                                 binding_name(kind), *extent.product, product),
                     {}};
    if (!extent.span.empty() && !span.empty())
      error.notes.push_back({extent.span, "the other extent is here"});
    error.notes.push_back(
        {{}, "change one of the declared extents, or declare an id without an extent to infer it"});
    return error;
  }

  std::optional<Diagnostic> derive(ScopeIdKind a, ScopeIdKind b, bool& changed) {
    const auto x = known(a);
    const auto y = known(b);
    // A pair of CTAs is a view of the cluster, not a level between CTA and cluster.
    if (!x || !y || a == ScopeIdKind::cta_id_in_pair || b == ScopeIdKind::cta_id_in_pair) {
      return std::nullopt;
    }
    const ScopeIdFacts& outer = facts_of(a);
    const ScopeIdFacts& inner = facts_of(b);
    if (outer.child == inner.parent) {
      const auto composed = find_scope_id(outer.parent, inner.child);
      if (composed && *x <= kMostInstances / *y) return settle(*composed, *x * *y, changed);
    }
    if (outer.parent == inner.parent && inner.child > outer.child) {
      return divide(find_scope_id(inner.child, outer.child), *x, *y, changed);
    }
    if (outer.child == inner.child && outer.parent > inner.parent) {
      return divide(find_scope_id(outer.parent, inner.parent), *x, *y, changed);
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> divide(std::optional<ScopeIdKind> kind,
                                   std::int64_t x,
                                   std::int64_t y,
                                   bool& changed) {
    if (!kind) return std::nullopt;
    if (x % y == 0) return settle(*kind, x / y, changed);
    return Diagnostic{
        at(*kind).span,
        fmt::format("scope binding {} has non-divisible extents: {} is not divisible by {}",
                    binding_name(*kind), x, y),
        {}};
  }

  std::optional<Diagnostic> settle(ScopeIdKind kind, std::int64_t product, bool& changed) {
    changed = changed || !known(kind);
    return learn(kind, product, {}, {});
  }

  ScopeBindings result_;
};

Result<ScopeBindings> ScopeBindings::close(std::span<const ScopeDecl> decls) {
  ScopeClosure closure;
  Span any;
  bool pairs = false;
  bool clusters = false;
  bool deferred = false;
  for (const ScopeDecl& decl : decls) {
    if (auto error = closure.declare(decl)) return *error;
    if (any.empty()) any = decl.span;
    pairs = pairs || decl.kind == ScopeIdKind::cta_id_in_pair;
    clusters = clusters || decl.kind == ScopeIdKind::cta_id_in_cluster;
    deferred = deferred || (decl.extents.empty() && !decl.symbolic);
  }
  if (pairs && !clusters) {
    return Diagnostic{
        any, "T.cta_id_in_pair() requires T.cta_id_in_cluster(...) in the same kernel", {}};
  }
  if (auto error = closure.close()) {
    if (error->span.empty()) error->span = any;
    return *error;
  }
  if (deferred) {
    if (auto error = closure.assume_hardware()) return *error;
  }
  for (const ScopeDecl& decl : decls) {
    if (decl.symbolic) continue;
    const auto threads = closure.known(ScopeIdKind::thread_id);
    if (threads && *threads % kLanesPerWarp != 0 && counts_warps(decl.kind)) {
      return Diagnostic{
          decl.span,
          fmt::format("T.{} needs whole warps: the thread count {} is not a multiple of {}",
                      facts_of(decl.kind).name, *threads, kLanesPerWarp),
          {}};
    }
    if (!closure.known(decl.kind)) {
      return Diagnostic{
          decl.span,
          fmt::format("cannot infer extent of deferred ScopeIdDef for binding {}",
                      binding_name(decl.kind)),
          {{{},
            fmt::format("declare it, T.{}([…]), or declare scope ids whose product or "
                        "quotient it is",
                        facts_of(decl.kind).name)}}};
    }
  }
  return closure.take();
}

std::vector<std::int64_t> ScopeBindings::shape(ScopeIdKind kind) const {
  const Extent& extent = extents_[static_cast<std::size_t>(kind)];
  if (!extent.shape.empty() || !extent.product) return extent.shape;
  return {*extent.product};
}

Result<std::int64_t> ScopeBindings::threads() const {
  if (const auto threads = extent(ScopeIdKind::thread_id)) return *threads;
  return Diagnostic{
      {},
      "kernel has no thread launch parameters. At minimum, declare cta->thread extent",
      {{{}, "for example T.thread_id([128])"}}};
}

}  // namespace tirx::ir
