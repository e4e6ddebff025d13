// The active set: pinned values of the reference, rule by rule.
#include <doctest/doctest.h>

#include "ir/scope/narrow.hpp"
#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

using enum ScopeIdKind;

ActiveSet all_of(std::int64_t warps, std::vector<std::int64_t> cluster = {1}) {
  return must(initial_active_set({warps * 32}, std::move(cluster)));
}

Atom range(ScopeIdKind id, std::int64_t lo, std::int64_t hi) {
  return {IdRange{id, 0, lo, hi, false}, {}};
}

Atom modulo(ScopeIdKind id, std::int64_t m, std::int64_t r) {
  return {IdModulo{id, 0, m, r, false}, {}};
}

ActiveSet kept(const ActiveSet& set, const Atom& atom) {
  const Filtered out = filter(set, atom);
  CAPTURE(out.reason);
  REQUIRE(out.status == FilterStatus::narrowed);
  return out.set;
}

std::string refusal(const ActiveSet& set, const Atom& atom, FilterStatus status) {
  const Filtered out = filter(set, atom);
  CHECK(out.status == status);
  CHECK(out.set == set);
  return out.reason;
}

std::string intra(const ActiveSet& set, ExecScope scope) {
  std::string out;
  for (const auto& [axis, r] : must(split(set, scope)).intra) {
    out += std::string(axis.name()) + " " + to_string(r) + "; ";
  }
  return out;
}

std::string inter(const ActiveSet& set, ExecScope scope) {
  std::string out;
  for (const auto& [axis, r] : must(split(set, scope)).inter) {
    out += std::string(axis.name()) + " " + to_string(r) + "; ";
  }
  return out;
}

}  // namespace

TEST_CASE("initially everything is active") {
  const ActiveSet one = all_of(16);
  CHECK(one.laneid == AxisRange{32, 0});
  CHECK(one.warpid == AxisRange{16, 0});
  CHECK(one.cta == std::vector{AxisRange{1, 0}});
  CHECK(one.size() == 512);
  CHECK(all_of(16, {4}).size() == 2048);
  CHECK(to_string(all_of(4, {2, 2})) == "laneid 32@0, warpid 4@0, cbx 2@0, cby 2@0");
  CHECK_FALSE(initial_active_set({0}).ok());
  CHECK_FALSE(initial_active_set({INT64_MAX}).ok());
  CHECK_FALSE(initial_active_set({1, 1, 1, 1}).ok());
}

TEST_CASE("split by scope") {
  const ActiveSet set = all_of(16, {4});
  CHECK(intra(set, ExecScope::thread).empty());
  CHECK(inter(set, ExecScope::thread) == "laneid 32@0; warpid 16@0; cta_id 4@0; ");
  CHECK(intra(set, ExecScope::warp) == "laneid 32@0; ");
  CHECK(inter(set, ExecScope::warp) == "warpid 16@0; cta_id 4@0; ");
  CHECK(intra(set, ExecScope::warpgroup) == "laneid 32@0; wid_in_wg 4@0; ");
  CHECK(inter(set, ExecScope::warpgroup) == "wgid 4@0; cta_id 4@0; ");
  CHECK(intra(set, ExecScope::cta) == "laneid 32@0; warpid 16@0; ");
  CHECK(inter(set, ExecScope::cta) == "cta_id 4@0; ");
  CHECK(intra(set, ExecScope::cluster) == "laneid 32@0; warpid 16@0; cta_id 4@0; ");
  CHECK(inter(set, ExecScope::cluster).empty());
  CHECK(must(split(set, ExecScope::thread)).thread_count() == 1);
  CHECK(must(split(set, ExecScope::warpgroup)).thread_count() == 128);
  CHECK(must(split(set, ExecScope::cluster)).thread_count() == 2048);
}

