// Scalar accesses: what the offset looks like, and that it is the layout's.
#include <random>

#include <doctest/doctest.h>

#include "ir/layout/library.hpp"
#include "ir/print.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"
#include "tests/unit/lower/interpreter.hpp"

using namespace tirx;           // NOLINT(google-build-using-namespace)
using namespace tirx::testing;  // NOLINT(google-build-using-namespace)
using lower::LoweredKernel;
using num::DType;

namespace {

LoweredKernel must_lower_access(KernelBuilder& k) {
  Result<LoweredKernel> lowered = lower::lower(k.kernel(), default_target());
  if (!lowered) FAIL(lowered.error().text);
  return std::move(lowered).value();
}

const Store& last_store(const LoweredKernel& kernel) {
  return std::get<Store>(kernel.body.back().node);
}

/// The offset of the last statement's store.
std::string flat(KernelBuilder& k) {
  const LoweredKernel kernel = must_lower_access(k);
  return to_string(last_store(kernel).to.flat, PrintLevel::thread);
}

Expr zero(DType dtype = DType::f32) {
  return make_expr({dtype, 1}, {}, Const{0});
}

}  // namespace

TEST_CASE("offsets of scalar stores") {
  KernelBuilder k("kernel");
  const Var n = k.symbol("n");
  const Var bx = k.cta_id(16);
  const Var tx = k.thread_id(256);
  const auto of = [&](const Buffer& buffer, std::initializer_list<E> indices) {
    k.body({store(buffer, indices, zero())});
    return flat(k);
  };
  SUBCASE("one dimension: the index as written") {
    const Buffer a = k.param("A", DType::f32, {4096});
    CHECK(of(a, {E(bx) * 256 + tx}) == "bx * 256 + tx");
    CHECK(of(a, {E(tx) / 1 + 0}) == "tx // 1 + 0");
  }
  SUBCASE("rows") {
    const Buffer a = k.param("A", DType::f32, {16, 256});
    CHECK(of(a, {bx, tx}) == "bx * 256 + tx");
    CHECK(of(a, {E(tx) / 16, E(tx) % 16 + 3}) == "tx // 16 * 256 + tx % 16 + 3");
  }
  SUBCASE("columns") {
    const Buffer a = k.param("A", DType::f32, {16, 256},
                             Layout(TileLayout::strided(Shape{16, 256}, Shape{1, 16}).value()));
    CHECK(of(a, {bx, tx}) == "bx + tx * 16");
  }
  SUBCASE("tiles: digits of each index") {
    const Buffer a =
        k.param("A", DType::f16, {16, 256},
                Layout(TileLayout::strided(Shape{16, 32, 8}, Shape{8, 128, 1}).value()));
    k.body({store(a, {bx, tx}, zero(DType::f16))});
    CHECK(flat(k) == "bx * 8 + tx // 8 * 128 + tx % 8");
  }
  SUBCASE("symbolic rows are 64-bit") {
    const Buffer a = k.param_strided("A", DType::f32, exprs({n, n}));
    CHECK(of(a, {bx, tx}) ==
          "T.cast(bx, \"int64\") * T.cast(n, \"int64\") + T.cast(tx, \"int64\")");
  }
  SUBCASE("one symbolic dimension is not") {
    const Buffer a = k.param_strided("A", DType::f32, exprs({n}));
    CHECK(of(a, {E(bx) * 256 + tx}) == "bx * 256 + tx");
  }
  SUBCASE("large static buffers are 64-bit") {
    const Buffer a = k.param("A", DType::f32, {1 << 16, 1 << 15});
    k.body({store(a, {bx, tx}, zero())});
    CHECK(last_store(must_lower_access(k)).to.flat->type == kInt64);
    const Buffer b = k.param("B", DType::f32, {1 << 14, 1 << 14});
    k.body({store(b, {bx, tx}, zero())});
    CHECK(last_store(must_lower_access(k)).to.flat->type == kInt32);
  }
  SUBCASE("a swizzle is xor and shift inside its period") {
    const Buffer s = k.alloc("S", DType::f16, {64, 64}, MemoryScope::shared,
                             mma_shared_layout(16, SwizzleMode::b128, Shape{64, 64}).value());
    k.body({store(s, {bx, E(tx) % 64}, zero(DType::f16))});
    CHECK(flat(k) == "bx * 64 + tx % 64 ^ bx % 8 * 8");
  }
}

