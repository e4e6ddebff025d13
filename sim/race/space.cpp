#include "sim/race/space.hpp"

#include <algorithm>

#include "ir/base/check.hpp"

namespace tirx::sim::race {

namespace {

constexpr std::size_t kKnown = 2048;
constexpr std::size_t kMaxStamps = std::size_t{1} << 26;  // 5 bits of a word are the lane

std::size_t slot(Word parent, std::uint32_t stamp, Lanes lanes) {
  std::uint64_t h = parent * 0x9e3779b97f4a7c15U;
  h ^= (std::uint64_t{stamp} << 32 | lanes) * 0xc2b2ae3d27d4eb4fU;
  return static_cast<std::size_t>(h >> 40) % kKnown;
}

}  // namespace

Shadow::Shadow(
    std::int64_t lo, std::int64_t hi, int shift, int page_shift, bool atomics, bool reads)
    : lo_(lo),
      shift_(shift),
      page_shift_(page_shift),
      atomics_(atomics),
      reads_(reads),
      size_(std::size_t{1} << page_shift) {
  const std::int64_t granules = ((hi - lo) >> shift) + 1;
  pages_.resize(static_cast<std::size_t>(granules >> page_shift) + 1);
}

Word* Shadow::make_page(std::size_t number) {
  // As many pages at a time as fill a large page of the host, if the memory is large enough.
  const std::size_t page = words();
  const std::size_t at_once =
      std::clamp(kLargePage / sizeof(Word) / page, std::size_t{1}, pages_.size());
  if (used_ == chunks_.size() * at_once) {
    std::size_t bytes = at_once * page * sizeof(Word);
    if (at_once < pages_.size()) bytes = std::max(bytes, kLargePage);
    Chunk chunk(static_cast<Word*>(take_memory(bytes)), Give{bytes});
    if (bytes < kLargePage) std::fill_n(chunk.get(), at_once * page, Word{0});
    chunks_.push_back(std::move(chunk));
  }
  Word* made = chunks_[used_ / at_once].get() + used_ % at_once * page;
  ++used_;
  pages_[number] = made;
  touched_.push_back(number);
  return made;
}

void Shadow::clear() {
  for (const std::size_t number : touched_) {
    std::fill_n(pages_[number], words(), Word{0});
    pages_[number] = nullptr;
  }
  touched_.clear();
  used_ = 0;
}

Space::Space() : stamps_(1), links_(1), known_(kKnown) {}

void Space::clear() {
  for (Shadow& shadow : shadows) shadow.clear();
  if (links_.size() > 1) std::fill(known_.begin(), known_.end(), Known{});
  stamps_.resize(1);
  links_.resize(1);
  ++generation_;
  full_ = false;
}

std::uint32_t Space::add_stamp(const Stamp& stamp) {
  if (stamps_.size() >= kMaxStamps) {
    full_ = true;
    return 0;
  }
  stamps_.push_back(stamp);
  return static_cast<std::uint32_t>(stamps_.size() - 1);
}

Word Space::new_link(Word parent, std::uint32_t stamp, Lanes lanes) {
  links_.push_back({parent, stamp, lanes});
  return kChain | static_cast<Word>(links_.size() - 1);
}

Word Space::linked(Word parent, std::uint32_t stamp, Lanes lanes) {
  if (parent == 0 && (lanes & (lanes - 1)) == 0) {
    return single(stamp, static_cast<std::uint32_t>(__builtin_ctz(lanes)));
  }
  Known& known = known_[slot(parent, stamp, lanes)];
  if (known.result == 0 || known.parent != parent || known.stamp != stamp || known.lanes != lanes) {
    known = {parent, new_link(parent, stamp, lanes), stamp, lanes};
  }
  return known.result;
}

void Space::collect() {
  std::vector<std::uint32_t> new_stamp(stamps_.size(), 0);
  std::vector<Word> new_link_number(links_.size(), 0);
  const auto mark = [&](Word word) {
    while (word != 0) {
      if ((word & kChain) == 0) {
        new_stamp[word >> 5] = 1;
        return;
      }
      if (new_link_number[word & ~kChain] != 0) return;
      new_link_number[word & ~kChain] = 1;
      new_stamp[link(word).stamp] = 1;
      word = link(word).parent;
    }
  };
  for (Shadow& shadow : shadows) {
    shadow.renumber([&](Word word) {
      mark(word);
      return word;
    });
  }
  const auto compact = [](auto& items, auto& numbers) {
    std::size_t next = 1;
    for (std::size_t i = 1; i < items.size(); ++i) {
      if (numbers[i] == 0) continue;
      numbers[i] = static_cast<std::uint32_t>(next);
      items[next++] = items[i];
    }
    items.resize(next);
  };
  compact(stamps_, new_stamp);
  compact(links_, new_link_number);
  const auto renamed = [&](Word word) -> Word {
    if (word == 0) return 0;
    if ((word & kChain) != 0) return kChain | new_link_number[word & ~kChain];
    return single(new_stamp[word >> 5], word & 31);
  };
  for (std::size_t i = 1; i < links_.size(); ++i) {
    links_[i].parent = renamed(links_[i].parent);
    links_[i].stamp = new_stamp[links_[i].stamp];
  }
  for (Shadow& shadow : shadows) shadow.renumber(renamed);
  std::fill(known_.begin(), known_.end(), Known{});
  ++generation_;
  limit_ = std::max(least_, 2 * std::max(stamps_.size(), links_.size()));
}

}  // namespace tirx::sim::race
