// The tile path's entry: chooses the kernel of the machine's instruction set and the driver of the
// row's arithmetic.
#include "numerics/mma/tile.hpp"

#include "numerics/mma/dot.hpp"
#include "numerics/mma/tile_problem.hpp"

namespace tirx::num {

namespace {

using tile::arrange;
using tile::c_before;
using tile::Kernels;
using tile::load;
using tile::Problem;
using tile::reference;
using tile::store_bits;
using tile::store_d;

/// Zero k: D = C, no instruction runs.
void copy_c(const Problem& p) {
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      const std::uint64_t c = c_before(p, 0, i, j);
      store_d(p, i, j, 1, &c);
    }
  }
}

void reference_tile(const Problem& p) {
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      for (int first = 0; first < p.k; first += p.step) {
        const std::uint64_t d =
            reference(p, i, j, first, std::min(p.k, first + p.step), c_before(p, first, i, j));
        store_d(p, i, j, 1, &d);
      }
    }
  }
}

const Kernels* kernels_of(TilePath path, int lanes) {
  switch (path) {
    case TilePath::portable:
      return tile::portable_kernels();
    case TilePath::avx2:
      return tile::avx2_kernels();
    case TilePath::avx512:
      return tile::avx512_kernels();
    default:
      break;
  }
  const Kernels* avx2 = tile::avx2_kernels();
  const Kernels* avx512 = tile::avx512_kernels();
  if (avx512 != nullptr && (lanes > 16 || avx2 == nullptr)) return avx512;
  return avx2 != nullptr ? avx2 : tile::portable_kernels();
}

}  // namespace

bool available(TilePath path) {
  if (path == TilePath::automatic || path == TilePath::reference) return true;
  return kernels_of(path, 0) != nullptr;
}

void mma_tile(const MmaRow& row,
              int m,
              int n,
              int k,
              MatrixView a,
              MatrixView b,
              MatrixView c,
              MutableMatrixView d,
              const TileOptions& options) {
  const Problem p = arrange(row, m, n, k, a, b, c, d, options);
  if (k == 0) return copy_c(p);
  const Kernels* kernels = kernels_of(options.path, p.n);
  if (options.path == TilePath::reference || kernels == nullptr) return reference_tile(p);
  switch (row.arithmetic) {
    case MmaArithmetic::integer:
      return tile::integer_tile(p, *kernels);
    case MmaArithmetic::fma_chain:
      // The vector loop reads doubles as they are; a flipped sign is rare enough for the reference.
      return p.a_flip != 0 || p.b_flip != 0 ? reference_tile(p) : tile::f64_tile(p, *kernels);
    default:
      tile::float_tile(p, *kernels);
  }
}

void mma_tile_scaled(const MmaRow& row,
                     int m,
                     int n,
                     int k,
                     MatrixView a,
                     MatrixView b,
                     MatrixView scale_a,
                     MatrixView scale_b,
                     MatrixView c,
                     MutableMatrixView d,
                     const TileOptions& options) {
  const auto byte_at = [](const MatrixView& v, std::ptrdiff_t index, int bytes) {
    return static_cast<const unsigned char*>(v.data) + index * bytes;
  };
  const int a_bytes = container_bytes(row.a), b_bytes = container_bytes(row.b);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto before = c.data == nullptr
                              ? 0u
                              : load<std::uint32_t>(c.data, i * c.row_stride + j * c.column_stride);
      const std::uint32_t after = mma_dot_scaled(
          row, k, options.step, {byte_at(a, i * a.row_stride, a_bytes), a.column_stride},
          {byte_at(b, j * b.column_stride, b_bytes), b.row_stride},
          {byte_at(scale_a, i * scale_a.row_stride, 1), scale_a.column_stride},
          {byte_at(scale_b, j * scale_b.column_stride, 1), scale_b.row_stride}, before);
      store_bits(d.data, i * d.row_stride + j * d.column_stride, 4, after);
    }
  }
}

}  // namespace tirx::num
