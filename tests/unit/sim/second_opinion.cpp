#include "tests/unit/sim/second_opinion.hpp"

#include <random>

#include <doctest/doctest.h>

#include "ir/all_ops.hpp"
#include "lower/lower.hpp"
#include "numerics/convert.hpp"
#include "sim/simulate.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"

namespace tirx::testing {

using num::DType;

Tensor random_bytes(DType dtype, Shape shape, unsigned seed) {
  Tensor tensor = make_tensor(dtype, std::move(shape), true);
  std::mt19937 random(seed);
  for (std::byte& byte : tensor.memory->bytes) byte = static_cast<std::byte>(random() & 0xff);
  return tensor;
}

Tensor random_values(DType dtype, Shape shape, unsigned seed) {
  if (!num::is_float(dtype)) return random_bytes(dtype, std::move(shape), seed);
  Tensor tensor = make_tensor(dtype, shape, true);
  std::mt19937 random(seed);
  const auto size = static_cast<std::size_t>(num::bytes(dtype));
  for (std::size_t at = 0; at < tensor.memory->bytes.size(); at += size) {
    const double value = (static_cast<double>(random() % 4096) - 2048.0) / (1 << random() % 12);
    const num::Bits bits = num::from_double(value, dtype);
    for (std::size_t b = 0; b < size; ++b) {
      tensor.memory->bytes[at + b] = static_cast<std::byte>(bits >> (8 * b));
    }
  }
  return tensor;
}

Tensor copy_of(const Tensor& tensor) {
  Tensor made = tensor;
  made.memory = std::make_shared<Memory>(*tensor.memory);
  return made;
}

Tensor both(const Kernel& kernel,
            const std::vector<Tensor>& inputs,
            const Target& target,
            Faults faults) {
  const Result<lower::LoweredKernel> lowered = lower::lower(kernel, target);
  REQUIRE_MESSAGE(lowered.ok(), (lowered.ok() ? std::string() : lowered.error().text));
  std::vector<Argument> first, second;
  for (const Tensor& tensor : inputs) {
    first.emplace_back(copy_of(tensor));
    second.emplace_back(copy_of(tensor));
  }
  const LaunchOutcome a = sim::simulate(lowered.value(), first);
  sim::TileEvalOptions options;
  options.target = &target;
  const LaunchOutcome b = sim::tile_evaluate(kernel, second, options);
  REQUIRE_MESSAGE(a.status == LaunchStatus::ok,
                  (a.diagnostics.empty() ? std::string() : a.diagnostics[0].text));
  REQUIRE_MESSAGE(b.status == LaunchStatus::ok,
                  (b.diagnostics.empty() ? std::string() : b.diagnostics[0].text));
  CHECK(a.faults.size() == b.faults.size());
  if (faults == Faults::none) {
    REQUIRE_MESSAGE(a.faults.empty(), (a.faults.empty() ? std::string() : a.faults[0].text));
  } else {
    CHECK_FALSE(a.faults.empty());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Memory& x = *std::get<Tensor>(first[i]).memory;
    const Memory& y = *std::get<Tensor>(second[i]).memory;
    CHECK(x.valid == y.valid);
    for (std::size_t k = 0; k < x.bytes.size(); ++k) {
      CAPTURE(i);
      CAPTURE(k);
      if (x.is_valid(k, k + 1)) REQUIRE(x.bytes[k] == y.bytes[k]);
    }
  }
  return std::get<Tensor>(first.back());
}

Stmt sync() {
  return {{}, Evaluate{make_expr(kVoid, {}, MachineCall{AllOps::id_of<CtaSync>(), {}, {}})}};
}

TileLayout a_fragment(std::int64_t w, std::int64_t k) {
  return TileLayout::make({{2, w, {}},
                           {8, 4, AxisId::laneid},
                           {k / (4 * w), 2 * w, {}},
                           {4, 1, AxisId::laneid},
                           {w, 1, {}}})
      .value();
}

TileLayout b_fragment(std::int64_t w, std::int64_t k) {
  return TileLayout::make(
             {{k / (4 * w), w, {}}, {4, 1, AxisId::laneid}, {w, 1, {}}, {8, 4, AxisId::laneid}})
      .value();
}

}  // namespace tirx::testing
