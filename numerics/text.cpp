// Decimal text of every type.  std::to_chars and std::from_chars are exact for binary64 (shortest
// round trip, correctly rounded); narrower formats search the shortest digits that come back.
#include "numerics/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "numerics/codec.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::num {
namespace {

using Buffer = std::array<char, 64>;

std::string_view digits(Buffer& buffer, double value, int precision) {
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::scientific, precision);
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

/// The shortest "d.ddde+XX" that converts back to the same bits.
std::string shortest_scientific(Bits value, DType dtype) {
  const double exact = to_double(value, dtype);
  Buffer buffer{};
  for (int precision = 0; precision < 17; ++precision) {
    const std::string_view text = digits(buffer, exact, precision);
    const std::optional<Bits> back = from_text(text, dtype);
    if (back && *back == value) return std::string(text);
  }
  return std::string(digits(buffer, exact, 17));
}

/// As Python's repr: positional between 1e-4 and 1e16, with at least one digit after the point.
std::string positional(std::string_view scientific) {
  const bool negative = scientific.front() == '-';
  if (negative) scientific.remove_prefix(1);
  const std::size_t e = scientific.find('e');
  std::string mantissa;
  for (const char c : scientific.substr(0, e)) {
    if (c != '.') mantissa += c;
  }
  const bool negative_exponent = scientific[e + 1] == '-';
  int exponent = 0;
  const std::string_view power = scientific.substr(e + 2);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (negative_exponent) exponent = -exponent;
  std::string out(negative ? 1 : 0, '-');
  if (exponent < -4 || exponent >= 16) {
    out += mantissa.front();
    if (mantissa.size() > 1) out.append(1, '.').append(mantissa, 1);
    return out.append(scientific.substr(e));
  }
  if (exponent < 0) {
    return out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(mantissa);
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (mantissa.size() <= whole) {
    return out.append(mantissa).append(whole - mantissa.size(), '0').append(".0");
  }
  return out.append(mantissa, 0, whole).append(1, '.').append(mantissa, whole);
}

std::optional<Bits> integer_from_text(std::string_view text, DType dtype) {
  const char* const end = text.data() + text.size();
  if (is_signed(dtype)) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    const Bits low = from_int64(value, dtype);
    return to_int64(low, dtype) == value ? std::optional(low) : std::nullopt;
  }
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  const Bits low = convert(value, DType::u64, dtype);
  return dtype != DType::boolean && low != value ? std::nullopt : std::optional(low);
}

/// from_chars reports both overflow and underflow as out of range; the decimal exponent tells.
double out_of_range_value(std::string_view text) {
  const bool negative = text.front() == '-';
  const std::size_t e = text.find_first_of("eE");
  const bool tiny = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
  const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  return negative ? -magnitude : magnitude;
}

/// 450 reads back as the float8 of 448, and 65500 as the float16 of 65504.  NumPy shows the latter
/// so; of types that it does not have a whole number is shown as it is.
bool shows_whole_numbers(DType dtype) {
  return dtype != DType::f16 && dtype != DType::f32 && dtype != DType::f64;
}

}  // namespace

std::string to_text(Bits value, DType dtype) {
  if (dtype == DType::boolean) return value != 0 ? "True" : "False";
  if (dtype == DType::handle) return to_hex(value, dtype);
  if (!is_float(dtype)) {
    return is_signed(dtype) ? std::to_string(to_int64(value, dtype)) : std::to_string(value);
  }
  const double exact = to_double(value, dtype);
  if (is_nan(value, dtype)) return "nan";
  if (std::isinf(exact)) return exact < 0 ? "-inf" : "inf";
  // Powers of two: one digit is enough to read them back, and too few to tell what they are.
  if (dtype == DType::e8m0) return to_text(from_double(exact, DType::f64), DType::f64);
  if (shows_whole_numbers(dtype) && exact != 0 && std::abs(exact) < 1e16 &&
      exact == std::trunc(exact)) {
    return std::to_string(static_cast<std::int64_t>(exact)) + ".0";
  }
  return positional(shortest_scientific(value, dtype));
}

std::string to_hex(Bits value, DType dtype) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "0x";
  for (int place = (bits(dtype) + 3) / 4 - 1; place >= 0; --place) {
    out += kDigits[(value >> (4 * place)) & 0xf];
  }
  return out;
}

std::optional<Bits> from_text(std::string_view text, DType dtype) {
  if (text.empty()) return std::nullopt;
  if (dtype == DType::boolean && (text == "True" || text == "False")) return text == "True";
  if (!is_float(dtype)) return integer_from_text(text, dtype);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) value = out_of_range_value(text);
  if (text.back() == 'f' || text.back() == 'y') return infinity(dtype, value < 0);  // "inf"
  return from_double(value, dtype);
}

}  // namespace tirx::num
