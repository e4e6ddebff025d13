// Regions of layouts: pinned values, and every small layout checked element by element.
#include <doctest/doctest.h>

#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

TileLayout sliced(const char* layout, const Shape& shape, const std::vector<DimRange>& region) {
  const TileLayout out = must(slice(L(layout), shape, region));
  CHECK(slice_is_right(L(layout), shape, region, out));
  return must(canonicalize(out));
}

}  // namespace

TEST_CASE("slice: pinned values") {
  CHECK(sliced("(8,8):(8,1)", {64}, {{5, 8}}) == L("3:1 + 5"));
  CHECK(sliced("(4,4,4,4):(64,4,16,1)", {16, 16}, {{2, 3}, {6, 10}}) == L("(2,2):(14,1) + 26"));
  CHECK(sliced("(2,8,3,8):(192,8,64,1)", {16, 24}, {{2, 6}, {4, 12}}) ==
        L("(4,2,4):(8,60,1) + 20"));
  CHECK(sliced("(128,2,64):(64,8192,1)", {128, 128}, {{0, 128}, {32, 96}}) ==
        L("(128,2,32):(64,8160,1) + 32"));
  CHECK(sliced("(3,128,128):(16384,128,1)", {3, 128, 128}, {{2, 3}, {0, 128}, {0, 128}}) ==
        L("16384:1 + 32768"));
}

TEST_CASE("the wrap case carries into every outer digit that is full") {
  // Real TIRx steps the middle digit beyond its extent here: 12, 13, 20, 21.
  const TileLayout out = sliced("(2,2,4):(100,10,1)", {16}, {{6, 10}});
  CHECK(out == L("(2,2):(88,1) + 12"));
  const std::int64_t expected[] = {12, 13, 100, 101};
  for (std::int64_t c = 0; c < 4; ++c) CHECK(must(apply(out, c))[AxisId::m] == expected[c]);
  CHECK(sliced("(2,2,4):(100,10,1)", {16}, {{2, 6}}) == L("(2,2):(8,1) + 2"));
  CHECK(
      contains(error_of(slice(L("(2,2,4):(100,10,1)"), Shape{16}, std::vector<DimRange>{{6, 11}})),
               "wraps around"));
}

TEST_CASE("offsets are added, replicas stay, thread axes keep their own offset") {
  const auto out = must(slice(L("(8,4):(4L,1) + R 2:1W + 100 + 1L"), Shape{8, 4},
                              std::vector<DimRange>{{2, 4}, {1, 3}}));
  CHECK(out == L("(2,2):(4L,1) + R 2:1W + 101 + 9L"));
}

TEST_CASE("every slice of every small layout") {
  int good = 0;
  int refused = 0;
  const Shape extents = {2, 3, 4};
  const Shape strides = {1, 10, 100};
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const Shape& e : coordinates_of({3, 3, 3})) {
    for (const auto& order : orders) {
      Iters iters;
      for (std::size_t k = 0; k < 3; ++k) {
        iters.push_back({extents[static_cast<std::size_t>(e[k])],
                         strides[static_cast<std::size_t>(order[k])], AxisId::m});
      }
      const TileLayout layout = must(TileLayout::make(iters));
      const Shape shape = {layout.size()};
      for (std::int64_t begin = 0; begin < shape[0]; ++begin) {
        for (std::int64_t end = begin + 1; end <= shape[0]; ++end) {
          const std::vector<DimRange> region = {{begin, end}};
          const auto out = slice(layout, shape, region);
          if (!out) {
            ++refused;
            continue;
          }
          ++good;
          REQUIRE_MESSAGE(slice_is_right(layout, shape, region, *out),
                          to_string(layout)
                              << " [" << begin << ", " << end << ") -> " << to_string(*out));
        }
      }
    }
  }
  MESSAGE("slices: " << good << " right, " << refused << " refused");
  CHECK(good > 10000);
  CHECK(good + refused > 25959);
}

TEST_CASE("two-dimensional slices of interleaved layouts") {
  int good = 0;
  for (const char* text :
       {"(2,2,2,3):(6,1,12,2)", "(4,6):(1,4)", "(2,2,3,2):(12,2,4,1)", "(4,2,3):(6L,3,1)"}) {
    const TileLayout layout = L(text);
    const Shape shape = {4, 6};
    for (const Shape& c : coordinates_of({4, 4, 6, 6})) {
      if (c[0] > c[1] || c[2] > c[3]) continue;
      const std::vector<DimRange> region = {{c[0], c[1] + 1}, {c[2], c[3] + 1}};
      const auto out = slice(layout, shape, region);
      if (!out) continue;
      ++good;
      REQUIRE(slice_is_right(layout, shape, region, *out));
    }
  }
  CHECK(good > 400);
}

