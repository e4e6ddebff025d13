// The simplest form of a layout, with and without the axis fusion of a CUDA target.
#include <doctest/doctest.h>

#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

struct Pinned {
  const char* layout;
  const char* simple;
};

}  // namespace

TEST_CASE("canonicalize: pinned values") {
  const Pinned rows[] = {
      {"(8,8,8,4,2):(512,64,8,2,1)", "4096:1"},
      {"(8,8,1,8,4,2):(512,64,160,8,2,1)", "4096:1"},
      {"(8,8,8,4,1,1):(512,64,8,2,1,1)", "2048:2"},
      {"(8,8,1,1,1,4,1,1):(512,64,1,1,1,2,1,1)", "(64,4):(64,2)"},
      {"(2,3,6):(18,6,1)", "36:1"},
      {"(8,2,3,6):(6,18,6,1)", "(8,36):(6,1)"},
      {"(8,2,3,6):(6,24,6,1)", "(8,2,18):(6,24,1)"},
      {"(8,2,4,2,3,6):(2,1,4,24,6,1)", "(16,4,2,18):(1,4,24,1)"},
      {"(3,4,5,2):(20,5,1,60)", "(60,2):(1,60)"},
      {"(3,4,5,2,3,4):(20,5,1,60,20,5)", "(60,24):(1,5)"},
      {"(18,8,2,4,2,3,6):(4,2,1,4,24,6,1)", "(18,16,4,2,18):(4,1,4,24,1)"},
      {"(8,4,8):(4L,1L,4)", "(32,8):(1L,4)"},
      {"(8,4,4,8,8,4,4,16,8):(4L,1L,16,2,8,2,16,1,4)", "(32,32,32,64,8):(1L,2,2,1,4)"},
      {"(1,1,1,1,1):(1,1,1,1,1)", "1:1"},
      // and more of the same kind
      {"(8,8,8,4,2):(16,4L,2,1L,1)", "(8,8,8,4,2):(16,4L,2,1L,1)"},
      {"(8,8,8,1,4,2,1):(16,4L,2,1,1L,1,4L)", "(8,8,8,4,2):(16,4L,2,1L,1)"},
      {"(8,8,8,1,1,2,1):(16,4L,2,1,4L,1,1) + 0L", "(8,8,16):(16,4L,1)"},
      {"(8,4,8,8,16):(4L,1L,4,2,4)", "(32,8,8,16):(1L,4,2,4)"},
      {"(8,4):(4L,1L)", "32:1L"},
      {"(32,3,4,5,2,3,4):(1L,20,5,1,60,20,5)", "(32,60,24):(1L,1,5)"},
      {"(8,1,8):(8@F,1@P,1@F)", "64:1@F"},
      {"(8,8,8):(8@F,1@P,1@F)", "(8,8,8):(8@F,1@P,1@F)"},
      {"(1,1):(5L,7)", "1:1L"},
      {"(4,2,8):(0,0,1)", "(8,8):(0,1)"},
  };
  for (const Pinned& row : rows) {
    CAPTURE(row.layout);
    CHECK(to_string(must(canonicalize(L(row.layout)))) == to_string(L(row.simple)));
  }
}

