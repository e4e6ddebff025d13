// What does one scalar operation cost over the lanes of a warp?  Nanoseconds of CPU time per
// element on each instruction set this machine has: the math functions and the approximations, or
// one type's operations.
//   bench_math [TYPE [OPERATION]]
#include <cstdio>
#include <ctime>
#include <string>

#include "numerics/lanes.hpp"

using namespace tirx::num;

namespace {

/// The best of several rounds: other work on the machine only makes them slower.
template <class Body>
double nanoseconds_per_lane(const Body& body) {
  double best = 1e30;
  for (int round = 0; round < 9; ++round) {
    constexpr int kCalls = 4000;
    const std::clock_t begin = std::clock();
    for (int i = 0; i < kCalls; ++i) body();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double each = seconds * 1e9 / (kCalls * kLanes);
    best = each < best ? each : best;
  }
  return best;
}

bool of_interest(const ScalarOpRow& row) {
  return row.exactness == Exactness::sequence || row.exactness == Exactness::table;
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
  std::printf("ns per element     baseline     avx2   avx512\n");
  for (const ScalarOpRow& r : scalar_op_rows()) {
    if (only.empty() ? argc <= 1 && !of_interest(r) : r.name != only) continue;
    std::string line;
    for (int isa = 0; isa <= static_cast<int>(best_lane_isa()); ++isa) {
      const LaneFunction f = find_lane_function(r.op, *dtype, static_cast<LaneIsa>(isa));
      if (f == nullptr) continue;
      char cell[32];
      std::snprintf(cell, sizeof cell, " %8.2f",
                    nanoseconds_per_lane([&] { f(d, a, b, c, 0xffffffffU); }));
      line += cell;
    }
    if (!line.empty()) std::printf("%-18s%s\n", std::string(r.name).c_str(), line.c_str());
  }
}
