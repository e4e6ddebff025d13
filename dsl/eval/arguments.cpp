// Binding arguments to parameters, and reading them with errors that name the parameter.
#include "dsl/eval/arguments.hpp"

#include <algorithm>

#include "dsl/eval/error.hpp"
#include "dsl/eval/interpreter.hpp"

namespace tirx::dsl {

namespace {

using Kind = ast::ParameterKind;

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_parameters(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      if (const auto part = trim(text.substr(start, i - start)); !part.empty())
        parts.push_back(part);
      start = i + 1;
    }
  }
  return parts;
}

std::string plural(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::vector<std::string> parameter_names(const Signature& signature) {
  std::vector<std::string> names;
  for (const SignatureParameter& p : signature.parameters) {
    if (p.kind == Kind::normal || p.kind == Kind::keyword_only) names.push_back(p.name);
  }
  return names;
}

void bind_positional(const Signature& signature, CallArgs& args, BoundArguments& bound) {
  std::size_t next = 0;
  bool collects = false;
  std::size_t capacity = 0;
  for (const SignatureParameter& p : signature.parameters) {
    if (p.kind == Kind::var_positional) collects = true;
    if (p.kind == Kind::normal || p.kind == Kind::positional_only) ++capacity;
  }
  for (std::size_t i = 0; i < signature.parameters.size() && next < args.positional.size(); ++i) {
    const Kind kind = signature.parameters[i].kind;
    if (kind != Kind::normal && kind != Kind::positional_only) continue;
    bound.values[i] = std::move(args.positional[next++]);
  }
  if (next == args.positional.size()) return;
  if (!collects) {
    fail(args.positional[next].span, "{}() takes {} but {} {} given", signature.function,
         plural(capacity, "positional argument"), args.positional.size(),
         args.positional.size() == 1 ? "was" : "were");
  }
  for (; next < args.positional.size(); ++next) {
    bound.rest.push_back(std::move(args.positional[next]));
  }
}

void bind_named(const Signature& signature, CallArgs& args, BoundArguments& bound) {
  bool collects = false;
  for (const SignatureParameter& p : signature.parameters) {
    if (p.kind == Kind::var_keyword) collects = true;
  }
  for (auto& [name, argument] : args.named) {
    const auto found = std::find_if(
        signature.parameters.begin(), signature.parameters.end(),
        [&, &name = name](const SignatureParameter& p) {  // clang 14 captures no binding
          return p.name == name && (p.kind == Kind::normal || p.kind == Kind::keyword_only);
        });
    if (found == signature.parameters.end()) {
      if (!collects) {
        fail(argument.span, "{}() got an unexpected keyword argument '{}'{}", signature.function,
             name, did_you_mean(name, parameter_names(signature)));
      }
      for (const auto& [other, value] : bound.named_rest) {
        if (other == name) {
          fail(argument.span, "{}() got multiple values for argument '{}'", signature.function,
               name);
        }
      }
      bound.named_rest.emplace_back(name, std::move(argument));
      continue;
    }
    auto& slot = bound.values[static_cast<std::size_t>(found - signature.parameters.begin())];
    if (slot) {
      fail(argument.span, "{}() got multiple values for argument '{}'", signature.function, name);
    }
    slot = std::move(argument);
  }
}

void check_missing(const Signature& signature, const BoundArguments& bound, Span span) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const SignatureParameter& p = signature.parameters[i];
    if (p.kind == Kind::var_positional || p.kind == Kind::var_keyword) continue;
    if (p.required && !bound.values[i]) missing.push_back(fmt::format("'{}'", p.name));
  }
  if (missing.empty()) return;
  fail(span, "{}() is missing {}: {}", signature.function,
       plural(missing.size(), "required argument"), fmt::join(missing, ", "));
}

}  // namespace

Signature parse_signature(std::string_view function, std::string_view text) {
  Signature signature{std::string(function), {}};
  bool keyword_only = false;
  for (const std::string_view part : split_parameters(text)) {
    if (part == "*") {
      keyword_only = true;
    } else if (part == "/") {
      for (SignatureParameter& p : signature.parameters) p.kind = Kind::positional_only;
    } else if (part.starts_with("**")) {
      signature.parameters.push_back({std::string(part.substr(2)), Kind::var_keyword, false});
    } else if (part.starts_with("*")) {
      signature.parameters.push_back({std::string(part.substr(1)), Kind::var_positional, false});
      keyword_only = true;
    } else {
      const std::size_t equals = part.find('=');
      signature.parameters.push_back({std::string(trim(part.substr(0, equals))),
                                      keyword_only ? Kind::keyword_only : Kind::normal,
                                      equals == std::string_view::npos});
    }
  }
  return signature;
}

BoundArguments bind_arguments(const Signature& signature, CallArgs args) {
  BoundArguments bound;
  bound.values.resize(signature.parameters.size());
  bind_positional(signature, args, bound);
  bind_named(signature, args, bound);
  check_missing(signature, bound, args.span);
  return bound;
}

