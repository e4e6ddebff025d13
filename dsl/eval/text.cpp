// Python's repr and str of values.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "dsl/eval/objects.hpp"
#include "dsl/eval/value.hpp"

namespace tirx::dsl {

namespace {

constexpr int kMaxReprDepth = 20;
/// Beyond this a container's text is cut: shared substructure makes small values long to print.
constexpr std::size_t kMaxReprLength = std::size_t{1} << 20;

std::string repr_items(const Values& items, int depth) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ", ";
    if (out.size() > (kMaxReprLength >> (depth < 16 ? depth : 16))) return out + "...";
    out += repr(items[i], depth + 1);
  }
  return out;
}

std::string repr_object(const Value& value, const Object& object, int depth) {
  if (object.type->repr != nullptr) return object.type->repr(value, depth);
  if (const Tuple* tuple = value.as<Tuple>()) {
    return fmt::format("({}{})", repr_items(tuple->items, depth),
                       tuple->items.size() == 1 ? "," : "");
  }
  if (const List* list = value.as<List>()) {
    return fmt::format("[{}]", repr_items(list->items, depth));
  }
  if (const Dict* dict = value.as<Dict>()) {
    std::string out;
    for (const auto& [key, item] : dict->items) {
      if (!out.empty()) out += ", ";
      if (out.size() > (kMaxReprLength >> (depth < 16 ? depth : 16))) return "{" + out + "...}";
      out += repr(key, depth + 1) + ": " + repr(item, depth + 1);
    }
    return "{" + out + "}";
  }
  if (const auto* slice = value.as<SliceValue>()) {
    return fmt::format("slice({}, {}, {})", repr(slice->begin, depth + 1),
                       repr(slice->end, depth + 1), repr(slice->step, depth + 1));
  }
  if (const auto* range = value.as<RangeValue>()) {
    if (range->step != 1) {
      return fmt::format("range({}, {}, {})", range->begin, range->end, range->step);
    }
    return fmt::format("range({}, {})", range->begin, range->end);
  }
  return fmt::format("<{}>", object.type->name);
}

}  // namespace

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const double magnitude = std::fabs(value);
  const bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  std::string text(buffer, end);
  if (!scientific && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string quote(std::string_view text) {
  const char mark =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"'
                                                                                            : '\'';
  std::string out(1, mark);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == mark || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + mark;
}

std::string repr(const Value& value, int depth) {
  if (depth > kMaxReprDepth) return "...";

  struct Repr {
    const Value& value;
    int depth;

    std::string operator()(None) const { return "None"; }

    std::string operator()(bool b) const { return b ? "True" : "False"; }

    std::string operator()(std::int64_t i) const { return std::to_string(i); }

    std::string operator()(double d) const { return float_text(d); }

    std::string operator()(const Text& text) const { return quote(*text); }

    std::string operator()(const ir::Type& type) const { return ir::to_string(type); }

    std::string operator()(const ir::Expr& expr) const {
      if (const auto* var = ir::as<ir::VarRef>(expr)) return var->var->name;
      return fmt::format("<expr {}>", ir::to_string(expr->type));
    }

    std::string operator()(const ir::Buffer& buffer) const {
      return fmt::format("<buffer {}>", buffer->name);
    }

    std::string operator()(const ObjectRef& object) const {
      return repr_object(value, *object, depth);
    }
  };

  return std::visit(Repr{value, depth}, value.storage());
}

std::string str(const Value& value) {
  if (const std::string* text = value.text()) return *text;
  return repr(value);
}

}  // namespace tirx::dsl
