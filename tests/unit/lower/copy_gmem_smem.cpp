// copy / gmem_smem: the pinned partitions, refusals, and the moves themselves, element by element.
#include <random>

#include <doctest/doctest.h>

#include "ir/layout/library.hpp"
#include "ir/print.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"
#include "tests/unit/lower/interpreter.hpp"
#include "tests/unit/sanitized.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using lower::LoweredKernel;
using num::DType;

namespace {

constexpr int kRounds = kSanitized ? 300 : 1500;

LoweredKernel must_lower(KernelBuilder& k) {
  Result<LoweredKernel> lowered = lower::lower(k.kernel(), default_target());
  if (!lowered) FAIL(lowered.error().text);
  return std::move(lowered).value();
}

Layout strided(const Shape& shape, const Shape& strides) {
  return Layout(TileLayout::strided(shape, strides).value());
}

const Store& first_store(const LoweredKernel& kernel) {
  const auto& group = std::get<Group>(kernel.body.back().node);
  const auto& last = group.body.back().node;
  if (const auto* loop = std::get_if<For>(&last)) return std::get<Store>(loop->body[0].node);
  return std::get<Store>(last);
}

std::string flat_text(const Access& access) {
  return to_string(access.flat, PrintLevel::thread);
}

struct Case {
  DType dtype = DType::f32;
  Shape shape = {32, 32};
  std::int64_t threads = 32;
  ExecScope scope = ExecScope::warp;
  std::optional<Layout> shared_layout{};
  std::optional<Layout> global_layout{};
};

LoweredKernel copy_whole(const Case& c, KernelBuilder& k, bool to_shared = true) {
  const Buffer a = k.param("A", c.dtype, c.shape, c.global_layout);
  k.cta_id(1);
  k.thread_id(c.threads);
  const Buffer s = k.alloc("A_smem", c.dtype, c.shape, MemoryScope::shared, c.shared_layout);
  k.body({to_shared ? tile_copy(c.scope, region(s), region(a))
                    : tile_copy(c.scope, region(a), region(s))});
  return must_lower(k);
}

}  // namespace

TEST_CASE("the documented 32 x 32 copy: vector and rounds by dtype") {
  const auto note = [](DType dtype) {
    KernelBuilder k("copy");
    const LoweredKernel kernel = copy_whole({dtype}, k);
    REQUIRE(kernel.dispatch.size() == 1);
    CHECK(kernel.dispatch[0].variant == "gmem_smem");
    CHECK(kernel.dispatch[0].threads == 32);
    return std::pair(kernel.dispatch[0].vector, kernel.dispatch[0].rounds);
  };
  using P = std::pair<std::int64_t, std::int64_t>;
  CHECK(note(DType::f32) == P(4, 8));
  CHECK(note(DType::f16) == P(8, 4));
  CHECK(note(DType::u8) == P(16, 2));
}

TEST_CASE("the documented 32 x 32 copy: the loop") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  k.cta_id(1);
  k.scope_id(ScopeIdKind::lane_id, "", 32);
  k.scope_id(ScopeIdKind::thread_id, "", 32);
  const Buffer s = k.alloc("A_smem", DType::f32, {32, 32}, MemoryScope::shared);
  k.body({tile_copy(ExecScope::warp, region(s), region(a))});
  const LoweredKernel kernel = must_lower(k);
  const auto& group = std::get<Group>(kernel.body.back().node);
  CHECK(group.comment == "Tx.warp.copy(A_smem, A): gmem_smem, vec 4, 8 rounds");
  const Store& store = first_store(kernel);
  CHECK(flat_text(store.to) == "f * 128 + tid * 4");
  CHECK(to_string(store.to.indices[0], PrintLevel::thread) == "f * 4 + tid // 8");
  CHECK(to_string(store.to.indices[1], PrintLevel::thread) == "tid % 8 * 4");
  CHECK(store.to.lane_indices.empty());
  CHECK(store.value->type.lanes == 4);
  CHECK(flat_text(std::get<Load>(store.value->node).from) == "f * 128 + tid * 4");
  REQUIRE(kernel.thread_vars.size() == 1);
  CHECK(kernel.thread_vars[0].var->name == "tid");
}