TEST_CASE("canonicalize under a CUDA target: pinned values") {
  const Pinned rows[] = {
      {"(2,8,2,4):(2W,4L,1W,1L)", "(2,8,2,4):(64@tx,4@tx,32@tx,1@tx)"},
      {"(2,2,8,4):(2W,1W,4L,1L)", "128:1@tx"},
      {"(2,8,2,4):(2@wid_in_wg,4L,1@wid_in_wg,1L)",
       "(2,8,2,4):(64@tid_in_wg,4@tid_in_wg,32@tid_in_wg,1@tid_in_wg)"},
      {"(2,2,4,32):(2@wgid,1@wgid,32@tid_in_wg,1@tid_in_wg)", "512:1@tx"},
      {"(2,2,8,2,2,4):(2@wgid,2@wid_in_wg,4L,1@wgid,1@wid_in_wg,1L)",
       "(2,2,8,2,2,4):(256@tx,64@tx,4@tx,128@tx,32@tx,1@tx)"},
      // From warp to CTA, wgid becomes warpid (real TIRx scales it but keeps its name).
      {"(2,4):(1@wgid,1@wid_in_wg)", "8:1@warpid"},
      {"(2,8):(1@wgid,4)", "(2,8):(1@wgid,4)"},
      {"32:1L", "32:1L"},
      {"32:1L + 2W", "32:1@tx + 64@tx"},
      {"32:1L + R 4:1W", "32:1@tx + R 4:32@tx"},
      {"(2,32,4):(1W,1L,1)", "(64,4):(1@tx,1)"},
  };
  for (const Pinned& row : rows) {
    CAPTURE(row.layout);
    CHECK(to_string(must(canonicalize(L(row.layout), AxisFusion::cuda))) ==
          to_string(L(row.simple)));
    const auto plain = must(canonicalize(L(row.layout)));
    CHECK(same_map(plain, L(row.layout)));
  }
}

TEST_CASE("replicas are sorted") {
  const auto a = must(canonicalize(L("1:1 + R (8,4):(4L,1L) + 2W")));
  const auto b = must(canonicalize(L("1:1 + R (4,8):(1L,4L) + 2W")));
  CHECK(a == b);
}

TEST_CASE("canonicalize is idempotent and keeps the map") {
  const Shape extents = {1, 2, 3};
  const Shape strides = {0, 1, 2, 3, 6};
  int layouts = 0;
  for (const Shape& e : coordinates_of({3, 3, 3})) {
    for (const Shape& s : coordinates_of({5, 5, 5})) {
      Iters iters;
      for (std::size_t k = 0; k < 3; ++k) {
        const AxisId axis = k == 1 && s[1] == 4 ? AxisId::laneid : AxisId::m;
        iters.push_back({extents[static_cast<std::size_t>(e[k])],
                         strides[static_cast<std::size_t>(s[k])], axis});
      }
      const TileLayout layout = must(TileLayout::make(iters, {}, {{AxisId::m, 3}}));
      const TileLayout simple = must(canonicalize(layout));
      REQUIRE(same_map(layout, simple));
      REQUIRE(must(canonicalize(simple)) == simple);
      ++layouts;
    }
  }
  CHECK(layouts == 27 * 125);
}

TEST_CASE("scope chains") {
  const auto pair = [](const char* text) { return scope_pair(L(text)); };
  CHECK(must(pair("(8,4):(4L,1)")) == ScopePair{ExecScope::thread, ExecScope::warp});
  CHECK(must(pair("(2,32):(1W,1L)")) == ScopePair{ExecScope::thread, ExecScope::cta});
  CHECK(must(pair("(4,32):(1@wid_in_wg,1L)")) ==
        ScopePair{ExecScope::thread, ExecScope::warpgroup});
  CHECK(must(pair("8:1L + R 4:1L")) == ScopePair{ExecScope::thread, ExecScope::warp});
  CHECK(must(pair("(2,128):(1@cbx,1@tx)")) == ScopePair{ExecScope::thread, ExecScope::cluster});
  CHECK_FALSE(must(pair("8:1")).has_value());
  CHECK(contains(error_of(pair("(2,8,2,4):(2@wgid,4L,1@wgid,1L)")),
                 "Ill-formed tile layout: disconnected scope chain"));
  CHECK(contains(error_of(pair("(2,8):(1@tx,1L)")),
                 "Ill-formed tile layout: conflicting scopes for thread"));
  CHECK(contains(error_of(canonicalize(L("(2,8):(1@tx,1L)"), AxisFusion::cuda)),
                 "conflicting scopes"));
}
