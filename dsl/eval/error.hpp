// How does the evaluator stop?  It throws inside the dsl layer; the entry points (run_script.cpp)
// catch.  No exception leaves the layer.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/base/diagnostic.hpp"
#include "ir/base/result.hpp"

namespace tirx::dsl {

/// The script is wrong.
struct EvalError {
  Diagnostic diagnostic;
};

/// The script ends here for a reason already recorded (a failed assert, an incomplete launch).
struct ScriptStopped {};

[[noreturn]] void fail_text(Span span, std::string text, std::vector<Note> notes = {});

template <typename... Args>
[[noreturn]] void fail(Span span, fmt::format_string<Args...> format, Args&&... args) {
  fail_text(span, fmt::format(format, std::forward<Args>(args)...));
}

/// An error with a way out, printed as "help: …".
[[noreturn]] void fail_help(Span span, std::string text, std::string help);

/// The value, or its diagnostic at `span` when it has no place of its own.
template <typename T>
[[nodiscard]] T unwrap(Result<T> result, Span span) {
  if (result.ok()) return std::move(result).value();
  Diagnostic error = result.error();
  if (error.span.empty()) error.span = span;
  throw EvalError{std::move(error)};
}

/// " (did you mean 'x'?)" with the closest of the names, or "".
[[nodiscard]] std::string did_you_mean(std::string_view wrong,
                                       const std::vector<std::string>& names);

}  // namespace tirx::dsl
