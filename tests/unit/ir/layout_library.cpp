// Swizzles, MMA shared memory, fragments, broadcast scales.
#include <set>

#include <doctest/doctest.h>

#include "ir/layout/library.hpp"
#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

std::int64_t address(const Layout& layout, std::int64_t c) {
  return must(apply(layout, c)).at(AxisId::m);
}

}  // namespace

TEST_CASE("swizzle: pinned values") {
  const Layout s333 = must(bare_swizzle(Swizzle{3, 3, 3}));
  CHECK(s333.size() == 512);
  for (std::int64_t p = 0; p < 4096; ++p) {
    const std::int64_t i = p % 512 / 64;
    const std::int64_t j = p % 64 / 8;
    CHECK(address(s333, p) == p / 512 * 512 + (i * 8 + (i ^ j)) * 8 + p % 8);
  }
  const Layout s033 = must(bare_swizzle(Swizzle{0, 3, 3}));
  const Layout outer = must(bare_swizzle(Swizzle{0, 3, 3, false}));
  const Layout s023 = must(bare_swizzle(Swizzle{0, 2, 3}));
  CHECK(s033.size() == 64);
  CHECK(s023.size() == 32);
  CHECK(must(bare_swizzle(Swizzle{4, 3, 3})).size() == 1024);
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      CHECK(address(s033, 8 * i + j) == 8 * i + (i ^ j));
      CHECK(address(outer, 8 * i + j) == (i ^ j) * 8 + j);
      CHECK(address(s023, 8 * i + j) == 8 * i + 4 * (j / 4) + (i % 4 ^ j % 4));
    }
  }
}

TEST_CASE("every swizzle is a permutation of its period and its own inverse") {
  for (int m = 0; m <= 3; ++m) {
    for (int b = 0; b <= 3; ++b) {
      for (int sh = b; sh <= 4; ++sh) {
        for (const bool inner : {true, false}) {
          const Swizzle s = must(make_swizzle(m, b, sh, inner));
          std::set<std::int64_t> seen;
          for (std::int64_t a = 0; a < s.period(); ++a) {
            seen.insert(s.apply(a));
            REQUIRE(s.invert(s.apply(a)) == a);
            REQUIRE(s.apply(a + s.period()) == s.apply(a) + s.period());
            REQUIRE(s.apply(a) % s.chunk() == a % s.chunk());
          }
          REQUIRE(static_cast<std::int64_t>(seen.size()) == s.period());
          REQUIRE(*seen.rbegin() == s.period() - 1);
        }
      }
    }
  }
  CHECK(contains(error_of(make_swizzle(3, 4, 3)), "must not exceed"));
  CHECK(contains(error_of(make_swizzle(-1, 3, 3)), "negative"));
  CHECK(contains(error_of(make_swizzle(30, 10, 30)), "layout too large"));
  CHECK(contains(error_of(make_swizzle(INT64_MAX, 1, INT64_MAX)), "layout too large"));
}

TEST_CASE("a swizzled layout may need more room than its span") {
  CHECK(Layout(Swizzle{3, 3, 3}, L("(8,64):(64,1)")).footprint() == 512);
  for (const Layout& layout : {Layout(Swizzle{0, 3, 3}, L("(7,5):(8,1)")),
                               Layout(Swizzle{0, 3, 3, false}, L("(7,5):(8,1)")),
                               Layout(Swizzle{1, 2, 2}, L("13:1 + 5"))}) {
    for (std::int64_t c = 0; c < layout.size(); ++c) CHECK(address(layout, c) < layout.footprint());
  }
}

