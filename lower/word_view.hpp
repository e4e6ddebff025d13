// How do matrix instructions see registers of 8 and 16 bits?  As 32-bit words: a view of the same
// storage.
#pragma once

#include "ir/buffer.hpp"

namespace tirx::lower {

/// The storage of a register buffer as 32-bit words; the caller declares it.
[[nodiscard]] ir::Buffer word_view(const ir::BufferNode& buffer);

}  // namespace tirx::lower
