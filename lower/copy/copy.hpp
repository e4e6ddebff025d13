// What all copies share: the checks that come first, the plan that the vectorised ones arrive at,
// and the code they emit from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lower/dispatch.hpp"

namespace tirx::lower {

/// The operands of a copy: two regions.
[[nodiscard]] inline const TileSide& copy_dst(const Site& site) {
  return *site.sides[0];
}

[[nodiscard]] inline const TileSide& copy_src(const Site& site) {
  return *site.sides[1];
}

/// Two regions of one dtype and of equal extents, dimensions of one element apart.
[[nodiscard]] std::optional<std::string> refuse_operands(const Site& site);
/// Threads of the scope that do not reach the call.
[[nodiscard]] std::optional<std::string> refuse_inactive(const Site& site);
/// Scopes larger than a CTA.
[[nodiscard]] std::optional<std::string> refuse_scope(const Site& site);

/// Bits that an element takes in memory: 4-bit types are packed, all others take whole bytes.
[[nodiscard]] std::int64_t element_bits(num::DType dtype);
/// Vector lengths in elements, widest first: 128 … 8 bits, then a single element (never half a
/// byte).
[[nodiscard]] std::vector<std::int64_t> vector_candidates(num::DType dtype);
/// Whether `vec` elements from an offset that is a multiple of vec are aligned in both storages.
[[nodiscard]] bool storage_aligned(const Site& site, std::int64_t vec);

/// One digit of the coordinate space that a copy walks.
struct CopyAtom {
  std::int64_t extent = 1;
  ir::IndexSum dst_stride, src_stride;
  std::size_t dim = 0;
  std::int64_t weight = 1;
};

/// In round f each thread moves `vector` neighbours, from position f * round_step + thread_position
/// of the row-major space of `atoms` on.
struct CopyPlan {
  std::vector<CopyAtom> atoms;  // outermost first
  ir::IndexSum dst_base, src_base;
  std::optional<ir::Swizzle> dst_swizzle, src_swizzle;
  std::vector<ir::IndexSum> coordinate_base;  // per wide dimension: the executing thread's part
  ir::IndexSum thread_position;
  std::int64_t round_step = 1;
  std::int64_t vector = 1;
  std::int64_t rounds = 1;
  ir::LoopKind loop = ir::LoopKind::serial;
};

/// The statement that moves one vector.  Both accesses have their flat offsets.
using CopyMove = std::function<ir::Stmt(ir::Access to, ir::Access from)>;

/// A load and a store, or another statement, for each vector.
[[nodiscard]] Expansion emit_copy(const Site& site, const CopyPlan& plan);
[[nodiscard]] Expansion emit_copy(const Site& site, const CopyPlan& plan, const CopyMove& made);

// The variants.
[[nodiscard]] std::optional<std::string> refuse_gmem_smem(const Site& site);
[[nodiscard]] Result<Expansion> expand_gmem_smem(const Site& site);
[[nodiscard]] std::optional<std::string> refuse_reg(const Site& site);
[[nodiscard]] Result<Expansion> expand_reg(const Site& site);
[[nodiscard]] std::optional<std::string> refuse_fallback(const Site& site);
[[nodiscard]] Result<Expansion> expand_fallback(const Site& site);

/// Forced widths: exactly one access of `bits`, by one thread.
[[nodiscard]] std::optional<std::string> refuse_vec(const Site& site, std::int64_t bits);
[[nodiscard]] Result<Expansion> expand_vec(const Site& site, std::int64_t bits);

}  // namespace tirx::lower
