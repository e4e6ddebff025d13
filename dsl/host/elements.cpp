#include "dsl/host/elements.hpp"

#include <memory>
#include <utility>

#include "ir/base/check.hpp"

namespace tirx::dsl {

namespace {

/// How to make bytes that nobody has looked at; it travels with their memory, as its deleter.
struct Deferred {
  std::function<void(ir::Memory&)> make;  // empty: done

  void operator()(const ir::Memory* memory) const { delete memory; }
};

std::uint8_t* base(const ir::Tensor& tensor) {
  settle(tensor);
  return reinterpret_cast<std::uint8_t*>(tensor.memory->bytes.data());
}

/// The bytes that hold element `offset`.
std::pair<std::size_t, std::size_t> byte_range(const ir::Tensor& tensor, std::int64_t offset) {
  const auto position = static_cast<std::size_t>(offset);
  if (num::bits(tensor.dtype) == 4) return {position / 2, position / 2 + 1};
  const auto width = static_cast<std::size_t>(num::bytes(tensor.dtype));
  return {position * width, (position + 1) * width};
}

}  // namespace

ElementCursor::ElementCursor(const ir::Tensor& tensor)
    : tensor_(tensor),
      index_(tensor.shape.size(), 0),
      offset_(tensor.offset),
      left_(tensor.size()) {}

void ElementCursor::next() {
  --left_;
  for (std::size_t d = index_.size(); d-- > 0;) {
    offset_ += tensor_.strides[d];
    if (++index_[d] < tensor_.shape[d]) return;
    offset_ -= tensor_.strides[d] * tensor_.shape[d];
    index_[d] = 0;
  }
}

num::Bits read_at(const ir::Tensor& tensor, std::int64_t offset) {
  return num::load_element(base(tensor), static_cast<std::size_t>(offset), tensor.dtype);
}

void write_at(const ir::Tensor& tensor, std::int64_t offset, num::Bits value) {
  num::store_element(base(tensor), static_cast<std::size_t>(offset), tensor.dtype, value);
  const auto [begin, end] = byte_range(tensor, offset);
  tensor.memory->set_valid(begin, end, true);
}

std::vector<num::Bits> read_all(const ir::Tensor& tensor) {
  std::vector<num::Bits> values;
  values.reserve(static_cast<std::size_t>(tensor.size()));
  for (ElementCursor at(tensor); !at.done(); at.next())
    values.push_back(read_at(tensor, at.offset()));
  return values;
}

void write_all(const ir::Tensor& tensor, const std::vector<num::Bits>& values) {
  TIRX_CHECK(static_cast<std::int64_t>(values.size()) == tensor.size());
  std::size_t i = 0;
  for (ElementCursor at(tensor); !at.done(); at.next()) write_at(tensor, at.offset(), values[i++]);
}

ir::Tensor from_values(num::DType dtype,
                       std::vector<std::int64_t> shape,
                       const std::vector<num::Bits>& values) {
  ir::Tensor tensor = ir::make_tensor(dtype, std::move(shape), true);
  write_all(tensor, values);
  return tensor;
}

ir::Tensor generate(num::DType dtype,
                    std::vector<std::int64_t> shape,
                    bool later,
                    std::function<num::Bits(std::uint64_t)> element) {
  ir::Tensor tensor = ir::make_tensor(dtype, std::move(shape), true);
  const auto size = static_cast<std::size_t>(tensor.size());
  auto make = [dtype, size, element = std::move(element)](ir::Memory& memory) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(memory.bytes.data());
    for (std::size_t i = 0; i < size; ++i) num::store_element(bytes, i, dtype, element(i));
  };
  if (later) {
    tensor.memory = std::shared_ptr<ir::Memory>(new ir::Memory(std::move(*tensor.memory)),
                                                Deferred{std::move(make)});
  } else {
    make(*tensor.memory);
  }
  return tensor;
}

void settle(const ir::Tensor& tensor) {
  auto* deferred = std::get_deleter<Deferred>(tensor.memory);
  if (deferred == nullptr || !deferred->make) return;
  const auto make = std::exchange(deferred->make, nullptr);
  make(*tensor.memory);
}

Index unravel(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  Index index(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

bool is_written(const ir::Tensor& tensor, std::int64_t offset) {
  const auto [begin, end] = byte_range(tensor, offset);
  return tensor.memory->is_valid(begin, end);
}

std::optional<std::int64_t> first_uninitialised(const ir::Tensor& tensor) {
  if (tensor.contiguous() && tensor.size() > 0) {
    const std::size_t begin = byte_range(tensor, tensor.offset).first;
    const std::size_t end = byte_range(tensor, tensor.offset + tensor.size() - 1).second;
    if (tensor.memory->is_valid(begin, end)) return std::nullopt;
  }
  std::int64_t flat = 0;
  for (ElementCursor at(tensor); !at.done(); at.next(), ++flat) {
    if (!is_written(tensor, at.offset())) return flat;
  }
  return std::nullopt;
}

}  // namespace tirx::dsl
