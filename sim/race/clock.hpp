// What does a thread know of the others?  Vector clocks (Mattern; Lamport's happens-before) over
// the actors of a launch: for each actor the tick up to which everything it did is ordered before
// now.
//
// Actors are warps and asynchronous transfers.  The lanes of a warp share its tick; where a
// synchronisation orders some of its lanes only, a row holds one tick for each lane.  Ticks have 64
// bits and cannot overflow.  Knowledge of other CTAs is rare, so it is kept apart: an immutable
// window for each CTA that is known, shared between clocks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tirx::sim::race {

using Tick = std::uint64_t;
using Lanes = std::uint32_t;

inline constexpr std::uint32_t kAllLanes = 0xffffffffU;

/// What is known of the actors of one CTA.
class Window {
 public:
  void clear();

  /// The lanes of an actor of which what they did at `tick` is not known.
  [[nodiscard]] Lanes unknown(std::uint32_t actor, Lanes lanes, Tick tick) const {
    if (actor < base_.size() && base_[actor] >= tick) return 0;
    return rows_.empty() ? lanes : unknown_in_row(actor, lanes, tick);
  }

  /// All lanes are known up to this tick.
  [[nodiscard]] Tick known(std::uint32_t actor) const {
    return actor < base_.size() ? base_[actor] : 0;
  }

  /// Some lanes of an actor become known; `absent` lanes do not exist.
  void raise(std::uint32_t actor, Lanes lanes, Tick tick, Lanes absent);
  void join(const Window& other);

 private:
  struct Row {
    std::uint32_t actor;
    std::array<Tick, 32> tick;
  };

  [[nodiscard]] Lanes unknown_in_row(std::uint32_t actor, Lanes lanes, Tick tick) const;
  Row& row(std::uint32_t actor);
  void lift(Row& row);
  void raise_all(std::uint32_t actor, Tick tick);

  std::vector<Tick> base_;
  std::vector<Row> rows_;
};

/// What is known of all CTAs.
class Clock {
 public:
  void clear(std::uint32_t cta);

  [[nodiscard]] Lanes unknown(std::uint32_t cta,
                              std::uint32_t actor,
                              Lanes lanes,
                              Tick tick) const {
    if (cta == cta_) return own_.unknown(actor, lanes, tick);
    const Window* window = foreign(cta);
    return window == nullptr ? lanes : window->unknown(actor, lanes, tick);
  }

  [[nodiscard]] const Window& own() const { return own_; }

  [[nodiscard]] std::uint32_t cta() const { return cta_; }

  void raise(std::uint32_t cta, std::uint32_t actor, Lanes lanes, Tick tick, Lanes absent);
  void join(const Clock& other);

 private:
  using Foreign = std::pair<std::uint32_t, std::shared_ptr<const Window>>;

  [[nodiscard]] const Window* foreign(std::uint32_t cta) const;
  void join_foreign(std::uint32_t cta, const std::shared_ptr<const Window>& window);

  std::uint32_t cta_ = 0;
  Window own_;
  std::vector<Foreign> foreign_;  // by CTA
};

/// A clock of which no part is a CTA's own.
inline constexpr std::uint32_t kNoCta = 0xffffffffU;

}  // namespace tirx::sim::race
