// Scope ids: their table, the closure of their extents, and what it refuses.
#include <doctest/doctest.h>

#include "ir/scope/bindings.hpp"
#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

using enum ScopeIdKind;

ScopeDecl decl(ScopeIdKind kind, std::vector<std::int64_t> extents = {}) {
  return {kind, std::move(extents), false, {}, {}};
}

ScopeBindings closed(const std::vector<ScopeDecl>& decls) {
  return must(ScopeBindings::close(decls));
}

std::string refusal(const std::vector<ScopeDecl>& decls) {
  return error_of(ScopeBindings::close(decls));
}

}  // namespace

TEST_CASE("scope ids have names and bindings") {
  CHECK(find_scope_id("warp_id_in_wg") == warp_id_in_wg);
  CHECK_FALSE(find_scope_id("block_id").has_value());
  CHECK(binding_name(thread_id) == "cta->thread");
  CHECK(binding_name(cta_id_in_pair) == "cluster->cta_pair");
  CHECK(find_scope_id(ExecScope::cta, ExecScope::warpgroup) == warpgroup_id);
  CHECK_FALSE(find_scope_id(ExecScope::kernel, ExecScope::thread).has_value());
  CHECK(find_exec_scope("wg") == ExecScope::warpgroup);
  CHECK(name_of(ExecScope::cta_pair) == "cta_pair");
}

TEST_CASE("products and quotients") {
  CHECK(closed({decl(warp_id, {4}), decl(lane_id, {32})}).extent(thread_id) == 128);
  const ScopeBindings b = closed(
      {decl(thread_id, {256}), decl(lane_id, {32}), decl(warp_id), decl(warp_id_in_wg, {4})});
  CHECK(b.extent(warp_id) == 8);
  CHECK(b.extent(warpgroup_id) == 2);
  CHECK(b.extent(thread_id_in_wg) == 128);
  const ScopeBindings grid =
      closed({decl(cta_id, {4, 6}), decl(cta_id_in_cluster, {2}), decl(cluster_id)});
  CHECK(grid.extent(cluster_id) == 12);
  CHECK(grid.shape(cta_id) == std::vector<std::int64_t>{4, 6});
  CHECK(grid.shape(cluster_id) == std::vector<std::int64_t>{12});
  CHECK(grid.shape(warp_id).empty());
  CHECK(closed({decl(cluster_id, {5}), decl(cta_id_in_cluster, {2})}).extent(cta_id) == 10);
  CHECK(must(closed({decl(warp_id, {4}), decl(lane_id, {32})}).threads()) == 128);
}

TEST_CASE("the hardware fills in what deferred ids leave open") {
  CHECK(closed({decl(thread_id, {192}), decl(warp_id)}).extent(warp_id) == 6);
  CHECK(closed({decl(thread_id, {256}), decl(warpgroup_id)}).extent(warpgroup_id) == 2);
  CHECK(closed({decl(thread_id, {64}), decl(lane_id)}).extent(lane_id) == 32);
}

TEST_CASE("contradictions") {
  CHECK(contains(refusal({decl(warp_id, {4}), decl(lane_id, {32}), decl(thread_id, {256})}),
                 "Inconsistent extents for scope binding"));
  CHECK(contains(refusal({decl(thread_id, {128}), decl(thread_id, {256})}),
                 "Inconsistent extents for scope binding cta->thread: 128 and 256"));
  CHECK(contains(refusal({decl(warp_id, {10}), decl(warp_id_in_wg, {4})}),
                 "has non-divisible extents: 10 is not divisible by 4"));
  CHECK(
      contains(refusal({decl(cta_id, {7}), decl(cta_id_in_cluster, {2})}),
               "scope binding kernel->cluster has non-divisible extents: 7 is not divisible by 2"));
  CHECK(contains(refusal({decl(lane_id, {16})}), "the hardware has 32"));
}

TEST_CASE("what cannot be inferred") {
  CHECK(contains(refusal({decl(cta_id, {1}), decl(warp_id)}),
                 "cannot infer extent of deferred ScopeIdDef for binding cta->warp"));
  CHECK(contains(refusal({decl(thread_id, {192}), decl(warpgroup_id)}),
                 "cannot infer extent of deferred ScopeIdDef for binding cta->warpgroup"));
  ScopeDecl symbolic = decl(cta_id);
  symbolic.symbolic = true;
  CHECK(closed({symbolic, decl(thread_id, {128})}).extent(thread_id) == 128);
  CHECK(contains(refusal({symbolic, decl(cta_id_in_cluster, {2}), decl(cluster_id)}),
                 "cannot infer extent of deferred ScopeIdDef for binding kernel->cluster"));
  CHECK(contains(error_of(closed({decl(cta_id, {1})}).threads()),
                 "kernel has no thread launch parameters. At minimum, declare cta->thread extent"));
}

TEST_CASE("extents that make no sense") {
  CHECK(contains(refusal({decl(thread_id, {0})}), "must be positive"));
  CHECK(contains(refusal({decl(thread_id, {-32})}), "must be positive"));
  CHECK(contains(refusal({decl(cta_id, {INT64_MAX, INT64_MAX})}), "at most 2^40"));
  CHECK(contains(refusal({decl(warp_id, {2, 2})}), "at most 1 extents"));
  CHECK(contains(refusal({decl(thread_id, {48}), decl(warp_id)}), "not a multiple of 32"));
  CHECK(contains(refusal({decl(cta_id_in_pair)}), "requires T.cta_id_in_cluster"));
  ScopeDecl preferred = decl(cta_id_in_cluster, {2});
  preferred.preferred = {4, 1};
  CHECK(contains(refusal({preferred}), "same size as extents, got 2 vs 1"));
  preferred.preferred = {4};
  CHECK(closed({preferred}).extent(cta_id_in_cluster) == 2);
  preferred.kind = cta_id;
  CHECK(contains(refusal({preferred}), "only valid for the cluster->cta scope"));
}
