// sum, max and min in memory, x scope x storage x axes x accum x dtype: the simulator, the
// tile-level evaluator and the order of docs/language/tile_ops.md, written out once more here,
// agree bit for bit.
#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "numerics/convert.hpp"
#include "tests/unit/tile/reduction_order.hpp"

namespace tirx::testing {

namespace {

/// Lanes take every g-th value, then distances 1, 2, ….
Bits in_shared(ScalarOp op, DType t, const std::vector<Bits>& values, std::int64_t threads) {
  std::size_t g = 1;
  while (g < values.size()) g *= 2;
  g = std::min({g, std::size_t{32}, static_cast<std::size_t>(threads)});
  std::vector<Bits> lanes(g, neutral(op, t));
  for (std::size_t i = 0; i < values.size(); ++i) {
    lanes[i % g] = apply(op, t, lanes[i % g], values[i]);
  }
  for (std::size_t d = 1; d < g; d *= 2) {
    std::vector<Bits> next(g);
    for (std::size_t l = 0; l < g; ++l) next[l] = apply(op, t, lanes[l], lanes[l ^ d]);
    lanes = next;
  }
  return lanes[0];
}

struct ReducedWhere {
  std::string scope, ids, instance, sync;
  std::int64_t instances, threads;
  bool registers;
};

/// Three-dimensional tiles of which some axes go.
void check_memory(const ReducedWhere& w,
                  DType t,
                  const std::string& axes,
                  std::vector<bool> reduced) {
  const Shape tile{3, 5, 14};
  Shape kept;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!reduced[k]) kept.push_back(tile[k]);
  }
  if (kept.empty()) kept.push_back(1);
  const auto with = [](std::int64_t first, Shape shape) {
    shape.insert(shape.begin(), first);
    return shape;
  };
  const auto colons = [](std::size_t n) {
    std::string out = ":";
    while (--n > 0) out += ", :";
    return out;
  };
  const std::string n(num::name(t));
  const std::string all = colons(3);
  const std::string some = colons(kept.size());
  const Shape in = with(w.instances, tile);
  const Shape out = with(w.instances, kept);
  const std::string at = w.registers ? "" : w.instance + ", ";
  std::string s = kTileImports;
  s += fmt::format(
      "@T.prim_func\n"
      "def k(A: T.Buffer(({0}), \"{1}\"), O: T.Buffer(({2}), \"{1}\"), D: T.Buffer((6, {2}), "
      "\"{1}\")):\n    T.device_entry()\n    T.cta_id([1]); {3}\n"
      "    a = T.alloc_buffer(({4}), \"{1}\", scope=\"{6}\")\n"
      "    d = T.alloc_buffer(({5},), \"{1}\", scope=\"{6}\")\n"
      "    Tx.{7}copy(a[{8}{9}], A[{10}, {9}])\n",
      shape_text(in), n, shape_text(out), w.ids, shape_text(w.registers ? tile : in),
      shape_text(w.registers ? kept : out), w.registers ? "local" : "shared", w.scope, at, all,
      w.instance);
  int k = 0;
  for (const Op& op : kOps) {
    for (const char* accum : {"False", "True"}) {
      s += fmt::format(
          "    Tx.{0}copy(d[{1}{2}], O[{3}, {2}])\n    {4}\n"
          "    Tx.{0}{5}(d[{1}{2}], a[{1}{6}], axes={7}, accum={8})\n"
          "    Tx.{0}copy(D[{9}, {3}, {2}], d[{1}{2}])\n    {4}\n",
          w.scope, at, some, w.instance, w.sync, op.name, all, axes, accum, k++);
    }
  }
  s += "A = " + random(in, t, 7, false) + "O = " + random(out, t, 8, false);
  s += fmt::format("D = tirx.empty((6, {}), \"{}\")\nk(A, O, D)\n", shape_text(out), n);
  const TileRun run = run_tiles(s);
  REQUIRE_MESSAGE(run.errors.empty(), run.errors, s);
  REQUIRE(run.faults.empty());
  for (const lower::DispatchNote& note : run.notes) {
    if (note.op == ir::TileOp::copy) continue;
    REQUIRE(note.variant == (w.registers ? "local" : "shared"));
  }
  const std::int64_t outputs = size_of(kept);
  for (std::int64_t i = 0; i < w.instances; ++i) {
    std::vector<std::vector<Bits>> values(static_cast<std::size_t>(outputs));
    for (std::int64_t e = 0; e < size_of(tile); ++e) {
      const Shape index{e / 70, e / 14 % 5, e % 14};
      std::int64_t output = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        if (!reduced[d]) output = output * tile[d] + index[d];
      }
      values[static_cast<std::size_t>(output)].push_back(
          element(run.tensors[0], i * size_of(tile) + e));
    }
    for (std::int64_t o = 0; o < outputs; ++o) {
      const Bits old = element(run.tensors[1], i * outputs + o);
      const auto& of = values[static_cast<std::size_t>(o)];
      for (std::size_t c = 0; c < 6; ++c) {
        const ScalarOp op = kOps[c / 2].op;
        const bool accum = c % 2 == 1;
        Bits expected = 0;
        if (w.registers) {
          expected = fold(op, t, accum ? old : neutral(op, t), of);
        } else {
          expected = in_shared(op, t, of, w.threads);
          if (accum) expected = apply(op, t, old, expected);
        }
        const Bits got =
            element(run.tensors[2], (static_cast<std::int64_t>(c) * w.instances + i) * outputs + o);
        if (num::same_value(got, expected, t)) continue;
        FAIL(kOps[c / 2].name, " accum ", accum, " of ", n, " at Tx.", w.scope, " axes ", axes,
             " output ", o);
      }
    }
  }
}

}  // namespace

