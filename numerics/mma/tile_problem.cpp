// Arranges a call of mma_tile, and computes single elements of it by the scalar reference.
#include "numerics/mma/tile_problem.hpp"

#include <array>

#include "numerics/mma/dot.hpp"

namespace tirx::num::tile {

namespace {

MatrixView transposed(MatrixView v) {
  return {v.data, v.column_stride, v.row_stride};
}

std::uint64_t sign_bit(DType type) {
  return 1ull << (8 * container_bytes(type) - 1);
}

}  // namespace

Problem arrange(const MmaRow& row,
                int m,
                int n,
                int k,
                MatrixView a,
                MatrixView b,
                MatrixView c,
                MutableMatrixView d,
                const TileOptions& options) {
  Problem p{row,
            m,
            n,
            k,
            options.step != 0 ? options.step : largest_k(row),
            row.a,
            row.b,
            a,
            b,
            c,
            d,
            options.negate_a ? sign_bit(row.a) : 0,
            options.negate_b ? sign_bit(row.b) : 0,
            false,
            container_bytes(row.a),
            container_bytes(row.b),
            container_bytes(row.c)};
  if (n >= 16 || n >= m) return p;
  std::swap(p.m, p.n);
  std::swap(p.a_type, p.b_type);
  p.a = transposed(b);
  p.b = transposed(a);
  p.c = transposed(c);
  p.d = {d.data, d.column_stride, d.row_stride};
  std::swap(p.a_flip, p.b_flip);
  std::swap(p.a_bytes, p.b_bytes);
  p.swapped = true;
  return p;
}

std::uint64_t reference(const Problem& p, int i, int j, int first, int last, std::uint64_t c) {
  const int a_bytes = p.a_bytes, b_bytes = p.b_bytes;
  std::array<std::uint64_t, kTerms> x, y;  // raw elements, copied where a sign has to be flipped
  const auto fetch = [&](const MatrixView& v, std::ptrdiff_t at, std::ptrdiff_t stride, int bytes,
                         std::uint64_t flip, std::uint64_t* copy) -> MmaVector {
    const auto* from = static_cast<const unsigned char*>(v.data) + at * bytes;
    if (flip == 0) return {from, stride};
    for (int k = 0; k < last - first; ++k) {
      store_bits(copy, k, bytes, load_bits(from, k * stride, bytes) ^ flip);
    }
    return {copy, 1};
  };
  const MmaVector a = fetch(p.a, i * p.a.row_stride + first * p.a.column_stride, p.a.column_stride,
                            a_bytes, p.a_flip, x.data());
  const MmaVector b = fetch(p.b, first * p.b.row_stride + j * p.b.column_stride, p.b.row_stride,
                            b_bytes, p.b_flip, y.data());
  return p.swapped ? mma_dot(p.row, last - first, p.step, b, a, c)
                   : mma_dot(p.row, last - first, p.step, a, b, c);
}

std::uint64_t c_before(const Problem& p, int first, int i, int j) {
  const int bytes = p.c_bytes;
  if (first > 0) {
    return load_bits(p.d.data, i * p.d.row_stride + j * p.d.column_stride, bytes);
  }
  if (p.c.data == nullptr) return 0;
  return load_bits(p.c.data, i * p.c.row_stride + j * p.c.column_stride, bytes);
}

}  // namespace tirx::num::tile
