// How do matrix instructions see registers of 8 and 16 bits?  As 32-bit words: a view of the same
// storage.  (Those of float64 see float64.)
#pragma once

#include "ir/buffer.hpp"

namespace tirx::lower {

/// The storage of a register buffer as words of that type; the caller declares it.
[[nodiscard]] ir::Buffer word_view(const ir::BufferNode& buffer, num::DType word = num::DType::u32);

}  // namespace tirx::lower
