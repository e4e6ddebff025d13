// One call of mma_tile, arranged for the kernels: lanes across columns, strided raw elements in and
// out.  Shared by the drivers tile_float.cpp (aligned sums) and tile_plain.cpp (f64, integers).
#pragma once

#include <algorithm>
#include <cstring>

#include "numerics/mma/tile.hpp"
#include "numerics/mma/tile_kernel.hpp"

namespace tirx::num::tile {

/// The problem with lanes across its columns; transposed where m offers more lanes than n.
struct Problem {
  const MmaRow& row;
  int m, n, k, step;
  DType a_type, b_type;
  MatrixView a, b, c;
  MutableMatrixView d;
  std::uint64_t a_flip, b_flip;
  bool swapped;  // a is the instruction's B
  int a_bytes, b_bytes, c_bytes;
};

[[nodiscard]] Problem arrange(const MmaRow& row,
                              int m,
                              int n,
                              int k,
                              MatrixView a,
                              MatrixView b,
                              MatrixView c,
                              MutableMatrixView d,
                              const TileOptions& options);

/// D of element (i, j) for k in [first, last) and the given C, by the scalar reference.
[[nodiscard]] std::uint64_t reference(
    const Problem& p, int i, int j, int first, int last, std::uint64_t c);

/// C before k = first: the caller's C, and D once it holds partial results.
[[nodiscard]] std::uint64_t c_before(const Problem& p, int first, int i, int j);

void float_tile(const Problem& p, const Kernels& kernels);
void f64_tile(const Problem& p, const Kernels& kernels);
void integer_tile(const Problem& p, const Kernels& kernels);

template <class Word>
Word load(const void* base, std::ptrdiff_t index) {
  Word w;
  std::memcpy(&w, static_cast<const unsigned char*>(base) + index * std::ptrdiff_t{sizeof w},
              sizeof w);
  return w;
}

inline std::uint64_t load_bits(const void* base, std::ptrdiff_t index, int bytes) {
  switch (bytes) {
    case 1:
      return load<std::uint8_t>(base, index);
    case 2:
      return load<std::uint16_t>(base, index);
    case 4:
      return load<std::uint32_t>(base, index);
    default:
      return load<std::uint64_t>(base, index);
  }
}

inline void store_bits(void* base, std::ptrdiff_t index, int bytes, std::uint64_t bits) {
  std::memcpy(static_cast<unsigned char*>(base) + index * bytes, &bits,
              static_cast<std::size_t>(bytes));
}

template <class From, class To>
void copy_strided(
    const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, int count, To* to) {
  const auto* from = static_cast<const unsigned char*>(base) + first * std::ptrdiff_t{sizeof(From)};
  if (stride == 1) {
    for (int i = 0; i < count; ++i) {
      From w;
      std::memcpy(&w, from + i * std::ptrdiff_t{sizeof w}, sizeof w);
      to[i] = w;
    }
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = load<From>(from, i * stride);
}

/// `count` elements `stride` apart, zero-extended.
template <class To>
void gather(
    const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, int count, int bytes, To* to) {
  switch (bytes) {
    case 1:
      return copy_strided<std::uint8_t>(base, first, stride, count, to);
    case 2:
      return copy_strided<std::uint16_t>(base, first, stride, count, to);
    case 4:
      return copy_strided<std::uint32_t>(base, first, stride, count, to);
    default:
      if constexpr (sizeof(To) == 8) copy_strided<std::uint64_t>(base, first, stride, count, to);
  }
}

template <class Word>
void load_c(const Problem& p, int first, int i, int j, int count, Word* to) {
  const int bytes = p.c_bytes;
  if (first > 0) {
    gather(p.d.data, i * p.d.row_stride + j * p.d.column_stride, p.d.column_stride, count, bytes,
           to);
  } else if (p.c.data == nullptr) {
    std::fill(to, to + count, Word{0});
  } else {
    gather(p.c.data, i * p.c.row_stride + j * p.c.column_stride, p.c.column_stride, count, bytes,
           to);
  }
}

template <class To, class Word>
void scatter(void* base, std::ptrdiff_t first, std::ptrdiff_t stride, int count, const Word* from) {
  auto* to = static_cast<unsigned char*>(base) + first * std::ptrdiff_t{sizeof(To)};
  for (int i = 0; i < count; ++i) {
    const auto w = static_cast<To>(from[i]);
    // A known stride lets the compiler vectorise.
    std::memcpy(to + (stride == 1 ? i : i * stride) * std::ptrdiff_t{sizeof w}, &w, sizeof w);
  }
}

template <class Word>
void store_d(const Problem& p, int i, int j, int count, const Word* from) {
  const std::ptrdiff_t at = i * p.d.row_stride + j * p.d.column_stride;
  switch (p.c_bytes) {
    case 2:
      return scatter<std::uint16_t>(p.d.data, at, p.d.column_stride, count, from);
    case 4:
      return scatter<std::uint32_t>(p.d.data, at, p.d.column_stride, count, from);
    default:
      return scatter<std::uint64_t>(p.d.data, at, p.d.column_stride, count, from);
  }
}

}  // namespace tirx::num::tile
