// Every tile primitive that moves or multiplies, at every scope, by every variant, for every dtype:
// the simulator against the tile-level evaluator, byte by byte; and what does not exist is refused
// with its reason.  No combination of the ranked lists may be missing here (elementwise ops and
// reductions have files of their own: elementwise.cpp, reductions.cpp).
#include <map>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lower/dispatch.hpp"
#include "tests/unit/sanitized.hpp"
#include "tests/unit/tile/support.hpp"

namespace tirx::testing {

namespace {

using ir::ExecScope;
using ir::TileFamily;
using num::DType;

constexpr ExecScope kScopes[] = {ExecScope::thread, ExecScope::warp, ExecScope::warpgroup,
                                 ExecScope::cta};

constexpr DType kAll[] = {DType::f32,  DType::f16, DType::bf16, DType::f64, DType::e4m3,
                          DType::e5m2, DType::i8,  DType::u8,   DType::i16, DType::u16,
                          DType::i32,  DType::u32, DType::i64,  DType::u64, DType::boolean};

/// The instances of a scope in one CTA, and how their threads are named.
struct Where {
  const char* prefix;
  const char* ids;
  const char* instance;
  std::int64_t instances, threads;
  const char* sync;
  const char* axis;  // that counts the threads of an instance
};

Where where(ExecScope scope) {
  switch (scope) {
    case ExecScope::thread:
      return {"Tx", "t = T.thread_id([8])", "t", 8, 1, "pass", ""};
    case ExecScope::warp:
      return {"Tx.warp", "w = T.warp_id([2]); T.lane_id([32]); T.thread_id([64])",
              "w",       2,
              32,        "T.cuda.warp_sync()",
              "laneid"};
    case ExecScope::warpgroup:
      return {"Tx.wg",    "g = T.warpgroup_id([2]); T.warp_id([8]); T.thread_id([256])",
              "g",        2,
              128,        "T.cuda.warpgroup_sync(1 + g)",
              "tid_in_wg"};
    default:
      return {"Tx.cta", "T.warp_id([3]); T.lane_id([32]); T.thread_id([96])",
              "0",      1,
              96,       "T.cuda.cta_sync()",
              "tx"};
  }
}

/// Rows of a tile, one a thread, and its elements in registers.
std::string rows_on_threads(const Where& w, std::int64_t columns, bool backwards = false) {
  if (backwards) {
    return w.threads == 1
               ? fmt::format("S[(1, {}, 2):(1, 1, {})]", columns / 2, columns / 2)
               : fmt::format("S[({0}, {1}, 2):(1@{2}, 1, {1})]", w.threads, columns / 2, w.axis);
  }
  return w.threads == 1 ? fmt::format("S[1, {}]", columns)
                        : fmt::format("S[({0}, {1}):(1@{2}, 1)]", w.threads, columns, w.axis);
}

struct Kernel {
  std::string tiles;  // allocations
  std::string body;   // from A[i] to B[i]; {P} prefix, {i} instance, {sync}
  std::int64_t rows = 0, columns = 0;
};

std::string script_of(const Where& w, DType t, const Kernel& k) {
  std::string s = kTileImports;
  s += fmt::format(
      "@T.prim_func\n"
      "def k(A: T.Buffer(({0}, {1}, {2}), \"{3}\"), B: T.Buffer(({0}, {1}, {2}), \"{3}\")):\n"
      "    T.device_entry()\n    T.cta_id([1]); {4}\n",
      w.instances, k.rows, k.columns, num::name(t), w.ids);
  for (const std::string* text : {&k.tiles, &k.body}) {
    std::string rest = *text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      s += "    " + rest.substr(0, end) + "\n";
      rest = rest.substr(std::min(end + 1, rest.size()));
    }
  }
  s += fmt::format(
      "A = tirx.random(({0}, {1}, {2}), \"{3}\", seed=5, kind=\"bits\")\n"
      "B = tirx.empty(({0}, {1}, {2}), \"{3}\")\nk(A, B)\ntirx.assert_equal(B, A)\n",
      w.instances, k.rows, k.columns, num::name(t));
  return replaced(s, {{"{P}", w.prefix},
                      {"{i}", w.instance},
                      {"{n}", std::to_string(w.instances)},
                      {"{sync}", w.sync},
                      {"{t}", std::string(num::name(t))}});
}

const char* const kThrough = "{P}.copy(s[{i}, :, :], A[{i}, :, :])\n{sync}\n";

Kernel through_shared(std::int64_t rows, std::int64_t columns, const std::string& how) {
  return {"s = T.alloc_buffer(({n}, " + fmt::format("{}, {}", rows, columns) +
              "), \"{t}\", scope=\"shared\")",
          fmt::format("{{P}}.copy(s[{{i}}, :, :], A[{{i}}, :, :]{0})\n{{sync}}\n"
                      "{{P}}.copy(B[{{i}}, :, :], s[{{i}}, :, :]{0})",
                      how),
          rows, columns};
}

Kernel through_registers(const Where& w, const std::string& how) {
  const std::int64_t columns = 6;
  return {fmt::format("r = T.alloc_buffer(({}, {}), \"{{t}}\", scope=\"local\", "
                      "layout=TileLayout({}))",
                      w.threads, columns, rows_on_threads(w, columns)),
          fmt::format("{{P}}.copy(r, A[{{i}}, :, :]{0})\n{{P}}.copy(B[{{i}}, :, :], r{0})", how),
          w.threads, columns};
}

Kernel by_matrices(const Where& w) {
  const std::int64_t warps = w.threads / 32;
  const std::string layout =
      fmt::format("S[({0}, 2, 8, 4, 2):(32@{1}, 2, 4@{1}, 1@{1}, 1)]", warps, w.axis);
  return {fmt::format("s = T.alloc_buffer(({{n}}, {0}, 8), \"{{t}}\", scope=\"shared\")\n"
                      "d = T.alloc_buffer(({{n}}, {0}, 8), \"{{t}}\", scope=\"shared\")\n"
                      "r = T.alloc_buffer(({0}, 8), \"{{t}}\", scope=\"local\", "
                      "layout=TileLayout({1}))",
                      16 * warps, layout),
          std::string(kThrough) +
              "{P}.copy(r, s[{i}, :, :], dispatch=\"ldstmatrix\")\n"
              "{P}.copy(d[{i}, :, :], r, dispatch=\"ldstmatrix\")\n{sync}\n"
              "{P}.copy(B[{i}, :, :], d[{i}, :, :])",
          16 * warps, 8};
}

/// Vectors of four bytes at least, whatever the dtype.
Kernel asynchronous(const Where& w) {
  Kernel k = through_shared(std::max<std::int64_t>(w.threads / 8, 1), 32, "");
  k.body =
      "{P}.copy_async(s[{i}, :, :], A[{i}, :, :], dispatch=\"ldgsts\")\n"
      "T.ptx.cp.async_.commit_group()\nT.ptx.cp.async_.wait_group(0)\n{sync}\n"
      "{P}.copy(B[{i}, :, :], s[{i}, :, :])";
  return k;
}

Kernel permuted_registers(const Where& w) {
  const std::int64_t columns = 6;
  return {fmt::format("r = T.alloc_buffer(({0}, {1}), \"{{t}}\", scope=\"local\", "
                      "layout=TileLayout({2}))\n"
                      "q = T.alloc_buffer(({0}, {1}), \"{{t}}\", scope=\"local\", "
                      "layout=TileLayout({3}))",
                      w.threads, columns, rows_on_threads(w, columns),
                      rows_on_threads(w, columns, true)),
          "{P}.copy(r, A[{i}, :, :])\n{P}.permute_layout(q, r, dispatch=\"reg\")\n"
          "{P}.copy(B[{i}, :, :], q)",
          w.threads, columns};
}

Kernel permuted_shared() {
  return {
      "s = T.alloc_buffer(({n}, 4, 32), \"{t}\", scope=\"shared\")\n"
      "d = T.alloc_buffer(({n}, 4, 32), \"{t}\", scope=\"shared\", "
      "layout=TileLayout(S[({n}, 4, 32):(128, 1, 4)]))",
      std::string(kThrough) +
          "{P}.permute_layout(d[{i}, :, :], s[{i}, :, :], dispatch=\"warp_xor_swizzle\")\n"
          "{P}.copy(B[{i}, :, :], d[{i}, :, :])",
      4, 32};
}

/// What the lists have, and what has been seen.
class Seen {
 public:
  void run(TileFamily family,
           const std::string& variant,
           ExecScope scope,
           std::span<const DType> types,
           const Kernel& k) {
    for (const DType t : types) {
      const std::string script = script_of(where(scope), t, k);
      const TileRun run = run_tiles(script);
      REQUIRE_MESSAGE(run.errors.empty(), run.errors, script);
      REQUIRE_MESSAGE(run.faults.empty(), script);
      REQUIRE(run.compared > 0);
      bool taken = false;
      for (const lower::DispatchNote& note : run.notes) {
        taken = taken || (ir::spec(note.op).family == family && note.variant == variant &&
                          note.scope == scope);
      }
      REQUIRE_MESSAGE(taken, variant, " was not taken\n", script);
    }
    seen_.insert({family, variant, scope});
  }

