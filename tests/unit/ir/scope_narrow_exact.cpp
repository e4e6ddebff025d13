// Narrowing against the definition: random guards on random launches, decided thread by thread.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "ir/scope/narrow.hpp"
#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

struct Thread {
  std::int64_t linear = 0;
  std::vector<std::int64_t> rank;  // in the cluster
};

struct World {
  ThreadSpace space;
  std::int64_t cluster = 0;  // which cluster, along every dimension
  std::int64_t elected = 0;  // which lane
};

std::int64_t id_of(const World& world, const Thread& t, ScopeIdKind id, int dim) {
  const auto d = static_cast<std::size_t>(dim);
  const auto& block = world.space.block;
  const auto& cluster = world.space.cluster;
  switch (id) {
    case ScopeIdKind::cta_id:
      return d < cluster.size() ? world.cluster * cluster[d] + t.rank[d] : world.cluster;
    case ScopeIdKind::cluster_id:
      return world.cluster;
    case ScopeIdKind::cta_id_in_cluster:
      return d < cluster.size() ? t.rank[d] : 0;
    case ScopeIdKind::cta_id_in_pair: {
      std::int64_t rank = 0;
      for (std::size_t i = cluster.size(); i-- > 0;) rank = rank * cluster[i] + t.rank[i];
      return rank % 2;
    }
    case ScopeIdKind::warpgroup_id:
      return t.linear / 128;
    case ScopeIdKind::warp_id:
      return t.linear / 32;
    case ScopeIdKind::warp_id_in_wg:
      return t.linear / 32 % 4;
    case ScopeIdKind::lane_id:
      return t.linear % 32;
    case ScopeIdKind::thread_id: {
      std::int64_t rest = t.linear;
      for (std::size_t i = 0; i < d && i < block.size(); ++i) rest /= block[i];
      return d < block.size() ? rest % block[d] : 0;
    }
    case ScopeIdKind::thread_id_in_wg:
      return t.linear % 128;
  }
  return 0;
}

/// What the condition says about one thread; opaque atoms pass by a rule of their own.
bool passes(const World& world, const Thread& t, const Atom& atom) {
  if (const auto* range = std::get_if<IdRange>(&atom.test)) {
    const std::int64_t id = id_of(world, t, range->id, range->dim);
    return (id >= range->lo && id < range->hi) != range->negated;
  }
  if (const auto* modulo = std::get_if<IdModulo>(&atom.test)) {
    const std::int64_t id = id_of(world, t, modulo->id, modulo->dim);
    return (id % modulo->modulus == modulo->residue) != modulo->negated;
  }
  if (std::holds_alternative<Elect>(atom.test)) return t.linear % 32 == world.elected;
  switch (std::get<OpaqueAtom>(atom.test).uniform_over) {
    case ExecScope::thread:
      return t.linear % 7 != 3;
    case ExecScope::warp:
      return t.linear / 32 % 3 != 1;
    case ExecScope::warpgroup:
      return t.linear / 128 % 2 == 0;
    default:
      return true;
  }
}

bool in_box(const World& world, const ActiveSet& set, const Thread& t) {
  if (set.empty) return false;
  const std::int64_t lane = t.linear % 32;
  const bool lane_in = set.elected ? lane == world.elected : set.laneid.contains(lane);
  bool in = lane_in && set.warpid.contains(t.linear / 32);
  for (std::size_t i = 0; i < set.cta.size(); ++i) in = in && set.cta[i].contains(t.rank[i]);
  return in;
}

std::vector<Thread> threads_of(const ThreadSpace& space) {
  std::vector<Thread> out;
  std::vector<std::int64_t> reversed(space.cluster.rbegin(), space.cluster.rend());
  for (std::vector<std::int64_t> rank : coordinates_of(reversed)) {
    std::reverse(rank.begin(), rank.end());
    for (std::int64_t t = 0; t < space.threads(); ++t) out.push_back({t, rank});
  }
  return out;
}

