// Is there an order between two accesses?  The threads of one CTA and the rules by which they order
// memory (docs/simulator.md, "Races"; PTX ISA 8, memory consistency model).
//
// Lanes of a warp that know the same form a group; usually there is one.  What a lane did itself is
// ordered for itself only, until a synchronisation of its warp or a wider one says so to the
// others. Every release ends a tick of the warp, so that what comes after it is told apart from
// what was released; every acquire does too, so that knowledge never changes within a tick.
//
// What other operations add: a transfer that runs on its own is begun with start(), its accesses
// are made with read_async() and write_async(), and its end is complete()d into an Object (an
// mbarrier) or waited for by a thread (await).  An mbarrier is an Object: arrive is release(), a
// wait that succeeded is acquire().  fence.proxy.async is fence_proxy().
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "sim/race/clock.hpp"
#include "sim/race/space.hpp"
#include "sim/race/trace.hpp"

namespace tirx::sim::race {

/// The rules as they are; tests break one at a time and must notice (race_oracle_test.cpp).
struct ExactRules {
  static constexpr bool kSingleReader = false;  // only the last read is remembered
  static constexpr bool kNoProxyClock = false;  // the async proxy sees what threads see
  static constexpr bool kAtomicsOrder = false;  // atomics never race with anything
  static constexpr bool kNoTick = false;        // a release does not end the tick
  static constexpr bool kLanesMerged = false;   // a warp's lanes are one thread
  static constexpr bool kReadsLost = false;     // a write does not look at the reads before it
  static constexpr bool kAnyScope = false;      // scopes are ignored
  static constexpr bool kWholeWarp = false;     // warp_sync ignores its mask
  static constexpr bool kRelaxedSynchronises = false;  // relaxed atomics release and acquire
  static constexpr bool kStoreContinues = false;       // a plain store continues a release sequence
};

/// What has been released to something that others can acquire from.
struct Object {
  Clock clock;
  Clock proxy;
  bool empty = true;
  bool bridged = false;            // proxy holds something
  std::vector<Trace::Node> nodes;  // a trace's, if there is one: what was released

  void clear(std::uint32_t cta) {
    clock.clear(cta);
    proxy.clear(cta);
    empty = true;
    bridged = false;
    nodes.clear();
  }

  void join(const Object& other) {
    clock.join(other.clock);
    if (other.bridged) proxy.join(other.proxy);
    empty = empty && other.empty;
    bridged = bridged || other.bridged;
    nodes.insert(nodes.end(), other.nodes.begin(), other.nodes.end());
  }
};

/// A word of memory through which threads synchronise: what was released to it, as far as each
/// scope reaches.
struct Location {
  struct Part {
    Scope scope;
    std::uint32_t group;  // the CTA, the cluster, or 0
    Object object;
  };

  std::vector<Part> parts;
};

enum class Prior : std::uint8_t { write, read, atomic };

/// Two accesses without an order between them.
struct Conflict {
  Prior prior = Prior::write;
  std::uint32_t stamp = 0;  // of the earlier one
  Lanes prior_lanes = 0;    // that are not ordered
  Lanes lanes = 0;          // of the later one
};

/// A transfer that runs on its own, or those of several lanes that were issued together (by threads
/// that know the same; the lanes' transfers are concurrent).
struct Transfer {
  std::uint32_t actor = 0;
  Tick tick = 0;
  bool proxy = false;  // the async proxy's
  std::uint32_t warp = 0;
  Lanes lanes = 0;  // that issued it
  Clock clock;
  Clock seen;                           // what is visible to the async proxy
  std::array<Trace::Node, 32> nodes{};  // by lane, in a trace
};

template <typename Rules>
class BasicDetector {
 public:
  Trace* trace = nullptr;  // what happens is written down

  /// Begins a CTA: its number (clusters are contiguous), CTAs per cluster, the lanes of its warps.
  /// `narrow`: some operation's scope is below gpu.
  void reset(std::uint32_t cta,
             std::uint32_t cluster_size,
             const std::vector<Lanes>& warps,
             bool narrow);

  [[nodiscard]] std::uint32_t cta() const { return cta_; }

