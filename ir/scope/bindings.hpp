// How many of each scope are there?  A kernel declares some scope ids with extents and some
// without; products (cta->warp times warp->thread is cta->thread) and quotients give the rest, or a
// contradiction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/scope/scope_id.hpp"

namespace tirx::ir {

/// One declaration, with constants only: a symbolic extent takes no part in the arithmetic.
struct ScopeDecl {
  ScopeIdKind kind;
  std::vector<std::int64_t> extents;    // x first; empty: deferred or symbolic
  bool symbolic = false;                // has extents, but not constant ones
  std::vector<std::int64_t> preferred;  // cta_id_in_cluster(preferred=)
  Span span;
};

class ScopeBindings {
 public:
  /// Errors: "Inconsistent extents for scope binding …", "… has non-divisible extents: …", "cannot
  /// infer extent of deferred ScopeIdDef …", a thread count that is not whole warps.
  [[nodiscard]] static Result<ScopeBindings> close(std::span<const ScopeDecl> decls);

  /// The product of the extents of an id, declared or inferred.
  [[nodiscard]] std::optional<std::int64_t> extent(ScopeIdKind kind) const {
    return extents_[static_cast<std::size_t>(kind)].product;
  }

  /// The extents of each dimension: as declared, or the product alone.
  [[nodiscard]] std::vector<std::int64_t> shape(ScopeIdKind kind) const;
  /// The threads of a CTA.  Error: "kernel has no thread launch parameters. …".
  [[nodiscard]] Result<std::int64_t> threads() const;

 private:
  struct Extent {
    std::optional<std::int64_t> product;
    std::vector<std::int64_t> shape;  // as declared
    Span span;                        // of the declaration; empty when inferred
  };

  static constexpr std::size_t kCount = static_cast<std::size_t>(ScopeIdKind::thread_id_in_wg) + 1;
  std::array<Extent, kCount> extents_;

  friend class ScopeClosure;
};

}  // namespace tirx::ir
