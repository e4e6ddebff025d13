// Tiling and its inverses, direct sum, pack, unpack, broadcast: pinned values and their
// definitions.
#include <doctest/doctest.h>

#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

struct Tiling {
  const char* inner;
  const char* outer;
  Shape outer_shape;
  Shape inner_shape;
  const char* tiled;
};

const std::vector<Tiling>& tilings() {
  static const std::vector<Tiling> kRows = {
      {"8:1", "8:1", {8}, {8}, "64:1"},
      {"(8,8):(8,1)", "(8,8):(8,1)", {8, 8}, {8, 8}, "(8,8,8,8):(512,8,64,1)"},
      {"(2,4):(1,2)", "(8,8):(8,1)", {8, 8}, {2, 4}, "(8,2,32):(64,1,2)"},
      {"(4,2,2,4):(16,8,1,2)", "(8,8):(8,1)", {8, 8}, {8, 8}, "(8,4,2,8,2,4):(512,16,8,64,1,2)"},
      {"(8,1,4,2):(4L,2,1L,1)", "(8,8):(8,1)", {8, 8}, {8, 8}, "(8,8,1,8,4,2):(16,4L,2,2,1L,1)"},
      {"(8,4):(4L,1L)", "(8,8):(8,1)", {8, 8}, {8, 4}, "(8,8,8,4):(8,4L,1,1L)"},
      {"(1,2):(2,1)", "(8,4):(4L,1L)", {8, 4}, {1, 2}, "(32,2):(1L,1)"},
      {"(32,2):(1L,1)", "(2,2):(2W,1W)", {2, 2}, {8, 8}, "(2,8,2,4,2):(2W,4L,1W,1L,1)"},
      {"(1,2):(2,1)", "8:4L", {8, 1}, {1, 2}, "(8,2):(4L,1)"},
      {"(64,128):(128,1)", "2:2W + R 2:1W", {2, 1}, {64, 128}, "(2,8192):(2W,1) + R 2:1W"},
  };
  return kRows;
}

Shape products(const Shape& a, const Shape& b) {
  Shape out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] * b[i]);
  return out;
}

}  // namespace

TEST_CASE("tile: pinned values, and both factors come back") {
  for (const Tiling& row : tilings()) {
    CAPTURE(row.tiled);
    const TileLayout inner = L(row.inner);
    const TileLayout outer = L(row.outer);
    const TileLayout tiled = must(tile(inner, outer, row.outer_shape, row.inner_shape));
    CHECK(tiled == must(canonicalize(L(row.tiled))));
    const Shape whole = products(row.outer_shape, row.inner_shape);
    const auto outer_again = is_tile_inner(inner, tiled, whole, row.inner_shape);
    REQUIRE(outer_again.has_value());
    CHECK(must(canonicalize(*outer_again)) == must(canonicalize(outer)));
    const auto inner_again = is_tile_outer(outer, tiled, whole, row.outer_shape);
    REQUIRE(inner_again.has_value());
    CHECK(must(canonicalize(*inner_again)) == must(canonicalize(inner)));
  }
}

TEST_CASE("tile is what it says: the inner place plus the outer place in units of the inner span") {
  for (const Tiling& row : tilings()) {
    const TileLayout inner = must(canonicalize(L(row.inner)));
    const TileLayout outer = L(row.outer);
    const TileLayout tiled = must(tile(inner, outer, row.outer_shape, row.inner_shape));
    if (tiled.size() > 4096) continue;
    const Shape whole = products(row.outer_shape, row.inner_shape);
    for (const Shape& c : coordinates_of(whole)) {
      Shape block;
      Shape within;
      for (std::size_t i = 0; i < c.size(); ++i) {
        block.push_back(c[i] / row.inner_shape[i]);
        within.push_back(c[i] % row.inner_shape[i]);
      }
      AxisValues expected = must(apply(inner, within, row.inner_shape));
      for (const auto& [axis, value] : must(apply(outer, block, row.outer_shape))) {
        expected[axis] += value * inner.span(axis);
      }
      std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
      REQUIRE(places(apply(tiled, c, whole)) == expected);
    }
  }
}