  /// The variant is not there at this scope, and says why.
  void refuse(TileFamily family,
              const std::string& variant,
              ExecScope scope,
              const Kernel& k,
              DType t,
              const std::string& why) {
    const std::string script = script_of(where(scope), t, k);
    const TileRun run = run_tiles(script);
    REQUIRE_MESSAGE(run.errors.find(why) != std::string::npos, script, run.errors);
    seen_.insert({family, variant, scope});
  }

  void check_complete() const {
    for (const ir::TileOpSpec& op : ir::tile_ops()) {
      if (op.family != TileFamily::copy && op.family != TileFamily::copy_async &&
          op.family != TileFamily::permute_layout) {
        continue;
      }
      for (const lower::Variant& variant : lower::variants_of(op.op)) {
        for (const ExecScope scope : kScopes) {
          CHECK_MESSAGE(seen_.contains({op.family, std::string(variant.name), scope}), op.name, " ",
                        variant.name, " at ", ir::name_of(scope), " scope has no test");
        }
      }
    }
  }

 private:
  std::set<std::tuple<TileFamily, std::string, ExecScope>> seen_;
};

void copies(Seen& seen) {
  const auto named = [](const char* variant) { return fmt::format(", dispatch=\"{}\"", variant); };
  for (const ExecScope scope : kScopes) {
    const Where w = where(scope);
    seen.run(TileFamily::copy, "gmem_smem", scope, kAll,
             through_shared(12, 32, named("gmem_smem")));
    seen.run(TileFamily::copy, "reg", scope, kAll, through_registers(w, named("reg")));
    seen.run(TileFamily::copy, "predicated", scope, kAll,
             through_shared(5, 7, named("predicated")));
    seen.run(TileFamily::copy, "predicated", scope, kAll,
             through_registers(w, named("predicated")));
    seen.run(TileFamily::copy, "fallback", scope, kAll, through_shared(3, 7, named("fallback")));
    if (scope == ExecScope::thread) {
      seen.refuse(TileFamily::copy, "ldstmatrix", scope, through_registers(w, named("ldstmatrix")),
                  DType::f16, "ldmatrix is executed by whole warps, got thread");
    } else {
      constexpr DType kHalves[] = {DType::f16, DType::bf16, DType::i16, DType::u16};
      seen.run(TileFamily::copy, "ldstmatrix", scope, kHalves, by_matrices(w));
    }
    for (const int width : {256, 128, 64, 32, 16}) {
      const std::string variant = fmt::format("vec_{}b", width);
      if (scope != ExecScope::thread) {
        seen.refuse(TileFamily::copy, variant, scope,
                    through_shared(12, 32, named(variant.c_str())), DType::f16,
                    "expected thread exec_scope");
        continue;
      }
      for (const DType t : kAll) {
        const int elements = width / std::max(num::bits(t), 8);
        if (elements == 0) continue;
        const DType one[] = {t};
        seen.run(TileFamily::copy, variant, scope, one,
                 through_shared(1, elements, named(variant.c_str())));
      }
    }
  }
}

void asynchronous_copies(Seen& seen) {
  for (const ExecScope scope : kScopes) {
    seen.run(TileFamily::copy_async, "ldgsts", scope, kAll, asynchronous(where(scope)));
  }
}

void permutations(Seen& seen) {
  constexpr DType kWords[] = {DType::f32, DType::i32, DType::u32};
  for (const ExecScope scope : kScopes) {
    seen.run(TileFamily::permute_layout, "reg", scope, kAll, permuted_registers(where(scope)));
    if (scope == ExecScope::warp) {
      seen.run(TileFamily::permute_layout, "warp_xor_swizzle", scope, kWords, permuted_shared());
    } else {
      seen.refuse(TileFamily::permute_layout, "warp_xor_swizzle", scope, permuted_shared(),
                  DType::f32, "needs warp scope, not");
    }
  }
}

/// A (rows, K) and B (K, 8) from one buffer of operands; D goes back as B's bytes.
struct Product {
  const char* variant;
  DType a, b, acc;
  int m, k;
};

std::string product_script(const Where& w, const Product& p, const std::string& more) {
  const std::int64_t warps = std::max<std::int64_t>(w.threads / 32, 1);
  const int per = std::max(32 / num::bits(p.a), 1), q = p.k / (4 * per), halves = p.m / 8;
  const int steps = 3;
  const std::int64_t rows = warps * p.m, k = p.k * steps;
  const std::string axis = w.threads == 1 ? "laneid" : w.axis;
  // Registers: k step, then the word's place (row half, quad), then its parts.
  const std::string a =
      fmt::format("S[({0}, {1}, 8, {2}, {3}, 4, {4}):(32@{5}, {4}, 4@{5}, {6}, {7}, 1@{5}, 1)]",
                  warps, halves, steps, q, per, axis, halves * q * per, halves * per);
  const std::string b =
      fmt::format("S[({0}, {1}, 4, {2}, 8):({3}, {2}, 1@{4}, 1, 4@{4})]{5}", steps, q, per, q * per,
                  axis, warps > 1 ? fmt::format(" + R[{}:32@{}]", warps, axis) : "");
  const std::string d =
      fmt::format("S[({0}, {1}, 8, 4, 2):(32@{2}, 2, 4@{2}, 1@{2}, 1)]", warps, halves, axis);
  std::string s = kTileImports;
  s += fmt::format(
      "@T.prim_func\n"
      "def k(A: T.Buffer(({n}, {rows}, {k}), \"{at}\"), B: T.Buffer(({n}, {k}, 8), \"{bt}\"),\n"
      "      C: T.Buffer(({n}, {rows}, 8), \"{ct}\"), D: T.Buffer(({n}, {rows}, 8), \"{ct}\")):\n"
      "    T.device_entry()\n    T.cta_id([1]); {ids}\n"
      "    a = T.alloc_buffer(({rows}, {k}), \"{at}\", scope=\"local\", layout=TileLayout({a}))\n"
      "    b = T.alloc_buffer(({k}, 8), \"{bt}\", scope=\"local\", layout=TileLayout({b}))\n"
      "    c = T.alloc_buffer(({rows}, 8), \"{ct}\", scope=\"local\", layout=TileLayout({d}))\n"
      "    d = T.alloc_buffer(({rows}, 8), \"{ct}\", scope=\"local\", layout=TileLayout({d}))\n"
      "    {P}.copy(a, A[{i}, :, :])\n    {P}.copy(b, B[{i}, :, :])\n"
      "    {P}.copy(c, C[{i}, :, :])\n"
      "    {P}.gemm(d, a, b, c, dispatch=\"{v}\"{more})\n    {P}.copy(D[{i}, :, :], d)\n",
      fmt::arg("n", w.instances), fmt::arg("rows", rows), fmt::arg("k", k),
      fmt::arg("at", num::name(p.a)), fmt::arg("bt", num::name(p.b)),
      fmt::arg("ct", num::name(p.acc)), fmt::arg("ids", w.ids), fmt::arg("a", a), fmt::arg("b", b),
      fmt::arg("d", d), fmt::arg("P", w.prefix), fmt::arg("i", w.instance),
      fmt::arg("v", p.variant), fmt::arg("more", more));
  s += fmt::format(
      "A = tirx.random(({0}, {1}, {2}), \"{3}\", seed=1)\nB = tirx.random(({0}, {2}, 8), \"{4}\", "
      "seed=2)\nC = tirx.random(({0}, {1}, 8), \"{5}\", seed=3)\n"
      "D = tirx.empty(({0}, {1}, 8), \"{5}\")\nk(A, B, C, D)\n",
      w.instances, rows, k, num::name(p.a), num::name(p.b), num::name(p.acc));
  return s;
}

/// All that sm_90 multiplies.
std::vector<Product> products() {
  std::vector<Product> all;
  const auto add = [&](DType a, DType b, std::initializer_list<DType> sums,
                       std::initializer_list<std::pair<const char*, int>> variants) {
    for (const DType acc : sums) {
      for (const auto& [variant, k] : variants) all.push_back({variant, a, b, acc, 16, k});
    }
  };
  add(DType::f16, DType::f16, {DType::f32, DType::f16}, {{"mma.m16n8k16", 16}, {"mma.m16n8k8", 8}});
  add(DType::bf16, DType::bf16, {DType::f32}, {{"mma.m16n8k16", 16}, {"mma.m16n8k8", 8}});
  add(DType::tf32, DType::tf32, {DType::f32}, {{"mma.m16n8k8", 8}, {"mma.m16n8k4", 4}});
  for (const DType a : {DType::e4m3, DType::e5m2}) {
    for (const DType b : {DType::e4m3, DType::e5m2}) {
      add(a, b, {DType::f32, DType::f16}, {{"mma.m16n8k32", 32}, {"mma.m16n8k16", 16}});
    }
  }
  for (const DType a : {DType::i8, DType::u8}) {
    for (const DType b : {DType::i8, DType::u8}) {
      add(a, b, {DType::i32}, {{"mma.m16n8k32", 32}, {"mma.m16n8k16", 16}});
    }
  }
  add(DType::f64, DType::f64, {DType::f64},
      {{"mma.m16n8k16", 16}, {"mma.m16n8k8", 8}, {"mma.m16n8k4", 4}});
  all.push_back({"mma.m8n8k4", DType::f64, DType::f64, DType::f64, 8, 4});
  return all;
}

}  // namespace

