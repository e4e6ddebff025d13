// The targeted vectors, and the test that every path gives their results.
#include "tests/unit/numerics/mma_targeted.hpp"

#include <cstring>

#include <doctest/doctest.h>

#include "numerics/mma/dot.hpp"
#include "numerics/mma/tile.hpp"

namespace tirx::num::test {

namespace {

constexpr auto kSync = MmaFamily::mma_sync, kWg = MmaFamily::wgmma;
constexpr auto F16 = DType::f16, BF16 = DType::bf16, TF32 = DType::tf32, F32 = DType::f32;
constexpr auto E4M3 = DType::e4m3, E5M2 = DType::e5m2, S8 = DType::i8, S32 = DType::i32;
constexpr auto F64 = DType::f64;

using Words = std::vector<std::uint64_t>;

/// bf16 value (1 + fraction / 128) * 2^e.
std::uint64_t bf16(int e, unsigned fraction = 0) {
  return static_cast<std::uint64_t>(e + 127) << 7 | fraction;
}

Words filled(std::size_t count, std::uint64_t value, Words tail) {
  Words w(count, value);
  w.insert(w.end(), tail.begin(), tail.end());
  return w;
}

std::vector<Targeted> build() {
  const std::uint64_t one = bf16(0);
  return {
      // Floor of f16 results, measured: 2^-25 is half the smallest subnormal, so any product that
      // survives alignment tips it over.  2^-46 survives, 2^-47 does not: lsb = 2^(-21-25).
      {"floor f16: 2^-45 survives",
       kSync,
       F16,
       F16,
       F16,
       false,
       16,
       {0x0C00, 0x0002},
       {0x0800, 0x0004},
       0,
       1},
      {"floor f16: 2^-46 survives",
       kSync,
       F16,
       F16,
       F16,
       false,
       16,
       {0x0C00, 0x0002},
       {0x0800, 0x0002},
       0,
       1},
      {"floor f16: 2^-47 is lost",
       kSync,
       F16,
       F16,
       F16,
       false,
       16,
       {0x0C00, 0x0002},
       {0x0800, 0x0001},
       0,
       0},
      {"floor f16: 2^-48 is lost",
       kSync,
       F16,
       F16,
       F16,
       false,
       16,
       {0x0C00, 0x0001},
       {0x0800, 0x0001},
       0,
       0},
      // Floor of f32 results, -133: lsb 2^-158.  Products that add up to 2^-149 exactly only if
      // each keeps its bits: 14 of 2^-153, and a pair around 2^-153 that differs in one low bit.
      {"floor f32: bit 2^-158 is kept", kSync, BF16, BF16, F32, false, 16,
       filled(14, bf16(-76), {bf16(-77, 120), bf16(-76, 4)}), filled(16, bf16(-77), {}), 0, 1},
      {"floor f32: bit 2^-159 is lost", kSync, BF16, BF16, F32, false, 16,
       filled(14, bf16(-76), {bf16(-77, 124), bf16(-76, 2)}), filled(16, bf16(-77), {}), 0, 0},
      {"floor f32: bit 2^-161 is lost", kWg, BF16, BF16, F32, false, 16,
       filled(14, bf16(-76), {bf16(-77, 127), bf16(-76, 1)}), filled(16, bf16(-77), {}), 0, 0},
      // A zero factor takes no part, however large its partner.
      {"0 * 2^127 is dropped",
       kSync,
       BF16,
       BF16,
       F32,
       false,
       16,
       {0, one},
       {bf16(127), bf16(-30)},
       0,
       0x30800000},
      {"0 * 2^127 is dropped, wgmma",
       kWg,
       BF16,
       BF16,
       F32,
       false,
       16,
       {0, one},
       {bf16(127), bf16(-30)},
       0,
       0x30800000},
      {"0 * 2^15 is dropped, fp8",
       kWg,
       E4M3,
       E5M2,
       F32,
       false,
       32,
       {0, 0x01},
       {0x7B, 0x01},
       0,
       0x33000000},
      // Zero results.
      {"-0 * 1 + -0 is +0", kSync, F16, F16, F32, false, 16, {0x8000}, {0x3C00}, 0x80000000, 0},
      {"C = -0 alone is +0", kWg, E4M3, E4M3, F32, false, 32, {}, {}, 0x80000000, 0},
      {"-2^-26 rounds to +0 in f16", kSync, F16, F16, F16, false, 16, {0x8C00}, {0x0400}, 0, 0},
      // C.
      {"subnormal C is read", kSync, F16, F16, F32, false, 16, {}, {}, 1, 1},
      {"subnormal C is read, f16", kWg, F16, F16, F16, false, 16, {}, {}, 0x8001, 0x8001},
      {"C is cut to 14 bits", kWg, E4M3, E4M3, F32, false, 32, {}, {}, 0x3F8007FF, 0x3F800400},
      {"C passes whole through the emulation",
       kSync,
       E4M3,
       E4M3,
       F32,
       false,
       32,
       {},
       {},
       0x3F8007FF,
       0x3F8007FF},
      {"C of the emulation is rounded to nearest",
       kSync,
       E4M3,
       E4M3,
       F32,
       false,
       32,
       {0x38},
       {0x38},
       0x4B7FFFFF,
       0x4B800000},
      {"C is truncated elsewhere",
       kSync,
       F16,
       F16,
       F32,
       false,
       16,
       {0x3C00},
       {0x3800},
       0x4B7FFFFF,
       0x4B7FFFFF},
      // Overflow.
      {"2^128 is infinite",
       kSync,
       BF16,
       BF16,
       F32,
       false,
       16,
       {bf16(127)},
       {bf16(1)},
       0,
       0x7F800000},
      {"65504 + 16 is infinite in f16",
       kSync,
       F16,
       F16,
       F16,
       false,
       16,
       {0x4C00},
       {0x3C00},
       0x7BFF,
       0x7C00},
      {"65504 + 15 stays in f16",
       kSync,
       F16,
       F16,
       F16,
       false,
       16,
       {0x4B80},
       {0x3C00},
       0x7BFF,
       0x7BFF},
      // Specials.
      {"NaN C becomes canonical", kSync, F16, F16, F32, false, 16, {}, {}, 0xFFC12345, 0x7FFFFFFF},
      {"0 * infinity", kWg, F16, F16, F16, false, 16, {0x0000}, {0xFC00}, 0, 0x7FFF},
      {"infinity - infinity",
       kSync,
       BF16,
       BF16,
       F32,
       false,
       16,
       {0x7F80, one},
       {one, 0xFF80},
       0,
       0x7FFFFFFF},
      {"-infinity", kSync, E5M2, E5M2, F32, false, 32, {0xFC}, {0x3C}, 0, 0xFF800000},
      {"tf32 low bits are ignored",
       kSync,
       TF32,
       TF32,
       F32,
       false,
       8,
       {0x3F801FFF},
       {0x3F801FFF},
       0,
       0x3F800000},
      {"a tf32 NaN with only low bits is infinity",
       kSync,
       TF32,
       TF32,
       F32,
       false,
       8,
       {0x7F800001},
       {0x3F800000},
       0,
       0x7F800000},
      // The emulation converts to f16 first, which makes e4m3's 2^-9 a normal number: aligned to
      // 2^6, not to 2^9, so that 2^-9 * 2^-10 = 2^-19 survives beside 2^-9 * 2^15.
      {"e4m3 subnormals are normal in f16",
       kSync,
       E4M3,
       E5M2,
       F32,
       false,
       32,
       {0x01, 0x01, 0, 0, 0x81},
       {0x78, 0x14, 0, 0, 0x78},
       0,
       0x36000000},
      // DMMA runs upwards in k: (1 + 2^53) - 2^53 is 0, the other way it would be 1.
      {"f64 ascends",
       kSync,
       F64,
       F64,
       F64,
       false,
       16,
       {0x3FF0000000000000, 0x3FF0000000000000},
       {0x4340000000000000, 0xC340000000000000},
       0x3FF0000000000000,
       0},
      // Integers.
      {"satfinite clamps", kSync, S8, S8, S32, true, 32, {127}, {127}, 0x7FFFFFFF, 0x7FFFFFFF},
      {"s32 wraps", kWg, S8, S8, S32, false, 32, {127}, {127}, 0x7FFFFFFF, 0x80003F00},
  };
}

std::vector<unsigned char> packed(const Words& words, int count, int bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  std::vector<unsigned char> out(static_cast<std::size_t>(count) * size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::memcpy(out.data() + i * size, &words[i], size);
  }
  return out;
}

const MmaRow& row_of(const Targeted& t) {
  const MmaRow* row = find_mma_row(90, t.family, t.a_type, t.b_type, t.c_type, t.k, t.saturate);
  REQUIRE(row != nullptr);
  return *row;
}

}  // namespace

const std::vector<Targeted>& targeted() {
  static const std::vector<Targeted> all = build();
  return all;
}

std::uint64_t run_targeted(const Targeted& t, const MmaRow& row, unsigned deviation) {
  const auto a = packed(t.a, t.k, container_bytes(t.a_type));
  const auto b = packed(t.b, t.k, container_bytes(t.b_type));
  return mma_dot_broken(deviation, row, t.k, t.k, {a.data(), 1}, {b.data(), 1}, t.c);
}

TEST_CASE("matrix instructions: targeted vectors, scalar reference") {
  for (const Targeted& t : targeted()) {
    CAPTURE(t.rule);
    CHECK(run_targeted(t, row_of(t), 0) == t.d);
  }
}

TEST_CASE("matrix instructions: targeted vectors, every path") {
  for (TilePath path :
       {TilePath::reference, TilePath::portable, TilePath::avx2, TilePath::avx512}) {
    if (!available(path)) continue;
    for (const Targeted& t : targeted()) {
      CAPTURE(t.rule);
      CAPTURE(static_cast<int>(path));
      // The same row and column throughout a 17 x 19 tile: lanes and rows beyond whole vectors.
      const auto a = packed(t.a, t.k, container_bytes(t.a_type));
      const auto b = packed(t.b, t.k, container_bytes(t.b_type));
      const int bytes = container_bytes(t.c_type);
      std::vector<std::uint64_t> d(17 * 19);
      TileOptions options;
      options.step = t.k;
      options.path = path;
      mma_tile(row_of(t), 17, 19, t.k, {a.data(), 0, 1}, {b.data(), 1, 0}, {&t.c, 0, 0},
               {d.data(), 19, 1}, options);
      bool all = true;
      for (int i = 0; i < 17 * 19; ++i) {
        std::uint64_t got = 0;
        std::memcpy(&got, reinterpret_cast<const unsigned char*>(d.data()) + i * bytes,
                    static_cast<std::size_t>(bytes));
        all = all && got == t.d;
      }
      CHECK(all);
    }
  }
}

}  // namespace tirx::num::test
