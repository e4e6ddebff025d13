// Where do the bytes of a tensor live, and how do indices reach them?  A Storage is one allocation;
// a Buffer is a typed, shaped view of a storage.  Views (`view`, `local`, `permute`, `sub`,
// decl_buffer) are further buffers on the same storage.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/expr.hpp"
#include "ir/layout/layout.hpp"

namespace tirx::ir {

enum class MemoryScope : std::uint8_t { global, shared, shared_dynamic, local };

[[nodiscard]] std::string_view to_string(
    MemoryScope scope);  // "global", "shared", "shared.dyn", "local"

[[nodiscard]] inline bool is_shared(MemoryScope scope) {
  return scope == MemoryScope::shared || scope == MemoryScope::shared_dynamic;
}

/// One allocation.  Identity is the address.  Local storage exists once per thread, shared once per
/// CTA.
struct Storage {
  std::string name;
  MemoryScope scope = MemoryScope::global;
  num::DType dtype = num::DType::u8;  // of the buffer that allocated it: its spelling in CUDA
  Expr elements;                // how many of dtype; empty for parameters (the argument decides)
  std::int64_t alignment = 64;  // bytes
  int parameter = -1;           // index into Kernel::params, or -1
  Span span;
};

using StorageRef = std::shared_ptr<const Storage>;

/// A view.  The element at logical indices i lies at
///   offset + layout(i)                 (in elements of `dtype`, from the start of the storage)
/// where layout(i) is the layout's memory coordinate, or sum(i[k] * strides[k]) when `strides` is
/// set (explicit strides, or a row-major buffer with symbolic dimensions).  Exactly one of the two
/// is there, except for `layout=None`, where neither is, and only flat (1-D) access is legal.
struct BufferNode {
  std::string name;
  num::DType dtype = num::DType::f32;
  std::vector<Expr> shape;
  std::optional<Layout> layout;
  std::vector<Expr> strides;
  Expr offset;  // elements of dtype; empty = 0
  StorageRef storage;
  bool scalar = false;   // a mutable scalar: its name is its element; shape (1,)
  bool is_view = false;  // declared on storage that another buffer allocated
  Span span;

  [[nodiscard]] MemoryScope scope() const { return storage->scope; }

  /// `x: T.int32 = 0`: a variable of each thread; T.shared_scalar is memory with such a name.
  [[nodiscard]] bool in_register() const { return scalar && scope() == MemoryScope::local; }
};

/// The static shape, if every dimension is a literal.
[[nodiscard]] std::optional<std::vector<std::int64_t>> static_shape(const BufferNode& buffer);

/// [begin, begin + extent) of one dimension.
struct Range {
  Expr begin, extent;
};

/// A box of a buffer; one range per dimension.
struct Region {
  Buffer buffer;
  std::vector<Range> ranges;
  Span span;
};

}  // namespace tirx::ir
