// Do the scalar reference and every fast path give the bits an H200 gave?
// TIRX_RECORDS=FOLDER adds the whole recordings to the subset that the repository carries.
#include <cstdio>
#include <vector>

#include <doctest/doctest.h>

#include "numerics/mma/dot.hpp"
#include "numerics/mma/tile.hpp"
#include "tests/unit/numerics/mma_vectors.hpp"

namespace tirx::num {

namespace {

using test::element;
using test::Recording;

struct Count {
  long outputs = 0, different = 0;
};

Count replay_reference(const Recording& r) {
  Count count;
  const int in = container_bytes(r.row->a), out = container_bytes(r.row->c);
  for (int t = 0; t < r.tiles; ++t) {
    for (int i = 0; i < r.m; ++i) {
      for (int j = 0; j < r.n; ++j) {
        const std::uint64_t got =
            mma_dot(*r.row, r.k, r.step, {r.a_tile(t) + i * r.k * in, 1},
                    {r.b_tile(t) + j * in, r.n}, element(r.c_tile(t), i * r.n + j, out));
        ++count.outputs;
        count.different += got != element(r.d_tile(t), i * r.n + j, out);
      }
    }
  }
  return count;
}

Count replay_tiles(const Recording& r, TilePath path) {
  Count count;
  const int out = container_bytes(r.row->c);
  std::vector<unsigned char> d(static_cast<std::size_t>(r.m * r.n * out));
  for (int t = 0; t < r.tiles; ++t) {
    TileOptions options;
    options.step = r.step;
    options.path = path;
    mma_tile(*r.row, r.m, r.n, r.k, {r.a_tile(t), r.k, 1}, {r.b_tile(t), r.n, 1},
             {r.c_tile(t), r.n, 1}, {d.data(), r.n, 1}, options);
    for (int i = 0; i < r.m * r.n; ++i) {
      ++count.outputs;
      count.different += element(d.data(), i, out) != element(r.d_tile(t), i, out);
    }
  }
  return count;
}

}  // namespace

TEST_CASE("matrix instructions: the scalar reference replays the recorded outputs") {
  REQUIRE(test::recordings().size() >= 21);
  long outputs = 0;
  for (const Recording& r : test::recordings()) {
    const Count count = replay_reference(r);
    CAPTURE(r.name);
    CHECK(count.different == 0);
    outputs += count.outputs;
  }
  MESSAGE("outputs compared: " << outputs);
  CHECK(outputs >= 20000);
}

TEST_CASE("matrix instructions: every fast path replays the recorded outputs") {
  for (TilePath path : {TilePath::portable, TilePath::avx2, TilePath::avx512}) {
    if (!available(path)) continue;
    for (const Recording& r : test::recordings()) {
      const Count count = replay_tiles(r, path);
      CAPTURE(r.name);
      CAPTURE(static_cast<int>(path));
      CHECK(count.different == 0);
    }
  }
}

}  // namespace tirx::num
