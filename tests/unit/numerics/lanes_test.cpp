// The lane kernels, on every instruction set this machine has, against the single values; and the
// single values against the integer reference.
#include "numerics/lanes.hpp"

#include <cstring>

#include <doctest/doctest.h>

#include "numerics/scalar.hpp"
#include "numerics/soft.hpp"
#include "tests/tools/numerics/campaign/host_samples.hpp"
#include "tests/unit/numerics/random_bits.hpp"

using namespace tirx::num;
using tirx::num::testing::kArithmeticFloats;
using tirx::num::testing::Random;
using tirx::num::testing::random_bits;

namespace {

struct alignas(64) Lanes {
  std::uint64_t words[kLanes] = {};

  void set(int lane, DType dtype, Bits value) {
    if (bits(dtype) == 64) {
      words[lane] = value;
    } else {
      const auto word = static_cast<std::uint32_t>(value);
      std::memcpy(reinterpret_cast<char*>(words) + 4 * lane, &word, 4);
    }
  }

  [[nodiscard]] Bits get(int lane, DType dtype) const {
    if (bits(dtype) == 64) return words[lane];
    std::uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(words) + 4 * lane, 4);
    return word;
  }
};

std::vector<LaneIsa> available_isas() {
  std::vector<LaneIsa> out = {LaneIsa::baseline};
  if (best_lane_isa() >= LaneIsa::avx2) out.push_back(LaneIsa::avx2);
  if (best_lane_isa() >= LaneIsa::avx512) out.push_back(LaneIsa::avx512);
  return out;
}