TEST_CASE("reductions in shared memory at every scope, and in a thread's registers") {
  const ReducedWhere places[] = {
      {"", "t = T.thread_id([4])", "t", "pass", 4, 1, false},
      {"", "t = T.thread_id([4])", "t", "pass", 4, 1, true},
      {"warp.", "warp = T.warp_id([2]); T.lane_id([32]); t = T.thread_id([64])", "warp",
       "T.cuda.warp_sync()", 2, 32, false},
      {"wg.", "wg = T.warpgroup_id([2]); T.warp_id([8]); t = T.thread_id([256])", "wg",
       "T.cuda.warpgroup_sync(1 + wg)", 2, 128, false},
      {"cta.", "T.warp_id([3]); T.lane_id([32]); t = T.thread_id([96])", "0", "T.cuda.cta_sync()",
       1, 96, false}};
  for (const DType t : kTypes) {
    for (const ReducedWhere& w : places) {
      check_memory(w, t, "-1", {false, false, true});
      check_memory(w, t, "-2", {false, true, false});
      check_memory(w, t, "(-3, -1)", {true, false, true});
      check_memory(w, t, "(-3, -2, -1)", {true, true, true});
    }
  }
}

TEST_CASE("float16 data can be summed in float32") {
  const TileRun run = run_tiles(std::string(kTileImports) + R"(
@T.prim_func
def k(A: T.Buffer((4, 64), "float16"), D: T.Buffer((4,), "float32")):
    T.device_entry()
    T.cta_id([1]); t = T.thread_id([32])
    a = T.alloc_buffer((4, 64), "float16", scope="shared")
    d = T.alloc_buffer((4,), "float32", scope="shared")
    Tx.warp.copy(a, A)
    T.cuda.warp_sync()
    Tx.warp.sum(d, a, axes=1)
    if t < 4:
        D[t] = d[t]
A = tirx.full((4, 64), 2048.5, "float16")
D = tirx.empty((4,), "float32")
k(A, D)
)");
  REQUIRE_MESSAGE(run.errors.empty(), run.errors);
  // 64 * 2048 (2048.5 rounds to even), far above the largest float16.
  CHECK(num::to_double(element(run.tensors[1], 0), DType::f32) == 131072.0);
}

}  // namespace tirx::testing
