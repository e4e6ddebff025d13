#include "dsl/host/elements.hpp"

#include <bit>
#include <cstring>
#include <memory>
#include <span>
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

/// Calls run(first, count) for runs of neighbouring elements, in row-major order.
template <typename Run>
void for_each_run(const ir::Tensor& tensor, Run&& run) {
  if (tensor.contiguous()) {
    if (tensor.size() > 0) run(tensor.offset, tensor.size());
    return;
  }
  for (ElementCursor at(tensor); !at.done(); at.next()) run(at.offset(), std::int64_t{1});
}

/// Bytes to bits and back for elements of a whole number of bytes; both ends are little-endian.
template <typename Word>
void load_words(const std::uint8_t* from, std::span<num::Bits> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Word word = 0;
    std::memcpy(&word, from + i * sizeof(Word), sizeof(Word));
    to[i] = word;
  }
}

template <typename Word>
void store_words(std::span<const num::Bits> from, std::uint8_t* to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto word = static_cast<Word>(from[i]);
    std::memcpy(to + i * sizeof(Word), &word, sizeof(Word));
  }
}

static_assert(std::endian::native == std::endian::little);

void load_run(const std::uint8_t* base,
              std::int64_t first,
              num::DType dtype,
              std::span<num::Bits> to) {
  const auto at = static_cast<std::size_t>(first);
  if (num::bits(dtype) == 4) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = num::load_element(base, at + i, dtype);
    return;
  }
  const auto width = static_cast<std::size_t>(num::bytes(dtype));
  const std::uint8_t* const from = base + at * width;
  if (width == 1) return load_words<std::uint8_t>(from, to);
  if (width == 2) return load_words<std::uint16_t>(from, to);
  if (width == 4) return load_words<std::uint32_t>(from, to);
  load_words<std::uint64_t>(from, to);
}

void store_run(std::span<const num::Bits> from,
               std::uint8_t* base,
               std::int64_t first,
               num::DType dtype) {
  const auto at = static_cast<std::size_t>(first);
  if (num::bits(dtype) == 4) {
    for (std::size_t i = 0; i < from.size(); ++i) num::store_element(base, at + i, dtype, from[i]);
    return;
  }
  const auto width = static_cast<std::size_t>(num::bytes(dtype));
  std::uint8_t* const to = base + at * width;
  if (width == 1) return store_words<std::uint8_t>(from, to);
  if (width == 2) return store_words<std::uint16_t>(from, to);
  if (width == 4) return store_words<std::uint32_t>(from, to);
  store_words<std::uint64_t>(from, to);
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
  std::vector<num::Bits> values(static_cast<std::size_t>(tensor.size()));
  const std::uint8_t* const bytes = base(tensor);
  std::size_t i = 0;
  for_each_run(tensor, [&](std::int64_t first, std::int64_t count) {
    const auto n = static_cast<std::size_t>(count);
    load_run(bytes, first, tensor.dtype, std::span(values).subspan(i, n));
    i += n;
  });
  return values;
}

void write_all(const ir::Tensor& tensor, const std::vector<num::Bits>& values) {
  TIRX_CHECK(static_cast<std::int64_t>(values.size()) == tensor.size());
  std::uint8_t* const bytes = base(tensor);
  std::size_t i = 0;
  for_each_run(tensor, [&](std::int64_t first, std::int64_t count) {
    const auto n = static_cast<std::size_t>(count);
    store_run(std::span(values).subspan(i, n), bytes, first, tensor.dtype);
    tensor.memory->set_valid(byte_range(tensor, first).first,
                             byte_range(tensor, first + count - 1).second, true);
    i += n;
  });
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
