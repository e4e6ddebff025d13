// Expressions -> text.  Levels are those of the operator table (Python reference 6.17).
#include "dsl/ast/expr_printer.hpp"

#include <utility>

#include <fmt/format.h>

#include "dsl/ast/precedence.hpp"
#include "dsl/ast/print.hpp"

namespace tirx::dsl::ast {
namespace {

Precedence level_of(const Expr& e) {
  if (e.is<Lambda>() || e.is<Conditional>()) return kAny;
  if (const auto* n = e.as<BoolOp>()) return precedence(n->op);
  if (e.is<Compare>()) return kCompare;
  if (const auto* n = e.as<Unary>()) return precedence(n->op);
  if (const auto* n = e.as<Binary>()) return precedence(n->op);
  return kAtom;
}

int above(Precedence level) {
  return static_cast<int>(level) + 1;
}

/// `braces`: 0 as they are, 1 doubled (text of an f-string), 2 as escapes (in a format).
void append_escaped(std::string& out, std::string_view text, char quote, int braces) {
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\\' || c == quote) {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20 || code == 0x7F || (braces == 2 && (c == '{' || c == '}'))) {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += c;
      if (braces == 1 && (c == '{' || c == '}')) out += c;
    }
  }
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text, '"', 0);
  return out + '"';
}

std::string print(const Expr& expr) {
  std::string out;
  ExprPrinter(out).expr(expr);
  return out;
}

template <typename Body>
void ExprPrinter::bracketed(char open, char close, Body body) {
  const bool outer = std::exchange(bare_field_, false);
  out_ += open;
  body();
  out_ += close;
  bare_field_ = outer;
}

void ExprPrinter::expr(const Expr& e, int level) {
  const bool hidden_lambda = bare_field_ && e.is<Lambda>();
  if (level_of(e) >= level && !hidden_lambda) {
    std::visit(*this, e.node);
    return;
  }
  bracketed('(', ')', [&] { std::visit(*this, e.node); });
}

void ExprPrinter::commas(const std::vector<Expr>& list, bool single_needs_comma) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out_ += ", ";
    expr(list[i]);
  }
  if (list.size() == 1 && single_needs_comma) out_ += ',';
}

void ExprPrinter::list(const Expr& e) {
  const auto* tuple = e.as<Tuple>();
  if (tuple != nullptr && !tuple->elements.empty()) {
    commas(tuple->elements, true);
  } else {
    expr(e);
  }
}

void ExprPrinter::operator()(const StringLit& n) {
  const char mark = fields_ % 2 == 0 ? '"' : '\'';
  out_ += mark;
  append_escaped(out_, n.value, mark, 0);
  out_ += mark;
}

void ExprPrinter::operator()(const FString& n) {
  const char mark = fields_ % 2 == 0 ? '"' : '\'';
  out_ += 'f';
  out_ += mark;
  parts(n.parts, false);
  out_ += mark;
}

void ExprPrinter::parts(const std::vector<FStringPart>& parts, bool spec) {
  const char mark = fields_ % 2 == 0 ? '"' : '\'';
  for (const FStringPart& part : parts) {
    if (const auto* text = std::get_if<std::string>(&part.content)) {
      append_escaped(out_, *text, mark, spec ? 2 : 1);
    } else {
      field(std::get<FStringField>(part.content));
    }
  }
}

void ExprPrinter::field(const FStringField& field) {
  const bool outer = std::exchange(bare_field_, true);
  out_ += '{';
  ++fields_;
  const std::size_t start = out_.size();
  list(*field.value);
  // "{{" would be an escaped brace.
  if (out_[start] == '{') out_.insert(start, 1, ' ');
  --fields_;
  if (field.conversion != '\0') {
    out_ += '!';
    out_ += field.conversion;
  }
  if (!field.spec.empty()) {
    out_ += ':';
    parts(field.spec, true);
  }
  out_ += '}';
  bare_field_ = outer;
}

void ExprPrinter::operator()(const Unary& n) {
  out_ += spelling(n.op);
  if (n.op == UnaryOp::logical_not) out_ += ' ';
  expr(*n.operand, precedence(n.op));
}

void ExprPrinter::operator()(const Binary& n) {
  const Precedence level = precedence(n.op);
  const bool power = n.op == BinaryOp::power;
  expr(*n.left, power ? static_cast<int>(kAtom) : static_cast<int>(level));
  out_ += fmt::format(" {} ", spelling(n.op));
  expr(*n.right, power ? static_cast<int>(kSign) : above(level));
}

void ExprPrinter::operator()(const BoolOp& n) {
  const Precedence level = precedence(n.op);
  for (std::size_t i = 0; i < n.operands.size(); ++i) {
    if (i > 0) out_ += fmt::format(" {} ", spelling(n.op));
    expr(n.operands[i], above(level));
  }
}