TEST_CASE("slices of swizzled layouts keep the swizzle outside") {
  const Layout swizzled(Swizzle{3, 3, 3}, L("(8,64):(64,1)"));
  const Shape shape = {8, 64};
  const Layout out = must(slice(swizzled, shape, std::vector<DimRange>{{2, 4}, {0, 64}}));
  CHECK(out.swizzle == swizzled.swizzle);
  for (const Shape& c : coordinates_of({2, 64})) {
    CHECK(must(apply(out, c, Shape{2, 64})) == must(apply(swizzled, Shape{c[0] + 2, c[1]}, shape)));
  }
}

TEST_CASE("slice refuses what lies outside") {
  const TileLayout layout = L("(8,8):(8,1)");
  const auto text = [&](const std::vector<DimRange>& region) {
    return error_of(slice(layout, Shape{8, 8}, region));
  };
  CHECK(contains(text({{0, 8}}), "1 ranges"));
  CHECK(contains(text({{0, 8}, {4, 4}}), "empty or inverted"));
  CHECK(contains(text({{0, 8}, {6, 4}}), "empty or inverted"));
  CHECK(contains(text({{0, 8}, {4, 9}}), "out of range"));
  CHECK(contains(text({{0, 8}, {-1, 4}}), "out of range"));
  CHECK(contains(text({{0, 9}, {0, 8}}), "exceeds"));
  CHECK(contains(text({{INT64_MIN, INT64_MAX}, {0, 8}}), "empty or inverted"));
  CHECK(contains(error_of(slice(layout, Shape{9, 8}, std::vector<DimRange>{{0, 8}, {0, 8}})),
                 "can not be grouped"));
}

TEST_CASE("symbolic begins: every begin that keeps the promise gives the right places") {
  int accepted = 0;
  for (const char* text : {"(2,3,4):(100,10,1)", "(4,6):(1,10)", "24:1", "(2,2,2,3):(50,1,20,7)"}) {
    const TileLayout layout = L(text);
    for (const Shape& shape : {Shape{24}, Shape{4, 6}, Shape{2, 12}}) {
      if (!group(layout, shape)) continue;
      for (std::int64_t multiple = 1; multiple <= shape.back(); ++multiple) {
        for (std::int64_t extent = 1; extent <= shape.back(); ++extent) {
          std::vector<RegionDim> region(shape.size(), RegionDim{0, 1, 1});
          region.back() = {std::nullopt, multiple, extent};
          const auto out = slice_at(layout, shape, region);
          if (!out) continue;
          ++accepted;
          for (std::int64_t begin = 0; begin + extent <= shape.back(); begin += multiple) {
            for (std::int64_t i = 0; i < extent; ++i) {
              Shape whole(shape.size(), 0);
              Shape inside = whole;
              whole.back() = begin + i;
              inside.back() = i;
              Shape extents(shape.size(), 1);
              extents.back() = extent;
              std::int64_t place = must(apply(out->layout, inside, extents))[AxisId::m];
              for (const OffsetTerm& term : out->terms) {
                REQUIRE(term.dim == shape.size() - 1);
                std::int64_t digit = begin / term.divisor;
                if (term.modulus != 0) digit %= term.modulus;
                place += digit * term.stride;
              }
              REQUIRE(place == must(apply(layout, whole, shape))[AxisId::m]);
            }
          }
        }
      }
    }
  }
  CHECK(accepted > 100);
}

TEST_CASE("symbolic begins: the usual tile of a matrix") {
  const TileLayout matrix = must(TileLayout::row_major(Shape{1024, 512}));
  const std::vector<RegionDim> region = {{std::nullopt, 128, 128}, {std::nullopt, 64, 64}};
  const SymbolicSlice out = must(slice_at(matrix, Shape{1024, 512}, region));
  CHECK(out.layout == L("(128,64):(512,1)"));
  CHECK(out.terms == std::vector<OffsetTerm>{{0, 1, 0, 512, AxisId::m}, {1, 1, 0, 1, AxisId::m}});
}
