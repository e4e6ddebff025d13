// Number literals: 1_000, 0xFF, 0o17, 0b1010, 1.5, .5, 1., 1e-3; after section 2.4.4 ff. of the
// Python reference.  Imaginary literals are refused.
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "dsl/grammar/literal.hpp"

namespace tirx::dsl::grammar {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// The end of a run of digits in which single underscores may separate.
std::size_t skip_digits(std::string_view text, std::size_t at, int base) {
  while (at < text.size() && (digit_value(text[at]) < base || text[at] == '_')) ++at;
  return at;
}

/// An underscore must stand between two digits.
bool underscores_fit(std::string_view digits) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') continue;
    const bool before = i > 0 && digits[i - 1] != '_' && digits[i - 1] != '.';
    const bool after = i + 1 < digits.size() && digit_value(digits[i + 1]) < 16;
    if (!before || !after) return false;
  }
  return true;
}

std::string without_underscores(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '_') out += c;
  }
  return out;
}

ast::IntLit integer_value(std::string_view text, std::string_view digits, int base) {
  ast::IntLit literal{.text = std::string(text)};
  for (const char c : digits) {
    if (c == '_') continue;
    const auto digit = static_cast<std::uint64_t>(digit_value(c));
    const auto radix = static_cast<std::uint64_t>(base);
    if (literal.value > (UINT64_MAX - digit) / radix) literal.overflow = true;
    literal.value = literal.value * radix + digit;
  }
  return literal;
}

ast::FloatLit float_value(std::string_view text) {
  ast::FloatLit literal{.text = std::string(text)};
  const std::string plain = without_underscores(text);
  const auto [end, status] =
      std::from_chars(plain.data(), plain.data() + plain.size(), literal.value);
  // Out of range: strtod tells the two sides apart (infinity or zero), from_chars does not.
  if (status == std::errc::result_out_of_range) literal.value = std::strtod(plain.c_str(), nullptr);
  return literal;
}

NumberAt wrong(std::string_view text,
               std::size_t length,
               std::string error,
               std::string help = {}) {
  while (length < text.size() && is_word(text[length])) ++length;
  return {length, {}, std::move(error), std::move(help)};
}

NumberAt read_prefixed(std::string_view text, int base, const char* kind) {
  const std::size_t length = skip_digits(text, 2, base);
  const std::string_view digits = text.substr(2, length - 2);
  if (length < text.size() && is_word(text[length])) {
    return wrong(text, length,
                 fmt::format("'{}' is not a digit of a {} number", text[length], kind));
  }
  const std::string_view after_separator = digits.starts_with('_') ? digits.substr(1) : digits;
  if (after_separator.empty())
    return wrong(text, length, fmt::format("a {} number needs digits", kind));
  if (!underscores_fit(after_separator)) {
    return wrong(text, length, "a '_' in a number must stand between two digits");
  }
  return {length, integer_value(text.substr(0, length), after_separator, base), {}, {}};
}

/// The end of the exponent that starts at `at`, or `at` itself if there is none.
std::size_t skip_exponent(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  std::size_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  if (digits >= text.size() || !is_digit(text[digits])) return at;
  return skip_digits(text, digits, 10);
}

}  // namespace

NumberAt read_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '0') {
    const char letter = static_cast<char>(text[1] | 0x20);
    if (letter == 'x') return read_prefixed(text, 16, "hexadecimal");
    if (letter == 'o') return read_prefixed(text, 8, "octal");
    if (letter == 'b') return read_prefixed(text, 2, "binary");
  }
  const std::size_t whole = skip_digits(text, 0, 10);
  std::size_t length = whole;
  if (length < text.size() && text[length] == '.') length = skip_digits(text, length + 1, 10);
  length = skip_exponent(text, length);
  if (length < text.size() && (text[length] == 'j' || text[length] == 'J')) {
    return wrong(text, length, "complex numbers are not part of the language");
  }
  if (length < text.size() && is_word(text[length])) {
    return wrong(text, length, "a name or a digit cannot follow a number directly",
                 "put a space or an operator between them");
  }
  const std::string_view literal = text.substr(0, length);
  if (!underscores_fit(literal)) {
    return wrong(text, length, "a '_' in a number must stand between two digits");
  }
  if (length > whole) return {length, float_value(literal), {}, {}};
  if (literal.size() > 1 && literal[0] == '0' && literal.find_first_not_of("0_") != literal.npos) {
    return wrong(text, length, "a decimal number cannot start with 0",
                 "an octal number is written 0o17");
  }
  return {length, integer_value(literal, literal, 10), {}, {}};
}

}  // namespace tirx::dsl::grammar