TEST_CASE("what is not a tile is refused") {
  const TileLayout tiled = L("(8,2,32):(64,1,2)");
  CHECK_FALSE(is_tile_inner(L("(8,8):(8,1)"), tiled, Shape{16, 32}, Shape{8, 8}).has_value());
  CHECK_FALSE(is_tile_outer(L("(2,4):(1,2)"), tiled, Shape{16, 32}, Shape{2, 4}).has_value());
  CHECK_FALSE(is_tile_inner(L("(2,4):(1,2)"), tiled, Shape{16, 32}, Shape{3, 4}).has_value());
  CHECK_FALSE(is_tile_inner(L("(2,4):(1,2)"), tiled, Shape{16, 32}, Shape{8}).has_value());
  CHECK(contains(error_of(tile(L("(2,4):(1,2)"), L("8:1"), Shape{8}, Shape{2, 4})), "same rank"));
  CHECK(contains(error_of(tile(L("8:1"), L("8:1"), Shape{4}, Shape{8})), "can not be grouped"));
}

TEST_CASE("tile_to repeats row-major") {
  const TileLayout layout = L("(8,8):(8,1)");
  CHECK(must(tile_to(layout, Shape{64, 64}, Shape{8, 8})) ==
        must(tile(layout, L("(8,8):(8,1)"), Shape{8, 8}, Shape{8, 8})));
  CHECK(contains(error_of(tile_to(layout, Shape{60, 64}, Shape{8, 8})), "not a multiple"));
  CHECK(contains(error_of(tile_to(layout, Shape{64}, Shape{8, 8})), "not a multiple"));
}

TEST_CASE("tile of a swizzled layout tiles inside the swizzle") {
  const Swizzle swizzle{3, 3, 3};
  const Layout atom(swizzle, L("(8,64):(64,1)"));
  const TileLayout column = L("(8,1):(1,1)");
  const Layout tiled = must(tile(atom, column, Shape{8, 1}, Shape{8, 64}));
  CHECK(tiled == Layout(swizzle, L("4096:1")));
  const auto outer = is_tile_inner(atom, tiled, Shape{4096}, Shape{512});
  REQUIRE(outer.has_value());
  CHECK(must(canonicalize(outer->tile)) == must(canonicalize(column)));
  const auto inner = is_tile_outer(column, tiled, Shape{4096}, Shape{8});
  REQUIRE(inner.has_value());
  CHECK(must(canonicalize(*inner)) == must(canonicalize(atom)));
  CHECK_FALSE(is_tile_inner(Layout(column), tiled, Shape{4096}, Shape{512}).has_value());
}

TEST_CASE("direct_sum adds the places of both parts") {
  const TileLayout right = L("(2,2):(4,1)");
  const TileLayout left = L("(2,2):(8,2)");
  const TileLayout sum = must(direct_sum(right, left, Shape{2, 2}, Shape{2, 2}));
  CHECK(sum == L("16:1"));
  for (const Shape& c : coordinates_of({2, 2, 2, 2})) {
    CHECK(must(apply(sum, c, Shape{2, 2, 2, 2}))[AxisId::m] ==
          must(apply(left, Shape{c[0], c[2]}, Shape{2, 2}))[AxisId::m] +
              must(apply(right, Shape{c[1], c[3]}, Shape{2, 2}))[AxisId::m]);
  }
  const TileLayout threads =
      must(direct_sum(L("2:1 + 3"), L("8:4L + R 2:1W + 4"), Shape{8}, Shape{2}));
  CHECK(threads == L("(8,2):(4L,1) + R 2:1W + 7"));
}