TEST_CASE("MMA shared layouts: pinned values") {
  CHECK(must(mma_shared_layout(16, SwizzleMode::b128, Shape{64, 256})) ==
        Layout(Swizzle{3, 3, 3}, L("(64,4,64):(64,4096,1)")));
  CHECK(must(mma_shared_layout(16, SwizzleMode::b128, Shape{3, 64, 256})) ==
        Layout(Swizzle{3, 3, 3}, L("(3,64,4,64):(16384,64,4096,1)")));
  CHECK(must(mma_shared_layout(16, SwizzleMode::b64, Shape{3, 64, 256})) ==
        Layout(Swizzle{3, 2, 3}, L("(3,64,8,32):(16384,32,2048,1)")));
  CHECK(must(mma_shared_layout(16, SwizzleMode::none, Shape{128, 64})) ==
        Layout(L("(128,8,8):(8,1024,1)")));
  CHECK(must(mma_shared_layout(8, SwizzleMode::b128, Shape{64, 128})).swizzle == Swizzle{4, 3, 3});
  CHECK(must(mma_shared_layout(32, SwizzleMode::b32, Shape{64, 128})).swizzle == Swizzle{2, 1, 3});
  CHECK(must(mma_atom_shape(8, SwizzleMode::b128)) == Shape{8, 128});
  CHECK(must(mma_atom_shape(16, SwizzleMode::b32)) == Shape{8, 16});
  CHECK(must(mma_atom_shape(4, SwizzleMode::b128)) == Shape{8, 256});
}

TEST_CASE("the 128-byte swizzle starts rows 0 to 7 at banks 0, 4, ..., 28") {
  const Layout layout = must(mma_shared_layout(16, SwizzleMode::b128, Shape{8, 64}));
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 64; ++j) {
      const std::int64_t at = must(apply(layout, Shape{i, j}, Shape{8, 64}))[AxisId::m];
      CHECK(at == 64 * i + 8 * ((j / 8) ^ i) + j % 8);
    }
    CHECK(must(apply(layout, Shape{i, 0}, Shape{8, 64}))[AxisId::m] * 2 / 4 % 32 == 4 * i);
  }
}

TEST_CASE("MMA shared layouts say what would fit") {
  const std::string text = error_of(mma_shared_layout(16, SwizzleMode::b128, Shape{64, 96}));
  CHECK(contains(text, "multiple of 64 elements (128 bytes)"));
  CHECK(contains(text, "use a smaller swizzle (64B)"));
  CHECK(contains(error_of(mma_shared_layout(16, SwizzleMode::b128, Shape{60, 64})), "rows 60"));
  CHECK(contains(error_of(mma_shared_layout(16, SwizzleMode::b128, Shape{64})), "two dimensions"));
  CHECK(contains(error_of(mma_shared_layout(6, SwizzleMode::b128, Shape{64, 64})), "6 bits"));
  CHECK(contains(error_of(mma_shared_layout(16, SwizzleMode::b128, Shape{0, 64})), "positive"));
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(contains(error_of(mma_shared_layout(16, SwizzleMode::b128, Shape{huge, huge})),
                 "layout too large"));
}

TEST_CASE("fragments: lane 4g + t holds what the PTX ISA says") {
  const auto lane_and_register = [](const TileLayout& f, std::int64_t i, std::int64_t j,
                                    const Shape& s) {
    const AxisValues at = must(apply(f, Shape{i, j}, s));
    return std::pair(at.at(AxisId::laneid), at.at(AxisId::m));
  };
  using Held = std::pair<std::int64_t, std::int64_t>;
  for (std::int64_t g = 0; g < 8; ++g) {
    for (std::int64_t t = 0; t < 4; ++t) {
      const std::int64_t lane = 4 * g + t;
      for (std::int64_t p = 0; p < 2; ++p) {
        for (std::int64_t high = 0; high < 2; ++high) {
          for (std::int64_t r = 0; r < 2; ++r) {
            CHECK(lane_and_register(mma_m16n8k16_a(), g + 8 * r, 2 * t + p + 8 * high, {16, 16}) ==
                  Held(lane, 2 * (r + 2 * high) + p));
          }
          CHECK(lane_and_register(mma_m16n8k16_b(), 2 * t + p + 8 * high, g, {16, 8}) ==
                Held(lane, 2 * high + p));
        }
        for (std::int64_t r = 0; r < 2; ++r) {
          CHECK(lane_and_register(mma_m16n8_accumulator(), g + 8 * r, 2 * t + p, {16, 8}) ==
                Held(lane, 2 * r + p));
        }
        CHECK(lane_and_register(mma_m16n8k8_b(), 2 * t + p, g, {8, 8}) == Held(lane, p));
      }
    }
  }
  CHECK(mma_m16n8k8_a() == L("(2,8,4,2):(2,4L,1L,1)"));
  CHECK(mma_m16n8k8_b() == L("(4,2,8):(1L,1,4L)"));
  CHECK(mma_m16n8k16_a() == L("(2,8,2,4,2):(2,4L,4,1L,1)"));
  CHECK(mma_m16n8k16_b() == L("(2,4,2,8):(2,1L,1,4L)"));
}

