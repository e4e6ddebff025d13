// Is the race detector right?  Random traces of a few threads (lanes of warps of CTAs of clusters)
// with every kind of synchronisation, asynchronous transfers among them; the first access of each
// trace that has an unordered conflict before it is known from the closure of the happens-before
// graph, edge by edge, and has to be the detector's first report.  Then each of the detector's
// rules is broken, and the same comparison must notice.
#include "tests/unit/sim/race_oracle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "sim/race/detector.hpp"
#include "tests/unit/sim/race_mutants.hpp"

namespace tirx::sim::race {

namespace {

constexpr std::uint32_t kCells = 3, kObjects = 2, kLocations = 2;

/// One random trace at a time, told to the detector and to the oracle.
template <typename Rules>
class Trial {
 public:
  explicit Trial(std::uint64_t seed) : random_(seed) {
    space_.shadows.emplace_back(0, kCells, 0, 2, true);
    space_.set_limit(64);  // numbers are given anew all the time
  }

  /// Whether the detector's first report is the oracle's.
  bool run() {
    begin();
    const std::uint32_t events = 5 + random_.below(14);
    for (std::uint32_t i = 0; i < events && oracle_.room(); ++i) {
      now_ = static_cast<int>(i);
      event();
      if (space_.wants_collection()) space_.collect();
      if (found_ != expected_) return false;
      if (found_ != kNever) break;
    }
    ++(found_ == kNever ? clean : racy);
    return true;
  }

  std::uint64_t clean = 0, racy = 0;

 private:
  // What a strong write has left for others, in the oracle's terms.
  struct Head {
    int node;
    int cta;
    Scope scope;
  };

  struct Running {
    Transfer transfer;
    std::array<int, 32> node;
  };

  void begin() {
    ctas_ = 1 + random_.below(2);
    if (random_.below(8) == 0) ctas_ = 3;
    warps_ = 1 + random_.below(2);
    lanes_ = 1 + random_.below(3);
    cluster_ = ctas_ == 2 ? 1 + random_.below(2) : 1;
    const std::vector<Lanes> exist(warps_, (Lanes{1} << lanes_) - 1);
    detectors_.resize(ctas_);
    for (std::uint32_t c = 0; c < ctas_; ++c) detectors_[c].reset(c, cluster_, exist, true);
    space_.clear();
    oracle_.reset();
    last_.assign(ctas_ * warps_ * lanes_, -1);
    exited_.assign(last_.size(), 0);
    fenced_.assign(last_.size(), Head{-1, 0, Scope::cta});
    seen_.assign(last_.size(), {});
    left_.assign(ctas_, {});
    for (std::uint32_t i = 0; i < kObjects; ++i) {
      objects_[i].clear(kNoCta);
      releases_[i].clear();
    }
    for (std::uint32_t i = 0; i < kLocations; ++i) {
      locations_[i].parts.clear();
      heads_[i].clear();
    }
    running_.clear();
    found_ = expected_ = kNever;
  }

  [[nodiscard]] std::size_t thread(std::uint32_t cta,
                                   std::uint32_t warp,
                                   std::uint32_t lane) const {
    return (cta * warps_ + warp) * lanes_ + lane;
  }

  /// A thread takes a step that follows its last one and others.
  int step(std::size_t t, std::vector<int> before = {}, bool bridge = false) {
    before.push_back(last_[t]);
    return last_[t] = oracle_.node(before, bridge);
  }

  auto report() {
    return [this](const Conflict&) { found_ = std::min(found_, now_); };
  }

  void event() {
    const std::uint32_t c = random_.below(ctas_), w = random_.below(warps_);
    const std::uint32_t l = random_.below(lanes_);
    if (exited_[thread(c, w, l)] != 0) return;
    switch (random_.below(22)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
        return access(c, w, l);
      case 7:
      case 8:
        return warp_sync(c, w);
      case 9:
        return barrier(c);
      case 10:
        return named(c, w);
      case 11:
        return release(c, w, l);
      case 12:
        return acquire(c, w, l);
      case 13:
        return cluster_barrier(c);
      case 14:
        return fence(c, w, l);
      case 15:
        return atomic_word(c, w, l);
      case 16:
        return atomic_word(c, w, l);
      case 17:
      case 18:
        return transfer(c, w, l);
      case 19:
        return proxy_fence(c, w, l);
      case 20:
        if (random_.below(6) == 0) leave(c, w, l);
        return;
      default:
        return end_transfer(c, w, l);
    }
  }

  /// Lanes of the warp that are still there: one of them, or all.
  Lanes some(std::uint32_t c, std::uint32_t w, std::uint32_t l, std::uint32_t all_of) {
    Lanes lanes = Lanes{1} << l;
    if (random_.below(all_of) == 0) {
      for (std::uint32_t i = 0; i < lanes_; ++i) {
        if (exited_[thread(c, w, i)] == 0) lanes |= Lanes{1} << i;
      }
    }
    return lanes;
  }