TEST_CASE("pinned partitions") {
  SUBCASE("f16 128 x 32 by 128 threads") {
    KernelBuilder k("copy");
    const LoweredKernel kernel = copy_whole({DType::f16, {128, 32}, 128, ExecScope::cta}, k);
    CHECK(kernel.dispatch[0].vector == 8);
    CHECK(kernel.dispatch[0].rounds == 4);
  }
  SUBCASE("K-tiled shared memory: thread 1 at 1024 there, at 8 in the tensor") {
    KernelBuilder k("copy");
    const LoweredKernel kernel = copy_whole(
        {DType::f16, {128, 64}, 128, ExecScope::cta, strided({128, 8, 8}, {8, 1024, 1})}, k);
    CHECK(kernel.dispatch[0].vector == 8);
    const Store& store = first_store(kernel);
    CHECK(flat_text(std::get<Load>(store.value->node).from) == "f * 1024 + tx * 8");
    CHECK(flat_text(store.to) == "f * 128 + tx // 8 * 8 + tx % 8 * 1024");
  }
  SUBCASE("a row stride of 20 allows 4 halves") {
    KernelBuilder k("copy");
    const LoweredKernel kernel =
        copy_whole({DType::f16, {32, 16}, 32, ExecScope::warp, {}, strided({32, 16}, {20, 1})}, k);
    CHECK(kernel.dispatch[0].vector == 4);
  }
  SUBCASE("a column offset of 3 allows single elements") {
    KernelBuilder k("copy");
    const Buffer a = k.param("A", DType::f16, {32, 64});
    k.thread_id(32);
    const Buffer s = k.alloc("S", DType::f16, {32, 32}, MemoryScope::shared);
    k.body({tile_copy(ExecScope::warp, region(s), region(a, {{0, 32}, {3, 32}}))});
    CHECK(must_lower(k).dispatch[0].vector == 1);
  }
  SUBCASE("a swizzle caps the vector at its chunk") {
    KernelBuilder k("copy");
    const Layout tile =
        Layout(make_swizzle(2, 3, 3).value(), TileLayout::row_major(Shape{64, 64}).value());
    const LoweredKernel kernel = copy_whole({DType::f16, {64, 64}, 32, ExecScope::warp, tile}, k);
    CHECK(kernel.dispatch[0].variant == "gmem_smem");
    CHECK(kernel.dispatch[0].vector == 4);
    REQUIRE(kernel.dispatch[0].wider.size() == 1);
    CHECK(kernel.dispatch[0].wider[0].variant == "vec 8");
    CHECK(kernel.dispatch[0].wider[0].reason == "the swizzle keeps only 4 elements together");
  }
  SUBCASE("symbolic rows: divisibility that cannot be proved is not used") {
    KernelBuilder k("copy");
    const Var n = k.symbol("n");
    const Buffer a = k.param_strided("A", DType::f32, exprs({32, n}));
    k.thread_id(32);
    const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
    k.body({tile_copy(ExecScope::warp, region(s), region(a, {{0, 32}, {0, 32}}))});
    const LoweredKernel kernel = must_lower(k);
    CHECK(kernel.dispatch[0].vector == 1);
    CHECK(kernel.dispatch[0].rounds == 32);
  }
  SUBCASE("symbolic rows of whole vectors") {
    KernelBuilder k("copy");
    const Var n = k.symbol("n");
    const Buffer a = k.param_strided("A", DType::f32, exprs({32, E(n) * 4}));
    k.thread_id(32);
    const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
    k.body({tile_copy(ExecScope::warp, region(s), region(a, {{0, 32}, {E(n) * 2 * 4, 32}}))});
    const LoweredKernel kernel = must_lower(k);
    CHECK(kernel.dispatch[0].vector == 4);
    CHECK(first_store(kernel).to.flat->type == kInt32);
    CHECK(std::get<Load>(first_store(kernel).value->node).from.flat->type == kInt64);
  }
}

TEST_CASE("what gmem_smem refuses goes to the guarded variant, with the reason") {
  const auto refusal = [](const Case& c) {
    KernelBuilder k("copy");
    const LoweredKernel kernel = copy_whole(c, k);
    CHECK(kernel.dispatch[0].variant == "predicated");
    CHECK(kernel.warnings.empty());
    REQUIRE(kernel.dispatch[0].refused.size() >= 2);
    CHECK(kernel.dispatch[0].refused[0].variant == "gmem_smem");
    return kernel.dispatch[0].refused[0].reason;
  };
  CHECK(refusal({DType::f32, {3, 5}}) ==
        "divides_thread_cnt — region size 15 not divisible by thread_cnt=32");
  const std::string ungroupable = refusal({DType::f32,
                                           {6, 32},
                                           32,
                                           ExecScope::warp,
                                           strided({4, 48}, {50, 1}),
                                           strided({6, 32}, {40, 1})});
  CHECK(ungroupable.find("can not be grouped by shape (6, 32)") != std::string::npos);
}