  [[nodiscard]] Tick tick(std::uint32_t warp) const { return warps_[warp].tick; }

  /// All lanes of the warp know the same.
  [[nodiscard]] bool together(std::uint32_t warp) const { return warps_[warp].groups.size() == 1; }

  /// A stamp for what the warp does at a site before its tick ends.
  [[nodiscard]] std::uint32_t make_stamp(Space& space,
                                         std::uint32_t warp,
                                         std::uint32_t site,
                                         bool strong = false,
                                         Scope scope = Scope::sys) const;

  // Accesses of `lanes` to one granule; conflict(Conflict) is called for each access before it that
  // is not ordered.
  template <typename F>
  void read(Space& space, Cell cell, std::uint32_t warp, Lanes lanes, std::uint32_t stamp, F&& f);
  template <typename F>
  void write(Space& space, Cell cell, std::uint32_t warp, Lanes lanes, std::uint32_t stamp, F&& f);
  template <typename F>
  void atomic(Space& space, Cell cell, std::uint32_t warp, Lanes lanes, std::uint32_t stamp, F&& f);

  /// Whether what a stamp's lane did is ordered before what lane `me` of the warp does now.
  [[nodiscard]] bool ordered(
      const Space& space, std::uint32_t stamp, Lanes lanes, std::uint32_t warp, std::uint32_t me);

  /// The lanes of an actor of which some of these lanes of the warp do not know what they did at
  /// `tick`.
  [[nodiscard]] Lanes unknown_to(
      std::uint32_t warp, Lanes lanes, std::uint32_t actor, Lanes prior_lanes, Tick tick) const {
    Lanes unknown = 0;
    for (const Group& group : warps_[warp].groups) {
      if ((group.lanes & lanes) == 0) continue;
      unknown |= group.clock.unknown(cta_, actor, prior_lanes, tick);
    }
    return unknown;
  }

  // Synchronisation.
  void warp_sync(std::uint32_t warp, Lanes lanes);
  void release(Object& object, std::uint32_t warp, Lanes lanes);
  void acquire(const Object& object, std::uint32_t warp, Lanes lanes);
  /// Acquires from an object to which these lanes have released: they know the same afterwards.
  void meet(const Object& object, std::uint32_t warp, Lanes lanes);
  /// Lanes that return have arrived at every barrier that waits for them.
  void leave(std::uint32_t warp, Lanes lanes);

  /// What the lanes that have returned did and knew.
  [[nodiscard]] const Object& left();

  // PTX memory model: fences, and operations on words by which threads synchronise.
  void fence(std::uint32_t warp, Lanes lanes, Scope scope);
  /// A strong write: `replaces` if it is no read-modify-write.
  void strong_write(Location& location,
                    std::uint32_t warp,
                    std::uint32_t lane,
                    Scope scope,
                    bool releases,
                    bool replaces);
  void strong_read(
      const Location& location, std::uint32_t warp, std::uint32_t lane, Scope scope, bool acquires);

  /// A relaxed arrival at an object: it releases what a fence before it covers.
  void release_fenced(Object& object, std::uint32_t warp, Lanes lanes);
  /// A relaxed wait: a fence that follows acquires the object.
  void note(const Object& object, std::uint32_t warp, Lanes lanes);

  /// Whether a strong write would leave anything behind (else nobody needs the location).
  [[nodiscard]] bool has_fenced(std::uint32_t warp, std::uint32_t lane) const {
    return Rules::kRelaxedSynchronises ||
           (!warps_[warp].fenced.empty() && warps_[warp].fenced[lane] != nullptr);
  }

  // Asynchronous transfers.
  [[nodiscard]] bool is_transfer(std::uint32_t actor) const { return actor >= warps_.size(); }

  /// The warp that issued an actor's last transfer; a warp's own number.
  [[nodiscard]] std::uint32_t warp_of(std::uint32_t actor) const {
    return is_transfer(actor) ? slots_[actor - warps_.size()].warp : actor;
  }

