// The judge of negative mode on traces whose verdict is plain.
#include "fuzz/negative/closure.hpp"

#include <array>

#include <doctest/doctest.h>

namespace tirx::fuzz {

namespace {

constexpr std::uint64_t kMemory = 7, kBarrier = 1;

void meet(Closure& closure, std::span<const std::size_t> threads) {
  for (const std::size_t thread : threads) closure.arrive(thread, kBarrier);
  closure.pass(threads, kBarrier);
}

}  // namespace

TEST_CASE("closure: a write and a read of another thread conflict unless a barrier is between") {
  for (const bool barrier : {false, true}) {
    Closure closure;
    closure.access(0, kMemory, 0, 4, true, false);
    if (barrier) meet(closure, std::array<std::size_t, 2>{0, 1});
    closure.access(1, kMemory, 0, 4, false, false);
    CHECK(closure.conflicts() == (barrier ? 0 : 4));
  }
}

TEST_CASE("closure: a barrier orders its participants only") {
  Closure closure;
  closure.access(0, kMemory, 0, 1, true, false);
  meet(closure, std::array<std::size_t, 2>{0, 1});
  closure.access(2, kMemory, 0, 1, false, false);
  CHECK(closure.conflicts() == 1);
}

TEST_CASE("closure: order is transitive through two barriers") {
  Closure closure;
  closure.access(0, kMemory, 0, 1, true, false);
  meet(closure, std::array<std::size_t, 2>{0, 1});
  meet(closure, std::array<std::size_t, 2>{1, 2});
  closure.access(2, kMemory, 0, 1, true, false);
  CHECK(closure.conflicts() == 0);
}

TEST_CASE("closure: what follows an arrival is not ordered by it") {
  Closure closure;
  closure.arrive(0, kBarrier);
  closure.access(0, kMemory, 0, 1, true, false);
  closure.arrive(1, kBarrier);
  closure.pass(std::array<std::size_t, 1>{1}, kBarrier);
  closure.access(1, kMemory, 0, 1, false, false);
  CHECK(closure.conflicts() == 1);
}

TEST_CASE("closure: reads do not conflict, nor do atomics with each other") {
  Closure closure;
  closure.access(0, kMemory, 0, 4, false, false);
  closure.access(1, kMemory, 0, 4, false, false);
  closure.access(0, kMemory, 8, 9, true, true);
  closure.access(1, kMemory, 8, 9, true, true);
  CHECK(closure.conflicts() == 0);
  closure.access(2, kMemory, 8, 9, false, false);
  CHECK(closure.conflicts() == 2);
}

}  // namespace tirx::fuzz
