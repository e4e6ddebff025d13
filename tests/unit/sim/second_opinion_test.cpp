// The tile-level evaluator and the simulator of the lowered kernel, on the same tile IR: the same
// bytes, and where it can be said in one line, the right ones.
#include "tests/unit/sim/second_opinion.hpp"

#include <doctest/doctest.h>

#include "ir/all_ops.hpp"
#include "ir/layout/library.hpp"
#include "lower/lower.hpp"
#include "numerics/convert.hpp"
#include "sim/simulate.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"

namespace tirx::testing {

using num::DType;

TEST_CASE("second opinion: copies through shared memory, plain, tiled and swizzled") {
  const auto check = [](DType dtype, std::int64_t threads, ExecScope scope,
                        std::optional<Layout> layout) {
    KernelBuilder k("round_trip");
    const Shape shape = {64, 64};
    const Buffer a = k.param("A", dtype, shape);
    const Buffer b = k.param("B", dtype, shape);
    k.cta_id(1);
    k.thread_id(threads);
    const Buffer s = k.alloc("S", dtype, shape, MemoryScope::shared, std::move(layout));
    k.body(
        {tile_copy(scope, region(s), region(a)), sync(), tile_copy(scope, region(b), region(s))});
    const Tensor in = random_bytes(dtype, shape, 3);
    const Tensor out = both(k.kernel(), {in, make_tensor(dtype, shape, false)});
    CHECK(out.memory->bytes == in.memory->bytes);
  };
  check(DType::f32, 128, ExecScope::cta, {});
  check(DType::f16, 32, ExecScope::warp, {});
  check(DType::u8, 256, ExecScope::cta, {});
  check(DType::f16, 128, ExecScope::cta,
        mma_shared_layout(16, SwizzleMode::b128, std::vector<std::int64_t>{64, 64}).value());
  check(DType::f16, 128, ExecScope::warpgroup,
        mma_shared_layout(16, SwizzleMode::none, std::vector<std::int64_t>{64, 64}).value());
}

TEST_CASE("second opinion: slices at offsets that depend on the CTA") {
  KernelBuilder k("slices");
  const Buffer a = k.param("A", DType::f32, {128, 96});
  const Buffer b = k.param("B", DType::f32, {128, 96});
  const Var bx = k.cta_id(4);
  k.thread_id(64);
  const Buffer s = k.alloc("S", DType::f32, {32, 96}, MemoryScope::shared);
  k.body({tile_copy(ExecScope::cta, region(s), region(a, {{E(bx) * 32, 32}, {0, 96}})), sync(),
          tile_copy(ExecScope::cta, region(b, {{E(bx) * 32, 32}, {0, 96}}), region(s))});
  const Tensor in = random_bytes(DType::f32, {128, 96}, 5);
  const Tensor out = both(k.kernel(), {in, make_tensor(DType::f32, {128, 96}, false)});
  CHECK(out.memory->bytes == in.memory->bytes);
}

TEST_CASE("second opinion: register tiles spread over the lanes") {
  KernelBuilder k("registers");
  const Shape shape = {16, 8};
  const Buffer a = k.param("A", DType::f32, shape);
  const Buffer b = k.param("B", DType::f32, shape);
  k.cta_id(1);
  k.thread_id(32);
  const Buffer r =
      k.alloc("R", DType::f32, shape, MemoryScope::local, Layout(mma_m16n8_accumulator()));
  k.body({tile_copy(ExecScope::warp, region(r), region(a)),
          tile_copy(ExecScope::warp, region(b), region(r))});
  const Tensor in = random_bytes(DType::f32, shape, 9);
  const Tensor out = both(k.kernel(), {in, make_tensor(DType::f32, shape, false)});
  CHECK(out.memory->bytes == in.memory->bytes);
}

TEST_CASE("second opinion: scalar code with symbols, strides, branches and loops") {
  KernelBuilder k("scalars");
  const Var n = k.symbol("n");
  const Buffer a = k.param_strided("A", DType::i32, {make_var(n), make_int(8)});
  const Buffer b = k.param_strided("B", DType::i32, {make_var(n), make_int(8)});
  const Var bx = k.cta_id(E(n) / 32 + 1);
  const Var tx = k.thread_id(32);
  const Var j = make_variable("j");
  const E i = E(bx) * 32 + tx;
  k.body({if_then(i < n,
                  {for_range(j, 0, 8,
                             {if_then(E(j) % 3 == E(0), {store(b, {i, j}, E(load(a, {i, j})) + i)},
                                      {store(b, {i, j}, E(load(a, {i, E(7) - j})) * 3)})})})});
  const Tensor in = random_bytes(DType::i32, {77, 8}, 11);
  const Tensor out = both(k.kernel(), {in, make_tensor(DType::i32, {77, 8}, false)});
  const auto at = [](const Tensor& t, std::int64_t index) {
    return static_cast<std::int32_t>(
        num::load_element(reinterpret_cast<const std::uint8_t*>(t.memory->bytes.data()),
                          static_cast<std::size_t>(index), DType::i32));
  };
  CHECK(at(out, 76 * 8 + 3) ==
        static_cast<std::int32_t>(static_cast<std::uint32_t>(at(in, 76 * 8 + 3)) + 76U));
  CHECK(at(out, 5 * 8 + 1) ==
        static_cast<std::int32_t>(static_cast<std::uint32_t>(at(in, 5 * 8 + 6)) * 3U));
}

TEST_CASE("second opinion: a reduction by shuffles, and one CTA-wide sum in shared memory") {
  KernelBuilder k("reduce");
  const Buffer a = k.param("A", DType::i32, {128});
  const Buffer b = k.param("B", DType::i32, {4});
  k.cta_id(1);
  const Var tx = k.thread_id(128);
  const Buffer x = k.alloc("x", DType::i32, {1}, MemoryScope::local);
  k.body({store(x, {0}, load(a, {tx}))});
  for (const int delta : {16, 8, 4, 2, 1}) {
    const Expr other = make_expr(
        kInt32, {},
        MachineCall{AllOps::id_of<ShuffleXor>(),
                    {make_int(0xffffffff, {DType::u32, 1}), load(x, {0}), make_int(delta)},
                    {}});
    k.body({store(x, {0}, E(load(x, {0})) + E(other))});
  }
  k.body({if_then(E(tx) % 32 == E(0), {store(b, {E(tx) / 32}, load(x, {0}))})});
  const Tensor in = random_bytes(DType::i32, {128}, 13);
  const Tensor out = both(k.kernel(), {in, make_tensor(DType::i32, {4}, false)});
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    sum += static_cast<std::uint32_t>(num::load_element(
        reinterpret_cast<const std::uint8_t*>(in.memory->bytes.data()), i, DType::i32));
  }
  CHECK(num::load_element(reinterpret_cast<const std::uint8_t*>(out.memory->bytes.data()), 0,
                          DType::i32) == sum);
}

