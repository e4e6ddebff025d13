// Begin, end and step of a loop as an interval; see loop_values.hpp.
#include "ir/loop_values.hpp"

#include "ir/base/check.hpp"

namespace tirx::ir {

namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t one_below(std::int64_t bound) {
  return bound == kMin ? bound : bound - 1;
}

std::int64_t one_above(std::int64_t bound) {
  return bound == kMax ? bound : bound + 1;
}

Interval loop_values(Interval begin, Interval end, std::int64_t step) {
  TIRX_CHECK(step != 0);
  // In uint64, where the distance of two int64 has room.
  const auto bits = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const auto whole_steps = [](std::uint64_t distance, std::uint64_t by) {
    return distance - distance % by;
  };
  const bool exact = begin.low == begin.high;
  if (step > 0) {
    const std::int64_t last = one_below(end.high);
    if (last <= begin.low) return {begin.low, begin.low};
    if (!exact) return {begin.low, last};
    const std::uint64_t reached = whole_steps(bits(last) - bits(begin.low), bits(step));
    return {begin.low, static_cast<std::int64_t>(bits(begin.low) + reached)};
  }
  const std::int64_t last = one_above(end.low);
  if (last >= begin.high) return {begin.high, begin.high};
  if (!exact) return {last, begin.high};
  const std::uint64_t reached = whole_steps(bits(begin.high) - bits(last), 0 - bits(step));
  return {static_cast<std::int64_t>(bits(begin.high) - reached), begin.high};
}

}  // namespace tirx::ir