int count_lane_differences(ScalarOp op, DType dtype, LaneIsa isa, int rounds) {
  const LaneFunction function = find_lane_function(op, dtype, isa);
  const DType out_type = result_dtype(op, dtype);
  Random random(static_cast<std::uint64_t>(op) * 31 + static_cast<std::uint64_t>(dtype));
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    Lanes a, b, c, d;
    const auto mask = round % 2 == 0 ? 0xffffffffU : static_cast<std::uint32_t>(random.next());
    for (int i = 0; i < kLanes; ++i) {
      a.set(i, dtype, random_bits(random, dtype));
      b.set(i, dtype, random_bits(random, dtype));
      c.set(i, dtype, random_bits(random, dtype));
      d.set(i, out_type, 77);
    }
    function(&d, &a, &b, &c, mask);
    for (int i = 0; i < kLanes; ++i) {
      const Bits expected =
          (mask >> i & 1U) != 0
              ? evaluate(op, dtype, a.get(i, dtype), b.get(i, dtype), c.get(i, dtype)).value
              : 77;
      wrong += d.get(i, out_type) != expected;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("lanes equal single values for every operation, type and instruction set") {
  int pairs = 0;
  for (const LaneIsa isa : available_isas()) {
    for (const ScalarOpRow& r : scalar_op_rows()) {
      for (const DTypeRow& d : dtype_rows()) {
        const bool there = find_lane_function(r.op, d.dtype, isa) != nullptr;
        if (!is_legal(r.op, d.dtype)) CHECK_FALSE(there);
        if (!there) continue;
        ++pairs;
        CAPTURE(r.name);
        CAPTURE(d.name);
        CAPTURE(static_cast<int>(isa));
        CHECK(count_lane_differences(r.op, d.dtype, isa, 60) == 0);
      }
    }
  }
  CHECK(pairs > 250);
}

TEST_CASE("the destination may be an operand") {
  const LaneFunction add = find_lane_function(ScalarOp::add, DType::i32);
  Lanes a;
  for (int i = 0; i < kLanes; ++i) a.set(i, DType::i32, static_cast<Bits>(i));
  add(&a, &a, &a, nullptr, 0xffffffffU);
  for (int i = 0; i < kLanes; ++i) CHECK(a.get(i, DType::i32) == static_cast<Bits>(2 * i));
}

TEST_CASE("float operations equal the integer reference") {
  for (const DType dtype : kArithmeticFloats) {
    CAPTURE(name(dtype));
    Random random(5);
    int wrong = 0;
    const auto value = [&](ScalarOp op, Bits a, Bits b = 0, Bits c = 0) {
      return evaluate(op, dtype, a, b, c).value;
    };
    for (int i = 0; i < 200000; ++i) {
      const Bits a = random_bits(random, dtype);
      const Bits b = random_bits(random, dtype);
      const Bits c = random_bits(random, dtype);
      wrong += value(ScalarOp::add, a, b) != soft::add(dtype, a, b);
      wrong += value(ScalarOp::sub, a, b) != soft::sub(dtype, a, b);
      wrong += value(ScalarOp::mul, a, b) != soft::mul(dtype, a, b);
      wrong += value(ScalarOp::div, a, b) != soft::div(dtype, a, b);
      wrong += value(ScalarOp::fma, a, b, c) != soft::fma(dtype, a, b, c);
      wrong += value(ScalarOp::sqrt, a) != soft::sqrt(dtype, a);
      wrong += value(ScalarOp::rcp, a) != soft::div(dtype, from_double(1.0, dtype), a);
      wrong += value(ScalarOp::floor, a) != soft::to_integral(dtype, a, Round::rm);
      wrong += value(ScalarOp::ceil, a) != soft::to_integral(dtype, a, Round::rp);
      wrong += value(ScalarOp::trunc, a) != soft::to_integral(dtype, a, Round::rz);
      wrong += value(ScalarOp::rint, a) != soft::to_integral(dtype, a, Round::rn);
      wrong += value(ScalarOp::round, a) != soft::to_integral(dtype, a, Round::rna);
      wrong += value(ScalarOp::lt, a, b) != (soft::less(dtype, a, b) ? 1U : 0U);
      wrong += value(ScalarOp::gt, a, b) != (soft::less(dtype, b, a) ? 1U : 0U);
      wrong += value(ScalarOp::eq, a, b) != (soft::equal(dtype, a, b) ? 1U : 0U);
      wrong += value(ScalarOp::ne, a, b) != (soft::equal(dtype, a, b) ? 0U : 1U);
      const bool le = soft::less(dtype, a, b) || soft::equal(dtype, a, b);
      wrong += value(ScalarOp::le, a, b) != (le ? 1U : 0U);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("ftz operations equal the integer reference near the smallest normal number") {
  for (const ScalarOp op :
       {ScalarOp::add_ftz, ScalarOp::sub_ftz, ScalarOp::mul_ftz, ScalarOp::div_ftz,
        ScalarOp::fma_ftz, ScalarOp::sqrt_ftz, ScalarOp::rcp_ftz}) {
    CAPTURE(name(op));
    int wrong = 0;
    for (std::uint64_t i = 0; i < 80000; ++i) {
      const std::uint64_t index = i % 8 << 20 | i / 8;  // of the campaign's eight distributions
      Bits x[3];
      for (int o = 0; o < 3; ++o) {
        x[o] = campaign::tirx_sample(campaign::kTirxTiny, index, o, op == ScalarOp::div_ftz);
      }
      wrong +=
          evaluate(op, DType::f32, x[0], x[1], x[2]).value != soft::flushed(op, x[0], x[1], x[2]);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("16-bit unary operations on all inputs") {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    CAPTURE(name(dtype));
    int wrong = 0;
    for (Bits a = 0; a < 0x10000; ++a) {
      wrong += evaluate(ScalarOp::sqrt, dtype, a).value != soft::sqrt(dtype, a);
      wrong +=
          evaluate(ScalarOp::rcp, dtype, a).value != soft::div(dtype, from_double(1.0, dtype), a);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("conversion lanes equal convert() for every pair and instruction set") {
  for (const LaneIsa isa : available_isas()) {
    for (const DTypeRow& from : dtype_rows()) {
      for (const DTypeRow& to : dtype_rows()) {
        const LaneConversion function = find_lane_conversion(from.dtype, to.dtype, isa);
        REQUIRE((function != nullptr));
        Random random(static_cast<std::uint64_t>(from.bits) * 7 + 1);
        int wrong = 0;
        for (int round = 0; round < 40; ++round) {
          Lanes a, d;
          const auto mask =
              round % 2 == 0 ? 0xffffffffU : static_cast<std::uint32_t>(random.next());
          for (int i = 0; i < kLanes; ++i) {
            a.set(i, from.dtype, random_bits(random, from.dtype));
            d.set(i, to.dtype, 1);
          }
          function(&d, &a, mask);
          for (int i = 0; i < kLanes; ++i) {
            const Bits expected =
                (mask >> i & 1U) != 0 ? convert(a.get(i, from.dtype), from.dtype, to.dtype) : 1;
            wrong += d.get(i, to.dtype) != expected;
          }
        }
        CAPTURE(from.name);
        CAPTURE(to.name);
        CAPTURE(static_cast<int>(isa));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("conversions of all 8- and 16-bit values, lanes against convert()") {
  for (const DTypeRow& from : dtype_rows()) {
    if (bits(from.dtype) > 16) continue;
    for (const DTypeRow& to : dtype_rows()) {
      const LaneConversion function = find_lane_conversion(from.dtype, to.dtype);
      const Bits count = from.dtype == DType::boolean ? 2 : Bits{1} << bits(from.dtype);
      int wrong = 0;
      for (Bits first = 0; first < count; first += kLanes) {
        Lanes a, d;
        for (int i = 0; i < kLanes; ++i) {
          a.set(i, from.dtype, (first + static_cast<Bits>(i)) % count);
        }
        function(&d, &a, 0xffffffffU);
        for (int i = 0; i < kLanes; ++i) {
          wrong += d.get(i, to.dtype) != convert(a.get(i, from.dtype), from.dtype, to.dtype);
        }
      }
      CAPTURE(from.name);
      CAPTURE(to.name);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("zero lanes") {
  Lanes a;
  for (int i = 0; i < kLanes; ++i) a.set(i, DType::i32, static_cast<Bits>(i % 4));
  CHECK(zero_lanes(&a, DType::i32, 0xffffffffU) == 0x11111111U);
  CHECK(zero_lanes(&a, DType::i32, 0xff) == 0x11U);
}
