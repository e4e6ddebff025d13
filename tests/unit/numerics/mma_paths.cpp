// Do the fast paths agree with the scalar reference on every row, shape, stride and distribution?
#include <cmath>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "numerics/mma/campaign/block.hpp"
#include "numerics/mma/dot.hpp"
#include "numerics/mma/fma_chain.inl"
#include "numerics/mma/tile.hpp"

namespace tirx::num {

namespace {

using campaign::Operand;
using campaign::Type;

struct Matrix {
  int rows, columns, bytes;
  std::vector<unsigned char> data;
  std::ptrdiff_t row_stride, column_stride;

  Matrix(int r, int c, int b, bool transposed, int padding)
      : rows{r},
        columns{c},
        bytes{b},
        row_stride{transposed ? 1 : c + padding},
        column_stride{transposed ? r + padding : 1} {
    data.assign(static_cast<std::size_t>((r + padding) * (c + padding) * b), 0xEE);
  }

  [[nodiscard]] std::ptrdiff_t at(int i, int j) const {
    return (i * row_stride + j * column_stride) * bytes;
  }

  void set(int i, int j, std::uint64_t bits) {
    std::memcpy(data.data() + at(i, j), &bits, static_cast<std::size_t>(bytes));
  }

  [[nodiscard]] std::uint64_t get(int i, int j) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data.data() + at(i, j), static_cast<std::size_t>(bytes));
    return bits;
  }

  [[nodiscard]] MatrixView view() const { return {data.data(), row_stride, column_stride}; }

  [[nodiscard]] MutableMatrixView mutable_view() {
    return {data.data(), row_stride, column_stride};
  }
};

/// fp4 and fp6 have no generator in the campaign: raw bits.
Type generator_type(DType type) {
  switch (type) {
    case DType::e2m1:
    case DType::e2m3:
    case DType::e3m2:
      return {dot::kF32, true, 1};
    default:
      return campaign::type_of(type);
  }
}

std::uint64_t mask_of(DType type) {
  if (type == DType::e2m1) return 0xF;
  return type == DType::e2m3 || type == DType::e3m2 ? 0x3F : ~0ull;
}

void fill(Matrix& m, DType type, DType acc, Operand operand, int distribution, std::uint64_t key) {
  const Type t = generator_type(type);
  const dot::Format c = campaign::type_of(acc).format;
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) {
      const bool b = operand == campaign::kB;
      m.set(i, j,
            campaign::element(t, c, operand, distribution, key, 0, b ? j : i, b ? i : j) &
                mask_of(type));
    }
  }
}

struct Trial {
  int m, n, k, step;
  bool a_transposed, b_transposed, d_transposed, read_c, in_place, negate_a, negate_b;
};

long differences(
    const MmaRow& row, const Trial& t, int distribution, std::uint64_t key, TilePath path) {
  Matrix a(t.m, t.k, container_bytes(row.a), t.a_transposed, 3);
  Matrix b(t.k, t.n, container_bytes(row.b), t.b_transposed, 1);
  Matrix c(t.m, t.n, container_bytes(row.c), t.d_transposed, 2);
  fill(a, row.a, row.c, campaign::kA, distribution, key);
  fill(b, row.b, row.c, campaign::kB, distribution, key);
  fill(c, row.c, row.c, campaign::kC, distribution, key);
  const Matrix original = c;
  Matrix d(t.m, t.n, c.bytes, t.d_transposed, 2);
  Matrix& result = t.in_place ? c : d;
  TileOptions options;
  options.step = t.step;
  options.path = path;
  options.negate_a = t.negate_a;
  options.negate_b = t.negate_b;
  const MatrixView none{};
  mma_tile(row, t.m, t.n, t.k, a.view(), b.view(), t.read_c ? c.view() : none,
           result.mutable_view(), options);
  const auto negate = [](Matrix& m) {
    for (int i = 0; i < m.rows; ++i) {
      for (int j = 0; j < m.columns; ++j) m.set(i, j, m.get(i, j) ^ 1ull << (8 * m.bytes - 1));
    }
  };
  if (t.negate_a) negate(a);
  if (t.negate_b) negate(b);
  long count = 0;
  for (int i = 0; i < t.m; ++i) {
    for (int j = 0; j < t.n; ++j) {
      const std::uint64_t want =
          mma_dot(row, t.k, t.step, {a.data.data() + a.at(i, 0), a.column_stride},
                  {b.data.data() + b.at(0, j), b.row_stride}, t.read_c ? original.get(i, j) : 0);
      count += want != result.get(i, j);
    }
  }
  return count;
}

}  // namespace