TEST_CASE("wg_local_layout gives each thread of a warpgroup a row") {
  CHECK(must(wg_local_layout(16)) == Layout(L("(128,16):(1@tid_in_wg,1)")));
  CHECK(must(wg_local_layout(8, 64)) == Layout(L("(64,8):(1@tid_in_wg,1)")));
}

TEST_CASE("scale_layout reads the scale of the block, ragged or not") {
  int checked = 0;
  for (const auto major : {ScaleMajor::mn, ScaleMajor::k}) {
    for (std::int64_t m = 1; m <= 9; ++m) {
      for (std::int64_t k = 1; k <= 9; ++k) {
        for (const std::int64_t gm : {1, 2, 3, 8, 20}) {
          for (const std::int64_t gk : {1, 2, 4, 20}) {
            for (const std::int64_t pad : {1, 4}) {
              const Shape shape = {m, k};
              const TileLayout layout = must(scale_layout(shape, Shape{gm, gk}, major, pad));
              const auto ceil = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
              const std::int64_t first = ceil(ceil(m, gm), major == ScaleMajor::mn ? pad : 1);
              const std::int64_t last = ceil(ceil(k, gk), major == ScaleMajor::k ? pad : 1);
              const std::int64_t rows = first * (major == ScaleMajor::mn ? pad : 1);
              const std::int64_t columns = last * (major == ScaleMajor::k ? pad : 1);
              REQUIRE(layout.span() == rows * columns);
              for (const Shape& c : coordinates_of(shape)) {
                const std::int64_t i = c[0] / gm;
                const std::int64_t j = c[1] / gk;
                const std::int64_t expected =
                    major == ScaleMajor::mn ? i + j * rows : i * columns + j;
                REQUIRE(must(apply(layout, c, shape))[AxisId::m] == expected);
                ++checked;
              }
            }
          }
        }
      }
    }
  }
  CHECK(checked > 10000);
}

TEST_CASE("slices of ragged scales stay right") {
  int good = 0;
  for (const auto major : {ScaleMajor::mn, ScaleMajor::k}) {
    const Shape shape = {10, 7};
    const TileLayout layout = must(scale_layout(shape, Shape{4, 3}, major, 4));
    for (const Shape& c : coordinates_of({10, 10, 7, 7})) {
      if (c[0] > c[1] || c[2] > c[3]) continue;
      const std::vector<DimRange> region = {{c[0], c[1] + 1}, {c[2], c[3] + 1}};
      const auto out = slice(layout, shape, region);
      if (!out) continue;
      ++good;
      REQUIRE(slice_is_right(layout, shape, region, *out));
    }
  }
  CHECK(good > 300);
}

TEST_CASE("scale_layout: form and errors") {
  CHECK(must(scale_layout(Shape{256, 512}, Shape{1, 128}, ScaleMajor::mn)) ==
        L("(256,1,4,128):(1,0,256,0)"));
  CHECK(must(scale_layout(Shape{256, 512}, Shape{128, 128}, ScaleMajor::k)) ==
        L("(2,128,4,128):(4,0,1,0)"));
  CHECK(must(scale_layout(Shape{130, 512}, Shape{1, 128}, ScaleMajor::mn, 4)) ==
        L("(132,1,4,128):(1,0,132,0)"));
  CHECK(must(scale_layout(Shape{256, 512}, Shape{128, 128}, ScaleMajor::k)).has_broadcast());
  CHECK(contains(error_of(scale_layout(Shape{8}, Shape{1, 1}, ScaleMajor::k)), "same rank"));
  CHECK(contains(error_of(scale_layout(Shape{8, 8}, Shape{0, 1}, ScaleMajor::k)), "positive"));
  CHECK(contains(error_of(scale_layout(Shape{8, 8}, Shape{1, 1}, ScaleMajor::k, 0)), "pad"));
  CHECK(contains(
      error_of(scale_layout(Shape{INT64_MAX, INT64_MAX}, Shape{1, 1}, ScaleMajor::k, INT64_MAX)),
      "layout too large"));
}