TEST_CASE("second opinion: a store outside of the shape is dropped by both") {
  KernelBuilder k("outside");
  const Buffer a = k.param("A", DType::f32, {4, 8});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  k.body({store(a, {E(tx) / 8, E(tx) % 8 + 1},
                make_expr({DType::f32, 1}, {}, Const{num::from_double(2.0, DType::f32)}))});
  both(k.kernel(), {random_bytes(DType::f32, {4, 8}, 17)}, default_target(), Faults::equally_many);
}

TEST_CASE("the tile-level evaluator finds a wrong lowering") {
  // The lowered kernel of another slice: the two disagree.
  const auto make = [](int row) {
    KernelBuilder k("shifted");
    const Buffer a = k.param("A", DType::f32, {33, 32});
    const Buffer b = k.param("B", DType::f32, {32, 32});
    k.cta_id(1);
    k.thread_id(32);
    const Buffer s = k.alloc("S", DType::f32, {32, 32}, MemoryScope::shared);
    k.body({tile_copy(ExecScope::warp, region(s), region(a, {{row, 32}, {0, 32}})), sync(),
            tile_copy(ExecScope::warp, region(b), region(s))});
    return k;
  };
  KernelBuilder right = make(0), wrong = make(1);
  const Result<lower::LoweredKernel> lowered = lower::lower(wrong.kernel(), default_target());
  REQUIRE(lowered.ok());
  const Tensor in = random_bytes(DType::f32, {33, 32}, 19);
  const Tensor x = make_tensor(DType::f32, {32, 32}, false);
  const Tensor y = make_tensor(DType::f32, {32, 32}, false);
  CHECK(sim::simulate(lowered.value(), std::vector<Argument>{in, x}).status == LaunchStatus::ok);
  CHECK(sim::tile_evaluate(right.kernel(), std::vector<Argument>{in, y}).status ==
        LaunchStatus::ok);
  CHECK(x.memory->bytes != y.memory->bytes);
}

}  // namespace tirx::testing