TEST_CASE("pack and unpack change the element, not the bytes") {
  CHECK(must(unpack(Layout(L("(8,8):(8,1)")), 2)).tile == L("(8,8,2):(16,2,1)"));
  CHECK(must(pack(Layout(L("(8,16):(16,1)")), 2)) == Layout(L("(8,8):(8,1)")));
  CHECK(must(pack(Layout(L("(8,4,8):(4L,1L,1) + 16")), 4)).tile == L("(8,4,2):(4L,1L,1) + 4"));
  const Layout swizzled(Swizzle{3, 3, 3}, L("(8,64):(64,1)"));
  const Layout unpacked = must(unpack(swizzled, 2));
  CHECK(unpacked.swizzle == Swizzle{4, 3, 3});
  CHECK(must(canonicalize(unpacked.tile)) == must(canonicalize(L("(8,128):(128,1)"))));
  CHECK(must(canonicalize(must(pack(unpacked, 2)))) == must(canonicalize(swizzled)));

  for (const Layout& layout :
       {Layout(L("(6,8):(16,1) + 8")), Layout(Swizzle{1, 2, 2}, L("(4,8):(8,1)"))}) {
    const Layout wide = must(pack(layout, 2));
    const Layout narrow = must(unpack(layout, 4));
    for (std::int64_t c = 0; c < layout.size(); ++c) {
      const std::int64_t place = must(apply(layout, c))[AxisId::m];
      REQUIRE(must(apply(wide, c / 2))[AxisId::m] == place / 2);
      for (std::int64_t part = 0; part < 4; ++part) {
        REQUIRE(must(apply(narrow, c * 4 + part))[AxisId::m] == place * 4 + part);
      }
    }
  }
}

TEST_CASE("pack and unpack refuse what they cannot do") {
  const auto text = [](const char* layout, std::int64_t n) {
    return error_of(pack(Layout(L(layout)), n));
  };
  CHECK(contains(text("(8,3):(3,1)", 2), "pack(2)"));
  CHECK(contains(text("(8,4):(1,8)", 2), "innermost"));
  CHECK(contains(text("(8,4):(4,1L)", 2), "innermost"));
  CHECK(contains(text("(8,4):(5,1)", 2), "multiples of 2"));
  CHECK(contains(text("(8,4):(8,1) + 3", 2), "multiples of 2"));
  CHECK(contains(text("8:1", 0), "positive"));
  CHECK(contains(error_of(pack(Layout(Swizzle{0, 3, 3}, L("64:1")), 2)), "keeps only 1"));
  CHECK(contains(error_of(unpack(Layout(Swizzle{0, 3, 3}, L("64:1")), 3)), "power of two"));
  CHECK(contains(error_of(unpack(Layout(L("8:1")), std::int64_t{1} << 61)), "layout too large"));
}

TEST_CASE("broadcast inserts a stride-0 iter") {
  const Layout layout(L("(8,4):(4,1)"));
  CHECK(must(broadcast(layout, 3, 0)).tile == L("(3,8,4):(0,4,1)"));
  CHECK(must(broadcast(layout, 3, 1)).tile == L("(8,3,4):(4,0,1)"));
  CHECK(must(broadcast(layout, 3, -1)).tile == L("(8,4,3):(4,1,0)"));
  CHECK(must(broadcast(layout, 3, 2)).tile.has_broadcast());
  CHECK(contains(error_of(broadcast(layout, 3, 3)), "position"));
  CHECK(contains(error_of(broadcast(layout, 0, 0)), "positive"));
}

TEST_CASE("the storage of a tiled fragment is the tiled storage") {
  const auto by = [](const TileLayout& inner, const char* outer, const Shape& o, const Shape& i) {
    return must(tile(inner, L(outer), o, i));
  };
  const TileLayout whole =
      by(by(by(L("2:1"), "(8,4):(4L,1L)", {8, 4}, {1, 2}), "(2,1):(1,2)", {2, 1}, {8, 8}),
         "(1,8):(8,1)", {1, 8}, {16, 8});
  const TileLayout own =
      by(by(L("2:1"), "(2,1):(1,2)", {2, 1}, {1, 2}), "(1,8):(8,1)", {1, 8}, {2, 2});
  CHECK(must(canonicalize(whole.storage())) == must(canonicalize(own)));
}