  template <typename F>
  void for_each_lane(Lanes lanes, F&& f) {
    for (; lanes != 0; lanes &= lanes - 1) f(static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }

  void access(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const std::uint32_t cell = random_.below(kCells), kind = random_.below(8);
    const bool strong = kind >= 6, write = kind >= 3 && kind != 6;
    const Scope scope = strong ? static_cast<Scope>(random_.below(4)) : Scope::sys;
    const Lanes lanes = some(c, w, l, 3);
    for_each_lane(lanes, [&](std::uint32_t lane) {
      const std::size_t t = thread(c, w, lane);
      const typename Oracle::Access a{step(t),
                                      static_cast<int>(t),
                                      static_cast<int>(c),
                                      static_cast<int>(cell),
                                      write,
                                      strong,
                                      false,
                                      scope};
      if (oracle_.access(a, cluster_)) expected_ = std::min(expected_, now_);
      oracle_.record(a);
    });
    BasicDetector<Rules>& d = detectors_[c];
    const std::uint32_t stamp = d.make_stamp(space_, w, cell, strong, scope);
    const Cell at = space_.shadows[0].cell(cell);
    if (!write) {
      d.read(space_, at, w, lanes, stamp, report());
    } else if (strong) {
      d.atomic(space_, at, w, lanes, stamp, report());
    } else {
      d.write(space_, at, w, lanes, stamp, report());
    }
  }

  void warp_sync(std::uint32_t c, std::uint32_t w) {
    Lanes lanes = 0;
    for (std::uint32_t i = 0; i < lanes_; ++i) {
      if (exited_[thread(c, w, i)] == 0 && random_.below(4) != 0) lanes |= Lanes{1} << i;
    }
    if (lanes == 0) return;
    std::vector<int> before;
    for_each_lane(lanes, [&](std::uint32_t i) { before.push_back(last_[thread(c, w, i)]); });
    // Lanes of the warp that have returned count as arrived.
    for (std::uint32_t i = 0; i < lanes_; ++i) {
      if (exited_[thread(c, w, i)] != 0) before.push_back(own_last_[thread(c, w, i) % 64]);
    }
    const int n = oracle_.node(before);
    for_each_lane(lanes, [&](std::uint32_t i) { last_[thread(c, w, i)] = n; });
    detectors_[c].warp_sync(w, lanes);
  }

  /// A barrier of the whole CTA, for which threads that returned have arrived.
  void barrier(std::uint32_t c) {
    Object object;
    object.clear(c);
    std::vector<int> before = left_[c];
    for (std::size_t t = thread(c, 0, 0); t < thread(c + 1, 0, 0); ++t) {
      if (exited_[t] == 0) before.push_back(last_[t]);
    }
    const int n = oracle_.node(before);
    for (std::size_t t = thread(c, 0, 0); t < thread(c + 1, 0, 0); ++t) {
      if (exited_[t] == 0) last_[t] = n;
    }
    for (std::uint32_t w = 0; w < warps_; ++w) {
      if (live(c, w) != 0) detectors_[c].release(object, w, live(c, w));
    }
    object.join(detectors_[c].left());
    for (std::uint32_t w = 0; w < warps_; ++w) {
      if (live(c, w) != 0) detectors_[c].meet(object, w, live(c, w));
    }
  }

  [[nodiscard]] Lanes live(std::uint32_t c, std::uint32_t w) const {
    Lanes lanes = 0;
    for (std::uint32_t i = 0; i < lanes_; ++i) {
      if (exited_[thread(c, w, i)] == 0) lanes |= Lanes{1} << i;
    }
    return lanes;
  }

  /// One warp arrives, the others of the CTA wait.
  void named(std::uint32_t c, std::uint32_t arriving) {
    Object object;
    object.clear(c);
    std::vector<int> before;
    for (std::uint32_t w = 0; w < warps_; ++w) {
      for_each_lane(live(c, w), [&](std::uint32_t i) { before.push_back(last_[thread(c, w, i)]); });
      if (live(c, w) != 0) detectors_[c].release(object, w, live(c, w));
    }
    const int n = oracle_.node(before);
    for (std::uint32_t w = 0; w < warps_; ++w) {
      if (w == arriving || live(c, w) == 0) continue;
      for_each_lane(live(c, w), [&](std::uint32_t i) { last_[thread(c, w, i)] = n; });
      detectors_[c].meet(object, w, live(c, w));
    }
    for_each_lane(live(c, arriving), [&](std::uint32_t i) { step(thread(c, arriving, i)); });
  }

  void cluster_barrier(std::uint32_t c) {
    if (cluster_ == 1) return;
    const std::uint32_t first = c / cluster_ * cluster_;
    Object object;
    object.clear(kNoCta);
    std::vector<int> before;
    for (std::uint32_t d = first; d < first + cluster_; ++d) {
      for (std::uint32_t w = 0; w < warps_; ++w) {
        for_each_lane(live(d, w),
                      [&](std::uint32_t i) { before.push_back(last_[thread(d, w, i)]); });
        if (live(d, w) != 0) detectors_[d].release(object, w, live(d, w));
      }
    }
    const int n = oracle_.node(before);
    for (std::uint32_t d = first; d < first + cluster_; ++d) {
      for (std::uint32_t w = 0; w < warps_; ++w) {
        for_each_lane(live(d, w), [&](std::uint32_t i) { last_[thread(d, w, i)] = n; });
        if (live(d, w) != 0) detectors_[d].acquire(object, w, live(d, w));
      }
    }
  }

  /// mbarrier arrive and wait.
  void release(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const std::uint32_t o = random_.below(kObjects);
    const Lanes lanes = some(c, w, l, 3);
    for_each_lane(lanes, [&](std::uint32_t i) {
      const std::size_t t = thread(c, w, i);
      releases_[o].push_back(last_[t]);
    });
    detectors_[c].release(objects_[o], w, lanes);
  }

  void acquire(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const std::uint32_t o = random_.below(kObjects);
    const Lanes lanes = some(c, w, l, 3);
    for_each_lane(lanes, [&](std::uint32_t i) { step(thread(c, w, i), releases_[o]); });
    detectors_[c].acquire(objects_[o], w, lanes);
  }

  /// Whether what was released at one scope reaches a reader at another.
  [[nodiscard]] bool compatible(const Head& head, std::uint32_t c, Scope scope) const {
    const auto cs = static_cast<int>(cluster_), cta = static_cast<int>(c);
    const Scope least = std::min(head.scope, scope);
    if (head.cta == cta || least >= Scope::gpu) return true;
    return head.cta / cs == cta / cs && least >= Scope::cluster;
  }

  void fence(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const auto scope = static_cast<Scope>(random_.below(4));
    const Lanes lanes = some(c, w, l, 3);
    for_each_lane(lanes, [&](std::uint32_t i) {
      const std::size_t t = thread(c, w, i);
      std::vector<int> before;
      for (const Head& head : seen_[t]) {
        if (compatible(head, c, scope)) before.push_back(head.node);
      }
      seen_[t].clear();
      fenced_[t] = {step(t, before), static_cast<int>(c), scope};
    });
    detectors_[c].fence(w, lanes, scope);
  }

  /// A read, a write or both of a word that threads synchronise through.
  void atomic_word(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const std::uint32_t x = random_.below(kLocations), kind = random_.below(3);
    const auto scope = static_cast<Scope>(random_.below(4));
    const bool ordered = random_.below(2) == 0;  // acquire, release or both; else relaxed
    const std::size_t t = thread(c, w, l);
    const bool reads = kind != 1, writes = kind != 0;
    if (reads) {
      std::vector<int> before;
      for (const Head& head : heads_[x]) {
        if (!compatible(head, c, scope)) continue;
        if (ordered) {
          before.push_back(head.node);
        } else {
          Head kept = head;
          kept.scope = std::min(kept.scope, scope);
          seen_[t].push_back(kept);
        }
      }
      if (ordered) step(t, before);
      detectors_[c].strong_read(locations_[x], w, l, scope, ordered);
    }
    if (writes) {
      if (!reads) heads_[x].clear();
      if (ordered) {
        heads_[x].push_back({step(t), static_cast<int>(c), scope});
      } else if (fenced_[t].node >= 0) {
        heads_[x].push_back(
            {fenced_[t].node, static_cast<int>(c), std::min(fenced_[t].scope, scope)});
      }
      detectors_[c].strong_write(locations_[x], w, l, scope, ordered, !reads);
    }
  }

  /// Copies of one cell to another that run on their own: one, or one of each lane.
  void transfer(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const bool proxy = random_.below(3) == 0;
    const Lanes lanes = proxy ? Lanes{1} << l : some(c, w, l, 2);
    std::array<int, 32> issue{};
    for_each_lane(lanes, [&](std::uint32_t i) { issue[i] = step(thread(c, w, i)); });
    BasicDetector<Rules>& d = detectors_[c];
    for (const Transfer& made : d.start(w, lanes, proxy)) {
      const std::uint32_t stamp = d.make_stamp(space_, made, 0);
      Running running{made, {}};
      for_each_lane(made.lanes, [&](std::uint32_t i) {
        const std::uint32_t from = random_.below(kCells), to = random_.below(kCells);
        const auto tell = [&](std::uint32_t cell, bool write, int after) {
          const int n = oracle_.node({after});
          const typename Oracle::Access a{
              n, -1, static_cast<int>(c), static_cast<int>(cell), write, false, proxy, Scope::sys};
          if (oracle_.access(a, cluster_)) expected_ = std::min(expected_, now_);
          oracle_.record(a);
          return n;
        };
        const int read = tell(from, false, issue[i]);
        d.read_async(space_, space_.shadows[0].cell(from), made, i, stamp, report());
        running.node[i] = tell(to, true, read);
        d.write_async(space_, space_.shadows[0].cell(to), made, i, stamp, report());
      });
      if (random_.below(2) == 0) {
        const std::uint32_t o = random_.below(kObjects);
        const Lanes ending = random_.below(2) == 0 ? made.lanes : made.lanes & (~made.lanes + 1);
        for_each_lane(ending, [&](std::uint32_t i) { releases_[o].push_back(running.node[i]); });
        d.complete(made, ending, objects_[o]);
      }
      running_.push_back(std::move(running));
    }
  }

  /// Threads wait for what they issued, each for its own.
  void end_transfer(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    for (std::size_t k = 0; k < running_.size(); ++k) {
      const Transfer& made = running_[k].transfer;
      if (made.clock.cta() != c || made.warp != w) continue;
      const Lanes lanes = some(c, w, l, 2) & made.lanes & live(c, w);
      if (lanes == 0) continue;
      for_each_lane(lanes, [&](std::uint32_t i) { step(thread(c, w, i), {running_[k].node[i]}); });
      detectors_[c].await(made, lanes);
      return;
    }
  }

  void proxy_fence(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const Lanes lanes = some(c, w, l, 3);
    for_each_lane(lanes, [&](std::uint32_t i) { step(thread(c, w, i), {}, true); });
    detectors_[c].fence_proxy(w, lanes);
  }

  void leave(std::uint32_t c, std::uint32_t w, std::uint32_t l) {
    const std::size_t t = thread(c, w, l);
    exited_[t] = 1;
    left_[c].push_back(last_[t]);
    own_last_[t % 64] = last_[t];
    detectors_[c].leave(w, Lanes{1} << l);
  }

  Random random_;
  Space space_;
  Oracle oracle_;
  std::vector<BasicDetector<Rules>> detectors_;
  std::uint32_t ctas_ = 1, warps_ = 1, lanes_ = 1, cluster_ = 1;
  std::vector<int> last_;
  std::vector<char> exited_;
  std::array<int, 64> own_last_{};
  std::vector<Head> fenced_;
  std::vector<std::vector<Head>> seen_;
  std::vector<std::vector<int>> left_;
  std::array<Object, kObjects> objects_;
  std::array<std::vector<int>, kObjects> releases_;
  std::array<Location, kLocations> locations_;
  std::array<std::vector<Head>, kLocations> heads_;
  std::vector<Running> running_;
  int now_ = 0, found_ = kNever, expected_ = kNever;
};

#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
constexpr int kTraces = 30'000;
#else
constexpr int kTraces = 1'000'000;
#endif

}  // namespace

TEST_CASE("race: the detector agrees with the closure of happens-before") {
  Trial<ExactRules> trial(1);
  int wrong = 0;
  for (int i = 0; i < kTraces; ++i) wrong += trial.run() ? 0 : 1;
  CHECK(wrong == 0);
  // Neither kind of trace is rare.
  CHECK(trial.clean > kTraces / 5);
  CHECK(trial.racy > kTraces / 5);
}

// Each rule is a detector of its own: half a minute for a compiler that instruments all of it.
#if !defined(__SANITIZE_ADDRESS__)
namespace {

/// Whether detector and oracle come to differ on some trace; the search ends with the first.
template <typename Rules>
bool noticed(std::uint64_t seed) {
  Trial<Rules> trial(seed);
  for (int i = 0; i < 1'000'000; ++i) {
    if (!trial.run()) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("race: every broken rule is noticed") {
  CHECK(noticed<SingleReader>(2));
  CHECK(noticed<NoProxyClock>(3));
  CHECK(noticed<AtomicsOrder>(4));
  CHECK(noticed<NoTick>(5));
  CHECK(noticed<LanesMerged>(6));
  CHECK(noticed<ReadsLost>(7));
  CHECK(noticed<AnyScope>(8));
  CHECK(noticed<WholeWarp>(9));
  CHECK(noticed<RelaxedSynchronises>(10));
  CHECK(noticed<StoreContinues>(11));
}
#endif

}  // namespace tirx::sim::race