TEST_CASE("narrowed scopes") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  k.thread_id(128);
  const Var warp = k.scope_id(ScopeIdKind::warp_id, "warp", 4);
  const Var lane = k.scope_id(ScopeIdKind::lane_id, "lane", 32);
  const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
  const auto lowered = [&](Stmt stmt) {
    k.body({std::move(stmt)});
    Result<LoweredKernel> result = lower::lower(k.kernel(), default_target());
    k.kernel().body.pop_back();
    return result;
  };
  SUBCASE("a warp copy under a warp guard is a whole warp's") {
    const auto kernel =
        lowered(if_then(E(warp) == E(1), {tile_copy(ExecScope::warp, region(s), region(a))}));
    REQUIRE(kernel.ok());
    CHECK(kernel->dispatch[0].variant == "gmem_smem");
  }
  SUBCASE("a CTA copy under a warp guard is not for gmem_smem") {
    const auto kernel =
        lowered(if_then(E(warp) < E(2), {tile_copy(ExecScope::cta, region(s), region(a))}));
    REQUIRE(kernel.ok());
    CHECK(kernel->dispatch[0].variant == "fallback");
    CHECK(kernel->dispatch[0].threads == 64);
    CHECK(kernel->dispatch[0].refused[0].reason.find("all_threads_active") != std::string::npos);
  }
  SUBCASE("else-branches narrow to the complement") {
    const auto kernel =
        lowered(if_then(E(warp) < E(1), {}, {tile_copy(ExecScope::warp, region(s), region(a))}));
    REQUIRE(kernel.ok());
    CHECK(kernel->dispatch[0].variant == "gmem_smem");
  }
  SUBCASE("a guard that is no box is an error at the call") {
    const auto kernel = lowered(
        if_then(E(lane) * E(lane) < E(9), {tile_copy(ExecScope::warp, region(s), region(a))}));
    REQUIRE_FALSE(kernel.ok());
    CHECK(kernel.error().text.find("lane * lane < 9") != std::string::npos);
  }
  SUBCASE("… but not for a copy by single threads") {
    const auto kernel = lowered(
        if_then(E(lane) * E(lane) < E(9), {tile_copy(ExecScope::thread, region(s), region(a))}));
    CHECK(kernel.ok());
  }
}

TEST_CASE("forced variants and errors") {
  const auto error = [](const std::string& dispatch,
                        const std::vector<std::pair<E, std::int64_t>>& range) {
    KernelBuilder k("copy");
    const Buffer a = k.param("A", DType::f32, {32, 32});
    k.thread_id(32);
    const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
    k.body({tile_copy(ExecScope::warp, region(s, range), region(a, range), dispatch)});
    const auto result = lower::lower(k.kernel(), default_target());
    return result.ok() ? std::string() : result.error().text;
  };
  CHECK(error("", {{0, 32}, {0, 32}}).empty());
  CHECK(error("vec_auto", {{0, 32}, {0, 32}}).empty());
  CHECK(error("reg", {{0, 32}, {0, 32}}) ==
        "TIRx schedule dispatch failed: op=tirx.tile.copy target=cuda\n"
        "  Variant       | Error\n"
        "  --------------+------\n"
        "  reg (prio=10) | rejected: scope_allowed — needs exactly one side in registers, not "
        "global -> shared");
  CHECK(error("tma", {{0, 32}, {0, 32}}).find("no variant named 'tma' is registered") !=
        std::string::npos);
  CHECK(error("vec_128b", {{0, 32}, {0, 32}}).find("expected thread exec_scope") !=
        std::string::npos);
  CHECK(error("", {{0, 40}, {0, 32}}) ==
        "the region S[0:40, 0:32] leaves S, whose shape is (32, 32): dimension 0 ends at 32");
  CHECK(error("", {{8, 32}, {0, 32}}) ==
        "the region S[8:40, 0:32] leaves S, whose shape is (32, 32): dimension 0 ends at 32");
}

TEST_CASE("a write through stride 0 is refused") {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  k.thread_id(32);
  const Buffer s =
      k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared, strided({32, 32}, {0, 1}));
  k.body({tile_copy(ExecScope::warp, region(s), region(a))});
  const auto result = lower::lower(k.kernel(), default_target());
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().text.find("stride of 0") != std::string::npos);
}