void ExprPrinter::operator()(const Compare& n) {
  expr(n.operands[0], above(kCompare));
  for (std::size_t i = 0; i < n.ops.size(); ++i) {
    out_ += fmt::format(" {} ", spelling(n.ops[i].op));
    expr(n.operands[i + 1], above(kCompare));
  }
}

void ExprPrinter::operator()(const Conditional& n) {
  expr(*n.then_value, kOr);
  out_ += " if ";
  expr(*n.condition, kOr);
  out_ += " else ";
  expr(*n.else_value);
}

void ExprPrinter::operator()(const Lambda& n) {
  out_ += n.parameters.empty() ? "lambda" : "lambda ";
  parameters(n.parameters);
  out_ += ": ";
  expr(*n.body);
}

void ExprPrinter::parameters(const std::vector<Parameter>& parameters) {
  bool star = false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    if (i > 0) out_ += ", ";
    if (p.kind == ParameterKind::keyword_only && !star) out_ += "*, ";
    star |= p.kind == ParameterKind::keyword_only || p.kind == ParameterKind::var_positional;
    if (p.kind == ParameterKind::var_positional) out_ += '*';
    if (p.kind == ParameterKind::var_keyword) out_ += "**";
    out_ += p.name.text;
    if (p.annotation) {
      out_ += ": ";
      expr(*p.annotation);
    }
    if (p.default_value) {
      out_ += p.annotation ? " = " : "=";
      expr(*p.default_value);
    }
    const bool last =
        i + 1 == parameters.size() || parameters[i + 1].kind != ParameterKind::positional_only;
    if (p.kind == ParameterKind::positional_only && last) out_ += ", /";
  }
}

void ExprPrinter::arguments(const std::vector<Argument>& arguments) {
  const auto* generator = arguments.size() == 1 && arguments[0].kind == ArgumentKind::positional
                              ? arguments[0].value.as<GeneratorExp>()
                              : nullptr;
  if (generator != nullptr) {
    (*this)(*generator);
    return;
  }
  bracketed('(', ')', [&] {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument& a = arguments[i];
      if (i > 0) out_ += ", ";
      if (a.kind == ArgumentKind::star) out_ += '*';
      if (a.kind == ArgumentKind::double_star) out_ += "**";
      if (a.kind == ArgumentKind::keyword) out_ += a.name.text + '=';
      expr(a.value);
    }
  });
}

void ExprPrinter::operator()(const Call& n) {
  expr(*n.callee, kAtom);
  arguments(n.arguments);
}

void ExprPrinter::operator()(const Attribute& n) {
  // "1.x" is no attribute of a number.
  const bool number = n.base->is<IntLit>() || n.base->is<FloatLit>();
  expr(*n.base, number ? above(kAtom) : static_cast<int>(kAtom));
  out_ += '.';
  out_ += n.name.text;
}

void ExprPrinter::operator()(const Subscript& n) {
  expr(*n.base, kAtom);
  bracketed('[', ']', [&] {
    const bool starred = n.items.size() == 1 && n.items[0].is<Starred>();
    commas(n.items, n.is_tuple && !starred);
  });
}

void ExprPrinter::operator()(const Slice& n) {
  if (n.begin) expr(*n.begin);
  out_ += ':';
  if (n.end) expr(*n.end);
  if (!n.step) return;
  out_ += ':';
  expr(*n.step);
}

void ExprPrinter::operator()(const Starred& n) {
  out_ += '*';
  expr(*n.value, kOr);
}

void ExprPrinter::operator()(const Tuple& n) {
  bracketed('(', ')', [&] { commas(n.elements, true); });
}

void ExprPrinter::operator()(const List& n) {
  bracketed('[', ']', [&] { commas(n.elements, false); });
}

void ExprPrinter::operator()(const Dict& n) {
  bracketed('{', '}', [&] {
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      if (i > 0) out_ += ", ";
      if (n.items[i].key) {
        expr(*n.items[i].key);
        out_ += ": ";
      } else {
        out_ += "**";
      }
      expr(n.items[i].value);
    }
  });
}

void ExprPrinter::clauses(const std::vector<Clause>& clauses) {
  for (const Clause& clause : clauses) {
    out_ += " for ";
    list(clause.target);
    out_ += " in ";
    expr(clause.iterable, kOr);
    for (const Expr& condition : clause.conditions) {
      out_ += " if ";
      expr(condition, kOr);
    }
  }
}

void ExprPrinter::operator()(const ListComp& n) {
  bracketed('[', ']', [&] {
    expr(*n.element);
    clauses(n.clauses);
  });
}

void ExprPrinter::operator()(const GeneratorExp& n) {
  bracketed('(', ')', [&] {
    expr(*n.element);
    clauses(n.clauses);
  });
}

void ExprPrinter::operator()(const DictComp& n) {
  bracketed('{', '}', [&] {
    expr(*n.key);
    out_ += ": ";
    expr(*n.value);
    clauses(n.clauses);
  });
}

}  // namespace tirx::dsl::ast
