// Which ids can a kernel ask for (T.warp_id(), T.thread_id([128]), …)?  Each counts the instances
// of one scope inside one instance of another: warp_id the warps of a CTA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/scope/exec_scope.hpp"

namespace tirx::ir {

/// A scope-id declaration: T.cta_id([4, 2]), T.lane_id(), …
enum class ScopeIdKind : std::uint8_t {
  cta_id,
  cluster_id,
  cta_id_in_cluster,
  cta_id_in_pair,
  warpgroup_id,
  warp_id,
  warp_id_in_wg,
  lane_id,
  thread_id,
  thread_id_in_wg,
};

struct ScopeIdFacts {
  ScopeIdKind kind;
  std::string_view name;
  ExecScope parent;
  ExecScope child;
  int max_dims;
  std::int64_t hardware_extent;  // fixed by the hardware, or 0
};

[[nodiscard]] const ScopeIdFacts& facts_of(ScopeIdKind kind);
[[nodiscard]] std::string_view to_string(ScopeIdKind kind);
/// "cta->warp": how messages name what an id binds.
[[nodiscard]] std::string binding_name(ScopeIdKind kind);
[[nodiscard]] std::optional<ScopeIdKind> find_scope_id(std::string_view name);
/// The id that counts `child` inside `parent`, if there is one.
[[nodiscard]] std::optional<ScopeIdKind> find_scope_id(ExecScope parent, ExecScope child);

}  // namespace tirx::ir
