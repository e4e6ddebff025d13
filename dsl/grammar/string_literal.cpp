// Escape sequences of string literals, after section 2.4.1 of the Python reference.  The result is
// UTF-8.
#include <array>

#include <fmt/format.h>

#include "dsl/grammar/literal.hpp"

namespace tirx::dsl::grammar {
namespace {

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

std::optional<std::uint32_t> digits_value(std::string_view digits, std::uint32_t base) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    std::uint32_t digit = 99;
    if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<std::uint32_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') digit = static_cast<std::uint32_t>(c - 'A' + 10);
    if (digit >= base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

/// What the one-letter escapes stand for; "\\\n" stands for nothing.
std::optional<std::string_view> simple_escape(char c) {
  switch (c) {
    case '\n':
      return "";
    case '\\':
      return "\\";
    case '\'':
      return "'";
    case '"':
      return "\"";
    case 'a':
      return "\a";
    case 'b':
      return "\b";
    case 'f':
      return "\f";
    case 'n':
      return "\n";
    case 'r':
      return "\r";
    case 't':
      return "\t";
    case 'v':
      return "\v";
    default:
      return std::nullopt;
  }
}

/// \xhh, \uhhhh, \Uhhhhhhhh at `at`; moves `at` behind it.
std::optional<EscapeError> code_escape(std::string_view text, std::size_t& at, std::string& out) {
  const char letter = text[at + 1];
  const std::size_t count = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
  const std::string_view digits = text.substr(at + 2, count);
  const auto code = digits_value(digits, 16);
  const std::size_t end = at + 2 + digits.size();
  if (digits.size() < count || !code) {
    return EscapeError{at, end, fmt::format("'\\{}' needs {} hexadecimal digits", letter, count),
                       "write '\\\\' for a backslash, or use a raw string r\"…\""};
  }
  if (*code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000)) {
    return EscapeError{at, end, "this escape is not a Unicode character", {}};
  }
  append_utf8(*code, out);
  at = end;
  return std::nullopt;
}

void octal_escape(std::string_view text, std::size_t& at, std::string& out) {
  std::size_t end = at + 1;
  while (end < text.size() && end < at + 4 && text[end] >= '0' && text[end] <= '7') ++end;
  append_utf8(*digits_value(text.substr(at + 1, end - at - 1), 8), out);
  at = end;
}

}  // namespace

std::optional<EscapeError> decode_string(std::string_view text, bool raw, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\r') {
      out += '\n';
      at += text.substr(at).starts_with("\r\n") ? 2 : 1;
      continue;
    }
    if (c != '\\' || raw || at + 1 >= text.size()) {
      out += c;
      ++at;
      continue;
    }
    const char next = text[at + 1];
    if (const auto plain = simple_escape(next)) {
      out += *plain;
      at += 2;
    } else if (next == '\r') {
      at += text.substr(at + 1).starts_with("\r\n") ? 3 : 2;
    } else if (next >= '0' && next <= '7') {
      octal_escape(text, at, out);
    } else if (next == 'x' || next == 'u' || next == 'U') {
      if (auto error = code_escape(text, at, out)) return error;
    } else if (next == 'N') {
      return EscapeError{at, at + 2, "named characters '\\N{…}' are not part of the language",
                         "write its code: '\\u03b1'"};
    } else {
      out += c;  // Python keeps the backslash of an escape it does not know
      ++at;
    }
  }
  return std::nullopt;
}

std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.empty() ? '\0' : text[0]);
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

std::size_t find_bad_utf8(std::string_view text) {
  // Smallest code point of each length: a longer form than needed is malformed, too.
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return at;
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if ((next & 0xC0) != 0x80) return at;
      code = (code << 6) | (next & 0x3FU);
    }
    if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return at;
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace tirx::dsl::grammar
