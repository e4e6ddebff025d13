// Which guards are understood, and what happens at a collective op when one is not.
#include <doctest/doctest.h>

#include "ir/all_ops.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using num::DType;

namespace {

/// A kernel of four warps with one collective copy somewhere.
struct Guarded {
  KernelBuilder k{"kernel"};
  Buffer a = k.param("A", DType::f32, {32, 32});
  Buffer flags = k.param("flags", DType::i32, {8});
  Var n = k.scalar_param("n", kInt32);
  Var tx = k.thread_id(128);
  Var warp = k.scope_id(ScopeIdKind::warp_id, "warp", 4);
  Var lane = k.scope_id(ScopeIdKind::lane_id, "lane", 32);
  Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);

  Stmt copy(ExecScope scope) const { return tile_copy(scope, region(s), region(a)); }

  /// "variant/threads" of the copy, or the error.
  std::string outcome(Body body) {
    k.body(std::move(body));
    const auto lowered = lower::lower(k.kernel(), default_target());
    if (!lowered) return lowered.error().text;
    if (lowered->dispatch.empty()) return "none";
    return lowered->dispatch[0].variant + "/" + std::to_string(lowered->dispatch[0].threads);
  }

  std::string under(E condition, ExecScope scope) {
    return outcome({if_then(std::move(condition), {copy(scope)})});
  }
};

E both(E a, E b) {
  return make_expr(kBool, {}, And{a.expr, b.expr});
}

E negated(E a) {
  return make_expr(kBool, {}, Scalar{num::ScalarOp::logical_not, {a.expr}});
}

bool is_guard_error(const std::string& text) {
  return text.find("a guard around it cannot be represented") != std::string::npos;
}

}  // namespace

TEST_CASE("ids compared with constants, in all spellings") {
  const auto warp_copy = [](auto condition) {
    Guarded g;
    return g.under(condition(g), ExecScope::warp);
  };
  CHECK(warp_copy([](Guarded& g) { return E(g.warp) == E(1); }) == "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return E(3) == E(g.warp); }) == "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return E(g.tx) < E(64); }) == "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return E(64) < E(g.tx) + 1; }) == "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return E(g.tx) / 32 == E(2); }) == "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return E(g.warp) % 2 == E(1); }) == "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return both(E(g.warp) < E(3), E(0) < E(g.warp)); }) ==
        "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return negated(E(g.warp) == E(0)); }) == "gmem_smem/32");
  CHECK(warp_copy([](Guarded& g) { return E(g.lane) < E(16); }) == "fallback/16");
  CHECK(warp_copy([](Guarded& g) { return E(g.tx) == E(5); }) == "fallback/1");
  CHECK(warp_copy([](Guarded& g) { return E(g.warp) == E(9); }) == "none");
}

TEST_CASE("an operation that nobody reaches is left out, with a warning") {
  Guarded g;
  g.k.body({if_then(E(g.warp) == E(9), {g.copy(ExecScope::warp)})});
  const auto lowered = lower::lower(g.k.kernel(), default_target());
  REQUIRE(lowered.ok());
  CHECK(lowered->dispatch.empty());
  REQUIRE(lowered->warnings.size() == 1);
  CHECK(lowered->warnings[0].severity == Severity::warning);
  CHECK(lowered->warnings[0].text ==
        "no thread reaches this copy (degenerate thread_cnt=0): nothing is done");
}

TEST_CASE("a warp copy under warp conditions, a CTA copy under the same") {
  Guarded warp;
  CHECK(warp.under(E(warp.warp) < E(2), ExecScope::warp) == "gmem_smem/32");
  Guarded cta;
  CHECK(cta.under(E(cta.warp) < E(2), ExecScope::cta) == "fallback/64");
}

TEST_CASE("names for ids are looked through") {
  Guarded g;
  const Var row = make_variable("row");
  SUBCASE("a let") {
    CHECK(g.outcome({Stmt{{}, Let{row, (E(g.tx) / 32).expr}},
                     if_then(E(row) == E(1), {g.copy(ExecScope::warp)})}) == "gmem_smem/32");
  }
  auto scalar =
      std::make_shared<BufferNode>(*make_buffer("w", DType::i32, {1}, MemoryScope::local));
  scalar->scalar = true;
  const Buffer w = scalar;
  SUBCASE("a variable that is assigned once") {
    CHECK(g.outcome({Stmt{{}, Allocate{w}}, store(w, {0}, E(g.tx) / 32),
                     if_then(E(load(w, {0})) == E(1), {g.copy(ExecScope::warp)})}) ==
          "gmem_smem/32");
  }
  SUBCASE("a variable that changes uniformly is a uniform guard") {
    CHECK(
        g.outcome({Stmt{{}, Allocate{w}}, store(w, {0}, E(g.n)), store(w, {0}, E(load(w, {0})) + 1),
                   if_then(E(load(w, {0})) == E(1), {g.copy(ExecScope::cta)})}) == "gmem_smem/128");
  }
  SUBCASE("a variable that differs between lanes is none") {
    CHECK(is_guard_error(g.outcome({Stmt{{}, Allocate{w}}, store(w, {0}, E(g.lane)),
                                    store(w, {0}, E(load(w, {0})) * load(w, {0})),
                                    if_then(E(load(w, {0})) < E(9), {g.copy(ExecScope::warp)})})));
  }
}