Arguments::Arguments(Interpreter& interpreter,
                     const Signature& signature,
                     Value receiver,
                     CallArgs args)
    : self(std::move(receiver)),
      interpreter_(&interpreter),
      signature_(signature),
      targets_(std::move(args.targets)),
      span_(args.span) {
  bound_ = bind_arguments(signature, std::move(args));
}

bool Arguments::has(std::size_t i) const {
  return bound_.values[i].has_value() && !bound_.values[i]->value.is_none();
}

const Value& Arguments::operator[](std::size_t i) const {
  static const Value kNone;
  return bound_.values[i] ? bound_.values[i]->value : kNone;
}

Span Arguments::span(std::size_t i) const {
  return bound_.values[i] ? bound_.values[i]->span : span_;
}

std::string Arguments::target_or(std::string_view fallback) const {
  return targets_.empty() ? std::string(fallback) : targets_.front();
}

void Arguments::wrong(std::size_t i, std::string_view expected) const {
  fail(span(i), "{}() argument '{}' must be {}, not {}", signature_.function,
       signature_.parameters[i].name, expected, kind_name((*this)[i]));
}

std::int64_t Arguments::integer(std::size_t i) const {
  const Value& value = (*this)[i];
  if (const auto number = value.integer()) return *number;
  if (const auto* expr = value.as<ir::Expr>()) {
    std::int64_t number = 0;
    if (ir::is_const_int(*expr, number)) return number;
    fail_help(span(i),
              fmt::format("{}() argument '{}' must be known when the kernel is built",
                          signature_.function, signature_.parameters[i].name),
              "use a constant, or a T.constexpr parameter of a @T.jit kernel");
  }
  wrong(i, "an int");
}

std::int64_t Arguments::integer_or(std::size_t i, std::int64_t fallback) const {
  return has(i) ? integer(i) : fallback;
}

double Arguments::number(std::size_t i) const {
  if (const auto number = (*this)[i].number()) return *number;
  wrong(i, "a number");
}

double Arguments::number_or(std::size_t i, double fallback) const {
  return has(i) ? number(i) : fallback;
}

bool Arguments::boolean_or(std::size_t i, bool fallback) const {
  if (!has(i)) return fallback;
  if (const bool* b = (*this)[i].as<bool>()) return *b;
  if (const auto number = (*this)[i].integer()) return *number != 0;
  wrong(i, "a bool");
}

const std::string& Arguments::text(std::size_t i) const {
  if (const std::string* text = (*this)[i].text()) return *text;
  wrong(i, "a str");
}

std::string Arguments::text_or(std::size_t i, std::string_view fallback) const {
  return has(i) ? text(i) : std::string(fallback);
}

ir::Type Arguments::type(std::size_t i) const {
  const Value& value = (*this)[i];
  if (const auto* type = value.as<ir::Type>()) return *type;
  if (const std::string* word = value.text()) {
    if (const auto found = num::find_dtype(*word)) return {*found, 1};
    // "float32x4"
    const std::size_t x = word->rfind('x');
    if (x != std::string::npos && x + 1 < word->size() && word->size() - x <= 4) {
      const auto element = num::find_dtype(std::string_view(*word).substr(0, x));
      const bool digits = std::all_of(word->begin() + static_cast<std::ptrdiff_t>(x) + 1,
                                      word->end(), [](char c) { return c >= '0' && c <= '9'; });
      if (element && digits) {
        const int lanes = std::stoi(word->substr(x + 1));
        if (lanes >= 1 && lanes <= 64) return {*element, static_cast<std::uint16_t>(lanes)};
      }
    }
    std::vector<std::string> names;
    for (const num::DTypeRow& row : num::dtype_rows()) names.emplace_back(row.name);
    fail(span(i), "no dtype is called '{}'{}", *word, did_you_mean(*word, names));
  }
  // A type's own constructor may stand for it: T.float32 is a function and a dtype.
  wrong(i, "a dtype");
}

num::DType Arguments::dtype(std::size_t i) const {
  const ir::Type found = type(i);
  if (found.lanes != 1) wrong(i, "a scalar dtype");
  return found.dtype;
}

num::DType Arguments::dtype_or(std::size_t i, num::DType fallback) const {
  return has(i) ? dtype(i) : fallback;
}

std::vector<std::int64_t> Arguments::integers(std::size_t i) const {
  const Value& value = (*this)[i];
  if (value.integer()) return {*value.integer()};
  std::vector<std::int64_t> out;
  for (const Value& item : items(i)) {
    std::int64_t number = 0;
    if (const auto n = item.integer()) {
      number = *n;
    } else if (const auto* expr = item.as<ir::Expr>(); expr && ir::is_const_int(*expr, number)) {
      // a folded expression
    } else {
      wrong(i, "a tuple of ints");
    }
    out.push_back(number);
  }
  return out;
}

Values Arguments::items(std::size_t i) const {
  const Value& value = (*this)[i];
  if (const Values* items = sequence(value)) return *items;
  if (value.is<RangeValue>()) return interpreter_->iterate(value, span(i));
  wrong(i, "a tuple or a list");
}

ir::Expr Arguments::expr(std::size_t i) const {
  return interpreter_->expr((*this)[i], span(i));
}

}  // namespace tirx::dsl
