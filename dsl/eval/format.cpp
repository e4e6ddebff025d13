// f-strings and format specifications (Python's "Format Specification Mini-Language").
#include <cmath>

#include "dsl/eval/interpreter.hpp"
#include "dsl/host/tensor_value.hpp"

namespace tirx::dsl {

namespace {

struct FormatSpec {
  std::string fill = " ";
  char align = 0;
  char sign = '-';
  bool alternate = false;
  bool zero = false;
  int width = 0;
  char grouping = 0;
  int precision = -1;
  char type = 0;
};

int read_number(std::string_view& text, Span span) {
  int value = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value = value * 10 + (text.front() - '0');
    if (value > 10'000) fail(span, "a format width of more than 10000");
    text.remove_prefix(1);
  }
  return value;
}

FormatSpec parse_spec(std::string_view text, Span span) {
  FormatSpec spec;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  std::size_t first = 1;  // bytes of the first character
  while (first < text.size() && (static_cast<unsigned char>(text[first]) & 0xc0U) == 0x80U) ++first;
  if (text.size() > first && is_align(text[first])) {
    spec.fill = std::string(text.substr(0, first));
    spec.align = text[first];
    text.remove_prefix(first + 1);
  } else if (!text.empty() && is_align(text.front())) {
    spec.align = text.front();
    text.remove_prefix(1);
  }
  if (!text.empty() && (text.front() == '+' || text.front() == '-' || text.front() == ' ')) {
    spec.sign = text.front();
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() == '#') {
    spec.alternate = true;
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() == '0') {
    spec.zero = true;
    text.remove_prefix(1);
  }
  spec.width = read_number(text, span);
  if (!text.empty() && (text.front() == ',' || text.front() == '_')) {
    spec.grouping = text.front();
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    if (text.empty() || text.front() < '0' || text.front() > '9') {
      fail(span, "a format needs digits after '.'");
    }
    spec.precision = read_number(text, span);
    if (spec.precision > 1000) fail(span, "a format precision of more than 1000");
  }
  if (text.size() > 1) fail(span, "this is no format specification");
  if (!text.empty()) spec.type = text.front();
  return spec;
}

std::string group_digits(const std::string& digits, char mark, std::size_t each) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % each == 0) out += mark;
    out += digits[i];
  }
  return out;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
  return count;
}

std::string pad(const FormatSpec& spec,
                const std::string& sign,
                const std::string& body,
                char default_align) {
  const std::size_t length = characters(sign) + characters(body);
  const auto width = static_cast<std::size_t>(spec.width);
  if (length >= width) return sign + body;
  const std::size_t missing = width - length;
  const bool zeros = spec.zero && spec.align == 0 && default_align == '>';
  const std::string fill = zeros ? "0" : spec.fill;
  const char align = zeros ? '=' : spec.align != 0 ? spec.align : default_align;
  const auto repeat = [&](std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += fill;
    return out;
  };
  switch (align) {
    case '<':
      return sign + body + repeat(missing);
    case '^':
      return repeat(missing / 2) + sign + body + repeat(missing - missing / 2);
    case '=':
      return sign + repeat(missing) + body;
    default:
      return repeat(missing) + sign + body;
  }
}

std::string sign_text(const FormatSpec& spec, bool negative) {
  if (negative) return "-";
  return spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
}

std::string format_float(const FormatSpec& spec, double value, Span span) {
  const bool negative = std::signbit(value) && !std::isnan(value);
  const double magnitude = std::fabs(value);
  std::string body;
  const bool percent = spec.type == '%';
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  if (std::isinf(value) || std::isnan(value)) {
    body = std::isnan(value) ? "nan" : "inf";
    if (percent) body += "%";
  } else {
    switch (spec.type) {
      case 'f':
      case 'F':
        body = fmt::format("{:.{}f}", magnitude, precision);
        break;
      case 'e':
        body = fmt::format("{:.{}e}", magnitude, precision);
        break;
      case 'E':
        body = fmt::format("{:.{}E}", magnitude, precision);
        break;
      case 'g':
        body = fmt::format("{:.{}g}", magnitude, precision == 0 ? 1 : precision);
        break;
      case 'G':
        body = fmt::format("{:.{}G}", magnitude, precision == 0 ? 1 : precision);
        break;
      case '%':
        body = fmt::format("{:.{}f}%", magnitude * 100, precision);
        break;
      case 0:
        body = spec.precision < 0
                   ? float_text(magnitude)
                   : fmt::format("{:.{}g}", magnitude, spec.precision == 0 ? 1 : spec.precision);
        break;
      default:
        fail(span, "format '{}' is not for floats", spec.type);
    }
  }
  if (spec.grouping != 0) {
    const std::size_t end = body.find_first_not_of("0123456789");
    body = group_digits(body.substr(0, end), spec.grouping, 3) +
           (end == std::string::npos ? "" : body.substr(end));
  }
  return pad(spec, sign_text(spec, negative), body, '>');
}