TEST_CASE("copies, permutations: every variant, scope and dtype") {
  Seen seen;
  copies(seen);
  asynchronous_copies(seen);
  permutations(seen);
  seen.check_complete();
}

TEST_CASE("gemm: what no thread and no shared memory can do") {
  Seen seen;
  for (const lower::Variant& variant : lower::variants_of(ir::TileOp::gemm)) {
    for (const ExecScope scope : kScopes) {
      seen.refuse(TileFamily::gemm, std::string(variant.name), scope,
                  {"s = T.alloc_buffer((16, 16), \"{t}\", scope=\"shared\")",
                   fmt::format("{{P}}.gemm(s[:, 0:8], s, s[:, 0:8], s[:, 0:8], dispatch=\"{}\")",
                               variant.name),
                   4, 4},
                  DType::f16,
                  scope == ExecScope::thread ? "mma.sync is executed by whole warps, got thread"
                                             : "mma.sync takes registers");
    }
  }
}

TEST_CASE("gemm: every variant, scope and pair of dtypes; alpha and beta") {
  std::map<std::pair<std::string, ExecScope>, int> taken;
  for (const Product& p : products()) {
    for (const ExecScope scope : {ExecScope::warp, ExecScope::warpgroup, ExecScope::cta}) {
      if (kSanitized && scope == ExecScope::warpgroup) continue;
      const bool whole = num::is_int(p.acc);
      for (const char* more :
           {"", ", beta=1.0", whole ? ", alpha=2, beta=3" : ", alpha=0.3, beta=-1.7"}) {
        if (kSanitized && (*more == '\0') == (scope == ExecScope::warp)) continue;
        const std::string script = product_script(where(scope), p, more);
        const TileRun run = run_tiles(script);
        REQUIRE_MESSAGE(run.errors.empty(), run.errors, script);
        REQUIRE_MESSAGE(run.faults.empty(), script);
        for (const lower::DispatchNote& note : run.notes) {
          if (note.op != ir::TileOp::gemm) continue;
          REQUIRE(note.variant == p.variant);
          ++taken[{note.variant, note.scope}];
        }
      }
    }
  }
  for (const lower::Variant& variant : lower::variants_of(ir::TileOp::gemm)) {
    for (const ExecScope scope : {ExecScope::warp, ExecScope::warpgroup, ExecScope::cta}) {
      if (kSanitized && scope == ExecScope::warpgroup) continue;
      CHECK_MESSAGE((taken[{std::string(variant.name), scope}] > 0), variant.name, " at ",
                    ir::name_of(scope), " scope has no test");
    }
  }
}

TEST_CASE("gemm in float64 is one fma for each k, ascending") {
  const Product p{"mma.m16n8k8", DType::f64, DType::f64, DType::f64, 16, 8};
  const TileRun run = run_tiles(product_script(where(ExecScope::warp), p, ", beta=1.0"));
  REQUIRE_MESSAGE(run.errors.empty(), run.errors);
  for (std::int64_t e = 0; e < 2 * 16 * 8; ++e) {
    const std::int64_t tile = e / 128, i = e % 128 / 8, j = e % 8;
    num::Bits sum = element(run.tensors[2], e);
    for (std::int64_t l = 0; l < 24; ++l) {
      sum = num::evaluate(num::ScalarOp::fma, DType::f64,
                          element(run.tensors[0], (tile * 16 + i) * 24 + l),
                          element(run.tensors[1], (tile * 24 + l) * 8 + j), sum)
                .value;
    }
    if (element(run.tensors[3], e) != sum) FAIL("element ", e);
  }
}

}  // namespace tirx::testing
