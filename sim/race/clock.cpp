#include "sim/race/clock.hpp"

#include <algorithm>
#include <limits>

namespace tirx::sim::race {

void Window::clear() {
  base_.clear();
  rows_.clear();
}

Lanes Window::unknown_in_row(std::uint32_t actor, Lanes lanes, Tick tick) const {
  for (const Row& row : rows_) {
    if (row.actor != actor) continue;
    Lanes missing = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      missing |= static_cast<Lanes>(row.tick[lane] < tick) << lane;
    }
    return lanes & missing;
  }
  return lanes;
}

Window::Row& Window::row(std::uint32_t actor) {
  for (Row& known : rows_) {
    if (known.actor == actor) return known;
  }
  Row fresh{actor, {}};
  fresh.tick.fill(known(actor));
  rows_.push_back(fresh);
  return rows_.back();
}

/// What all lanes of a row have becomes the actor's; a row that says no more than that goes.
void Window::lift(Row& row) {
  const Tick least = *std::min_element(row.tick.begin(), row.tick.end());
  if (least > known(row.actor)) raise_all(row.actor, least);
  const Tick base = known(row.actor);
  bool more = false;
  for (Tick& tick : row.tick) {
    const bool endless = tick == std::numeric_limits<Tick>::max();
    more = more || (tick > base && !endless);
    tick = std::max(tick, base);
  }
  if (!more) {
    row = rows_.back();
    rows_.pop_back();
  }
}

void Window::raise_all(std::uint32_t actor, Tick tick) {
  if (base_.size() <= actor) base_.resize(actor + 1, 0);
  base_[actor] = std::max(base_[actor], tick);
}

void Window::raise(std::uint32_t actor, Lanes lanes, Tick tick, Lanes absent) {
  if ((lanes | absent) == kAllLanes) {
    raise_all(actor, tick);
    if (rows_.empty()) return;
    for (Row& known : rows_) {
      if (known.actor == actor) {
        lift(known);
        return;
      }
    }
    return;
  }
  if (known(actor) >= tick) return;
  Row& known = row(actor);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) != 0) known.tick[lane] = std::max(known.tick[lane], tick);
    if ((absent >> lane & 1) != 0) known.tick[lane] = std::numeric_limits<Tick>::max();
  }
  lift(known);
}

void Window::join(const Window& other) {
  if (base_.size() < other.base_.size()) base_.resize(other.base_.size(), 0);
  for (std::size_t i = 0; i < other.base_.size(); ++i)
    base_[i] = std::max(base_[i], other.base_[i]);
  for (const Row& theirs : other.rows_) {
    Row& mine = row(theirs.actor);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      mine.tick[lane] = std::max(mine.tick[lane], theirs.tick[lane]);
    }
  }
  for (std::size_t i = rows_.size(); i > 0; --i) lift(rows_[i - 1]);
}

void Clock::clear(std::uint32_t cta) {
  cta_ = cta;
  own_.clear();
  foreign_.clear();
}

const Window* Clock::foreign(std::uint32_t cta) const {
  const auto at = std::lower_bound(foreign_.begin(), foreign_.end(), cta,
                                   [](const Foreign& f, std::uint32_t c) { return f.first < c; });
  return at != foreign_.end() && at->first == cta ? at->second.get() : nullptr;
}

void Clock::join_foreign(std::uint32_t cta, const std::shared_ptr<const Window>& window) {
  if (cta == cta_) {
    own_.join(*window);
    return;
  }
  const auto at = std::lower_bound(foreign_.begin(), foreign_.end(), cta,
                                   [](const Foreign& f, std::uint32_t c) { return f.first < c; });
  if (at == foreign_.end() || at->first != cta) {
    foreign_.insert(at, {cta, window});
  } else if (at->second != window) {
    auto both = std::make_shared<Window>(*at->second);
    both->join(*window);
    at->second = std::move(both);
  }
}

void Clock::raise(std::uint32_t cta, std::uint32_t actor, Lanes lanes, Tick tick, Lanes absent) {
  if (cta == cta_) {
    own_.raise(actor, lanes, tick, absent);
    return;
  }
  auto window = std::make_shared<Window>();
  if (const Window* known = foreign(cta); known != nullptr) *window = *known;
  window->raise(actor, lanes, tick, absent);
  const auto at = std::lower_bound(foreign_.begin(), foreign_.end(), cta,
                                   [](const Foreign& f, std::uint32_t c) { return f.first < c; });
  if (at == foreign_.end() || at->first != cta) {
    foreign_.insert(at, {cta, std::move(window)});
  } else {
    at->second = std::move(window);
  }
}

void Clock::join(const Clock& other) {
  if (other.cta_ == cta_) {
    own_.join(other.own_);
  } else if (other.cta_ != kNoCta) {
    join_foreign(other.cta_, std::make_shared<const Window>(other.own_));
  }
  if (other.foreign_.empty()) return;
  // Both are sorted, and long where many CTAs have met at one counter: merged in one pass.
  std::vector<Foreign> merged;
  merged.reserve(foreign_.size() + other.foreign_.size());
  auto mine = foreign_.begin();
  for (const Foreign& theirs : other.foreign_) {
    if (theirs.first == cta_) {
      own_.join(*theirs.second);
      continue;
    }
    while (mine != foreign_.end() && mine->first < theirs.first)
      merged.push_back(std::move(*mine++));
    if (mine == foreign_.end() || mine->first != theirs.first) {
      merged.push_back(theirs);
    } else if (mine->second == theirs.second) {
      merged.push_back(std::move(*mine++));
    } else {
      auto both = std::make_shared<Window>(*mine->second);
      both->join(*theirs.second);
      merged.emplace_back(theirs.first, std::move(both));
      ++mine;
    }
  }
  while (mine != foreign_.end()) merged.push_back(std::move(*mine++));
  foreign_ = std::move(merged);
}

}  // namespace tirx::sim::race
