// Nested lists of a tree, for the tests to compare with.
#include "tests/unit/dsl/parse_support.hpp"

namespace tirx::dsl::test {
namespace {

using namespace ast;  // NOLINT(google-build-using-namespace)

class Shape {
 public:
  std::string operator()(const NoneLit&) const { return "None"; }

  std::string operator()(const EllipsisLit&) const { return "..."; }

  std::string operator()(const BoolLit& n) const { return n.value ? "True" : "False"; }

  std::string operator()(const Name& n) const { return n.id; }

  std::string operator()(const IntLit& n) const {
    return n.overflow ? "overflow" : std::to_string(n.value);
  }

  std::string operator()(const FloatLit& n) const { return n.text; }

  std::string operator()(const StringLit& n) const { return "'" + n.value + "'"; }

  std::string operator()(const FString& n) const { return "(f" + parts(n.parts) + ")"; }

  std::string operator()(const Unary& n) const { return list(spelling(n.op), {one(n.operand)}); }

  std::string operator()(const Binary& n) const {
    return list(spelling(n.op), {one(n.left), one(n.right)});
  }

  std::string operator()(const BoolOp& n) const { return list(spelling(n.op), all(n.operands)); }

  std::string operator()(const Compare& n) const {
    std::vector<std::string> items = {shape(n.operands[0])};
    for (std::size_t i = 0; i < n.ops.size(); ++i) {
      items.push_back(spelling(n.ops[i].op));
      items.push_back(shape(n.operands[i + 1]));
    }
    return list("compare", items);
  }

  std::string operator()(const Conditional& n) const {
    return list("if", {one(n.condition), one(n.then_value), one(n.else_value)});
  }

  std::string operator()(const Lambda& n) const {
    std::vector<std::string> items;
    for (const Parameter& p : n.parameters) items.push_back(parameter(p));
    items.push_back(one(n.body));
    return list("lambda", items);
  }

  std::string operator()(const Call& n) const {
    std::vector<std::string> items = {one(n.callee)};
    for (const Argument& a : n.arguments) {
      const char* const prefixes[] = {"", "", "*", "**"};
      const std::string name = a.kind == ArgumentKind::keyword ? a.name.text + "=" : "";
      items.push_back(prefixes[static_cast<std::size_t>(a.kind)] + name + shape(a.value));
    }
    return list("call", items);
  }

  std::string operator()(const Attribute& n) const {
    return list("." + n.name.text, {one(n.base)});
  }

  std::string operator()(const Subscript& n) const {
    std::vector<std::string> items = {one(n.base)};
    for (const Expr& item : n.items) items.push_back(shape(item));
    return list(n.is_tuple ? "at," : "at", items);
  }

  std::string operator()(const Slice& n) const {
    return list("slice", {one(n.begin), one(n.end), one(n.step)});
  }

  std::string operator()(const Starred& n) const { return "*" + one(n.value); }

  std::string operator()(const Tuple& n) const { return list("tuple", all(n.elements)); }

  std::string operator()(const List& n) const { return list("list", all(n.elements)); }

  std::string operator()(const Dict& n) const {
    std::vector<std::string> items;
    for (const DictItem& item : n.items) items.push_back(one(item.key) + ":" + shape(item.value));
    return list("dict", items);
  }

  std::string operator()(const ListComp& n) const {
    return list("listcomp", {one(n.element), clauses(n.clauses)});
  }

  std::string operator()(const GeneratorExp& n) const {
    return list("gen", {one(n.element), clauses(n.clauses)});
  }

  std::string operator()(const DictComp& n) const {
    return list("dictcomp", {one(n.key) + ":" + one(n.value), clauses(n.clauses)});
  }

  static std::string parameter(const Parameter& p) {
    const char* const kinds[] = {"pos ", "", "*", "kw ", "**"};
    std::string out = kinds[static_cast<std::size_t>(p.kind)] + p.name.text;
    if (p.annotation) out += ":" + one(p.annotation);
    if (p.default_value) out += "=" + one(p.default_value);
    return out;
  }

 private:
  static std::string one(const Box<Expr>& box) { return box ? shape(*box) : "_"; }

  static std::vector<std::string> all(const std::vector<Expr>& exprs) {
    std::vector<std::string> items;
    for (const Expr& e : exprs) items.push_back(shape(e));
    return items;
  }

  static std::string list(const std::string& head, const std::vector<std::string>& items) {
    std::string out = "(" + head;
    for (const std::string& item : items) out += " " + item;
    return out + ")";
  }

  static std::string clauses(const std::vector<Clause>& clauses) {
    std::string out;
    for (const Clause& c : clauses) {
      std::vector<std::string> items = {shape(c.target), shape(c.iterable)};
      for (const Expr& condition : c.conditions) items.push_back("if " + shape(condition));
      out += list("for", items);
    }
    return out;
  }

  static std::string parts(const std::vector<FStringPart>& parts) {
    std::string out;
    for (const FStringPart& part : parts) {
      if (const auto* text = std::get_if<std::string>(&part.content)) {
        out += " '" + *text + "'";
        continue;
      }
      const auto& field = std::get<FStringField>(part.content);
      out += " {" + one(field.value);
      if (field.conversion != '\0') out += std::string("!") + field.conversion;
      if (!field.spec.empty()) out += ":" + Shape::parts(field.spec);
      out += "}";
    }
    return out;
  }
};

}  // namespace

std::string shape(const Expr& expr) {
  return std::visit(Shape{}, expr.node);
}

std::string Parsed::errors() const {
  std::string out;
  for (const Diagnostic& error : result.errors) out += render(*source, error);
  return out;
}

Parsed parse_text(std::string text) {
  auto source = std::make_shared<const Source>("test.tx", std::move(text));
  return {source, parse(source)};
}

std::string shape_of(const std::string& text) {
  const Parsed parsed = parse_text(text);
  if (!parsed.ok()) return parsed.errors();
  if (parsed.body().size() != 1 || !parsed.body()[0].is<ExprStmt>()) return "not one expression";
  return shape(parsed.body()[0].as<ExprStmt>()->value);
}

}  // namespace tirx::dsl::test
