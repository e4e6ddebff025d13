// From bytes to tokens.  Hand-written, because indentation, implicit line joining and f-strings
// need state that a grammar over characters would hide (Python reference, sections 2.1 and 2.4).
#pragma once

#include "dsl/grammar/token.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl::grammar {

/// Linear in the text.  After an error it goes on: brackets are closed where a statement evidently
/// starts, so that one mistake does not swallow the rest of the file.
[[nodiscard]] TokenList tokenize(const Source& source);

}  // namespace tirx::dsl::grammar