/// A number that is the same exactly for the threads of one instance of a scope.
std::int64_t instance_of(const Thread& t, ExecScope scope) {
  std::int64_t cta = 0;
  for (const std::int64_t r : t.rank) cta = cta * 16 + r;
  const std::int64_t sizes[] = {1, 32, 128};
  if (scope >= ExecScope::cluster) return 0;
  if (scope >= ExecScope::cta) return cta;
  return cta * 100000 + t.linear / sizes[static_cast<std::size_t>(scope)];
}

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<unsigned>(n));
  }

  ThreadSpace space() {
    static const std::vector<std::int64_t> kBlocks[] = {
        {32}, {64}, {128}, {192}, {256}, {512}, {32, 4}, {16, 8}, {64, 2}, {8, 4, 4}, {48}, {16}};
    static const std::vector<std::int64_t> kClusters[] = {{1}, {1}, {2}, {4}, {2, 2}, {3, 2}};
    return {kBlocks[below(12)], kClusters[below(6)]};
  }

  Atom atom(const ThreadSpace& space) {
    const std::int64_t form = below(20);
    if (form == 0) return {Elect{}, {}};
    if (form == 1) {
      const ExecScope scopes[] = {ExecScope::thread, ExecScope::warp, ExecScope::warpgroup,
                                  ExecScope::kernel};
      return {OpaqueAtom{scopes[below(4)], "a value"}, {}};
    }
    const auto id = static_cast<ScopeIdKind>(below(10));
    int dim = 0;
    if (id == ScopeIdKind::thread_id)
      dim = static_cast<int>(below(static_cast<std::int64_t>(space.block.size())));
    if (facts_of(id).parent == ExecScope::kernel || id == ScopeIdKind::cta_id_in_cluster) {
      dim = static_cast<int>(below(2));
    }
    const bool negated = below(4) == 0;
    if (form < 6) {
      const std::int64_t m = std::int64_t{1} << below(7);
      return {IdModulo{id, dim, m, below(m), negated}, {}};
    }
    // Ranges that cut the id's own values, often at multiples of something.
    const std::int64_t extent = extent_of(space, id);
    const std::int64_t grain = std::min<std::int64_t>(extent, std::int64_t{1} << below(8));
    const std::int64_t lo = (below(extent / grain + 1)) * grain;
    const std::int64_t hi = lo + (1 + below(extent / grain + 1)) * grain;
    return {IdRange{id, dim, below(3) == 0 ? -5 : lo, below(3) == 0 ? extent + 5 : hi, negated},
            {}};
  }

  static std::int64_t extent_of(const ThreadSpace& space, ScopeIdKind id) {
    const std::int64_t fixed = facts_of(id).hardware_extent;
    if (fixed != 0) return fixed;
    if (id == ScopeIdKind::thread_id) return space.threads();
    if (id == ScopeIdKind::warp_id) return space.warps();
    return id == ScopeIdKind::warpgroup_id ? (space.warps() + 3) / 4 : 4;
  }

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE(
    "accepted guards are exact, the others a superset; collective operations are told the truth") {
  Maker make(7);
  int exact = 0;
  int opaque = 0;
  int splits = 0;
  int smaller = 0;  // exact, and neither everything nor nothing
  for (int round = 0; round < 6000; ++round) {
    World world{make.space(), make.below(3), make.below(32)};
    world.elected %= world.space.lanes();
    const std::vector<Thread> threads = threads_of(world.space);
    ActiveSet set = must(initial_active_set(world.space.block, world.space.cluster));
    std::vector<bool> truth(threads.size(), true);
    const std::int64_t depth = 1 + make.below(2);
    for (std::int64_t level = 0; level < depth; ++level) {
      std::vector<Atom> atoms;
      const std::int64_t conjuncts = 1 + make.below(2);
      for (std::int64_t i = 0; i < conjuncts; ++i) atoms.push_back(make.atom(world.space));
      const Branches branches = narrow(set, atoms);
      const bool then = make.below(3) != 0;
      set = then ? branches.then : branches.otherwise;
      for (std::size_t i = 0; i < threads.size(); ++i) {
        const bool all = std::all_of(atoms.begin(), atoms.end(), [&](const Atom& atom) {
          return passes(world, threads[i], atom);
        });
        truth[i] = truth[i] && all == then;
      }
    }
    CAPTURE(to_string(set));
    // The box contains every thread that gets here.
    bool same = true;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const bool inside = in_box(world, set, threads[i]);
      REQUIRE((!truth[i] || inside));
      same = same && truth[i] == inside;
    }
    ++(set.opaque.empty() ? exact : opaque);
    const std::int64_t everything = world.space.threads() * world.space.ctas();
    smaller += set.opaque.empty() && !set.empty && set.size() < everything ? 1 : 0;
    // Uniform guards of clusters and beyond leave no trace: then either all of the box gets here or
    // none.
    const bool none = std::none_of(truth.begin(), truth.end(), [](bool t) { return t; });
    if (set.opaque.empty()) REQUIRE((same || none));
    for (const ExecScope scope :
         {ExecScope::warp, ExecScope::warpgroup, ExecScope::cta, ExecScope::cluster}) {
      const auto parts = split(set, scope);
      if (!parts || set.empty) continue;
      ++splits;
      std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> count;  // in truth, in the box
      for (std::size_t i = 0; i < threads.size(); ++i) {
        auto& [here, boxed] = count[instance_of(threads[i], scope)];
        here += truth[i] ? 1 : 0;
        boxed += in_box(world, set, threads[i]) ? 1 : 0;
      }
      std::int64_t full = set.space.lanes();
      if (scope == ExecScope::warpgroup) full = 128;
      if (scope >= ExecScope::cta) full = set.space.threads();
      if (scope == ExecScope::cluster) full *= set.space.ctas();
      for (const auto& [instance, counts] : count) {
        const auto& [here, boxed] = counts;
        REQUIRE((here == 0 || here == boxed));
        REQUIRE((boxed == 0 || boxed == parts->thread_count()));
        if (boxed > 0) REQUIRE(all_threads_active(set, scope) == (boxed == full));
      }
    }
  }
  MESSAGE("guards: " << exact << " exact, " << opaque << " opaque, " << smaller
                     << " exact and smaller, " << splits << " splits");
  CHECK(exact > 2000);
  CHECK(opaque > 500);
  CHECK(splits > 5000);
  CHECK(smaller > 600);
}

TEST_CASE("uniform_scope is what it says") {
  Maker make(11);
  for (int round = 0; round < 3000; ++round) {
    const World world{make.space(), make.below(3), 0};
    const Atom atom = make.atom(world.space);
    if (std::holds_alternative<OpaqueAtom>(atom.test)) continue;
    const ExecScope scope = uniform_scope(atom, world.space);
    std::map<std::int64_t, bool> decision;
    for (const Thread& t : threads_of(world.space)) {
      const bool p = passes(world, t, atom);
      const auto [it, fresh] = decision.emplace(instance_of(t, scope), p);
      REQUIRE(it->second == p);
    }
  }
}