TEST_CASE("warpgroups factor when aligned or inside one") {
  const ActiveSet set = all_of(16);
  const auto of_warps = [&](std::int64_t lo, std::int64_t hi) {
    return kept(set, range(warp_id, lo, hi));
  };
  CHECK(inter(all_of(8), ExecScope::warpgroup) == "wgid 2@0; cta_id 1@0; ");
  CHECK(intra(of_warps(0, 2), ExecScope::warpgroup) == "laneid 32@0; wid_in_wg 2@0; ");
  CHECK(inter(of_warps(0, 2), ExecScope::warpgroup) == "wgid 1@0; cta_id 1@0; ");
  CHECK(intra(of_warps(6, 8), ExecScope::warpgroup) == "laneid 32@0; wid_in_wg 2@2; ");
  CHECK(inter(of_warps(6, 8), ExecScope::warpgroup) == "wgid 1@1; cta_id 1@0; ");
  CHECK(of_warps(2, 6).warpid == AxisRange{4, 2});
  CHECK(contains(error_of(split(of_warps(2, 6), ExecScope::warpgroup)),
                 "crosses warpgroup boundary"));
  CHECK(split(of_warps(2, 6), ExecScope::cta).ok());
  // Every warpgroup has the same warps: even ones, or the first.
  CHECK(intra(kept(set, modulo(warp_id, 2, 1)), ExecScope::warpgroup) ==
        "laneid 32@0; wid_in_wg 2@1 step 2; ");
  CHECK(inter(kept(set, modulo(warp_id, 4, 0)), ExecScope::warpgroup) == "wgid 4@0; cta_id 1@0; ");
}

TEST_CASE("worked examples: filters and scopes in turn") {
  const ActiveSet set = all_of(16);
  const ActiveSet softmax = kept(set, range(warp_id, 0, 8));
  CHECK(inter(softmax, ExecScope::warpgroup) == "wgid 2@0; cta_id 1@0; ");
  const ActiveSet first = kept(softmax, range(warp_id, 0, 2));
  CHECK(intra(first, ExecScope::warpgroup) == "laneid 32@0; wid_in_wg 2@0; ");
  CHECK(inter(first, ExecScope::warp) == "warpid 2@0; cta_id 1@0; ");
  CHECK(intra(kept(first, range(lane_id, 0, 8)), ExecScope::warp) == "laneid 8@0; ");
  CHECK(intra(kept(set, range(warp_id, 12, 13)), ExecScope::cta) == "laneid 32@0; warpid 1@12; ");
  CHECK(inter(kept(set, range(warp_id, 8, 12)), ExecScope::warpgroup) == "wgid 1@2; cta_id 1@0; ");
  CHECK(set.warpid == AxisRange{16, 0});  // the parent is untouched
}

TEST_CASE("range filters: pinned values") {
  const ActiveSet set = all_of(16);
  CHECK(contains(refusal(set, range(warp_id, 5, 5), FilterStatus::empty), "empty or inverted"));
  CHECK(
      contains(refusal(kept(set, range(warp_id, 0, 4)), range(warp_id, 8, 12), FilterStatus::empty),
               "empty range"));
  const ActiveSet eight = all_of(8);
  CHECK(kept(eight, range(thread_id, 0, 128)).warpid == AxisRange{4, 0});
  CHECK(kept(eight, range(thread_id, 0, 128)).laneid == AxisRange{32, 0});
  CHECK(kept(eight, range(thread_id, 34, 40)).warpid == AxisRange{1, 1});
  CHECK(kept(eight, range(thread_id, 34, 40)).laneid == AxisRange{6, 2});
  CHECK(
      contains(refusal(eight, range(thread_id, 20, 50), FilterStatus::refused), "non-rectangular"));
  const ActiveSet wg1 = kept(eight, range(warpgroup_id, 1, 2));
  CHECK(kept(wg1, range(thread_id_in_wg, 32, 64)).warpid == AxisRange{1, 5});
  CHECK(kept(eight, range(thread_id_in_wg, 0, 128)) == eight);
  CHECK(contains(refusal(eight, range(thread_id_in_wg, 0, 64), FilterStatus::refused),
                 "multiple warpgroups"));
  CHECK(contains(refusal(eight, range(thread_id_in_wg, 0, 32), FilterStatus::refused),
                 "multiple warpgroups"));
  CHECK(kept(set, range(warpgroup_id, 1, 3)).warpid == AxisRange{8, 4});
  CHECK(contains(
      refusal(kept(set, range(warp_id, 2, 6)), range(warpgroup_id, 0, 1), FilterStatus::refused),
      "aligned to WG_SIZE"));
  const ActiveSet second = kept(set, range(warp_id, 4, 8));
  CHECK(kept(second, range(warp_id_in_wg, 1, 3)).warpid == AxisRange{2, 5});
  CHECK(contains(refusal(set, range(warp_id_in_wg, 0, 2), FilterStatus::refused),
                 "spans multiple warpgroups"));
}

