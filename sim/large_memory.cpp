// Mappings aligned to large pages; see large_memory.hpp.
#include "sim/large_memory.hpp"

#include <cstdint>
#include <new>

#include <sys/mman.h>

namespace tirx::sim {

namespace {

constexpr std::align_val_t kLineAlign{64};

std::size_t mapped(std::size_t bytes) {
  return (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

}  // namespace

void* take_memory(std::size_t bytes) {
  if (bytes < kLargePage) return ::operator new(bytes, kLineAlign);
  const std::size_t size = mapped(bytes), room = size + kLargePage;
  void* got = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(got);
  const std::size_t head =
      (kLargePage - reinterpret_cast<std::uintptr_t>(begin) % kLargePage) % kLargePage;
  if (head != 0) munmap(begin, head);
  if (head != kLargePage) munmap(begin + head + size, kLargePage - head);
  // Refused where the host has none: small ones do as well.
  static_cast<void>(madvise(begin + head, size, MADV_HUGEPAGE));
  return begin + head;
}

void give_memory(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes < kLargePage) {
    ::operator delete(memory, kLineAlign);
  } else {
    munmap(memory, mapped(bytes));
  }
}

}  // namespace tirx::sim
