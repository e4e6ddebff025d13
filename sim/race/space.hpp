// What has been done to each granule of a memory?  For each granule up to three words: the last
// plain write, the reads since then where a memory is read, atomics where it sees any.
//
// A word names a stamp (who, when, at which site of the program) and a lane.  Several reads are a
// chain of links.  Stamps are made once per site, warp and tick, and numbered in the order in which
// they are made: what is older than a barrier of the whole CTA is recognised by its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/large_memory.hpp"
#include "sim/race/clock.hpp"
#include "sim/race/scope.hpp"

namespace tirx::sim::race {

/// Who did it, when, and at which place in the program.
struct Stamp {
  Tick tick = 0;
  std::uint32_t cta = 0;
  std::uint32_t site = 0;
  std::uint16_t actor = 0;
  bool proxy = false;   // by the async proxy
  bool strong = false;  // an atomic or a synchronising access
  Scope scope = Scope::sys;
};

/// 0: nothing.  Below kChain: a stamp's number * 32 + lane.  Else: kChain + a link's number.
using Word = std::uint32_t;

inline constexpr Word kChain = 0x80000000U;

[[nodiscard]] inline Word single(std::uint32_t stamp, std::uint32_t lane) {
  return stamp << 5 | lane;
}

/// One access of a chain; `parent` are the others.
struct Link {
  Word parent = 0;
  std::uint32_t stamp = 0;
  Lanes lanes = 0;
};

/// The words of one granule.
struct Cell {
  Word* write = nullptr;
  Word* reads = nullptr;    // null: this memory is never read
  Word* atomics = nullptr;  // null: this memory sees no atomics
};

/// The shadow of one buffer's storage: pages are made when they are first touched.
class Shadow {
 public:
  /// `granule`: 1 << shift bytes.  `page`: granules of a page, 1 << page_shift.
  Shadow(
      std::int64_t lo, std::int64_t hi, int shift, int page_shift, bool atomics, bool reads = true);

  [[nodiscard]] std::int64_t granule_of(std::int64_t byte) const { return (byte - lo_) >> shift_; }

  [[nodiscard]] std::int64_t byte_of(std::int64_t granule) const {
    return lo_ + (granule << shift_);
  }

  [[nodiscard]] int shift() const { return shift_; }

  [[nodiscard]] Cell cell(std::int64_t granule) {
    Word* page = page_of(granule >> page_shift_);
    const auto at = static_cast<std::size_t>(granule & ((std::int64_t{1} << page_shift_) - 1));
    return {page + at, reads_ ? page + size_ + at : nullptr,
            atomics_ ? page + (reads_ ? 2 : 1) * size_ + at : nullptr};
  }

  /// `count` neighbouring granules on one page; nothing if they are on several.
  [[nodiscard]] Cell row(std::int64_t granule, std::int64_t count) {
    if (granule >> page_shift_ != (granule + count - 1) >> page_shift_) return {};
    return cell(granule);
  }

  /// Forgets all; the pages are kept for the next use.
  void clear();

  /// Calls f(word) for every word of every page; f returns its new value.
  template <typename F>
  void renumber(F&& f) {
    for (const std::size_t number : touched_) {
      Word* page = pages_[number];
      for (std::size_t i = 0; i < words(); ++i) page[i] = f(page[i]);
    }
  }

  [[nodiscard]] std::size_t bytes() const { return touched_.size() * words() * sizeof(Word); }

 private:
  struct Give {
    std::size_t bytes = 0;

    void operator()(Word* words) const { give_memory(words, bytes); }
  };

  using Chunk = std::unique_ptr<Word[], Give>;

  [[nodiscard]] std::size_t words() const {
    return size_ * (std::size_t{1} + (reads_ ? 1U : 0U) + (atomics_ ? 1U : 0U));
  }

  [[nodiscard]] Word* page_of(std::int64_t number) {
    Word* page = pages_[static_cast<std::size_t>(number)];
    return page != nullptr ? page : make_page(static_cast<std::size_t>(number));
  }

  Word* make_page(std::size_t number);

  std::int64_t lo_ = 0;
  int shift_ = 0;
  int page_shift_ = 0;
  bool atomics_ = false, reads_ = true;
  std::size_t size_ = 0;      // granules of a page
  std::vector<Word*> pages_;  // null: not touched
  std::vector<std::size_t> touched_;
  std::vector<Chunk> chunks_;  // pages lie in them one behind the other
  std::size_t used_ = 0;       // pages
};

/// Memories that the same actors see: the stamps and chains of their words.
class Space {
 public:
  Space();

  std::vector<Shadow> shadows;

  /// Forgets all accesses.
  void clear();

  /// Of the words of all shadows.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Shadow& shadow : shadows) sum += shadow.bytes();
    return sum;
  }

  [[nodiscard]] std::uint32_t add_stamp(const Stamp& stamp);

  [[nodiscard]] const Stamp& stamp(std::uint32_t number) const { return stamps_[number]; }

  [[nodiscard]] const Link& link(Word word) const { return links_[word & ~kChain]; }

  [[nodiscard]] std::uint32_t stamp_count() const {
    return static_cast<std::uint32_t>(stamps_.size());
  }

  [[nodiscard]] std::uint32_t link_count() const {
    return static_cast<std::uint32_t>(links_.size());
  }

  /// A chain one longer; the same one for the same arguments.
  [[nodiscard]] Word linked(Word parent, std::uint32_t stamp, Lanes lanes);
  /// … without looking whether it exists.
  [[nodiscard]] Word new_link(Word parent, std::uint32_t stamp, Lanes lanes);

  /// Calls f(stamp, lanes) for all accesses of a word, until it returns false.
  template <typename F>
  void for_each(Word word, F&& f) const {
    while (word != 0) {
      if ((word & kChain) == 0) {
        f(word >> 5, Lanes{1} << (word & 31));
        return;
      }
      const Link& at = link(word);
      if (!f(at.stamp, at.lanes)) return;
      word = at.parent;
    }
  }

  /// Stamps and links that no word names any more are dropped, the others get new numbers: their
  /// numbers do not run out.  Everything that remembers a number (see generation()) is stale.
  void collect();

  [[nodiscard]] bool wants_collection() const {
    return stamps_.size() > limit_ || links_.size() > limit_;
  }

  /// Changes whenever stamps get new numbers.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  /// More stamps than words can name: nothing further can be told apart.
  [[nodiscard]] bool full() const { return full_; }

  void set_limit(std::size_t limit) { limit_ = least_ = limit; }

 private:
  struct Known {
    Word parent = 0, result = 0;
    std::uint32_t stamp = 0;
    Lanes lanes = 0;
  };

  std::vector<Stamp> stamps_;
  std::vector<Link> links_;
  std::vector<Known> known_;  // direct-mapped: forgetting costs a second link, nothing else
  std::uint64_t generation_ = 1;
  std::size_t least_ = std::size_t{1} << 20;
  std::size_t limit_ = least_;
  bool full_ = false;
};

}  // namespace tirx::sim::race
