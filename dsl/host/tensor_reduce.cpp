// Sums, extrema and matrix products of host tensors (see tensor_ops.hpp).
#include <algorithm>

#include <fmt/format.h>

#include "dsl/host/exact_sum.hpp"
#include "dsl/host/tensor_ops.hpp"
#include "numerics/scalar.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;
using num::Bits;
using num::DType;

DType sum_dtype(DType dtype, std::optional<DType> out) {
  if (out) return *out;
  if (num::is_float(dtype)) return DType::f32;
  return num::bits(dtype) == 64 ? DType::i64 : DType::i32;
}

std::vector<num::Decoded> decode_all(const Tensor& tensor) {
  std::vector<num::Decoded> out;
  out.reserve(static_cast<std::size_t>(tensor.size()));
  for (ElementCursor at(tensor); !at.done(); at.next())
    out.push_back(num::decode(tensor.dtype, read_at(tensor, at.offset())));
  return out;
}

std::vector<std::int64_t> integers_of(const Tensor& tensor) {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(tensor.size()));
  for (ElementCursor at(tensor); !at.done(); at.next())
    out.push_back(num::to_int64(read_at(tensor, at.offset()), tensor.dtype));
  return out;
}

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Integer results wrap in int32 or int64 first; `out` converts that.
Bits finish_integer(std::int64_t total, DType input, DType out) {
  const DType natural = num::bits(input) == 64 ? DType::i64 : DType::i32;
  return num::convert(num::from_int64(total, natural), natural, out);
}

Bits reduce_run(Reduction reduction, const Tensor& run, DType out) {
  if (reduction == Reduction::sum) {
    if (num::is_float(run.dtype)) {
      ExactSum sum;
      for (ElementCursor at(run); !at.done(); at.next())
        sum.add(num::decode(run.dtype, read_at(run, at.offset())));
      return sum.round_to(out);
    }
    std::int64_t total = 0;
    for (ElementCursor at(run); !at.done(); at.next()) {
      total = wrapping_add(total, num::to_int64(read_at(run, at.offset()), run.dtype));
    }
    return finish_integer(total, run.dtype, out);
  }
  const bool largest = reduction == Reduction::max;
  const num::ScalarOp op = run.dtype == DType::boolean
                               ? (largest ? num::ScalarOp::bit_or : num::ScalarOp::bit_and)
                               : (largest ? num::ScalarOp::max : num::ScalarOp::min);
  TIRX_CHECK(num::is_legal(op, run.dtype));  // types without an order were refused
  ElementCursor at(run);
  Bits best = read_at(run, at.offset());
  for (at.next(); !at.done(); at.next())
    best = num::evaluate(op, run.dtype, best, read_at(run, at.offset())).value;
  return best;
}

}  // namespace

Result<Tensor> reduce(Reduction reduction,
                      const Tensor& tensor,
                      std::optional<std::int64_t> axis,
                      std::optional<DType> out) {
  const auto rank = static_cast<std::int64_t>(tensor.shape.size());
  if (axis && (*axis < -rank || *axis >= rank)) {
    return placeless(fmt::format("axis {} of a tensor with {} dimensions", *axis, rank));
  }
  const bool empty =
      axis ? tensor.shape[static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis)] == 0
           : tensor.size() == 0;
  if (reduction != Reduction::sum) {
    if (empty) return placeless("the largest or smallest of nothing");
    if (num::row(tensor.dtype).storage_only) {
      return placeless(fmt::format("{} has no order: cast it first, t.astype(\"float32\")",
                                   num::name(tensor.dtype)));
    }
  }
  const DType result = reduction == Reduction::sum ? sum_dtype(tensor.dtype, out) : tensor.dtype;
  if (!axis) return from_values(result, {}, {reduce_run(reduction, tensor, result)});
  const auto d = static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis);
  Tensor outer = tensor;  // the kept dimensions; each position starts one run
  outer.shape.erase(outer.shape.begin() + static_cast<std::ptrdiff_t>(d));
  outer.strides.erase(outer.strides.begin() + static_cast<std::ptrdiff_t>(d));
  Tensor run = tensor;
  run.shape = {tensor.shape[d]};
  run.strides = {tensor.strides[d]};
  std::vector<Bits> values;
  for (ElementCursor at(outer); !at.done(); at.next()) {
    run.offset = at.offset();
    values.push_back(reduce_run(reduction, run, result));
  }
  return from_values(result, outer.shape, values);
}

Result<Tensor> matmul(const Tensor& a, const Tensor& b, std::optional<DType> out) {
  if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[1] != b.shape[0]) {
    return placeless("matmul needs (M, K) and (K, N)");
  }
  if (num::is_float(a.dtype) != num::is_float(b.dtype)) {
    return placeless(fmt::format("matmul of {} and {}: cast one of them first", num::name(a.dtype),
                                 num::name(b.dtype)));
  }
  const auto m = static_cast<std::size_t>(a.shape[0]);
  const auto k = static_cast<std::size_t>(a.shape[1]);
  const auto n = static_cast<std::size_t>(b.shape[1]);
  const Tensor columns = transpose(b);  // (N, K): both operands are walked along K
  std::vector<Bits> values;
  values.reserve(m * n);
  if (num::is_float(a.dtype)) {
    const DType result = out.value_or(DType::f32);
    const std::vector<num::Decoded> left = decode_all(a);
    const std::vector<num::Decoded> right = decode_all(columns);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        ExactSum sum;
        for (std::size_t t = 0; t < k; ++t) sum.add_product(left[i * k + t], right[j * k + t]);
        values.push_back(sum.round_to(result));
      }
    }
    return from_values(result, {a.shape[0], b.shape[1]}, values);
  }
  const DType wide = num::bits(a.dtype) == 64 || num::bits(b.dtype) == 64 ? DType::i64 : DType::i32;
  const DType result = out.value_or(wide);
  const std::vector<std::int64_t> left = integers_of(a);
  const std::vector<std::int64_t> right = integers_of(columns);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      std::uint64_t total = 0;
      for (std::size_t t = 0; t < k; ++t) {
        total += static_cast<std::uint64_t>(left[i * k + t]) *
                 static_cast<std::uint64_t>(right[j * k + t]);
      }
      values.push_back(finish_integer(static_cast<std::int64_t>(total), wide, result));
    }
  }
  return from_values(result, {a.shape[0], b.shape[1]}, values);
}

}  // namespace tirx::dsl