TEST_CASE("uniform conditions need no box") {
  Guarded g;
  SUBCASE("parameters") {
    CHECK(g.under(E(g.n) < E(3), ExecScope::cta) == "gmem_smem/128");
  }
  SUBCASE("read-only global memory at a uniform place") {
    CHECK(g.under(E(load(g.flags, {3})) == E(1), ExecScope::cta) == "gmem_smem/128");
  }
  SUBCASE("… at a place of the thread's own") {
    CHECK(is_guard_error(g.under(E(load(g.flags, {E(g.tx) % 8})) == E(1), ExecScope::cta)));
  }
  SUBCASE("… that the kernel writes") {
    CHECK(
        is_guard_error(g.outcome({store(g.flags, {0}, E(1)), if_then(E(load(g.flags, {3})) == E(1),
                                                                     {g.copy(ExecScope::cta)})})));
  }
  SUBCASE("shared memory at a uniform place, whoever wrote it") {
    CHECK(g.outcome({if_then(E(g.tx) < E(1), {store(g.s, {0, 0}, E(load(g.s, {1, 1})))}),
                     if_then(E(load(g.s, {0, 0})) == E(load(g.s, {3, 3})),
                             {g.copy(ExecScope::cta)})}) == "gmem_smem/128");
    CHECK(is_guard_error(
        g.under(E(load(g.s, {E(g.tx) % 8, 0})) == E(load(g.s, {0, 0})), ExecScope::cta)));
  }
  SUBCASE("the same in a warp is enough for a warp, not for the CTA") {
    const E odd = E(g.warp) * g.warp < E(7);
    CHECK(g.under(odd, ExecScope::warp) == "gmem_smem/32");
    CHECK(is_guard_error(g.under(odd, ExecScope::cta)));
  }
  SUBCASE("and single threads never care") {
    CHECK(g.under(E(g.lane) * g.lane < E(7), ExecScope::thread) == "gmem_smem/1");
  }
}

TEST_CASE("threads that left earlier") {
  Guarded g;
  const Stmt leave{{}, Return{}};
  SUBCASE("an early return narrows what follows") {
    CHECK(g.outcome({if_then(E(g.warp) < E(1), {leave}), g.copy(ExecScope::cta)}) == "fallback/96");
  }
  SUBCASE("… to exactly the rest") {
    CHECK(g.outcome({if_then(E(1) < E(g.warp) + 1, {leave}), g.copy(ExecScope::warp)}) ==
          "gmem_smem/32");
  }
  SUBCASE("a return inside a nested condition is a guard for all that follows") {
    const Stmt nested = if_then(E(g.n) < E(3), {if_then(E(g.lane) < E(4), {leave})});
    CHECK(is_guard_error(g.outcome({nested, g.copy(ExecScope::warp)})));
  }
  SUBCASE("but not if all return together") {
    const Stmt nested = if_then(E(g.n) < E(3), {if_then(E(g.n) < E(4), {leave})});
    CHECK(g.outcome({nested, g.copy(ExecScope::warp)}) == "gmem_smem/32");
  }
  SUBCASE("a break of some threads is felt in the next iteration") {
    const Var i = make_variable("i");
    CHECK(is_guard_error(g.outcome({for_range(
        i, 0, 4, {g.copy(ExecScope::warp), if_then(E(g.lane) < E(4), {Stmt{{}, Break{}}})})})));
  }
  SUBCASE("… but not after the loop") {
    const Var i = make_variable("i");
    CHECK(g.outcome({for_range(i, 0, 4, {if_then(E(g.lane) < E(4), {Stmt{{}, Break{}}})}),
                     g.copy(ExecScope::warp)}) == "gmem_smem/32");
  }
  SUBCASE("loops of the thread's own length") {
    const Var i = make_variable("i");
    CHECK(is_guard_error(g.outcome({for_range(i, 0, E(g.tx), {g.copy(ExecScope::cta)})})));
    Guarded uniform;
    CHECK(uniform.outcome({for_range(make_variable("j"), 0, E(uniform.n),
                                     {uniform.copy(ExecScope::cta)})}) == "gmem_smem/128");
  }
}

TEST_CASE("elect_sync leaves one lane") {
  Guarded g;
  const E elected = make_expr(kBool, {}, MachineCall{AllOps::id_of<ElectSync>(), {}, {}});
  CHECK(g.under(elected, ExecScope::warp) == "fallback/1");
}
