// Every elementwise op x scope x storage x dtype: kernels from text; the simulator, the tile-level
// evaluator and an oracle written from the definition agree bit for bit.
#include <functional>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "numerics/convert.hpp"
#include "tests/unit/sanitized.hpp"
#include "tests/unit/tile/support.hpp"

namespace tirx::testing {

namespace {

using num::Bits;
using num::DType;
using num::ScalarOp;

/// Values of an element's operands, and where it lies in the tile.
struct At {
  Bits a, b, c, v;
  std::int64_t row, column;
};

/// One operation of the language: the oracle of the sequences below.
Bits op(ScalarOp kind, DType dtype, Bits a, Bits b = 0, Bits c = 0) {
  const num::Evaluated done = num::evaluate(kind, dtype, a, b, c);
  if (done.status != num::EvalStatus::ok) FAIL("illegal operation in the oracle");
  return done.value;
}

struct OpCase {
  std::string call;  // after "Tx.SCOPE."; {d} {a} {b} {c} {v} are regions
  std::function<Bits(const At&)> value;
};

std::vector<OpCase> ops_for(DType t) {
  const bool floating = num::is_float(t);
  const auto number = [t](double value) { return num::from_double(value, t); };
  // A literal is int32 or float32 and promotes like any operand.
  const auto with_literal = [t](ScalarOp kind, Bits x, double literal) {
    const DType common = t == DType::f64 ? DType::f64 : DType::f32;
    const Bits wide = op(kind, common, num::convert(x, t, common),
                         num::convert(num::from_double(literal, DType::f32), DType::f32, common));
    return num::convert(wide, common, t);
  };
  std::vector<OpCase> ops{
      {"zero({d})", [=](const At&) { return number(0); }},
      {"fill({d}, 3)", [=](const At&) { return number(3); }},
      {"memset({d}, 1)", [=](const At&) { return number(1); }},
      {"cast({d}, {a})", [](const At& x) { return x.a; }},
      {"add({d}, {a}, {b})", [=](const At& x) { return op(ScalarOp::add, t, x.a, x.b); }},
      {"sub({d}, {a}, {b})", [=](const At& x) { return op(ScalarOp::sub, t, x.a, x.b); }},
      {"mul({d}, {a}, {v})", [=](const At& x) { return op(ScalarOp::mul, t, x.a, x.v); }},
      {"add({d}, {v}, {a})", [=](const At& x) { return op(ScalarOp::add, t, x.v, x.a); }},
      {"maximum({d}, {a}, {b})", [=](const At& x) { return op(ScalarOp::max, t, x.a, x.b); }},
      {"minimum({d}, {a}, {b})", [=](const At& x) { return op(ScalarOp::min, t, x.a, x.b); }},
      {"select({d}, {a}, {b}, lambda i, j: i > j)",
       [](const At& x) { return x.row > x.column ? x.a : x.b; }},
      {"select({d}, {a}, 1, lambda i, j: (i + j) % 2 == 0)",
       [=](const At& x) { return (x.row + x.column) % 2 == 0 ? x.a : number(1); }},
  };
  const auto add = [&](std::string call, std::function<Bits(const At&)> value) {
    ops.push_back({std::move(call), std::move(value)});
  };
  if (!floating) return ops;
  add("fill({d}, 0.1)", [=](const At&) { return number(0.1); });
  add("fdiv({d}, {a}, {b})", [=](const At& x) { return op(ScalarOp::div, t, x.a, x.b); });
  add("sub({d}, {a}, 0.1)", [=](const At& x) { return with_literal(ScalarOp::sub, x.a, 0.1); });
  add("mul({d}, 0.1, {a})", [=](const At& x) { return with_literal(ScalarOp::mul, x.a, 0.1); });
  add("fma({d}, {a}, {b}, {c})", [=](const At& x) { return op(ScalarOp::fma, t, x.a, x.b, x.c); });
  add("fma({d}, {a}, {v}, {c})", [=](const At& x) { return op(ScalarOp::fma, t, x.a, x.v, x.c); });
  add("sqrt({d}, {a})", [=](const At& x) { return op(ScalarOp::sqrt, t, x.a); });
  add("reciprocal({d}, {a})", [=](const At& x) { return op(ScalarOp::rcp, t, x.a); });
  // Scale first, then bias, each rounded.
  add("sqrt({d}, {a}, bias={c}, scale={b})", [=](const At& x) {
    return op(ScalarOp::sqrt, t, op(ScalarOp::add, t, op(ScalarOp::mul, t, x.a, x.b), x.c));
  });
  if (t == DType::f64) return ops;
  add("exp({d}, {a})", [=](const At& x) { return op(ScalarOp::exp, t, x.a); });
  add("log2({d}, {a})", [=](const At& x) { return op(ScalarOp::log2, t, x.a); });
  add("exp2({d}, {a}, {v}, 0.3)", [=](const At& x) {
    return op(ScalarOp::exp2, t, op(ScalarOp::add, t, op(ScalarOp::mul, t, x.a, number(0.3)), x.v));
  });
  add("exp({d}, {a}, bias=0.3)",
      [=](const At& x) { return op(ScalarOp::exp, t, op(ScalarOp::add, t, x.a, number(0.3))); });
  add("silu({d}, {a})", [=](const At& x) {
    const Bits e = op(ScalarOp::exp, t, op(ScalarOp::sub, t, number(0), x.a));
    return op(ScalarOp::div, t, x.a, op(ScalarOp::add, t, number(1), e));
  });
  if (t != DType::f32) return ops;
  add("exp2({d}, {a}, approx=True)", [=](const At& x) { return op(ScalarOp::ex2_approx, t, x.a); });
  add("log2({d}, {a}, approx=True)", [=](const At& x) { return op(ScalarOp::lg2_approx, t, x.a); });
  add("exp({d}, {a}, approx=True)", [=](const At& x) {
    return op(ScalarOp::ex2_approx, t, op(ScalarOp::mul, t, x.a, number(1.4426950408889634)));
  });
  add("reciprocal({d}, {a}, approx=True)",
      [=](const At& x) { return op(ScalarOp::rcp_approx, t, x.a); });
  add("sqrt({d}, {a}, approx=True)",
      [=](const At& x) { return op(ScalarOp::sqrt_approx, t, x.a); });
  return ops;
}

/// Who works: the scope, how many instances of it, and their tiles.
struct Place {
  std::string scope;  // "", "warp.", "wg.", "cta."
  std::string ids;
  std::string instance;  // its index
  std::int64_t instances;
  std::string sync;
  std::int64_t rows, columns;
  bool registers;
  std::string layout;     // of a register tile
  std::string broadcast;  // of a register tile of one row
  /// Where the regions are; `mixed`: {a} is shared, the others global.
  enum class Memory : std::uint8_t { shared, global, mixed } memory = Memory::shared;

