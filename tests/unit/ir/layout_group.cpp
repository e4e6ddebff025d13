// Grouping by shapes, refinement by several shapes, permutations.
#include <doctest/doctest.h>

#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

TEST_CASE("group cuts iters where dimensions end") {
  const Grouped g = must(group(L("(8,8,8,8):(512,8,64,1)"), Shape{64, 64}));
  CHECK(g.separators == std::vector<std::size_t>{0, 2, 4});
  CHECK(g.layout == L("(8,8,8,8):(512,8,64,1)"));
  const Grouped split = must(group(L("64:1"), Shape{4, 2, 8}));
  CHECK(split.layout == L("(4,2,8):(16,8,1)"));
  CHECK(split.separators == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(split.group(1).size() == 1);
  const Grouped mixed = must(group(L("(2,6,2):(100,10,1)"), Shape{4, 6}));
  CHECK(mixed.layout == L("(2,2,3,2):(100,30,10,1)"));
  CHECK(mixed.separators == std::vector<std::size_t>{0, 2, 4});
}

TEST_CASE("a dimension of extent 1 gets a unit iter") {
  const Grouped g = must(group(L("8:1"), Shape{1, 8, 1}));
  CHECK(g.layout == L("(1,8,1):(8,1,1)"));
  CHECK(g.separators == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(must(group(TileLayout(), Shape{1, 1})).rank() == 2);
  CHECK(must(group(L("1:1"), Shape{})).rank() == 0);
}

TEST_CASE("group says when it cannot") {
  CHECK(contains(error_of(group(L("(4,6):(6,1)"), Shape{6, 4})),
                 "layout S[(4, 6):(6, 1)] can not be grouped by shape (6, 4)"));
  for (const Shape& shape : {Shape{32}, Shape{128}, Shape{8, 4}, Shape{64, 2}, Shape{}, Shape{3}}) {
    CHECK_FALSE(group(L("64:1"), shape).ok());
  }
  CHECK(contains(error_of(group(L("4:1"), Shape{4, 0})), "positive"));
}

TEST_CASE("group then flatten is the identity") {
  const Shape options = {1, 2, 3, 4, 6};
  int grouped = 0;
  for (const Shape& e : coordinates_of({5, 5, 5})) {
    Iters iters;
    std::int64_t size = 1;
    const Shape strides = {50, 7, 1};
    for (std::size_t k = 0; k < 3; ++k) {
      iters.push_back({options[static_cast<std::size_t>(e[k])], strides[k], AxisId::m});
      size *= iters.back().extent;
    }
    const TileLayout layout = must(TileLayout::make(iters));
    for (std::int64_t a = 1; a <= size; ++a) {
      if (size % a != 0) continue;
      const Shape shape = {a, size / a};
      const auto g = group(layout, shape);
      if (!g) continue;
      ++grouped;
      REQUIRE(same_map(g->layout, layout));
      for (std::size_t k = 0; k < 2; ++k) {
        std::int64_t extent = 1;
        for (const Iter& it : g->group(k)) extent *= it.extent;
        REQUIRE(extent == shape[k]);
      }
      REQUIRE(must(canonicalize(g->layout)) == must(canonicalize(layout)));
    }
  }
  CHECK(grouped > 500);
}

TEST_CASE("group_many refines all shapes at once") {
  const GroupedMany g = must(group_many(L("24:1"), {{6, 4}, {2, 12}}));
  CHECK(g.layout == L("(2,3,4):(12,4,1)"));
  CHECK(g.separators == std::vector<std::vector<std::size_t>>{{0, 2, 3}, {0, 1, 3}});
  // Repeated boundaries stay, as unit iters.
  const GroupedMany units = must(group_many(L("8:1"), {{8, 1}, {2, 4}}));
  CHECK(units.layout == L("(2,4,1):(4,1,1)"));
  CHECK(units.separators == std::vector<std::vector<std::size_t>>{{0, 2, 3}, {0, 1, 3}});
  CHECK(contains(error_of(group_many(L("24:1"), {{4, 6}, {6, 4}})),
                 "incompatible cumulative boundaries"));
  CHECK(contains(error_of(group_many(L("24:1"), {{4, 4}})), "equal total products"));
  CHECK(contains(error_of(group_many(L("24:1"), {})), "at least one shape"));
  CHECK(contains(error_of(group_many(L("24:1"), {{}})), "must not be empty"));
  CHECK(must(group_many(TileLayout(), {{1}})).separators[0] == std::vector<std::size_t>{0, 1});
}

TEST_CASE("permutations") {
  const Grouped g = must(group(L("(8,8,8,8):(512,8,64,1)"), Shape{64, 64}));
  const TileLayout swapped = must(permute_by_groups(g.layout, g.separators, Shape{1, 0}));
  CHECK(swapped == must(permute_dims(g.layout, Shape{2, 3, 0, 1})));
  CHECK(swapped == L("(8,8,8,8):(64,1,512,8)"));
  CHECK(must(permute_by_groups(g.layout, g.separators, Shape{0, 1})) == g.layout);
  CHECK(contains(error_of(permute_by_groups(g.layout, g.separators, Shape{0, 0})),
                 "not a permutation"));
  CHECK(contains(error_of(permute_dims(g.layout, Shape{0, 1, 2})), "not a permutation"));
  CHECK(contains(error_of(permute_dims(g.layout, Shape{0, 1, 2, 4})), "not a permutation"));
}
