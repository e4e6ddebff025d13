// What type has a value inside a kernel?  A scalar of an element type, a short vector of it
// (T.float32x4, vload/vstore), or nothing (an operation called for its effect).
#pragma once

#include <cstdint>
#include <string>

#include "numerics/dtype.hpp"

namespace tirx::ir {

struct Type {
  num::DType dtype = num::DType::i32;
  std::uint16_t lanes = 1;  // 0: no value

  [[nodiscard]] bool is_void() const { return lanes == 0; }

  [[nodiscard]] bool is_vector() const { return lanes > 1; }

  [[nodiscard]] Type element() const { return {dtype, 1}; }

  friend bool operator==(const Type&, const Type&) = default;
};

inline constexpr Type kVoid{num::DType::i32, 0};
inline constexpr Type kBool{num::DType::boolean, 1};
inline constexpr Type kInt32{num::DType::i32, 1};
inline constexpr Type kInt64{num::DType::i64, 1};
inline constexpr Type kHandle{num::DType::handle, 1};

/// "float32", "float32x4".
[[nodiscard]] std::string to_string(Type type);

}  // namespace tirx::ir
