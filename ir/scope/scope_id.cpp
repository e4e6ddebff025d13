// One row per scope id, in the order of ScopeIdKind.
#include "ir/scope/scope_id.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace tirx::ir {

namespace {

using enum ExecScope;

constexpr std::array kRows = {
    ScopeIdFacts{ScopeIdKind::cta_id, "cta_id", kernel, cta, 3, 0},
    ScopeIdFacts{ScopeIdKind::cluster_id, "cluster_id", kernel, cluster, 3, 0},
    ScopeIdFacts{ScopeIdKind::cta_id_in_cluster, "cta_id_in_cluster", cluster, cta, 3, 0},
    ScopeIdFacts{ScopeIdKind::cta_id_in_pair, "cta_id_in_pair", cluster, cta_pair, 1, 2},
    ScopeIdFacts{ScopeIdKind::warpgroup_id, "warpgroup_id", cta, warpgroup, 1, 0},
    ScopeIdFacts{ScopeIdKind::warp_id, "warp_id", cta, warp, 1, 0},
    ScopeIdFacts{ScopeIdKind::warp_id_in_wg, "warp_id_in_wg", warpgroup, warp, 1,
                 kWarpsPerWarpgroup},
    ScopeIdFacts{ScopeIdKind::lane_id, "lane_id", warp, thread, 1, kLanesPerWarp},
    ScopeIdFacts{ScopeIdKind::thread_id, "thread_id", cta, thread, 3, 0},
    ScopeIdFacts{ScopeIdKind::thread_id_in_wg, "thread_id_in_wg", warpgroup, thread, 1,
                 kThreadsPerWarpgroup},
};

consteval bool in_enum_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
  }
  return true;
}

static_assert(in_enum_order());

}  // namespace

const ScopeIdFacts& facts_of(ScopeIdKind kind) {
  return kRows[static_cast<std::size_t>(kind)];
}

std::string_view to_string(ScopeIdKind kind) {
  return facts_of(kind).name;
}

std::string binding_name(ScopeIdKind kind) {
  const ScopeIdFacts& facts = facts_of(kind);
  return fmt::format("{}->{}", name_of(facts.parent), name_of(facts.child));
}

std::optional<ScopeIdKind> find_scope_id(std::string_view name) {
  for (const ScopeIdFacts& row : kRows) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::optional<ScopeIdKind> find_scope_id(ExecScope parent, ExecScope child) {
  for (const ScopeIdFacts& row : kRows) {
    if (row.parent == parent && row.child == child) return row.kind;
  }
  return std::nullopt;
}

}  // namespace tirx::ir