TEST_CASE("matrix tiles: every path agrees with the reference on every row") {
  std::uint64_t key = 1;
  long trials = 0;
  for (const MmaRow& row : mma_rows()) {
    if (row.arithmetic == MmaArithmetic::block_scaled) continue;
    const bool byte_float = container_bytes(row.a) == 1 && row.c != DType::i32;
    for (TilePath path : {TilePath::portable, TilePath::avx2, TilePath::avx512}) {
      if (!available(path)) continue;
      for (int distribution = 0; distribution < campaign::kDistributions; ++distribution) {
        key = campaign::mix(key + 1);
        const auto pick = [&](int bit) { return (key >> bit & 1) != 0; };
        const int shapes[][2] = {{16, 8}, {5, 37}, {33, 3}, {7, 16}};
        const auto& shape = shapes[key >> 20 & 3];
        const int step = row.shape.k[row.shape.k[1] != 0 && pick(1) ? 1 : 0];
        const int k = pick(2) ? step : pick(3) ? 3 * step : step + step / 2 + 1;
        const bool flip = row.c != DType::i32 && !byte_float && pick(9) && row.a != DType::tf32;
        const Trial t{shape[0], shape[1], k,       step, pick(4),         pick(5),
                      pick(6),  pick(7),  pick(8), flip, flip && pick(10)};
        CAPTURE(describe(row));
        CAPTURE(static_cast<int>(path));
        CAPTURE(distribution);
        CAPTURE(k);
        CHECK(differences(row, t, distribution, key, path) == 0);
        ++trials;
      }
    }
  }
  CHECK(trials > 1000);
}

TEST_CASE("matrix tiles: zero k copies C, an absent C counts as +0") {
  const MmaRow& row =
      *find_mma_row(90, MmaFamily::mma_sync, DType::f16, DType::f16, DType::f32, 16);
  const float c[2] = {1.5f, -2.0f};
  float d[2] = {9, 9};
  mma_tile(row, 1, 2, 0, {}, {}, {c, 2, 1}, {d, 2, 1});
  CHECK(d[0] == 1.5f);
  CHECK(d[1] == -2.0f);
  const std::uint16_t a[16] = {0x3C00}, b[16] = {0x4000};
  mma_tile(row, 1, 1, 16, {a, 16, 1}, {b, 1, 1}, {}, {d, 2, 1});
  CHECK(d[0] == 2.0f);
}

TEST_CASE("matrix tiles: a long chain equals its instructions one at a time") {
  const MmaRow& row = *find_mma_row(90, MmaFamily::wgmma, DType::e4m3, DType::e4m3, DType::f32, 32);
  constexpr int kM = 20, kN = 24, kK = 32 * 21;
  Matrix a(kM, kK, 1, false, 0), b(kK, kN, 1, false, 0), c(kM, kN, 4, false, 0);
  fill(a, row.a, row.c, campaign::kA, campaign::kOrdinary, 5);
  fill(b, row.b, row.c, campaign::kB, campaign::kOrdinary, 5);
  fill(c, row.c, row.c, campaign::kC, campaign::kOrdinary, 5);
  Matrix whole(kM, kN, 4, false, 0);
  mma_tile(row, kM, kN, kK, a.view(), b.view(), c.view(), whole.mutable_view());
  for (int k = 0; k < kK; k += 32) {
    mma_tile(row, kM, kN, 32, {a.data.data() + k, kK, 1}, {b.data.data() + k * kN, kN, 1}, c.view(),
             c.mutable_view());
  }
  CHECK(whole.data == c.data);
}

