// What does one lane function cost?  Nanoseconds per element of every (operation, type), on each
// instruction set this machine has.
//   lane_cost [TYPE] [OPERATION]
#include <chrono>
#include <cstdio>
#include <string>

#include "numerics/lanes.hpp"

using namespace tirx::num;

namespace {

template <class Body>
double nanoseconds_per_lane(const Body& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (int attempt = 0; attempt < 5; ++attempt) {
    constexpr int kCalls = 2000;
    const auto begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) body();
    const std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
    best = spent.count() / (kCalls * kLanes) < best ? spent.count() / (kCalls * kLanes) : best;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string type = argc > 1 ? argv[1] : "float32";
  const std::string only = argc > 2 ? argv[2] : "";
  const auto dtype = find_dtype(type);
  if (!dtype) return 2;
  alignas(64) std::uint64_t a[kLanes], b[kLanes], c[kLanes], d[kLanes];
  auto* const words = reinterpret_cast<std::uint32_t*>(a);
  for (int i = 0; i < kLanes; ++i) {
    const Bits value = from_double(0.5 + 0.1 * i, *dtype);
    if (bits(*dtype) == 64) {
      a[i] = value;
    } else {
      words[i] = static_cast<std::uint32_t>(value);
    }
  }
  for (int i = 0; i < kLanes; ++i) b[i] = c[i] = a[i];
  for (const ScalarOpRow& r : scalar_op_rows()) {
    if (!only.empty() && r.name != only) continue;
    std::string line;
    for (int isa = 0; isa <= static_cast<int>(best_lane_isa()); ++isa) {
      const LaneFunction f = find_lane_function(r.op, *dtype, static_cast<LaneIsa>(isa));
      if (f == nullptr) continue;
      char cell[32];
      std::snprintf(cell, sizeof cell, " %8.3f",
                    nanoseconds_per_lane([&] { f(d, a, b, c, 0xffffffffU); }));
      line += cell;
    }
    if (!line.empty()) std::printf("%-18s%s\n", std::string(r.name).c_str(), line.c_str());
  }
}
