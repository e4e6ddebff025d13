// Where do random choices come from?  A counter and a mixing function (SplitMix64): the same
// program from the same seed on every machine, whatever the standard library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tirx::fuzz {

class Dice {
 public:
  /// The seed is mixed first: seeds one apart must not be one stream, one step apart.
  explicit Dice(std::uint64_t seed) : state_(mixed(mixed(seed) + 0x2545f4914f6cdd1dU)) {}

  std::uint64_t word() {
    state_ += 0x9e3779b97f4a7c15U;
    return mixed(state_);
  }

  /// 0 … n - 1.
  int below(int n) { return static_cast<int>(word() % static_cast<std::uint64_t>(n)); }

  int between(int low, int high) { return low + below(high - low + 1); }

  bool chance(int percent) { return below(100) < percent; }

  template <typename List>
  auto pick(const List& list) -> const typename List::value_type& {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }

  template <typename T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(static_cast<int>(list.size())));
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace tirx::fuzz
