// Data model, sizes, apply, text.
#include <doctest/doctest.h>

#include "tests/unit/ir/layout_support.hpp"

using namespace tirx;
using namespace tirx::ir;
using namespace tirx::ir::test;

TEST_CASE("axes have a kind and a scope; unknown names are memory axes") {
  CHECK(Axis(AxisId::laneid).is_thread());
  CHECK(Axis::named("tx").id() == AxisId::tx);
  CHECK(Axis::named("warpid").facts().subscope == ExecScope::warp);
  CHECK(Axis::named("warpid").facts().scope == ExecScope::cta);
  for (const char* name :
       {"bx", "by", "bz", "cbx", "cby", "cbz", "wgid", "tid_in_wg", "wid_in_wg"}) {
    CHECK(Axis::named(name).is_thread());
  }
  for (const char* name : {"m", "P", "F", "Bank", "TCol", "TLane", "mine"}) {
    CHECK(Axis::named(name).is_memory());
  }
  CHECK(Axis::named("mine").name() == "mine");
  CHECK(Axis::named("mine") != Axis::named("yours"));
  CHECK(Axis::named("m") == Axis());
}

TEST_CASE("text is what the language writes") {
  CHECK(to_string(L("(8,4):(4L,1) + R 2:4W + 5W")) ==
        "S[(8, 4):(4@laneid, 1)] + R[2:4@warpid] + 5@warpid");
  CHECK(to_string(L("512:1 + 64")) == "S[512:1] + 64");
  CHECK(to_string(L("8:3@mine")) == "S[8:3@mine]");
  CHECK(to_string(Layout(Swizzle{3, 3, 3, true}, L("512:1"))) ==
        "ComposeLayout(3, 3, 3, S[512:1])");
  CHECK(to_string(Layout(Swizzle{0, 2, 3, false}, L("32:1"))) ==
        "ComposeLayout(0, 2, 3, S[32:1], swizzle_inner=False)");
  CHECK(to_string(Shape{8}) == "(8,)");
  CHECK(to_string(TileLayout()) == "S[():()]");
}

TEST_CASE("size, span and storage") {
  CHECK(L("(8,8):(8,1)").size() == 64);
  CHECK(L("(8,8):(8,1)").span() == 64);
  CHECK(L("(8,6):(8,1)").span() == 62);
  CHECK(L("(8,1,4,2):(4L,2,1L,1)").span() == 2);
  CHECK(L("(8,8):(1@P,1@F)").size(AxisId::P) == 8);
  CHECK(L("(8,8,8):(64@F,1@P,1@F)").size(AxisId::F) == 64);
  CHECK(L("(8,8,8):(64@F,1@P,1@F)").span(AxisId::F) == 456);
  CHECK(L("4:2 + R 3:10 + 5").span() == 1 + 6 + 20 + 5);
  CHECK(L("(8,4,2):(4L,1L,1) + R 2:1W + 3W + 7").storage() == L("2:1 + 7"));
  CHECK(L("(32,2,2):(1L,2,4)").storage() == L("(2,2):(2,4)"));
  CHECK(L("(32,2,2):(1L,2,4)").storage().span() == 7);
}

TEST_CASE("broadcast and replicas are different things") {
  CHECK(L("(4,2):(0,1)").has_broadcast());
  CHECK_FALSE(L("(1,2):(0,1)").has_broadcast());
  CHECK_FALSE(L("2:1 + R 4:1W").has_broadcast());
  CHECK(L("2:1 + R 4:1W").has_replicas());
  CHECK_FALSE(L("(4,2):(0,1)").has_replicas());
  CHECK(L("4:1 + 1W").has_thread_axes());
  CHECK_FALSE(L("4:1 + 1").has_thread_axes());
}

TEST_CASE("apply splits row-major and leaves the outermost digit alone") {
  const TileLayout padded = L("(8,8):(10,1)");
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      CHECK(places(apply(padded, i * 8 + j)) == places(apply(L("1:1"), i * 10 + j)));
      CHECK(places(apply(padded, Shape{i, j}, Shape{8, 8}))[AxisId::m] == i * 10 + j);
    }
  }
  CHECK(must(apply(padded, 64))[AxisId::m] == 80);
  CHECK(must(apply(padded, -1))[AxisId::m] == -10 + 7);
}

TEST_CASE("apply splits each coordinate inside its own group") {
  const TileLayout layout = L("(2,3,4,2,2):(1,2,12,6,48)");
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 16; ++j) {
      CHECK(must(apply(layout, Shape{i, j}, Shape{6, 16}))[AxisId::m] ==
            i / 3 + i % 3 * 2 + j / 4 * 12 + j % 4 / 2 * 6 + j % 2 * 48);
    }
  }
  const TileLayout threads = L("(8,1,4,2):(4L,2,1L,1)");
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      const AxisValues at = must(apply(threads, Shape{i, j}, Shape{8, 8}));
      CHECK(at.at(AxisId::m) == j % 2);
      CHECK(at.at(AxisId::laneid) == i * 4 + j / 2);
    }
  }
}

