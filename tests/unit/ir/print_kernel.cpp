// Printed IR: the text itself.  That it parses back to the same IR is tested with the front end.
#include <doctest/doctest.h>

#include "ir/equal.hpp"
#include "ir/print.hpp"
#include "tests/unit/lower/builder.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using num::DType;

namespace {

Kernel copy_kernel() {
  KernelBuilder k("copy");
  const Buffer a = k.param("A", DType::f32, {32, 32});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  const Layout spread =
      Layout(TileLayout::make({{32, 1, AxisId::laneid}, {4, 1, AxisId::m}}).value());
  const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
  const Buffer r = k.alloc("R1", DType::f32, {32, 4}, MemoryScope::local, spread);
  const Var i = make_variable("i");
  k.body({tile_copy(ExecScope::warp, region(s), region(a)),
          tile_copy(ExecScope::warp, region(r), region(s, {{0, 32}, {4, 4}}), "reg"),
          for_range(i, 0, 4, {store(s, {tx, i}, load(s, {tx, E(i) + 4}))}),
          if_then(E(tx) < 16, {store(a, {tx, 0}, load(a, {0, E(tx) % 4}))})});
  return k.kernel();
}

std::string text(const E& e) {
  return to_string(e.expr);
}

}  // namespace

TEST_CASE("a kernel prints as a script") {
  CHECK(to_string(copy_kernel()) ==
        "from tvm.script import tirx as T\n"
        "from tvm.script.tirx import tile as Tx\n"
        "from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, laneid\n"
        "\n"
        "\n"
        "@T.prim_func\n"
        "def copy(A_ptr: T.handle):\n"
        "    A = T.match_buffer(A_ptr, (32, 32), \"float32\")\n"
        "    T.device_entry()\n"
        "    bx = T.cta_id([1])\n"
        "    tx = T.thread_id([32])\n"
        "    S_1 = T.alloc_buffer((32, 32), \"float32\", scope=\"shared\")\n"
        "    R1 = T.alloc_buffer((32, 4), \"float32\", scope=\"local\", "
        "layout=TileLayout(S[(32, 4):(1@laneid, 1)]))\n"
        "    Tx.warp.copy(S_1[0:32, 0:32], A[0:32, 0:32])\n"
        "    Tx.warp.copy(R1[0:32, 0:4], S_1[0:32, 4:8], dispatch=\"reg\")\n"
        "    for i in range(4):\n"
        "        S_1[tx, i] = S_1[tx, i + 4]\n"
        "    if tx < 16:\n"
        "        A[tx, 0] = A[0, tx % 4]\n");
}

TEST_CASE("an axis of a layout keeps its name, and the variable of that name gets another") {
  KernelBuilder k("spread");
  const Buffer a = k.param("A", DType::f32, {32});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  const Layout rows = Layout(TileLayout::make({{32, 1, AxisId::tx}}).value());
  const Buffer r = k.alloc("r", DType::f32, {32}, MemoryScope::local, rows);
  k.body({tile_copy(ExecScope::cta, region(r), region(a)), store(a, {tx}, load(a, {tx}))});
  const std::string printed = to_string(k.kernel());
  CHECK(printed.find("ComposeLayout, tx\n") != std::string::npos);
  CHECK(printed.find("layout=TileLayout(S[32:1@tx])") != std::string::npos);
  CHECK(printed.find("tx_1 = T.thread_id([32])") != std::string::npos);
  CHECK(printed.find("A[tx_1] = A[tx_1]") != std::string::npos);
}

TEST_CASE("operators keep their structure") {
  const Var a = make_variable("a");
  const Var b = make_variable("b");
  CHECK(text(E(a) - (E(b) - 1)) == "a - (b - 1)");
  CHECK(text(E(a) - b - 1) == "a - b - 1");
  CHECK(text((E(a) + b) * 2) == "(a + b) * 2");
  CHECK(text(E(a) * (E(b) / 2)) == "a * (b // 2)");
  CHECK(text(E(a) * -2) == "a * -2");
  CHECK(text(E(make_expr(kInt32, {}, Scalar{num::ScalarOp::neg, {(E(a) + b).expr}}))) ==
        "-(a + b)");
  const Expr both = make_expr(kBool, {}, And{(E(a) < b).expr, (E(b) < 3).expr});
  CHECK(to_string(both) == "a < b and b < 3");
  const Expr either = make_expr(kBool, {}, Or{both, (E(a) == E(1)).expr});
  CHECK(to_string(either) == "a < b and b < 3 or a == 1");
  CHECK(to_string(make_expr(kBool, {}, And{either, both})) ==
        "(a < b and b < 3 or a == 1) and (a < b and b < 3)");
  CHECK(text(E(
            make_expr(kBool, {}, Scalar{num::ScalarOp::eq, {(E(a) < b).expr, make_bool(true)}}))) ==
        "(a < b) == True");
  CHECK(to_string(make_expr({DType::f16, 1}, {}, Cast{make_var(a)})) == "T.cast(a, \"float16\")");
  CHECK(to_string(make_expr({DType::f32, 1}, {}, Const{0x3fc00000})) == "T.float32(1.5)");
  CHECK(to_string(make_expr({DType::f32, 1}, {}, Const{0xff800000})) == "T.float32(\"-inf\")");
  CHECK(to_string(make_int(7, kInt64)) == "T.int64(7)");
}

TEST_CASE("kernels compare by structure") {
  const Kernel a = copy_kernel();
  Kernel b = copy_kernel();
  CHECK(structurally_equal(a, b));
  CHECK(first_difference(a, b).empty());
  auto& call = std::get<TileCall>(b.body[2].node);
  call.scope = ExecScope::cta;
  CHECK_FALSE(structurally_equal(a, b));
  CHECK(first_difference(a, b) == "tile call");
  b = copy_kernel();
  b.body.pop_back();
  CHECK(first_difference(a, b) == "number of statements");
}
