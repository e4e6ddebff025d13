// No operation overflows, hangs or aborts, whatever the numbers: random layouts of extreme extents
// and strides through the whole algebra (meant to run under UBSan; the checks here are about the
// results).
#include <random>

#include <doctest/doctest.h>

#include "ir/layout/library.hpp"
#include "tests/unit/ir/layout_support.hpp"

using namespace tirx::ir;
using namespace tirx::ir::test;

namespace {

class Extremes {
 public:
  std::int64_t pick(std::initializer_list<std::int64_t> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
  }

  std::int64_t extent() {
    return pick({1, 1, 2, 3, 4, 8, 32, 1 << 20, std::int64_t{1} << 31, std::int64_t{1} << 61,
                 INT64_MAX, 0, -1});
  }

  std::int64_t stride() {
    return pick({0, 1, 2, 7, 32, -1, std::int64_t{1} << 40, std::int64_t{1} << 62, INT64_MAX,
                 INT64_MIN, -(1 << 20)});
  }

  Axis axis() {
    return std::vector<AxisId>{AxisId::m, AxisId::m, AxisId::laneid, AxisId::warpid,
                               AxisId::wgid}[random_() % 5];
  }

  Iters iters() {
    Iters out(random_() % 4);
    for (Iter& it : out) it = {extent(), stride(), axis()};
    return out;
  }

  Shape shape() {
    Shape out(random_() % 4);
    for (std::int64_t& e : out) e = extent();
    return out;
  }

  std::vector<DimRange> region(std::size_t rank) {
    std::vector<DimRange> out(rank);
    for (auto& [begin, end] : out) {
      begin = pick({0, 0, 1, 4, -1, INT64_MIN, INT64_MAX});
      end = extent();
    }
    return out;
  }

 private:
  std::mt19937 random_{3};
};

}  // namespace

TEST_CASE("extreme numbers") {
  Extremes some;
  int made = 0;
  int results = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto layout =
        TileLayout::make(some.iters(), some.iters(), {{some.axis(), some.stride()}});
    const auto other = TileLayout::make(some.iters());
    if (!layout || !other) continue;
    ++made;
    const Shape a = some.shape();
    const Shape b = some.shape();
    const Layout swizzled(Swizzle{2, 2, 3}, *layout);
    const std::int64_t n = some.extent();
    CHECK(layout->size() > 0);
    static_cast<void>(layout->span());
    static_cast<void>(swizzled.footprint());
    static_cast<void>(is_injective(*layout));
    static_cast<void>(is_contiguous(*layout));
    static_cast<void>(covering_group(*layout, a));
    static_cast<void>(is_tile_inner(*layout, *other, a, b));
    static_cast<void>(is_tile_outer(*layout, *other, a, b));
    static_cast<void>(is_bijective(*layout));
    results += scope_pair(*layout).ok() + canonicalize(*layout, AxisFusion::cuda).ok() +
               group(*layout, a).ok() + group_many(*layout, {a, b}).ok() +
               slice(*layout, a, some.region(a.size())).ok() + tile(*layout, *other, a, b).ok() +
               tile_to(*layout, a, b).ok() + direct_sum(*layout, *other, a, b).ok() +
               pack(swizzled, n).ok() + unpack(swizzled, n).ok() +
               broadcast(*layout, n, some.stride()).ok() + apply(swizzled, some.stride()).ok() +
               apply(*layout, b, a).ok() + Placement::make(*layout, a).ok() +
               scale_layout(a, b, ScaleMajor::mn, n).ok() +
               mma_shared_layout(16, SwizzleMode::b64, a).ok() + permute_dims(*layout, a).ok() +
               TileLayout::row_major(a).ok();
    // The own shape always groups, and the whole is always a slice.
    const Shape own = layout->extents();
    std::vector<DimRange> whole;
    for (const std::int64_t e : own) whole.emplace_back(0, e);
    REQUIRE(group(*layout, own).ok());
    REQUIRE(must(slice(*layout, own, whole)).size() == layout->size());
  }
  CHECK(made > 1000);
  CHECK(results > made);
}