  [[nodiscard]] const char* variant() const {
    return registers ? "reg" : memory == Memory::shared ? "smem" : "gmem";
  }

  /// Whether an operand is the tensor itself.
  [[nodiscard]] bool in_tensor(const std::string& name) const {
    return memory == Memory::global || (memory == Memory::mixed && name != "a");
  }
};

std::vector<Place> places() {
  const std::string warps = "warp = T.warp_id([2]); T.lane_id([32]); t = T.thread_id([64])";
  const std::string groups = "wg = T.warpgroup_id([2]); T.warp_id([8]); t = T.thread_id([256])";
  const std::string block = "T.warp_id([3]); T.lane_id([32]); t = T.thread_id([96])";
  const std::string thread = "t = T.thread_id([8])";
  return {
      {"", thread, "t", 8, "pass", 2, 16, false, "", ""},
      {"", thread, "t", 8, "pass", 3, 5, false, "", ""},
      {"warp.", warps, "warp", 2, "T.cuda.warp_sync()", 8, 16, false, "", ""},
      {"warp.", warps, "warp", 2, "T.cuda.warp_sync()", 5, 7, false, "", ""},
      {"wg.", groups, "wg", 2, "T.cuda.warpgroup_sync(1 + wg)", 16, 16, false, "", ""},
      {"wg.", groups, "wg", 2, "T.cuda.warpgroup_sync(1 + wg)", 9, 3, false, "", ""},
      {"cta.", block, "0", 1, "T.cuda.cta_sync()", 12, 16, false, "", ""},
      {"cta.", block, "0", 1, "T.cuda.cta_sync()", 7, 33, false, "", ""},
      {"", thread, "t", 8, "pass", 2, 3, true, "S[2, 3]", "S[1, 3]"},
      {"warp.", warps, "warp", 2, "pass", 32, 3, true, "S[(32, 3):(1@laneid, 1)]",
       "S[(1, 3):(1, 1)] + R[32:1@laneid]"},
      {"warp.", warps, "warp", 2, "pass", 16, 8, true, "S[(2, 8, 4, 2):(2, 4@laneid, 1@laneid, 1)]",
       "S[(4, 2):(1@laneid, 1)] + R[8:4@laneid]"},
      {"wg.", groups, "wg", 2, "pass", 128, 2, true, "S[(128, 2):(1@tid_in_wg, 1)]",
       "S[(1, 2):(1, 1)] + R[128:1@tid_in_wg]"},
      {"cta.", block, "0", 1, "pass", 96, 2, true, "S[(3, 32, 2):(1@warpid, 1@laneid, 1)]",
       "S[(1, 2):(1, 1)] + R[3:1@warpid] + R[32:1@laneid]"},
      {"", thread, "t", 8, "pass", 3, 5, false, "", "", Place::Memory::global},
      {"warp.", warps, "warp", 2, "T.cuda.warp_sync()", 8, 16, false, "", "", Place::Memory::mixed},
      {"warp.", warps, "warp", 2, "pass", 5, 7, false, "", "", Place::Memory::global},
      {"wg.", groups, "wg", 2, "T.cuda.warpgroup_sync(1 + wg)", 9, 3, false, "", "",
       Place::Memory::mixed},
      {"cta.", block, "0", 1, "pass", 12, 16, false, "", "", Place::Memory::global},
  };
}

std::string script_of(const Place& p, DType t, const std::vector<OpCase>& ops, std::string kind) {
  const std::string n(num::name(t));
  std::string s = kTileImports;
  const std::string shape = fmt::format("{}, {}, {}", p.instances, p.rows, p.columns);
  s += fmt::format(
      "@T.prim_func\n"
      "def k(A: T.Buffer(({0}), \"{1}\"), B: T.Buffer(({0}), \"{1}\"), C: T.Buffer(({0}), "
      "\"{1}\"),\n"
      "      V: T.Buffer(({2}, 1, {3}), \"{1}\"), D: T.Buffer(({4}, {0}), \"{1}\")):\n"
      "    T.device_entry()\n    T.cta_id([1]); {5}\n",
      shape, n, p.instances, p.columns, ops.size(), p.ids);
  const std::string w = p.instance;
  const auto alloc = [&](const char* name, std::int64_t rows, const std::string& layout) {
    if (p.registers) {
      s += fmt::format(
          "    {} = T.alloc_buffer(({}, {}), \"{}\", scope=\"local\", layout=TileLayout({}))\n",
          name, rows, p.columns, n, layout);
    } else {
      s += fmt::format("    {} = T.alloc_buffer(({}, {}, {}), \"{}\", scope=\"shared\")\n", name,
                       p.instances, rows, p.columns, n);
    }
  };
  for (const char* name : {"a", "b", "c", "d"}) {
    if (!p.in_tensor(name)) alloc(name, p.rows, p.layout);
  }
  if (!p.in_tensor("v")) alloc("v", 1, p.broadcast);
  const auto tensor = [&](std::string name) {
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return fmt::format("{}[{}, :, :]", name, w);
  };
  const auto region = [&](const std::string& name) {
    if (p.in_tensor(name)) return tensor(name);
    return p.registers ? name + "[:, :]" : fmt::format("{}[{}, :, :]", name, w);
  };
  for (const std::string name : {"a", "b", "c", "v"}) {
    if (p.in_tensor(name)) continue;
    s += fmt::format("    Tx.{}copy({}, {})\n", p.scope, region(name), tensor(name));
  }
  s += "    " + p.sync + "\n";
  for (std::size_t k = 0; k < ops.size(); ++k) {
    const std::string result = fmt::format("D[{}, {}, :, :]", k, w);
    s += fmt::format("    Tx.{}{}\n", p.scope,
                     replaced(ops[k].call, {{"{d}", p.in_tensor("d") ? result : region("d")},
                                            {"{a}", region("a")},
                                            {"{b}", region("b")},
                                            {"{c}", region("c")},
                                            {"{v}", region("v")}}));
    if (p.in_tensor("d")) continue;
    s += fmt::format("    Tx.{}copy({}, {})\n    {}\n", p.scope, result, region("d"), p.sync);
  }
  const auto random = [&](int seed) {
    return fmt::format("tirx.random(({}), \"{}\", seed={}, kind=\"{}\")", shape, n, seed, kind);
  };
  s += fmt::format("A = {}\nB = {}\nC = {}\n", random(1), random(2), random(3));
  s += fmt::format("V = tirx.random(({}, 1, {}), \"{}\", seed=4, kind=\"{}\")\n", p.instances,
                   p.columns, n, kind);
  s += fmt::format("D = tirx.empty(({}, {}), \"{}\")\nk(A, B, C, V, D)\n", ops.size(), shape, n);
  return s;
}

}  // namespace

TEST_CASE("elementwise: every op, scope, storage and dtype against the definition") {
  std::int64_t checked = 0;
  int next = 0;
  for (const DType t : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i8, DType::u8,
                        DType::i16, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64}) {
    const std::vector<OpCase> ops = ops_for(t);
    for (const Place& p : places()) {
      if (kSanitized && next++ % 3 != 0) continue;
      for (const std::string kind : {"bits", "normal"}) {
        if (kind == "normal" && !num::is_float(t)) continue;
        const std::string script = script_of(p, t, ops, kind);
        const TileRun run = run_tiles(script);
        REQUIRE_MESSAGE(run.errors.empty(), run.errors, script);
        REQUIRE(run.faults.empty());
        for (const lower::DispatchNote& note : run.notes) {
          if (note.op == ir::TileOp::copy) continue;
          REQUIRE(note.variant == p.variant());
        }
        const ir::Tensor& d = run.tensors[4];
        const std::int64_t tile = p.rows * p.columns;
        for (std::size_t k = 0; k < ops.size(); ++k) {
          for (std::int64_t e = 0; e < p.instances * tile; ++e) {
            const std::int64_t in = e % tile;
            const At at{element(run.tensors[0], e),
                        element(run.tensors[1], e),
                        element(run.tensors[2], e),
                        element(run.tensors[3], e / tile * p.columns + in % p.columns),
                        in / p.columns,
                        in % p.columns};
            const auto index = static_cast<std::int64_t>(k) * p.instances * tile + e;
            if (!num::same_value(element(d, index), ops[k].value(at), t)) {
              FAIL(ops[k].call, " of ", num::name(t), " at Tx.", p.scope, " element ", e);
            }
            ++checked;
          }
        }
      }
    }
  }
  CHECK(checked > (kSanitized ? 150'000 : 500'000));
}

}  // namespace tirx::testing