TEST_CASE("a shape that cannot be grouped is flattened") {
  const TileLayout layout = L("(4,6):(6,1)");
  for (const Shape& c : coordinates_of({6, 4})) {
    CHECK(must(apply(layout, c, Shape{6, 4})) == must(apply(layout, c[0] * 4 + c[1])));
  }
}

TEST_CASE("replicas do not contribute to apply, offsets do") {
  CHECK(must(apply(L("4:2 + R 8:100 + 7 + 3W"), 2)) ==
        AxisValues{{AxisId::m, 4 + 7}, {AxisId::warpid, 3}});
}

TEST_CASE("wrong arity is an error") {
  const TileLayout layout = L("(8,8):(8,1)");
  CHECK(contains(error_of(apply(layout, Shape{1, 1, 1}, Shape{8, 8})), "3 coordinates"));
  CHECK(contains(error_of(apply_digits(layout, Shape{1, 1, 1})), "3 coordinates"));
  CHECK(must(apply_digits(layout, Shape{2, 3}))[AxisId::m] == 19);
}

TEST_CASE("Placement is apply, prepared") {
  const Layout layouts[] = {Layout(L("(2,3,4,2,2):(1,2,12,6,48) + 5")), Layout(L("(4,24):(24L,1)")),
                            Layout(Swizzle{1, 2, 2, true}, L("(6,16):(16,1)"))};
  for (const Layout& layout : layouts) {
    for (const Shape& shape : {Shape{6, 16}, Shape{16, 6}, Shape{96}}) {
      const Placement placement = must(Placement::make(layout, shape));
      for (const Shape& c : coordinates_of(shape)) {
        for (const auto& [axis, place] : must(apply(layout, c, shape))) {
          CHECK(placement.at(c, axis) == place);
        }
      }
    }
  }
}

TEST_CASE("injective, bijective, contiguous") {
  CHECK(is_injective(L("(8,8):(10,1)")));
  CHECK_FALSE(is_injective(L("(8,8):(4,1)")));
  CHECK_FALSE(is_injective(L("(8,2):(0,1)")));
  CHECK(is_injective(L("(8,4,2):(4L,1L,1)")));
  CHECK(is_bijective(L("(2,8):(1,2)")));
  CHECK_FALSE(is_bijective(L("(2,8):(1,3)")));
  CHECK_FALSE(is_bijective(L("(2,8):(1,2) + 1")));
  CHECK(is_contiguous(L("(8,8):(8,1) + 5")));
  CHECK_FALSE(is_contiguous(L("(8,8):(1,8)")));
  CHECK(is_contiguous(L("(1,1):(7,9)")));
  // Where the test says injective, enumeration agrees.
  for (const char* text :
       {"(3,2):(2,3)", "(2,2,3):(1,2,4)", "(2,3):(1,1)", "(4,4):(4,1)", "(2,5):(9,2)"}) {
    const TileLayout layout = L(text);
    std::map<AxisValues, int> seen;
    for (std::int64_t c = 0; c < layout.size(); ++c) ++seen[must(apply(layout, c))];
    if (is_injective(layout)) CHECK(static_cast<std::int64_t>(seen.size()) == layout.size());
  }
}

TEST_CASE("impossible layouts are refused") {
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK(contains(error_of(TileLayout::make({{0, 1, AxisId::m}})), "must be positive"));
  CHECK(contains(error_of(TileLayout::make({{-3, 1, AxisId::m}})), "must be positive"));
  CHECK(contains(error_of(TileLayout::row_major(Shape{big, big})), "layout too large"));
  CHECK(contains(error_of(TileLayout::make({{2, INT64_MIN, AxisId::m}})), "layout too large"));
  CHECK(contains(error_of(TileLayout::make({{1, 1, AxisId::m}}, {}, {{AxisId::m, INT64_MIN}})),
                 "layout too large"));
  CHECK(contains(error_of(TileLayout::make({{big, big, AxisId::m}})), "layout too large"));
  CHECK(contains(error_of(TileLayout::strided(Shape{2, 3}, Shape{1})), "one stride per extent"));
  CHECK(contains(error_of(TileLayout::make(Iters(5000))), "layout too large"));
  CHECK(contains(error_of(apply(L("2:1"), INT64_MAX)), "layout too large"));
  CHECK(contains(error_of(apply(Layout(Swizzle{3, 3, 3}, L("512:1")), -1)), "no address"));
}

TEST_CASE("huge extents cost nothing") {
  const std::int64_t huge = std::int64_t{1} << 30;
  const TileLayout layout = must(TileLayout::row_major(Shape{huge, huge}));
  CHECK(must(canonicalize(layout)).shard().size() == 1);
  CHECK(must(slice(layout, Shape{huge, huge}, std::vector<DimRange>{{5, 6}, {0, huge}})).size() ==
        huge);
  CHECK(contains(error_of(tile_to(layout, Shape{huge * 4, huge * 4}, Shape{huge, huge})),
                 "layout too large"));
}
