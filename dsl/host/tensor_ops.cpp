#include "dsl/host/tensor_ops.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "numerics/scalar.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::dsl {

namespace {

using ir::Tensor;
using num::Bits;
using Shape = std::vector<std::int64_t>;

std::string text_of(const Shape& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace

Result<std::int64_t> checked_size(const Shape& shape, num::DType dtype) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0)
      return placeless(fmt::format("a shape has no negative extents: {}", text_of(shape)));
    if (extent > 0 && count > kMaxTensorBytes / extent) {
      return placeless(fmt::format("the tensor {} is too large (limit {} GiB)", text_of(shape),
                                   kMaxTensorBytes >> 30));
    }
    count *= extent;
  }
  if (ir::storage_bytes(dtype, count) > kMaxTensorBytes) {
    return placeless(fmt::format("the tensor {} is too large (limit {} GiB)", text_of(shape),
                                 kMaxTensorBytes >> 30));
  }
  return count;
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return placeless(fmt::format("shapes {} and {} do not broadcast", text_of(a), text_of(b)));
    }
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Tensor broadcast_to(const Tensor& tensor, const Shape& shape) {
  Tensor out = tensor;
  const std::size_t extra = shape.size() - tensor.shape.size();
  out.shape = shape;
  out.strides.assign(shape.size(), 0);
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    out.strides[d + extra] = tensor.shape[d] == 1 ? 0 : tensor.strides[d];
  }
  return out;
}

Result<Tensor> elementwise(num::ScalarOp op, const Tensor& a, const Tensor& b) {
  const Result<Shape> shape = broadcast_shapes(a.shape, b.shape);
  if (!shape) return shape.error();
  const std::vector<Bits> left = read_all(broadcast_to(a, *shape));
  const std::vector<Bits> right = read_all(broadcast_to(b, *shape));
  std::vector<Bits> values(left.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const num::Evaluated one = num::evaluate(op, a.dtype, left[i], right[i]);
    if (one.status == num::EvalStatus::division_by_zero)
      return placeless("integer division by zero");
    if (one.status != num::EvalStatus::ok) {
      return placeless(
          fmt::format("{} has no arithmetic of this kind: cast it first, t.astype(\"float32\")",
                      num::name(a.dtype)));
    }
    values[i] = one.value;
  }
  return from_values(num::result_dtype(op, a.dtype), *shape, values);
}

Result<Tensor> elementwise(num::ScalarOp op, const Tensor& a) {
  std::vector<Bits> values = read_all(a);
  for (Bits& value : values) {
    const num::Evaluated one = num::evaluate(op, a.dtype, value);
    if (one.status != num::EvalStatus::ok) {
      return placeless(
          fmt::format("{} has no arithmetic of this kind: cast it first, t.astype(\"float32\")",
                      num::name(a.dtype)));
    }
    value = one.value;
  }
  return from_values(num::result_dtype(op, a.dtype), a.shape, values);
}

Tensor cast(const Tensor& tensor, num::DType dtype) {
  std::vector<Bits> values = read_all(tensor);
  for (Bits& value : values) value = num::convert(value, tensor.dtype, dtype);
  return from_values(dtype, tensor.shape, values);
}

Tensor transpose(const Tensor& tensor) {
  Tensor out = tensor;
  std::reverse(out.shape.begin(), out.shape.end());
  std::reverse(out.strides.begin(), out.strides.end());
  return out;
}

Result<Tensor> permute(const Tensor& tensor, const std::vector<std::int64_t>& order) {
  Shape sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool fits = order.size() == tensor.shape.size();
  for (std::size_t i = 0; fits && i < sorted.size(); ++i)
    fits = sorted[i] == static_cast<std::int64_t>(i);
  if (!fits)
    return placeless(
        fmt::format("{} is no order of the {} dimensions", text_of(order), tensor.shape.size()));
  Tensor out = tensor;
  for (std::size_t d = 0; d < order.size(); ++d) {
    out.shape[d] = tensor.shape[static_cast<std::size_t>(order[d])];
    out.strides[d] = tensor.strides[static_cast<std::size_t>(order[d])];
  }
  return out;
}

