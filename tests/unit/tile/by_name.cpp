// PTX instructions by name in the tile-level evaluator: its definitions are its own, so they are
// compared with the simulator's, and a launch with them is not left out.
#include <doctest/doctest.h>

#include "tests/unit/tile/support.hpp"

namespace tirx::testing {

namespace {

/// Runs the body for two warps; every value of D is the body's.
TileRun with_body(const std::string& body, const std::string& expected) {
  TileRun run = run_tiles(std::string(kTileImports) + R"(
@T.prim_func
def k(A: T.Buffer((64, 4), "int32"), D: T.Buffer((64, 4), "int32")):
    T.device_entry()
    T.cta_id([1]); lane = T.lane_id([32])
    t = T.thread_id([64])
    full = T.uint32(0xFFFFFFFF)
    d: T.int32 = 0
    p: T.bool = False
)" + body + R"(
A = tirx.arange((64, 4), "int32", start=3, step=5)
D = tirx.zeros((64, 4), "int32")
k(A, D)
for t in range(64):
    lane = t % 32
    first = t - lane
    a = [3 + 5 * 4 * i for i in range(64)]
    assert D[t, 0].item() == )" +
                          expected + "\n");
  CHECK_MESSAGE(run.errors.empty(), run.errors);
  CHECK(run.faults.empty());
  CHECK(run.compared > 0);
  return run;
}

}  // namespace

TEST_CASE("exchanges by name at tile level") {
  (void)with_body(R"(
    T.ptx.shfl.sync.up.b32(d, p, A[t, 0], 3, 0x1800, full)
    D[t, 0] = T.if_then_else(p, d, -d)
)",
                  "(a[t - 3] if lane % 8 >= 3 else -a[t])");
  (void)with_body(R"(
    T.ptx.shfl.sync.down.b32(d, A[t, 0], 5, 0x1F, full)
    D[t, 0] = d
)",
                  "(a[t + 5] if lane + 5 < 32 else a[t])");
  (void)with_body(R"(
    T.ptx.shfl.sync.bfly.b32(d, A[t, 0], 9, 0x1F, full)
    D[t, 0] = d
)",
                  "a[t ^ 9]");
  (void)with_body(R"(
    T.ptx.shfl.sync.idx.b32(d, A[t, 0], lane * 3, 0x1C1F, full)
    D[t, 0] = d
)",
                  "a[t // 4 * 4 + lane * 3 % 4]");
  (void)with_body(R"(
    T.ptx.redux.sync.max.s32(d, A[t, 0], full)
    T.ptx.vote.sync.any.pred(p, A[t, 0] == 3, full)
    D[t, 0] = T.if_then_else(p, d, -d)
)",
                  "(a[31] if t < 32 else -a[63])");
}

TEST_CASE("memory by name at tile level") {
  (void)with_body(R"(
    r = T.alloc_local((4,), "int32")
    T.ptx.ld.global_.v4.s32(r[0], r[1], r[2], r[3], A.ptr_to([63 - t, 0]))
    T.ptx.st.global_.v4.s32(D.ptr_to([t, 0]), r[3], r[2], r[1], r[0])
)",
                  "a[63 - t] + 15");
  (void)with_body(R"(
    s = T.alloc_shared((3,), "int32")
    if t < 3:
        s[t] = 100
    T.cuda.cta_sync()
    T.ptx.red.shared.add.s32(s.ptr_to([0]), A[t, 0])
    T.ptx["atom.shared.max.s32"](T.ptx.SINK, s.ptr_to([1]), A[t, 0])
    T.ptx.atom.shared.cas.b32(T.ptx.SINK, s.ptr_to([2]), 100, 7)
    T.cuda.cta_sync()
    D[t, 0] = s[0] + 1000000 * s[2] - s[1]
)",
                  "100 + sum(a) + 7000000 - a[63]");
}

TEST_CASE("a pipeline of cp.async and mbarriers at tile level") {
  (void)with_body(
      R"(
    s = T.alloc_shared((2, 32), "int32")
    bar = T.alloc_shared((4,), "uint64")
    if t == 0:
        for i in range(4):
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([i]), 32)
    T.cuda.cta_sync()
    if t < 32:
        for i in range(4):
            T.cuda.mbarrier_wait(bar.ptr_to([2 + i % 2]), i // 2 % 2 ^ 1)
            T.ptx.cp.async_.ca.shared.global_(s.ptr_to([i % 2, t]), A.ptr_to([t * 2, i]), 4)
            T.ptx.cp.async_.mbarrier.arrive.noinc.shared.b64(bar.ptr_to([i % 2]))
    else:
        for i in range(4):
            T.cuda.mbarrier_wait(bar.ptr_to([i % 2]), i // 2 % 2)
            d = d + s[i % 2, 63 - t] * (i + 1)
            T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, bar.ptr_to([2 + i % 2]))
    D[t, 0] = d
)",
      "(0 if t < 32 else sum([(a[(63 - t) * 2] + 5 * i) * (i + 1) for i in range(4)]))");
}

TEST_CASE("ldmatrix at tile level") {
  for (const bool transposed : {false, true}) {
    // Matrix 1 of two: rows 8 … 15; two 16-bit elements a word.
    (void)with_body(std::string(R"(
    s = T.alloc_shared((16, 8), "uint16")
    if t < 16:
        for i in range(8):
            s[t, i] = T.cast(t * 8 + i, "uint16")
    T.cuda.cta_sync()
    r = T.alloc_local((2,), "uint32")
    T.ptx.ldmatrix.sync.aligned.m8n8.x2)") +
                        (transposed ? ".trans" : "") +
                        R"(.shared.b16(r[0], r[1], s.ptr_to([lane % 16, 0]))
    D[t, 0] = T.cast(r[1], "int32")
)",
                    transposed ? "(64 + lane % 4 * 16 + lane // 4) * 65537 + 8 * 65536"
                               : "(64 + lane // 4 * 8 + lane % 4 * 2) * 65537 + 65536");
  }
}

}  // namespace tirx::testing
