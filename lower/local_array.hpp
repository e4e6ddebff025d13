// Where does an expansion keep values of one thread between its statements?  In a register buffer
// of its own: private to the thread, of constant size, allocated where it is used.
#pragma once

#include <cstdint>
#include <string>

#include "ir/stmt.hpp"

namespace tirx::lower {

/// `count` elements of the dtype.
[[nodiscard]] ir::Buffer local_array(std::string name,
                                     num::DType dtype,
                                     std::int64_t count,
                                     Span span);

/// One element, a mutable scalar.
[[nodiscard]] ir::Buffer local_scalar(std::string name, num::DType dtype, Span span);

}  // namespace tirx::lower
