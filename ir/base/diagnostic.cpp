#include "ir/base/diagnostic.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tirx {

namespace {

constexpr std::size_t kLongestLine = 160;  // bytes of a line that are shown whole
constexpr std::size_t kBeforeCaret = 60;   // of a longer one
constexpr std::size_t kShownOfLine = 120;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

}  // namespace

std::string render_caret(const Source& source, Span span) {
  const LineAt at = source.locate(span.begin);
  const std::string_view text = at.text;
  const std::size_t start = std::min<std::size_t>(at.column - 1, text.size());
  const std::size_t room = std::max<std::size_t>(1, text.size() - start);
  const std::size_t stop = start + std::clamp<std::size_t>(span.end - span.begin, 1, room);
  std::size_t from = 0;
  std::size_t to = text.size();
  if (text.size() > kLongestLine) {
    from = start > kBeforeCaret ? start - kBeforeCaret : 0;
    to = std::min(text.size(), from + kShownOfLine);
    while (from > 0 && continues_character(text[from])) --from;
    while (to < text.size() && continues_character(text[to])) ++to;
  }
  std::string shown = from > 0 ? "…" : "";
  std::string below = from > 0 ? " " : "";
  for (std::size_t i = from; i < to; ++i) {
    const bool marked = i >= start && i < stop;
    if (is_control(text[i])) {  // a terminal would obey it
      const std::string code = fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      shown += code;
      below.append(code.size(), marked ? '^' : ' ');
      continue;
    }
    shown += text[i];
    if (continues_character(text[i])) continue;
    // Keeps tabs, so that the caret stands under the character in any editor.
    below += marked ? '^' : text[i] == '\t' ? '\t' : ' ';
  }
  if (to < text.size()) shown += "…";
  if (start >= to) below += '^';  // behind the line's end
  below.erase(below.find_last_not_of(" \t") + 1);
  return fmt::format("  {}\n  {}\n", shown, below);
}

std::string render(const Source& source, const Diagnostic& diagnostic) {
  const char* kind = diagnostic.severity == Severity::error ? "error" : "warning";
  std::string out;
  if (diagnostic.span.empty()) {
    out = fmt::format("{}: {}: {}\n", source.name(), kind, diagnostic.text);
  } else {
    out = fmt::format("{}: {}: {}\n", source.where(diagnostic.span), kind, diagnostic.text);
    out += render_caret(source, diagnostic.span);
  }
  for (const Note& note : diagnostic.notes) {
    if (note.span.empty()) {
      out += fmt::format("  help: {}\n", note.text);
    } else {
      out += fmt::format("{}: note: {}\n", source.where(note.span), note.text);
      out += render_caret(source, note.span);
    }
  }
  return out;
}

}  // namespace tirx
