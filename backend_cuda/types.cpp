// Float literals: decimal where every parser must read the same value (few significant bits and a
// small exponent), hexadecimal otherwise, with the decimal as a comment.
#include "backend_cuda/types.hpp"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "ir/base/check.hpp"
#include "numerics/scalar.hpp"
#include "numerics/text.hpp"

namespace tirx::cuda {

using num::DType;

namespace {

/// Integers below 2^24 and multiples of 1/64 there: at most 30 significant bits.
bool reads_alike_everywhere(double value) {
  const double scaled = value * 64;
  return std::fabs(value) < 16777216.0 && scaled == std::floor(scaled);
}

std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string float_literal(num::Bits bits, DType dtype) {
  const bool wide = dtype == DType::f64;
  const double value =
      wide ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (!std::isfinite(value)) {
    return wide ? fmt::format("__longlong_as_double({:#x}ll) /* {} */", bits,
                              num::to_text(bits, dtype))
                : fmt::format("__uint_as_float({:#x}u) /* {} */", bits, num::to_text(bits, dtype));
  }
  const std::string_view suffix = wide ? "" : "f";
  if (reads_alike_everywhere(value)) return decimal(value) + std::string(suffix);
  return fmt::format("{:a}{} /* {} */", value, suffix, num::to_text(bits, dtype));
}

std::string integer_literal(num::Bits bits, DType dtype) {
  const std::int64_t value = num::to_int64(bits, dtype);
  switch (dtype) {
    case DType::i64:
      // 2^63 is no long long literal, so its negative is written as a difference.
      if (value == INT64_MIN) return "(-9223372036854775807ll - 1)";
      return fmt::format("{}ll", value);
    case DType::u64:
      return fmt::format("{}ull", bits);
    case DType::u32:
      return fmt::format("{}u", bits);
    case DType::i32:
      if (value == INT32_MIN) return "(-2147483647 - 1)";
      break;
    default:
      break;
  }
  return fmt::format("{}", value);
}

}  // namespace

std::string_view element_type(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return "tirx_f16";
    case DType::bf16:
      return "tirx_bf16";
    case DType::e4m3:
    case DType::e5m2:
    case DType::e8m0:
    case DType::e2m3:
    case DType::e3m2:
    case DType::e2m1:
      return "unsigned char";
    case DType::u32:
      return "unsigned";
    case DType::tf32:
      return "float";
    default:
      return num::row(dtype).cuda;
  }
}

std::string value_type(ir::Type type) {
  TIRX_CHECK(!type.is_void());
  if (!type.is_vector()) return std::string(element_type(type.dtype));
  return fmt::format("tirx_vec<{}, {}>", element_type(type.dtype), type.lanes);
}

std::string_view short_name(DType dtype) {
  return dtype == DType::boolean ? "bool" : num::row(dtype).shorthand;
}

std::string literal(num::Bits bits, DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return bits != 0 ? "true" : "false";
    case DType::f32:
    case DType::tf32:
    case DType::f64:
      return float_literal(bits, dtype);
    case DType::handle:
      return fmt::format("reinterpret_cast<void*>({:#x}ull)", bits);
    default:
      break;
  }
  if (num::is_int(dtype)) return integer_literal(bits, dtype);
  // Types that are held as their bits: the value is for the reader.
  return fmt::format("({}){:#x} /* {} */", element_type(dtype), bits, num::to_text(bits, dtype));
}

}  // namespace tirx::cuda
