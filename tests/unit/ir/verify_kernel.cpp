// Well-formedness: each rule broken once.
#include <doctest/doctest.h>

#include "ir/verify.hpp"
#include "tests/unit/lower/builder.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using num::DType;

namespace {

std::string wrong(KernelBuilder& k) {
  const auto error = verify(k.kernel());
  return error ? error->text : std::string();
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("variables are bound before they are used, and once") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {32});
  const Var tx = k.thread_id(32);
  const Var x = make_variable("x");
  const Var i = make_variable("i");
  SUBCASE("fine") {
    k.body({Stmt{{}, Let{x, make_var(tx)}}, store(a, {x}, load(a, {tx}))});
    CHECK(wrong(k).empty());
  }
  SUBCASE("before") {
    k.body({store(a, {x}, load(a, {tx})), Stmt{{}, Let{x, make_var(tx)}}});
    CHECK(wrong(k) == "the variable x is used before it is defined");
  }
  SUBCASE("after its scope") {
    k.body({if_then(E(tx) < 3, {Stmt{{}, Let{x, make_var(tx)}}}), store(a, {x}, load(a, {tx}))});
    CHECK(wrong(k) == "the variable x is used before it is defined");
  }
  SUBCASE("a loop variable after its loop") {
    k.body({for_range(i, 0, 4, {}), store(a, {i}, load(a, {tx}))});
    CHECK(wrong(k) == "the variable i is used before it is defined");
  }
  SUBCASE("twice") {
    k.body({Stmt{{}, Let{x, make_var(tx)}}, Stmt{{}, Let{x, make_var(tx)}}});
    CHECK(wrong(k) == "the variable x is defined twice");
  }
}

TEST_CASE("buffers have storage") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {32});
  const Var tx = k.thread_id(32);
  const Buffer s = make_buffer("S", DType::f32, {32}, MemoryScope::shared);
  k.body({store(a, {tx}, load(s, {tx}))});
  CHECK(wrong(k) == "S is used without a prior DeclBuffer or other declaration");
  k.kernel().body.insert(k.kernel().body.begin(), Stmt{{}, Allocate{s}});
  CHECK(wrong(k).empty());
  k.kernel().body.insert(k.kernel().body.begin(), Stmt{{}, Allocate{s}});
  CHECK(wrong(k) == "S is allocated twice");
}

TEST_CASE("as many indices as dimensions") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  const Var tx = k.thread_id(32);
  k.body({store(a, {tx}, load(a, {tx, 0}))});
  CHECK(wrong(k) == "A has 2 dimensions, not 1");
}

TEST_CASE("scope ids agree") {
  KernelBuilder k("kernel");
  SUBCASE("no threads") {
    k.cta_id(4);
    CHECK(has(wrong(k),
              "kernel has no thread launch parameters. At minimum, declare cta->thread extent"));
  }
  SUBCASE("a contradiction") {
    k.thread_id(128);
    k.scope_id(ScopeIdKind::warp_id, "warp", 2);
    k.lane_id();
    CHECK(has(wrong(k), "Inconsistent extents for scope binding"));
  }
  SUBCASE("warps need whole warps") {
    k.thread_id(48);
    k.scope_id(ScopeIdKind::warp_id, "warp", 0);
    CHECK_FALSE(wrong(k).empty());
  }
}

TEST_CASE("regions lie inside their buffers, as far as that is static") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  const Var tx = k.thread_id(32);
  const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
  const auto error = [&](const Region& dst, const Region& src) {
    k.body({tile_copy(ExecScope::cta, dst, src)});
    const std::string text = wrong(k);
    k.kernel().body.pop_back();
    return text;
  };
  CHECK(error(region(s), region(a)).empty());
  CHECK(error(region(s), region(a, {{tx, 32}, {0, 32}})).empty());
  CHECK(error(region(s), region(a, {{0, 32}, {1, 32}})) ==
        "the region A[0:32, 1:33] leaves A, whose shape is (32, 32): dimension 1 ends at 32");
  CHECK(error(region(s, {{-1, 4}, {0, 4}}), region(a, {{0, 4}, {0, 4}})) ==
        "the region S[-1:3, 0:4] leaves S, whose shape is (32, 32): dimension 0 starts at 0");
  CHECK(error(region(s, {{tx, 33}, {0, 4}}), region(a)) ==
        "the region S[tx:tx + 33, 0:4] leaves S, whose shape is (32, 32): dimension 0 ends at 32");
}

TEST_CASE("a tile is not written through stride 0, but read") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  k.thread_id(32);
  const Layout rows = Layout(TileLayout::strided(Shape{32, 32}, Shape{0, 1}).value());
  const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared, rows);
  k.body({tile_copy(ExecScope::cta, region(a), region(s))});
  CHECK(wrong(k).empty());
  k.body({tile_copy(ExecScope::cta, region(s, {{3, 1}, {0, 32}}), region(a, {{0, 1}, {0, 32}}))});
  CHECK(wrong(k).empty());
  k.body({tile_copy(ExecScope::cta, region(s), region(a))});
  CHECK(has(wrong(k), "its layout has a stride of 0"));
}

TEST_CASE("break and launch bounds") {
  KernelBuilder k("kernel");
  k.thread_id(32);
  SUBCASE("break outside a loop") {
    k.body({Stmt{{}, Break{}}});
    CHECK(wrong(k) == "break and continue belong in a loop");
  }
  SUBCASE("registers and bounds") {
    k.kernel().attributes.max_registers = 64;
    k.kernel().attributes.min_blocks_per_sm = 2;
    CHECK(has(wrong(k), "cannot be combined with CUDA launch bounds"));
  }
}
