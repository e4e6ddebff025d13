#include "ir/base/diagnostic.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tirx {

std::string render_caret(const Source& source, Span span) {
  const LineAt at = source.locate(span.begin);
  const std::size_t length = at.text.size();
  const std::size_t start = std::min<std::size_t>(at.column - 1, length);
  const std::size_t room = std::max<std::size_t>(1, length - start);
  const std::size_t width = std::clamp<std::size_t>(span.end - span.begin, 1, room);
  std::string blank;  // keeps tabs, so that the caret stands under the character in any editor
  for (std::size_t i = 0; i < start; ++i) blank += at.text[i] == '\t' ? '\t' : ' ';
  return fmt::format("  {}\n  {}{}\n", at.text, blank, std::string(width, '^'));
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