TEST_CASE("modulo filters: pinned values") {
  const ActiveSet four = all_of(16, {4});
  const ActiveSet even = kept(four, modulo(cta_id_in_cluster, 2, 0));
  CHECK(even.cta[0] == AxisRange{2, 0, 2});
  CHECK(kept(even, range(cta_id_in_cluster, 1, 4)).cta[0] == AxisRange{1, 2, 2});
  const ActiveSet pair = all_of(16, {2});
  CHECK(kept(pair, modulo(cta_id_in_cluster, 2, 0)).cta[0] == AxisRange{1, 0, 2});
  CHECK(kept(pair, modulo(cta_id_in_cluster, 2, 1)).cta[0] == AxisRange{1, 1, 2});
  CHECK(kept(pair, modulo(cta_id, 2, 1)).cta[0] == AxisRange{1, 1, 2});
  CHECK(kept(four, range(cta_id_in_pair, 0, 1)).cta[0] == AxisRange{2, 0, 2});
  CHECK(kept(four, modulo(lane_id, 4, 1)).laneid == AxisRange{8, 1, 4});
  CHECK(contains(refusal(four, modulo(lane_id, 4, 4), FilterStatus::empty), "empty range"));
  CHECK(refusal(four, modulo(lane_id, 0, 0), FilterStatus::refused) != "");
}

TEST_CASE("all threads active, and not") {
  const ActiveSet set = all_of(8, {2});
  for (const ExecScope scope : {ExecScope::thread, ExecScope::warp, ExecScope::warpgroup,
                                ExecScope::cta, ExecScope::cluster}) {
    CHECK(all_threads_active(set, scope));
  }
  const ActiveSet two_warps = kept(set, range(warp_id, 0, 2));
  CHECK(all_threads_active(two_warps, ExecScope::warp));
  CHECK_FALSE(all_threads_active(two_warps, ExecScope::warpgroup));
  CHECK_FALSE(all_threads_active(two_warps, ExecScope::cta));
  const ActiveSet wg = kept(set, range(warpgroup_id, 1, 2));
  CHECK(all_threads_active(wg, ExecScope::warpgroup));
  CHECK_FALSE(all_threads_active(wg, ExecScope::cta));
  CHECK_FALSE(all_threads_active(kept(set, range(lane_id, 0, 31)), ExecScope::warp));
  CHECK(all_threads_active(kept(set, range(cta_id_in_cluster, 0, 1)), ExecScope::cta));
  CHECK_FALSE(all_threads_active(kept(set, range(cta_id_in_cluster, 0, 1)), ExecScope::cluster));
  const ActiveSet elected = kept(set, {Elect{}, {}});
  CHECK(elected.laneid.extent == 1);
  CHECK_FALSE(all_threads_active(elected, ExecScope::warp));
  CHECK(all_threads_active(elected, ExecScope::thread));
  CHECK(all_threads_active(must(initial_active_set({16})), ExecScope::cta));
  CHECK_FALSE(all_threads_active(must(initial_active_set({48})), ExecScope::cta));
  CHECK(contains(error_of(split(must(initial_active_set({48})), ExecScope::cta)), "whole warps"));
}

TEST_CASE("else branches") {
  const ActiveSet set = all_of(16);
  const auto otherwise = [&](std::vector<Atom> atoms) {
    return narrow(set, std::move(atoms)).otherwise;
  };
  CHECK(otherwise({range(warp_id, 0, 4)}).warpid == AxisRange{12, 4});
  CHECK(otherwise({range(warp_id, 0, 4)}).opaque.empty());
  CHECK(otherwise({modulo(warp_id, 2, 0)}).warpid == AxisRange{8, 1, 2});
  CHECK(otherwise({range(thread_id, 0, 32)}).warpid == AxisRange{15, 1});
  CHECK(otherwise({range(thread_id, 0, 512)}).empty);
  CHECK(otherwise({range(thread_id, 512, 600)}) == set);
  CHECK(narrow(set, {range(thread_id, 512, 600)}).then.empty);
  // Warps 0 to 3 and 8 to 15 are no box; each warp still knows its side.
  const ActiveSet middle = otherwise({range(warp_id, 4, 8)});
  CHECK(middle.warpid == AxisRange{16, 0});
  REQUIRE(middle.opaque.size() == 1);
  CHECK(middle.opaque[0].uniform_over == ExecScope::warp);
  CHECK(split(middle, ExecScope::warp).ok());
  CHECK(contains(error_of(split(middle, ExecScope::cta)), "cannot be represented"));
  const ActiveSet not_elected = otherwise({{Elect{}, {}}});
  CHECK_FALSE(split(not_elected, ExecScope::warp).ok());
  CHECK(split(not_elected, ExecScope::thread).ok());
}

