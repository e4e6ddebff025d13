// Where does memory come from that is as large as a tensor?  From large pages where the host has
// them: giving small ones, one fault at a time, took as long as the simulation of a kernel that
// touches each element once (docs/simulator.md, "Where the time goes").
#pragma once

#include <cstddef>

namespace tirx::sim {

/// What the host maps at once; less than that comes from the heap.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// `bytes` of memory, aligned to 64; of kLargePage and more it is zero.
[[nodiscard]] void* take_memory(std::size_t bytes);
void give_memory(void* memory, std::size_t bytes) noexcept;

template <typename T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;

  template <typename U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(take_memory(count * sizeof(T)));
  }

  void deallocate(T* memory, std::size_t count) noexcept { give_memory(memory, count * sizeof(T)); }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }
};

}  // namespace tirx::sim