TEST_CASE("views: offset and dtype of their own") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {64});
  const Var tx = k.thread_id(32);
  auto view = std::make_shared<BufferNode>(*a);
  view->name = "V";
  view->dtype = DType::f16;
  view->shape = shape_of({4, 16});
  view->layout = Layout(TileLayout::row_major(Shape{4, 16}).value());
  view->offset = make_int(64);
  view->is_view = true;
  k.body({store(view, {E(tx) / 16, E(tx) % 16}, zero(DType::f16))});
  CHECK(flat(k) == "tx + 64");
}

TEST_CASE("vectors whose elements are apart in memory become scalars") {
  KernelBuilder k("kernel");
  const Buffer a = k.param("A", DType::f32, {16, 16},
                           Layout(TileLayout::strided(Shape{16, 16}, Shape{1, 16}).value()));
  const Buffer b = k.param("B", DType::f32, {16, 16});
  const Var tx = k.thread_id(16);
  SUBCASE("loads") {
    k.body({store(b, {tx, 0}, load(a, {tx, 4}, 4))});
    const LoweredKernel kernel = must_lower_access(k);
    const auto* lanes = as<MakeVector>(last_store(kernel).value);
    REQUIRE(lanes != nullptr);
    CHECK(to_string(lanes->lanes[3], PrintLevel::thread) == "A.flat[tx + 112]");
    CHECK(to_string(last_store(kernel).to.flat, PrintLevel::thread) == "tx * 16");
  }
  SUBCASE("stores evaluate the vector once") {
    k.body({store(a, {tx, 4}, load(b, {tx, 4}, 4))});
    const LoweredKernel kernel = must_lower_access(k);
    CHECK(kernel.body.size() == 5);
    CHECK(std::holds_alternative<Let>(kernel.body[0].node));
    CHECK(to_string(last_store(kernel).to.flat, PrintLevel::thread) == "tx + 112");
  }
  SUBCASE("neighbours stay a vector") {
    k.body({store(b, {tx, 8}, load(b, {tx, 4}, 4))});
    CHECK(must_lower_access(k).body.size() == 1);
  }
}

TEST_CASE("random layouts: every element at the layout's place") {
  std::mt19937 random(3);
  const auto pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  };
  for (int round = 0; round < 300; ++round) {
    KernelBuilder k("kernel");
    k.thread_id(1);
    Iters iters;
    Shape shape{1, 1};
    for (std::int64_t i = 0, count = 1 + pick(4); i < count; ++i) {
      const std::int64_t extent = 1 + pick(6);
      iters.push_back({extent, pick(40), AxisId::m});
      shape[static_cast<std::size_t>(pick(2))] *= extent;
    }
    std::int64_t size = 1;
    for (const Iter& iter : iters) size *= iter.extent;
    // The shape may be grouped by the iters or not; the flat coordinate is split if not.
    if (pick(3) == 0) shape = {size};
    if (pick(3) == 0) shape = {size / iters.back().extent, iters.back().extent};
    AxisValues offset;
    if (pick(3) == 0) offset[AxisId::m] = pick(50);
    const TileLayout tile = TileLayout::make(iters, {}, offset).value();
    const Layout layout =
        pick(2) == 0 ? Layout(tile)
                     : Layout(make_swizzle(pick(3), pick(4), 3, pick(3) != 0).value(), tile);
    const Buffer a = k.param("A", DType::f32, shape, layout);
    const Var i = make_variable("i");
    const Var j = make_variable("j");
    if (shape.size() == 1) {
      k.body({for_range(i, 0, E(shape[0]), {store(a, {i}, zero())})});
    } else {
      k.body({for_range(i, 0, E(shape[0]),
                        {for_range(j, 0, E(shape[1]), {store(a, {i, j}, zero())})})});
    }
    const LoweredKernel kernel = must_lower_access(k);
    ElementInterpreter run(kernel);
    INFO(to_string(layout) << " over " << to_string(shape));
    run.run();
  }
}
