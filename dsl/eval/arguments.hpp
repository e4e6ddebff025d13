// Which argument belongs to which parameter?  One binder for built-in and user functions, with
// Python's rules and error texts, and the caret on the offending argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/eval/value.hpp"
#include "ir/base/source.hpp"

namespace tirx::dsl {

struct ArgumentValue {
  Value value;
  Span span;
};

/// The arguments of a call as written, evaluated.
struct CallArgs {
  Span span;  // of the whole call
  std::vector<ArgumentValue> positional;
  std::vector<std::pair<std::string, ArgumentValue>> named;
  /// `x = f(…)` gives {"x"}, `a, b = f(…)` {"a", "b"}: how buffers and variables get their names.
  std::vector<std::string> targets;
};

/// `base[items]`: each item a value or a SliceValue.
struct Subscripts {
  Span span;  // of the whole subscript
  Span base;
  std::vector<ArgumentValue> items;
  bool is_tuple = false;
  std::vector<std::string> targets;  // as in CallArgs
  Span value;                        // of what is assigned; empty when read

  [[nodiscard]] std::string target_or(std::string_view fallback) const {
    return targets.empty() ? std::string(fallback) : targets.front();
  }
};

struct SignatureParameter {
  std::string name;
  ast::ParameterKind kind = ast::ParameterKind::normal;
  bool required = true;
};

struct Signature {
  std::string function;  // in messages
  std::vector<SignatureParameter> parameters;
};

/// "x, y=, *rest, key=, **more": `name=` or `name=default` is optional (the text after `=` is for
/// documentation only), `*` alone starts the keyword-only ones, `/` ends the positional-only ones.
[[nodiscard]] Signature parse_signature(std::string_view function, std::string_view text);

/// The arguments in the order of a signature's parameters (those of kind var_* stay absent there).
struct BoundArguments {
  std::vector<std::optional<ArgumentValue>> values;
  std::vector<ArgumentValue> rest;
  std::vector<std::pair<std::string, ArgumentValue>> named_rest;
};

/// Throws EvalError where they do not fit.
[[nodiscard]] BoundArguments bind_arguments(const Signature& signature, CallArgs args);

/// What a built-in function receives: its arguments by position in the signature, with conversions
/// that name the parameter in their errors.
class Arguments {
 public:
  Arguments(Interpreter& interpreter, const Signature& signature, Value receiver, CallArgs args);

  /// The receiver of a method call; None for a function.
  Value self;

  [[nodiscard]] Span span() const { return span_; }

  [[nodiscard]] const std::string& function() const { return signature_.function; }

  /// Given, and not None.
  [[nodiscard]] bool has(std::size_t i) const;

  /// Given, perhaps as None.
  [[nodiscard]] bool given(std::size_t i) const { return bound_.values[i].has_value(); }

  /// The value; None when absent.
  [[nodiscard]] const Value& operator[](std::size_t i) const;
  /// Where the argument is written; the call when absent.
  [[nodiscard]] Span span(std::size_t i) const;

  [[nodiscard]] const std::vector<ArgumentValue>& rest() const { return bound_.rest; }

  [[nodiscard]] const std::vector<std::pair<std::string, ArgumentValue>>& named_rest() const {
    return bound_.named_rest;
  }

  [[nodiscard]] const std::vector<std::string>& targets() const { return targets_; }

  /// The name that the result will be bound to, or the fallback.
  [[nodiscard]] std::string target_or(std::string_view fallback) const;

  [[nodiscard]] std::int64_t integer(std::size_t i) const;
  [[nodiscard]] std::int64_t integer_or(std::size_t i, std::int64_t fallback) const;
  [[nodiscard]] double number(std::size_t i) const;
  [[nodiscard]] double number_or(std::size_t i, double fallback) const;
  [[nodiscard]] bool boolean_or(std::size_t i, bool fallback) const;
  [[nodiscard]] const std::string& text(std::size_t i) const;
  [[nodiscard]] std::string text_or(std::size_t i, std::string_view fallback) const;
  /// A dtype value or its name.
  [[nodiscard]] ir::Type type(std::size_t i) const;
  [[nodiscard]] num::DType dtype(std::size_t i) const;
  [[nodiscard]] num::DType dtype_or(std::size_t i, num::DType fallback) const;
  /// A tuple or list of ints, or one int.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t i) const;
  /// A tuple or list (or any iterable) as values.
  [[nodiscard]] Values items(std::size_t i) const;
  /// A scalar of a kernel: an IR expression, or a literal with the default dtype.
  [[nodiscard]] ir::Expr expr(std::size_t i) const;

  /// "f() argument 'x' must be …, not TYPE", at the argument.
  [[noreturn]] void wrong(std::size_t i, std::string_view expected) const;

 private:
  Interpreter* interpreter_;
  const Signature& signature_;
  BoundArguments bound_;
  std::vector<std::string> targets_;
  Span span_;
};

}  // namespace tirx::dsl