TEST_CASE("atoms are pushed until nothing changes") {
  const ActiveSet set = all_of(8);
  const ActiveSet late =
      narrow(set, {range(thread_id_in_wg, 0, 64), range(warpgroup_id, 1, 2)}).then;
  CHECK(late.warpid == AxisRange{2, 4});
  CHECK(late.opaque.empty());
  const ActiveSet merged = narrow(set, {range(thread_id, 34, 1000), range(thread_id, 0, 40)}).then;
  CHECK(merged.laneid == AxisRange{6, 2});
  CHECK(merged.warpid == AxisRange{1, 1});
}

TEST_CASE("guards on values") {
  const ActiveSet set = all_of(8);
  const Atom uniform = {OpaqueAtom{ExecScope::kernel, "n > 3"}, {}};
  const Atom per_warp = {OpaqueAtom{ExecScope::warp, "queue[warp] > 0"}, {}};
  CHECK(narrow(set, {uniform}).then == set);
  CHECK(narrow(set, {uniform}).otherwise == set);
  CHECK(split(narrow(set, {per_warp}).then, ExecScope::warp).ok());
  CHECK(contains(error_of(split(narrow(set, {per_warp}).then, ExecScope::cta)), "queue[warp] > 0"));
  CHECK(split(narrow(set, {range(cta_id, 3, 4)}).then, ExecScope::cluster).ok());
  const ActiveSet pair = all_of(8, {2});
  CHECK(split(narrow(pair, {range(cta_id, 3, 4)}).then, ExecScope::cta).ok());
  CHECK_FALSE(split(narrow(pair, {range(cta_id, 3, 4)}).then, ExecScope::cluster).ok());
  CHECK(split(narrow(pair, {range(cta_id, 2, 4)}).then, ExecScope::cluster).ok());
}

TEST_CASE("comparisons become ranges") {
  const auto same = [](const IdRange& r, std::int64_t lo, std::int64_t hi, bool negated) {
    return r.lo == lo && r.hi == hi && r.negated == negated;
  };
  CHECK(same(compare_id(warp_id, 0, 1, 0, Relation::eq, 3), 3, 4, false));
  CHECK(same(compare_id(warp_id, 0, 1, 0, Relation::ne, 3), 3, 4, true));
  CHECK(compare_id(warp_id, 0, 1, 2, Relation::lt, 5).hi == 3);   // id + 2 < 5
  CHECK(compare_id(warp_id, 0, -1, 7, Relation::le, 4).lo == 3);  // 7 - id <= 4
  CHECK(compare_id(warp_id, 0, -1, 7, Relation::gt, 4).hi == 3);  // 7 - id > 4
  CHECK(compare_id(warp_id, 0, 1, 0, Relation::gt, INT64_MAX).lo == INT64_MAX);
  for (const std::int64_t c : {-3, 0, 5}) {
    for (const int sign : {1, -1}) {
      for (std::int64_t v = -9; v < 9; ++v) {
        for (std::int64_t id = 0; id < 8; ++id) {
          const std::int64_t x = sign * id + c;
          const bool expected[] = {x == v, x != v, x<v, x <= v, x> v, x >= v};
          for (int r = 0; r < 6; ++r) {
            const IdRange range = compare_id(warp_id, 0, sign, c, static_cast<Relation>(r), v);
            REQUIRE(((id >= range.lo && id < range.hi) != range.negated) == expected[r]);
          }
        }
      }
    }
  }
}
