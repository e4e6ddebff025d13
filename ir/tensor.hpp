// What holds the data of a script?  Bytes with one "was written" bit each, shared by the views on
// them. Host tensors, kernel arguments and the engines all speak of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/source.hpp"
#include "ir/poison.hpp"
#include "numerics/dtype.hpp"

namespace tirx::ir {

/// A byte array with validity: bit i of `valid` says that byte i has been written.
struct Memory {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> valid;
  PoisonOrigins origins;  // of bytes that were written, but with poison

  explicit Memory(std::size_t size = 0, bool initialised = false);
  [[nodiscard]] bool is_valid(std::size_t begin, std::size_t end) const;
  void set_valid(std::size_t begin, std::size_t end, bool value);
};

/// A strided view of a Memory.  Offsets and strides count elements (4-bit types: two elements a
/// byte, and only even offsets and contiguous rows).  Copying a Tensor copies the view, not the
/// bytes.
struct Tensor {
  num::DType dtype = num::DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  std::shared_ptr<Memory> memory;
  std::string scale_convention;  // tirx.scales(t, …); empty: untagged

  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool contiguous() const;  // row-major without gaps
};

/// Bytes that `elements` elements of dtype occupy.
[[nodiscard]] std::int64_t storage_bytes(num::DType dtype, std::int64_t elements);

/// A fresh row-major tensor; every byte is uninitialised unless `initialised` (then zero).
[[nodiscard]] Tensor make_tensor(num::DType dtype,
                                 std::vector<std::int64_t> shape,
                                 bool initialised);

/// A scalar argument: raw bits of its dtype.
struct ScalarValue {
  num::DType dtype = num::DType::i32;
  std::uint64_t bits = 0;
};

/// One kernel argument; monostate is None (an absent optional).
using Argument = std::variant<std::monostate, Tensor, ScalarValue>;

}  // namespace tirx::ir
