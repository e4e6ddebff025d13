// What the tests of reductions share: the operations, their folds in the order that
// docs/language/tile_ops.md gives, and the text of shapes and random tensors.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/tile/support.hpp"

namespace tirx::testing {

using num::Bits;
using num::DType;
using num::ScalarOp;
using Shape = std::vector<std::int64_t>;

struct Op {
  const char* name;
  ScalarOp op;
};

constexpr Op kOps[] = {{"sum", ScalarOp::add}, {"max", ScalarOp::max}, {"min", ScalarOp::min}};

constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16, DType::f64,
                            DType::i32, DType::u8,  DType::i64};

inline Bits apply(ScalarOp op, DType t, Bits a, Bits b) {
  const num::Evaluated done = num::evaluate(op, t, a, b);
  if (done.status != num::EvalStatus::ok) FAIL("illegal operation in the oracle");
  return done.value;
}

inline Bits neutral(ScalarOp op, DType t) {
  if (op == ScalarOp::add) return 0;
  const bool low = op == ScalarOp::max;
  switch (t) {
    case DType::f32:
      return low ? 0xff7fffffU : 0x7f7fffffU;
    case DType::f16:
      return low ? 0xfbffU : 0x7bffU;
    case DType::bf16:
      return low ? 0xff7fU : 0x7f7fU;
    case DType::f64:
      return low ? 0xffefffffffffffffU : 0x7fefffffffffffffU;
    case DType::i32:
      return low ? 0x80000000U : 0x7fffffffU;
    case DType::u8:
      return low ? 0U : 0xffU;
    default:
      return low ? 0x8000000000000000U : 0x7fffffffffffffffU;
  }
}

inline Bits fold(ScalarOp op, DType t, Bits start, const std::vector<Bits>& values) {
  for (const Bits value : values) start = apply(op, t, start, value);
  return start;
}

inline std::string shape_text(const Shape& shape) {
  std::string out;
  for (const std::int64_t extent : shape) out += (out.empty() ? "" : ", ") + std::to_string(extent);
  return out;
}

inline std::int64_t size_of(const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

inline std::string random(const Shape& shape, DType t, int seed, bool any_bits) {
  return fmt::format("tirx.random(({},), \"{}\", seed={}, kind=\"{}\")\n", shape_text(shape),
                     num::name(t), seed, any_bits || !num::is_float(t) ? "bits" : "normal");
}

}  // namespace tirx::testing
