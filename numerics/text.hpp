// Numbers as text: the shortest decimal that reads back as the same bits, and the way back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "numerics/scalar_op.hpp"

namespace tirx::num {

/// Shortest decimal that from_text() turns into the same value ("0.1", "1e-07", "nan", "-inf",
/// "-3", "True"); bool prints as Python does.  Whole numbers of types that NumPy does not have are
/// written in full ("448.0", where "450.0" would come back too), and e8m0 as the double it is.
[[nodiscard]] std::string to_text(Bits value, DType dtype);
/// "0x3f800000", as wide as the type.
[[nodiscard]] std::string to_hex(Bits value, DType dtype);
/// Reads a decimal (floats: binary64 first, then one rounding; integers must fit).
[[nodiscard]] std::optional<Bits> from_text(std::string_view text, DType dtype);

}  // namespace tirx::num