// Random copies against the layouts, coordinate by coordinate.
TEST_CASE("every element arrives once, from its place") {
  std::mt19937 random(11);
  const auto pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  };
  const DType dtypes[] = {DType::f32, DType::f16, DType::u8, DType::f64, DType::e4m3, DType::e2m1};
  int fast = 0;
  for (int round = 0; round < kRounds; ++round) {
    KernelBuilder k("copy");
    const DType dtype = dtypes[pick(6)];
    const std::int64_t threads[] = {32, 64, 128, 256};
    const std::int64_t block = threads[pick(4)];
    const ExecScope scopes[] = {ExecScope::warp, ExecScope::cta, ExecScope::warpgroup};
    ExecScope scope = scopes[pick(3)];
    if (scope == ExecScope::warpgroup && block % 128 != 0) scope = ExecScope::cta;
    // A shape out of small factors; each side's dims are split and laid out in a random order.
    const std::size_t rank = static_cast<std::size_t>(1 + pick(3));
    Shape shape;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t extents[] = {1, 2, 3, 4, 6, 8, 16, 32, 64};
      shape.push_back(extents[pick(9)]);
    }
    const auto random_layout = [&](bool swizzle) -> Layout {
      Iters iters;
      for (const std::int64_t extent : shape) {
        std::int64_t rest = extent;
        std::vector<std::int64_t> factors;
        while (rest % 2 == 0 && rest > 2 && pick(3) == 0) {
          factors.push_back(2);
          rest /= 2;
        }
        factors.push_back(rest);
        for (const std::int64_t factor : factors) iters.push_back({factor, 0, AxisId::m});
      }
      std::vector<std::size_t> order(iters.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      if (pick(2) == 0) std::shuffle(order.begin(), order.end(), random);
      std::int64_t stride = 1;
      for (std::size_t i = order.size(); i-- > 0;) {
        iters[order[i]].stride = stride;
        stride *= iters[order[i]].extent;
        if (pick(8) == 0) stride += stride % 4 == 0 ? 4 : 1;  // a gap
      }
      AxisValues offset;
      if (pick(6) == 0) offset[AxisId::m] = 8 * pick(3);
      const TileLayout tile = TileLayout::make(iters, {}, offset).value();
      if (swizzle && pick(3) == 0) {
        return Layout(make_swizzle(pick(4), pick(4), 3, pick(4) != 0).value(), tile);
      }
      return Layout(tile);
    };
    const Buffer a = k.param("A", dtype, shape, random_layout(false));
    k.thread_id(block);
    const Buffer s = k.alloc("S", dtype, shape, MemoryScope::shared, random_layout(true));
    std::vector<std::pair<E, std::int64_t>> ranges;
    std::vector<std::pair<std::int64_t, std::int64_t>> plain;
    const bool whole = pick(2) == 0;
    for (const std::int64_t extent : shape) {
      std::int64_t begin = 0;
      std::int64_t count = extent;
      if (!whole && extent % 2 == 0) {
        count = extent / 2;
        begin = pick(2) * count;
      }
      ranges.emplace_back(begin, count);
      plain.emplace_back(begin, count);
    }
    const bool to_shared = pick(2) == 0;
    const Buffer dst = to_shared ? s : a;
    const Buffer src = to_shared ? a : s;
    k.body({tile_copy(scope, region(dst, ranges), region(src, ranges))});
    const auto lowered = lower::lower(k.kernel(), default_target());
    if (!lowered) {
      const bool known = lowered.error().text.find("4-bit elements") != std::string::npos ||
                         lowered.error().text.find("bytes of static shared") != std::string::npos;
      INFO(lowered.error().text);
      REQUIRE(known);
      continue;
    }
    fast += lowered->dispatch[0].variant == "gmem_smem" ? 1 : 0;
    ElementInterpreter run(*lowered);
    Tags& from = run.memory(src->storage);
    Tags& to = run.memory(dst->storage);
    from.value.resize(1 << 16);
    for (std::size_t i = 0; i < from.value.size(); ++i)
      from.value[i] = static_cast<std::int64_t>(i);
    to.value.assign(1 << 16, -1);
    to.writes.assign(1 << 16, 0);
    run.run();
    const std::int64_t instances = scope == ExecScope::warp        ? block / 32
                                   : scope == ExecScope::warpgroup ? block / 128
                                                                   : 1;
    INFO("round " << round << " " << lowered->dispatch[0].variant << " vec "
                  << lowered->dispatch[0].vector << " dst " << to_string(*dst->layout) << " src "
                  << to_string(*src->layout));
    std::int64_t elements = 0;
    Shape at(rank, 0);
    for (;;) {
      Shape index = at;
      for (std::size_t i = 0; i < rank; ++i) index[i] += plain[i].first;
      const auto d = static_cast<std::size_t>(run.place(*dst, index));
      if (to.value[d] != run.place(*src, index)) REQUIRE(to.value[d] == run.place(*src, index));
      if (to.writes[d] != instances) REQUIRE(to.writes[d] == instances);
      ++elements;
      std::size_t i = rank;
      while (i-- > 0) {
        if (++at[i] < plain[i].second) break;
        at[i] = 0;
      }
      if (i == static_cast<std::size_t>(-1)) break;
    }
    std::int64_t writes = 0;
    for (const int n : to.writes) writes += n;
    REQUIRE(writes == elements * instances);
  }
  CHECK(fast > kRounds / 5);
}
