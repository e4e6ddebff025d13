// The moves around gemm: ldmatrix, stmatrix and cp.async, by simulator and tile-level evaluator.
#include <doctest/doctest.h>

#include "ir/layout/algebra.hpp"
#include "ir/layout/library.hpp"
#include "ir/ptx/instruction.hpp"
#include "lower/lower.hpp"
#include "sim/simulate.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"
#include "tests/unit/sim/second_opinion.hpp"

namespace tirx::testing {

using num::DType;

TEST_CASE("ldmatrix and stmatrix move what reg moves") {
  struct Case {
    TileLayout reg;
    Shape shape;
    std::optional<Layout> shared;
  };

  const std::vector<Case> cases{
      {a_fragment(2, 16), {16, 16}, {}},
      {b_fragment(2, 16), {16, 8}, {}},  // transposed
      {mma_m16n8k8_b(), {8, 8}, {}},
      {tile_to(a_fragment(2, 16), Shape{32, 64}, Shape{16, 16}).value(),
       {32, 64},
       mma_shared_layout(16, SwizzleMode::b128, Shape{32, 64}).value()},
      {tile_to(b_fragment(2, 16), Shape{64, 32}, Shape{16, 8}).value(),
       {64, 32},
       mma_shared_layout(16, SwizzleMode::b64, Shape{64, 32}).value()},
  };
  for (const Case& one : cases) {
    for (const bool load : {true, false}) {
      CAPTURE(load);
      CAPTURE(to_string(one.reg));
      KernelBuilder k("move");
      const Buffer a = k.param("A", DType::f16, one.shape);
      const Buffer b = k.param("B", DType::f16, one.shape);
      k.cta_id(1);
      k.thread_id(32);
      const Buffer s = k.alloc("S", DType::f16, one.shape, MemoryScope::shared, one.shared);
      const Buffer r = k.alloc("R", DType::f16, one.shape, MemoryScope::local, Layout(one.reg));
      const auto warp = ExecScope::warp;
      if (load) {
        k.body({tile_copy(warp, region(s), region(a)), sync(),
                tile_copy(warp, region(r), region(s), "ldstmatrix"),
                tile_copy(warp, region(b), region(r))});
      } else {
        k.body({tile_copy(warp, region(r), region(a)),
                tile_copy(warp, region(s), region(r), "ldstmatrix"), sync(),
                tile_copy(warp, region(b), region(s))});
      }
      const Tensor in = random_bytes(DType::f16, one.shape, 5);
      const Tensor out = both(k.kernel(), {in, make_tensor(DType::f16, one.shape, false)});
      CHECK(out.memory->bytes == in.memory->bytes);
    }
  }
}

namespace {

Stmt ptx(const std::string& text, std::vector<Expr> args = {}) {
  return {{}, Evaluate{ir::ptx::call(text, std::move(args))}};
}

Tensor copy_async(DType dtype,
                  Shape tensor,
                  Shape tile,
                  std::pair<int, int> begin,
                  std::map<std::string, ConfigValue> config,
                  const Tensor& in) {
  KernelBuilder k("async");
  const Buffer a = k.param("A", dtype, tensor);
  const Buffer b = k.param("B", dtype, tile);
  const Var row = k.scalar_param("row", kInt32);
  const Var column = k.scalar_param("column", kInt32);
  k.cta_id(1);
  k.thread_id(64);
  const Buffer s = k.alloc("S", dtype, tile, MemoryScope::shared);
  // Columns go by 8, whatever the argument.
  const E first = E(column) * E(8);
  k.body({{{},
           TileCall{TileOp::copy_async,
                    ExecScope::cta,
                    {region(s), region(a, {{E(row), tile[0]}, {first, tile[1]}})},
                    std::move(config),
                    ""}},
          ptx("cp.async.commit_group"),
          ptx("cp.async.wait_group", {make_int(0, {DType::u32, 1})}),
          sync(),
          tile_copy(ExecScope::cta, region(b), region(s))});
  const Result<lower::LoweredKernel> lowered = lower::lower(k.kernel(), default_target());
  REQUIRE_MESSAGE(lowered.ok(), (lowered.ok() ? std::string() : lowered.error().text));
  Tensor results[2];
  for (const bool simulated : {true, false}) {
    std::vector<Argument> arguments;
    arguments.emplace_back(copy_of(in));
    arguments.emplace_back(make_tensor(dtype, tile, false));
    arguments.emplace_back(ScalarValue{DType::i32, static_cast<std::uint32_t>(begin.first)});
    arguments.emplace_back(ScalarValue{DType::i32, static_cast<std::uint32_t>(begin.second / 8)});
    const LaunchOutcome outcome = simulated ? sim::simulate(lowered.value(), arguments)
                                            : sim::tile_evaluate(k.kernel(), arguments);
    REQUIRE(outcome.status == LaunchStatus::ok);
    REQUIRE_MESSAGE(outcome.faults.empty(),
                    (outcome.faults.empty() ? std::string() : outcome.faults[0].text));
    results[simulated ? 0 : 1] = std::get<Tensor>(arguments[1]);
  }
  CHECK(results[0].memory->bytes == results[1].memory->bytes);
  CHECK(results[0].memory->valid == results[1].memory->valid);
  return results[0];
}

}  // namespace

TEST_CASE("cp.async arrives; beyond the tensor there are zeros") {
  const Tensor in = random_bytes(DType::f16, {100, 72}, 8);
  const auto element = [](const Tensor& tensor, std::int64_t columns, std::int64_t i,
                          std::int64_t j) {
    const auto at = static_cast<std::size_t>((i * columns + j) * 2);
    return static_cast<int>(tensor.memory->bytes[at]) |
           static_cast<int>(tensor.memory->bytes[at + 1]) << 8;
  };
  const auto check = [&](std::pair<int, int> begin, std::map<std::string, ConfigValue> config,
                         std::int64_t rows = 64, std::int64_t columns = 32) {
    const Tensor out =
        copy_async(DType::f16, {100, 72}, {rows, columns}, begin, std::move(config), in);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t r = begin.first + i, c = begin.second + j;
        const int expected = r < 100 && c < 72 ? element(in, 72, r, c) : 0;
        REQUIRE(element(out, columns, i, j) == expected);
      }
    }
  };
  const std::map<std::string, ConfigValue> zero{{"fill_mode", std::string("zero")}};
  check({0, 0}, {});
  check({36, 40}, {});
  check({0, 0}, zero);
  check({64, 0}, zero);           // rows beyond the end
  check({0, 64}, zero);           // columns
  check({90, 56}, zero);          // both
  check({0, 0}, zero, 128, 128);  // a tile larger than the tensor
  check({40, 8}, zero, 128, 32);
}

}  // namespace tirx::testing
