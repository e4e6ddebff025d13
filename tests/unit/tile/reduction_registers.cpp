// sum, max and min of tiles that are spread over the registers of a warp, warpgroup or CTA, x axes
// x accum x dtype: the simulator, the tile-level evaluator and the order of
// docs/language/tile_ops.md, written out once more here, agree bit for bit.
#include <algorithm>
#include <functional>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/tile/reduction_order.hpp"

namespace tirx::testing {

namespace {

/// Register tiles spread over the lanes of a warp (or the threads of a warpgroup).
struct Spread {
  std::string scope, ids;
  std::int64_t threads;
  Shape src;
  std::string src_layout;
  Shape dst;
  std::string dst_layout;
  std::string axes, more;  // more: thread_reduce=True
  std::int64_t registers;  // of dst, per thread
  /// The elements (flat in src) that a thread holds of the output in one of its registers, in
  /// order.
  std::function<std::vector<std::int64_t>(std::int64_t thread, std::int64_t reg)> held;
  /// The flat index in dst of a thread's register.
  std::function<std::int64_t(std::int64_t thread, std::int64_t reg)> output;
  std::vector<std::int64_t> masks;  // in order
  bool starts_with_own = false;
};

void check_spread(const Spread& p, DType t, bool any_bits) {
  const std::string n(num::name(t));
  std::string s = kTileImports;
  s += fmt::format(
      "@T.prim_func\n"
      "def k(A: T.Buffer(({0},), \"{1}\"), O: T.Buffer(({2},), \"{1}\"),\n"
      "      D: T.Buffer((6, {3}, {4}), \"{1}\")):\n"
      "    T.device_entry()\n    T.cta_id([1]); {5}\n"
      "    a = T.alloc_buffer(({0},), \"{1}\", scope=\"local\", layout=TileLayout({6}))\n"
      "    d = T.alloc_buffer(({2},), \"{1}\", scope=\"local\", layout=TileLayout({7}))\n"
      "    own = d.local({4})\n    Tx.{8}copy(a, A)\n",
      shape_text(p.src), n, shape_text(p.dst), p.threads, p.registers, p.ids, p.src_layout,
      p.dst_layout, p.scope);
  int k = 0;
  for (const Op& op : kOps) {
    for (const char* accum : {"False", "True"}) {
      s += fmt::format(
          "    Tx.{0}copy(d, O)\n    Tx.{0}{1}(d, a, axes={2}, accum={3}{4})\n"
          "    for i in range({5}):\n        D[{6}, t, i] = own[i]\n",
          p.scope, op.name, p.axes, accum, p.more, p.registers, k++);
    }
  }
  s += "A = " + random(p.src, t, 5, any_bits) + "O = " + random(p.dst, t, 6, any_bits);
  s += fmt::format("D = tirx.empty((6, {}, {}), \"{}\")\nk(A, O, D)\n", p.threads, p.registers, n);
  const TileRun run = run_tiles(s);
  REQUIRE_MESSAGE(run.errors.empty(), run.errors, s);
  REQUIRE(run.faults.empty());
  for (std::size_t c = 0; c < 6; ++c) {
    const ScalarOp op = kOps[c / 2].op;
    const bool accum = c % 2 == 1;
    for (std::int64_t reg = 0; reg < p.registers; ++reg) {
      std::vector<Bits> lanes;
      for (std::int64_t thread = 0; thread < p.threads; ++thread) {
        std::vector<Bits> values;
        for (const std::int64_t e : p.held(thread, reg)) {
          values.push_back(element(run.tensors[0], e));
        }
        const Bits old = element(run.tensors[1], p.output(thread, reg));
        const Bits start = accum && p.masks.empty() ? old : neutral(op, t);
        lanes.push_back(p.starts_with_own ? values[0] : fold(op, t, start, values));
      }
      for (const std::int64_t mask : p.masks) {
        std::vector<Bits> next(lanes);
        for (std::size_t l = 0; l < lanes.size(); ++l) {
          next[l] = apply(op, t, lanes[l], lanes[l ^ static_cast<std::size_t>(mask)]);
        }
        lanes = next;
      }
      for (std::int64_t thread = 0; thread < p.threads; ++thread) {
        Bits expected = lanes[static_cast<std::size_t>(thread)];
        if (accum && !p.masks.empty()) {
          expected = apply(op, t, element(run.tensors[1], p.output(thread, reg)), expected);
        }
        const Bits got =
            element(run.tensors[2],
                    (static_cast<std::int64_t>(c) * p.threads + thread) * p.registers + reg);
        if (num::same_value(got, expected, t)) continue;
        FAIL(kOps[c / 2].name, " accum ", accum, " of ", n, ": ", p.src_layout, " axes ", p.axes,
             p.more, " thread ", thread, " register ", reg);
      }
    }
  }
}

std::vector<Spread> spreads() {
  using Held = std::vector<std::int64_t>;
  const std::string warp = "T.warp_id([1]); T.lane_id([32]); t = T.thread_id([32])";
  const std::string group = "T.warpgroup_id([1]); T.warp_id([4]); t = T.thread_id([128])";
  const std::string block = "T.warp_id([3]); T.lane_id([32]); t = T.thread_id([96])";
  const std::string fragment = "S[(2, 8, 4, 2):(2, 4@laneid, 1@laneid, 1)]";
  // Rows of fragments, 16 to a warp.
  const auto row_parts = [](std::int64_t t, std::int64_t r) {
    const std::int64_t row = t / 32 * 16 + t % 32 / 4 + 8 * r;
    return Held{row * 8 + t % 4 * 2, row * 8 + t % 4 * 2 + 1};
  };
  const auto row_of = [](std::int64_t t, std::int64_t r) {
    return t / 32 * 16 + t % 32 / 4 + 8 * r;
  };
  return {
      // Rows of an accumulator fragment: two elements a lane, then the four lanes of the row.
      {"warp.",
       warp,
       32,
       {16, 8},
       fragment,
       {16},
       "S[(2, 8):(1, 4@laneid)] + R[4:1@laneid]",
       "-1",
       "",
       2,
       [](std::int64_t l, std::int64_t r) {
         const std::int64_t row = l / 4 + 8 * r;
         return Held{row * 8 + l % 4 * 2, row * 8 + l % 4 * 2 + 1};
       },
       [](std::int64_t l, std::int64_t r) { return l / 4 + 8 * r; },
       {2, 1}},
      // Its columns: rows l/4 and l/4 + 8, then the eight lanes of a column.
      {"warp.",
       warp,
       32,
       {16, 8},
       fragment,
       {1, 8},
       "S[(4, 2):(1@laneid, 1)] + R[8:4@laneid]",
       "0",
       "",
       2,
       [](std::int64_t l, std::int64_t r) {
         return Held{l / 4 * 8 + l % 4 * 2 + r, (l / 4 + 8) * 8 + l % 4 * 2 + r};
       },
       [](std::int64_t l, std::int64_t r) { return l % 4 * 2 + r; },
       {16, 8, 4}},
      // All of it.
      {"warp.",
       warp,
       32,
       {16, 8},
       fragment,
       {1},
       "S[1:1] + R[32:1@laneid]",
       "(0, 1)",
       "",
       1,
       [](std::int64_t l, std::int64_t) {
         const std::int64_t at = l / 4 * 8 + l % 4 * 2;
         return Held{at, at + 1, at + 64, at + 65};
       },
       [](std::int64_t, std::int64_t) { return 0; },
       {16, 8, 4, 2, 1}},
      // One element a lane: the exchange starts with it.
      {"warp.",
       warp,
       32,
       {32, 3},
       "S[(32, 3):(1@laneid, 1)]",
       {3},
       "S[3:1] + R[32:1@laneid]",
       "0",
       "",
       3,
       [](std::int64_t l, std::int64_t r) { return Held{l * 3 + r}; },
       [](std::int64_t, std::int64_t r) { return r; },
       {16, 8, 4, 2, 1},
       true},
      // Nothing on lanes: no exchange.
      {"warp.",
       warp,
       32,
       {32, 3},
       "S[(32, 3):(1@laneid, 1)]",
       {32},
       "S[32:1@laneid]",
       "1",
       "",
       1,
       [](std::int64_t l, std::int64_t) {
         return Held{l * 3, l * 3 + 1, l * 3 + 2};
       },
       [](std::int64_t l, std::int64_t) { return l; },
       {}},
      // One result for each lane of a row: its own part, or the total.
      {"warp.",
       warp,
       32,
       {16, 8},
       fragment,
       {16, 4},
       "S[(2, 8, 4):(1, 4@laneid, 1@laneid)]",
       "1",
       "",
       2,
       [](std::int64_t l, std::int64_t r) {
         const std::int64_t row = l / 4 + 8 * r;
         return Held{row * 8 + l % 4 * 2, row * 8 + l % 4 * 2 + 1};
       },
       [](std::int64_t l, std::int64_t r) { return (l / 4 + 8 * r) * 4 + l % 4; },
       {}},
      {"warp.",
       warp,
       32,
       {16, 8},
       fragment,
       {16, 4},
       "S[(2, 8, 4):(1, 4@laneid, 1@laneid)]",
       "1",
       ", thread_reduce=True",
       2,
       [](std::int64_t l, std::int64_t r) {
         const std::int64_t row = l / 4 + 8 * r;
         return Held{row * 8 + l % 4 * 2, row * 8 + l % 4 * 2 + 1};
       },
       [](std::int64_t l, std::int64_t r) { return (l / 4 + 8 * r) * 4 + l % 4; },
       {1, 2}},
      // A warpgroup and a CTA: the lanes that share a row are of one warp.
      {"wg.",
       group,
       128,
       {64, 8},
       "S[(4, 2, 8, 4, 2):(1@wid_in_wg, 2, 4@laneid, 1@laneid, 1)]",
       {64},
       "S[(4, 2, 8):(1@wid_in_wg, 1, 4@laneid)] + R[4:1@laneid]",
       "-1",
       "",
       2,
       row_parts,
       row_of,
       {2, 1}},
      {"cta.",
       block,
       96,
       {48, 8},
       "S[(3, 2, 8, 4, 2):(1@warpid, 2, 4@laneid, 1@laneid, 1)]",
       {48},
       "S[(3, 2, 8):(1@warpid, 1, 4@laneid)] + R[4:1@laneid]",
       "1",
       "",
       2,
       row_parts,
       row_of,
       {2, 1}},
      // … or a thread folds its own, or its own part.
      {"cta.",
       block,
       96,
       {96, 3},
       "S[(96, 3):(1@tx, 1)]",
       {96},
       "S[96:1@tx]",
       "1",
       "",
       1,
       [](std::int64_t t, std::int64_t) {
         return Held{t * 3, t * 3 + 1, t * 3 + 2};
       },
       [](std::int64_t t, std::int64_t) { return t; },
       {}},
      {"wg.",
       group,
       128,
       {64, 8},
       "S[(4, 2, 8, 4, 2):(1@wid_in_wg, 2, 4@laneid, 1@laneid, 1)]",
       {64, 4},
       "S[(4, 2, 8, 4):(1@wid_in_wg, 1, 4@laneid, 1@laneid)]",
       "1",
       "",
       2,
       row_parts,
       [row_of](std::int64_t t, std::int64_t r) { return row_of(t, r) * 4 + t % 4; },
       {}},
      {"wg.",
       group,
       128,
       {128, 3},
       "S[(128, 3):(1@tid_in_wg, 1)]",
       {128},
       "S[128:1@tid_in_wg]",
       "-1",
       "",
       1,
       [](std::int64_t l, std::int64_t) {
         return Held{l * 3, l * 3 + 1, l * 3 + 2};
       },
       [](std::int64_t l, std::int64_t) { return l; },
       {}},
  };
}

}  // namespace

TEST_CASE("reductions of register tiles: folds, exchanges, accum and axes") {
  // Ignoring accum or axes (TIRx's rule in the warp-shuffle form) fails here: half of the cases
  // accumulate, and the first three reduce other axes of one tile.
  for (const DType t : kTypes) {
    for (const Spread& p : spreads()) {
      check_spread(p, t, false);
      check_spread(p, t, true);
    }
  }
}

}  // namespace tirx::testing
