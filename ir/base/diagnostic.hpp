// What do we tell the user about a mistake in the script?  Diagnostics are values; the caret is
// drawn in one place, here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/base/source.hpp"

namespace tirx {

enum class Severity { error, warning };

/// A remark attached to a diagnostic: another place, or (with an empty span) a way out ("help: …").
struct Note {
  Span span;
  std::string text;
};

struct Diagnostic {
  Span span;  // empty: the diagnostic has no place (a missing file, a bad option)
  std::string text;
  std::vector<Note> notes;
  Severity severity = Severity::error;
};

using DiagnosticList = std::vector<Diagnostic>;

/// An error whose place whoever hands it on knows: a variant's reason to refuse, say.
[[nodiscard]] inline Diagnostic placeless(std::string text) {
  return {{}, std::move(text), {}};
}

/// "FILE:LINE:COLUMN: error: TEXT", the line, the caret, then the notes in the same form.
[[nodiscard]] std::string render(const Source& source, const Diagnostic& diagnostic);

/// The line of a span with its caret, indented by two: used by diagnostics and by fault reports.
[[nodiscard]] std::string render_caret(const Source& source, Span span);

}  // namespace tirx