  void fence_proxy(std::uint32_t warp, Lanes lanes);
  /// One transfer for each group of lanes that know the same.
  [[nodiscard]] std::vector<Transfer> start(std::uint32_t warp, Lanes lanes, bool proxy);
  [[nodiscard]] std::uint32_t make_stamp(Space& space,
                                         const Transfer& by,
                                         std::uint32_t site) const;
  template <typename F>
  void read_async(
      Space& space, Cell cell, const Transfer& by, std::uint32_t lane, std::uint32_t stamp, F&& f);
  template <typename F>
  void write_async(
      Space& space, Cell cell, const Transfer& by, std::uint32_t lane, std::uint32_t stamp, F&& f);
  /// Transfers of these lanes end: whoever acquires from the object is ordered after them.
  void complete(const Transfer& by, Lanes lanes, Object& object);
  /// These lanes have waited, each for its own.
  void await(const Transfer& by, Lanes lanes);

 private:
  struct Group {
    Lanes lanes = 0;
    Clock clock;
    Clock proxy;
    bool bridged = false;  // proxy holds something
  };

  /// What a lane's last fence covers.
  struct Fenced {
    Object object;
    Scope scope = Scope::sys;
  };

  struct WarpState {
    Tick tick = 1;
    Lanes exists = 0;
    Lanes exited = 0;
    Object left;          // what the lanes that have returned knew
    bool untold = false;  // the last lanes have returned, which left_ does not know yet
    std::vector<Group> groups;
    std::vector<std::shared_ptr<const Fenced>> fenced;  // by lane; empty: none
    std::vector<std::shared_ptr<Location>> pending;     // read by relaxed operations; by lane
    std::vector<Tick> bridged;  // by lane: what it did itself is visible to the async proxy
  };

  /// Whose access is checked.
  struct View {
    const Clock* clock;
    const Clock* proxy;  // for the async proxy
    std::uint32_t actor;
    Lanes lanes;
    bool thread;  // program order counts
    bool async;
    std::uint32_t owner;  // the warp, or the one that issued the transfer
    Tick tick;            // of a transfer
  };

  /// The last use of a transfer's actor; these follow the warps.
  struct Slot {
    Tick tick = 0;
    std::uint32_t warp = 0;
    Lanes lanes = 0;
    Lanes waited = 0;   // lanes that waited for their own
    Lanes bridged = 0;  // … and made it visible to the async proxy
  };

  [[nodiscard]] Lanes unordered(const Stamp& prior, Lanes prior_lanes, const View& me) const;
  template <typename F>
  void check(
      const Space& space, Word word, Prior kind, const View& me, const Stamp& mine, F& f) const;
  Word add(Space& space, Word word, const View& me, std::uint32_t stamp, std::size_t most) const;
  template <typename F>
  void for_groups(std::uint32_t warp, Lanes lanes, F&& f);
  Group& split(WarpState& warp, Lanes lanes, Lanes like);
  [[nodiscard]] static Lanes with_absent(const WarpState& warp, Lanes lanes);
  [[nodiscard]] std::uint32_t free_slot();
  void raise_waited(Clock& clock, std::uint32_t warp, Lanes lanes, Lanes Slot::*which) const;
  void raise_bridged(Clock& proxy, std::uint32_t warp, Lanes lanes) const;
  void tell(Object& object, const Group& group, std::uint32_t warp, Lanes lanes, Tick tick) const;
  void learn(Group& group, const Object& object) const;
  [[nodiscard]] bool reaches(const Stamp& a, const Stamp& b) const;

  void end_tick(WarpState& warp) const {
    if (!Rules::kNoTick) ++warp.tick;
  }

  // Accesses of a chain that add() compares with a further one.
  static constexpr std::size_t kMostReads = 64, kNoLimit = ~std::size_t{0};

  mutable std::vector<Link> kept_;  // add()'s, so that it need not be made each time
  std::uint32_t cta_ = 0;
  std::uint32_t cluster_size_ = 1;
  bool narrow_ = true;
  std::vector<WarpState> warps_;
  Object left_;
  std::vector<Slot> slots_;
};

using Detector = BasicDetector<ExactRules>;

}  // namespace tirx::sim::race

#include "sim/race/detector.inc"
#include "sim/race/detector_sync.inc"
