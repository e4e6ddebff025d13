// Element types, vectors and literals in CUDA C++.
#pragma once

#include <string>
#include <string_view>

#include "ir/type.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::cuda {

/// The C++ type of one element, in memory and in a register: "float", "unsigned char", "tirx_f16".
[[nodiscard]] std::string_view element_type(num::DType dtype);
/// "float", "tirx_vec<float, 4>".
[[nodiscard]] std::string value_type(ir::Type type);
/// The suffix of helper names: "f32", "i64".
[[nodiscard]] std::string_view short_name(num::DType dtype);
/// A literal of the element type with exactly these bits.
[[nodiscard]] std::string literal(num::Bits bits, num::DType dtype);

}  // namespace tirx::cuda
