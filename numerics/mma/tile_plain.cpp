// The tile drivers of f64 (chains of fma) and s8/u8 (exact integers).
#include <array>

#include "numerics/mma/tile_problem.hpp"

namespace tirx::num::tile {

void f64_tile(const Problem& p, const Kernels& kernels) {
  const int width = kernels.lanes;
  std::array<double, kTerms> a;
  std::array<double, kLanes * kTerms> b;
  std::array<double, kLanes> acc;
  std::array<std::uint64_t, kLanes> bits, before;
  const int chunk = kTerms / p.step * p.step;
  for (int first = 0; first < p.k; first += chunk) {
    const int last = std::min(p.k, first + chunk), count = last - first;
    for (int j = 0; j < p.n; j += width) {
      const int lanes = std::min(width, p.n - j);
      for (int k = 0; k < count; ++k) {
        for (int lane = 0; lane < width; ++lane) {
          b[static_cast<std::size_t>(k * width + lane)] =
              lane < lanes ? load<double>(p.b.data, (first + k) * p.b.row_stride +
                                                        (j + lane) * p.b.column_stride)
                           : 0.0;
        }
      }
      for (int i = 0; i < p.m; ++i) {
        for (int k = 0; k < count; ++k) {
          a[static_cast<std::size_t>(k)] =
              load<double>(p.a.data, i * p.a.row_stride + (first + k) * p.a.column_stride);
        }
        before.fill(0);
        load_c(p, first, i, j, lanes, before.data());
        std::memcpy(acc.data(), before.data(), sizeof acc);
        kernels.doubles(a.data(), b.data(), count, acc.data());
        std::memcpy(bits.data(), acc.data(), sizeof acc);
        for (int lane = 0; lane < lanes; ++lane) {
          const auto at = static_cast<std::size_t>(lane);
          if ((bits[at] & ~(1ull << 63)) > 0x7FFull << 52) {
            bits[at] = reference(p, i, j + lane, first, last, before[at]);
          }
        }
        store_d(p, i, j, lanes, bits.data());
      }
    }
  }
}

void integer_tile(const Problem& p, const Kernels& kernels) {
  const int width = kernels.lanes;
  std::array<std::uint32_t, kTerms> raw_a;
  std::array<std::int32_t, kTerms> a;
  std::array<std::uint32_t, kLanes> raw_b, acc;
  std::array<std::int32_t, kLanes * kTerms> b;
  const auto value = [](DType type, std::uint32_t bits) {
    return type == DType::i8 ? std::int32_t{static_cast<std::int8_t>(bits)}
                             : static_cast<std::int32_t>(bits);
  };
  for (int first = 0; first < p.k; first += p.step) {
    const int count = std::min(p.k - first, p.step);
    for (int j = 0; j < p.n; j += width) {
      const int lanes = std::min(width, p.n - j);
      for (int k = 0; k < count; ++k) {
        raw_b.fill(0);
        gather(p.b.data, (first + k) * p.b.row_stride + j * p.b.column_stride, p.b.column_stride,
               lanes, 1, raw_b.data());
        for (int lane = 0; lane < width; ++lane) {
          b[static_cast<std::size_t>(k * width + lane)] =
              value(p.b_type, raw_b[static_cast<std::size_t>(lane)]);
        }
      }
      for (int i = 0; i < p.m; ++i) {
        gather(p.a.data, i * p.a.row_stride + first * p.a.column_stride, p.a.column_stride, count,
               1, raw_a.data());
        for (int k = 0; k < count; ++k) {
          a[static_cast<std::size_t>(k)] = value(p.a_type, raw_a[static_cast<std::size_t>(k)]);
        }
        acc.fill(0);
        load_c(p, first, i, j, lanes, acc.data());
        kernels.integers(a.data(), b.data(), count, p.row.saturate, acc.data());
        store_d(p, i, j, lanes, acc.data());
      }
    }
  }
}

}  // namespace tirx::num::tile