TEST_CASE("matrix tiles: sums that leave 32 bits are exact") {
  // 32 equal products of nearly 4: 2^25 * 3.5 * 32 is beyond int32 (tcgen05 f8f6f4, F = 25).
  const MmaRow& row =
      *find_mma_row(100, MmaFamily::tcgen05, DType::e4m3, DType::e4m3, DType::f32, 32);
  const std::vector<std::uint8_t> a(32, 0x3F), b(32, 0x3F);  // 1.875
  for (TilePath path : {TilePath::portable, TilePath::avx2, TilePath::avx512}) {
    if (!available(path)) continue;
    TileOptions options;
    options.path = path;
    float d = 0;
    const float c = 1.0f;
    mma_tile(row, 1, 1, 32, {a.data(), 32, 1}, {b.data(), 1, 1}, {&c, 1, 1}, {&d, 1, 1}, options);
    CHECK(d == 1.875f * 1.875f * 32 + 1);
  }
}

TEST_CASE("matrix dots: the integer f64 fma is the IEEE fma") {
  std::uint64_t x = 99;
  const dot::Format f64{11, 52, 0, dot::Specials::ieee};
  const Type type{f64, false, 8};
  long compared = 0;
  for (int i = 0; i < 200000; ++i) {
    x = campaign::mix(x + 0x9E3779B97F4A7C15ull);
    const int distribution = i % campaign::kDistributions;
    const auto draw = [&](Operand o, int at) {
      return campaign::element(type, f64, o, distribution, x, 0, at, at);
    };
    const std::uint64_t a = draw(campaign::kA, 0), b = draw(campaign::kB, 1);
    const std::uint64_t c = draw(campaign::kC, 2);
    const std::uint64_t got = dot::fma64(a, b, c);
    const double want = std::fma(__builtin_bit_cast(double, a), __builtin_bit_cast(double, b),
                                 __builtin_bit_cast(double, c));
    if (std::isnan(want)) {
      CHECK(dot::is_nan64(got));
      continue;
    }
    ++compared;
    const bool equal = got == __builtin_bit_cast(std::uint64_t, want);
    if (!equal) CHECK_MESSAGE(equal, a << " * " << b << " + " << c << " gave " << got);
  }
  CHECK(compared > 150000);
}

TEST_CASE("matrix dots: block-scaled forms, values worked out by hand") {
  const std::uint8_t one_fp4[64] = {2, 2, 2, 2};  // 1.0 in the first four of 64
  const std::uint8_t scales_a[4] = {128, 127, 127, 127}, scales_b[4] = {129, 127, 127, 127};
  const MmaRow& mx =
      *find_mma_row(100, MmaFamily::tcgen05, DType::e2m1, DType::e2m1, DType::f32, 64, false, 32);
  const auto bits = [](float v) { return __builtin_bit_cast(std::uint32_t, v); };
  CHECK(mma_dot_scaled(mx, 64, 64, {one_fp4}, {one_fp4}, {scales_a}, {scales_b}, bits(0.5f)) ==
        bits(32.5f));
  const std::uint8_t nan_scale[2] = {255, 127};
  CHECK(mma_dot_scaled(mx, 64, 64, {one_fp4}, {one_fp4}, {nan_scale}, {scales_b}, 0) == 0x7FFFFFFF);
  const MmaRow& nv =
      *find_mma_row(100, MmaFamily::tcgen05, DType::e2m1, DType::e2m1, DType::f32, 64, false, 16);
  const std::uint8_t e4m3_a[4] = {0x3C, 0x38, 0x38, 0x38};  // 1.5, 1, 1, 1
  const std::uint8_t e4m3_b[4] = {0xBC, 0x38, 0x38, 0x38};  // the sign is ignored: 1.5
  CHECK(mma_dot_scaled(nv, 64, 64, {one_fp4}, {one_fp4}, {e4m3_a}, {e4m3_b}, 0) == bits(9.0f));
  const MmaRow& mx8 =
      *find_mma_row(120, MmaFamily::mma_sync, DType::e4m3, DType::e2m1, DType::f32, 32, false, 32);
  const std::uint8_t a8[32] = {0x40, 0x38}, b4[32] = {2, 0xA};  // 2*1 - 1*1
  CHECK(mma_dot_scaled(mx8, 32, 32, {a8}, {b4}, {scales_a}, {scales_b}, 0) == bits(8.0f));
  float d = 0;
  mma_tile_scaled(mx8, 1, 1, 32, {a8, 32, 1}, {b4, 1, 1}, {scales_a, 1, 1}, {scales_b, 1, 1}, {},
                  {&d, 1, 1});
  CHECK(d == 8.0f);
}

}  // namespace tirx::num