Result<Tensor> reshape(const Tensor& tensor, Shape shape) {
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1 && !open) {
      open = d;
    } else if (shape[d] < 0 || (shape[d] > 0 && known > kMaxTensorBytes / shape[d])) {
      return placeless(
          fmt::format("cannot reshape {} to {}", text_of(tensor.shape), text_of(shape)));
    } else {
      known *= shape[d];
    }
  }
  const std::int64_t size = tensor.size();
  const Shape wanted = shape;
  if (open && known > 0 && size % known == 0) shape[*open] = size / known;
  std::int64_t total = 1;
  for (const std::int64_t extent : shape) total *= extent;
  if (total != size || (open && shape[*open] < 0)) {
    return placeless(fmt::format("cannot reshape {} ({} elements) to {}", text_of(tensor.shape),
                                 size, text_of(wanted)));
  }
  Tensor out = tensor.contiguous() ? tensor : copy(tensor);
  out.strides.assign(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) out.strides[d - 1] = out.strides[d] * shape[d];
  out.shape = std::move(shape);
  return out;
}

Result<Tensor> view_as(const Tensor& tensor, num::DType dtype) {
  if (!tensor.contiguous())
    return placeless("view(dtype) needs a contiguous tensor: call .copy() first");
  Tensor out = tensor;
  const int from = num::storage_bits(tensor.dtype);
  const int to = num::storage_bits(dtype);
  out.dtype = dtype;
  if (from == to) return out;
  if (tensor.shape.empty()) return placeless("a scalar tensor has no last dimension to rescale");
  const std::int64_t bits = tensor.shape.back() * from;
  if (bits % to != 0 || (tensor.offset * from) % to != 0) {
    return placeless(fmt::format("the last dimension, {} x {} bits, is no multiple of {} bits",
                                 tensor.shape.back(), from, to));
  }
  out.offset = tensor.offset * from / to;
  out.shape.back() = bits / to;
  for (std::size_t d = out.shape.size(); d-- > 1;)
    out.strides[d - 1] = out.strides[d] * out.shape[d];
  return out;
}

Tensor copy(const Tensor& tensor) {
  Tensor out = ir::make_tensor(tensor.dtype, tensor.shape, false);
  out.scale_convention = tensor.scale_convention;
  ElementCursor to(out);
  Tensor one = tensor;
  one.shape.clear();
  one.strides.clear();
  for (ElementCursor from(tensor); !from.done(); from.next(), to.next()) {
    one.offset = from.offset();
    if (!first_uninitialised(one)) write_at(out, to.offset(), read_at(tensor, from.offset()));
  }
  return out;
}

Result<Tensor> subscript(const Tensor& tensor, const std::vector<Subscript>& items) {
  if (items.size() > tensor.shape.size()) {
    return placeless(
        fmt::format("{} subscripts for a tensor of shape {}", items.size(), text_of(tensor.shape)));
  }
  Tensor out = tensor;
  out.shape.clear();
  out.strides.clear();
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    const std::int64_t extent = tensor.shape[d];
    if (d >= items.size()) {
      out.shape.push_back(extent);
      out.strides.push_back(tensor.strides[d]);
      continue;
    }
    const Subscript& item = items[d];
    if (!item.is_slice) {
      const std::int64_t at = item.index < 0 ? item.index + extent : item.index;
      if (at < 0 || at >= extent) {
        return placeless(fmt::format("index {} is outside of dimension {} of shape {}", item.index,
                                     d, text_of(tensor.shape)));
      }
      out.offset += at * tensor.strides[d];
      continue;
    }
    if (item.step < 1) return placeless("a slice of a tensor needs a positive step");
    const auto clip = [extent](std::int64_t v) {
      return std::clamp<std::int64_t>(v < 0 ? v + extent : v, 0, extent);
    };
    const std::int64_t begin = clip(item.begin.value_or(0));
    const std::int64_t end = std::max(begin, clip(item.end.value_or(extent)));
    out.offset += begin * tensor.strides[d];
    out.shape.push_back((end - begin + item.step - 1) / item.step);
    out.strides.push_back(tensor.strides[d] * item.step);
  }
  return out;
}

Result<bool> assign(const Tensor& target, const Tensor& values) {
  const Result<Shape> shape = broadcast_shapes(target.shape, values.shape);
  if (!shape) return shape.error();
  if (*shape != target.shape) {
    return placeless(fmt::format("a value of shape {} does not fit into {}", text_of(values.shape),
                                 text_of(target.shape)));
  }
  // Reading everything first makes overlapping views safe.
  write_all(target, read_all(broadcast_to(values, target.shape)));
  return true;
}

}  // namespace tirx::dsl