std::string format_integer(const FormatSpec& spec, std::int64_t value, Span span) {
  const bool negative = value < 0;
  const std::uint64_t magnitude =
      negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::string body;
  std::string prefix;
  std::size_t each = 3;
  if (spec.precision >= 0 && std::string("fFeEgG%").find(spec.type) == std::string::npos) {
    fail(span, "a precision is not for integers");
  }
  switch (spec.type) {
    case 0:
    case 'd':
    case 'n':
      body = std::to_string(magnitude);
      break;
    case 'x':
      body = fmt::format("{:x}", magnitude);
      prefix = "0x";
      each = 4;
      break;
    case 'X':
      body = fmt::format("{:X}", magnitude);
      prefix = "0X";
      each = 4;
      break;
    case 'o':
      body = fmt::format("{:o}", magnitude);
      prefix = "0o";
      each = 4;
      break;
    case 'b':
      body = fmt::format("{:b}", magnitude);
      prefix = "0b";
      each = 4;
      break;
    case 'c':
      if (magnitude > 0x7f || negative) fail(span, "format 'c' needs a code below 128");
      return pad(spec, "", std::string(1, static_cast<char>(magnitude)), '<');
    default:
      if (std::string("fFeEgG%").find(spec.type) != std::string::npos) {
        return format_float(spec, static_cast<double>(value), span);
      }
      fail(span, "format '{}' is not for integers", spec.type);
  }
  if (spec.grouping != 0) body = group_digits(body, spec.grouping, each);
  return pad(spec, sign_text(spec, negative) + (spec.alternate ? prefix : ""), body, '>');
}

std::string first_characters(const std::string& text, int count) {
  std::size_t at = 0;
  for (int i = 0; i < count && at < text.size(); ++i) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) ++at;
  }
  return text.substr(0, at);
}

}  // namespace

std::string Interpreter::format(const Value& value, std::string_view text, Span span) {
  if (text.empty()) return to_text(value, span);
  const FormatSpec spec = parse_spec(text, span);
  if (const auto* d = value.as<double>()) return format_float(spec, *d, span);
  if (value.is<bool>() && spec.type == 0) return pad(spec, "", str(value), '<');
  if (const auto i = value.integer()) return format_integer(spec, *i, span);
  if (spec.type != 0 && spec.type != 's') {
    fail(span, "format '{}' is not for {}", spec.type, kind_name(value));
  }
  std::string body = to_text(value, span);
  if (spec.precision >= 0) body = first_characters(body, spec.precision);
  return pad(spec, "", body, '<');
}

std::string Interpreter::to_text(const Value& value, Span span) {
  if (value.is<Instance>() && has_attribute(value, "__str__", span)) {
    return str(call(attribute(value, "__str__", span), Values{}, span));
  }
  if (value.is<Instance>() && has_attribute(value, "__repr__", span)) {
    return str(call(attribute(value, "__repr__", span), Values{}, span));
  }
  std::string out = str(value);
  // Elements that nobody wrote are shown as "?".
  if (out.find('?') != std::string::npos) report_uninitialised_in(*this, value, span);
  spend(static_cast<std::int64_t>(out.size() / 16), span);
  return out;
}

std::string Interpreter::eval_format_parts(const std::vector<ast::FStringPart>& parts) {
  std::string out;
  for (const ast::FStringPart& part : parts) {
    if (const auto* text = std::get_if<std::string>(&part.content)) {
      out += *text;
      continue;
    }
    const auto& field = std::get<ast::FStringField>(part.content);
    Value value = eval(*field.value);
    if (field.conversion == 'r' || field.conversion == 'a') {
      std::string shown = repr(value);
      if (shown.find('?') != std::string::npos) report_uninitialised_in(*this, value, part.span);
      value = Value(std::move(shown));
    }
    if (field.conversion == 's') value = Value(to_text(value, part.span));
    const std::string spec = field.spec.empty() ? std::string() : eval_format_parts(field.spec);
    out += format(value, spec, part.span);
    if (out.size() > (std::size_t{1} << 24)) fail(part.span, "this string would be too long");
  }
  return out;
}

Value Interpreter::eval_fstring(const ast::FString& text, Span) {
  return eval_format_parts(text.parts);
}

}  // namespace tirx::dsl
