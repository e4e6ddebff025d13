// At which place of its storage does an element lie?  Strides or layout, view offset and swizzle
// become one expression over the indices: the `flat` of thread IR.
#pragma once

#include <span>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/buffer.hpp"
#include "ir/simplify.hpp"

namespace tirx::lower {

/// int64 where an offset of the buffer can reach 2^31 elements, or its bytes do; else int32.
[[nodiscard]] ir::Type offset_type(const ir::BufferNode& buffer, const ir::Facts& facts);

/// The error for indexing a register tile that is spread over threads; empty if it is not one.
[[nodiscard]] std::string refuse_distributed(const ir::BufferNode& buffer);

/// Offset before the swizzle, from the start of the storage.  `offset` is the buffer's own, already
/// lowered (it may load scalars).  Errors have no place; the caller adds it.
[[nodiscard]] Result<ir::IndexSum> linear_offset(const ir::BufferNode& buffer,
                                                 std::span<const ir::IndexSum> indices,
                                                 const ir::Expr& offset,
                                                 const ir::Facts& facts);

/// The swizzled offset: address ^ ((address >> Sh) & mask), applied to what lies inside one period.
[[nodiscard]] ir::Expr swizzle_offset(const ir::IndexSum& address,
                                      const ir::Swizzle& swizzle,
                                      ir::Type type,
                                      const ir::Facts& facts);

/// Both together.
[[nodiscard]] Result<ir::Expr> flat_offset(const ir::BufferNode& buffer,
                                           std::span<const ir::Expr> indices,
                                           const ir::Expr& offset,
                                           const ir::Facts& facts);

/// Whether `lanes` elements along the last dimension, `stride` apart and starting at `indices`, are
/// as far apart in memory; in registers, aligned as well.
[[nodiscard]] bool is_plain_vector(const ir::BufferNode& buffer,
                                   std::span<const ir::Expr> indices,
                                   const ir::Expr& offset,
                                   std::int64_t lanes,
                                   std::int64_t stride,
                                   const ir::Facts& facts);

}  // namespace tirx::lower
