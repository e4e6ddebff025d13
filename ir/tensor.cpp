#include "ir/tensor.hpp"

#include <algorithm>

#include "ir/base/check.hpp"

namespace tirx::ir {

Memory::Memory(std::size_t size, bool initialised)
    : bytes(size), valid((size + 63) / 64, initialised ? ~std::uint64_t{0} : 0) {}

bool Memory::is_valid(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end;) {
    if (i % 64 == 0 && i + 64 <= end) {
      if (valid[i / 64] != ~std::uint64_t{0}) return false;
      i += 64;
    } else {
      if ((valid[i / 64] >> (i % 64) & 1) == 0) return false;
      ++i;
    }
  }
  return true;
}

void Memory::set_valid(std::size_t begin, std::size_t end, bool value) {
  for (std::size_t i = begin; i < end;) {
    if (i % 64 == 0 && i + 64 <= end) {
      valid[i / 64] = value ? ~std::uint64_t{0} : 0;
      i += 64;
    } else {
      const std::uint64_t bit = std::uint64_t{1} << (i % 64);
      valid[i / 64] = value ? valid[i / 64] | bit : valid[i / 64] & ~bit;
      ++i;
    }
  }
}

std::int64_t Tensor::size() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

bool Tensor::contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::int64_t storage_bytes(num::DType dtype, std::int64_t elements) {
  if (num::bits(dtype) == 4) return (elements + 1) / 2;
  return elements * num::bytes(dtype);
}

Tensor make_tensor(num::DType dtype, std::vector<std::int64_t> shape, bool initialised) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.strides.assign(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) tensor.strides[i - 1] = tensor.strides[i] * shape[i];
  tensor.shape = std::move(shape);
  const std::int64_t bytes = storage_bytes(dtype, tensor.size());
  TIRX_CHECK(bytes >= 0);
  tensor.memory = std::make_shared<Memory>(static_cast<std::size_t>(bytes), initialised);
  return tensor;
}

}  // namespace tirx::ir
