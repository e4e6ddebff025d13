// Does the span of every node hold exactly the text of its construct?
#include <doctest/doctest.h>

#include "dsl/ast/children.hpp"
#include "dsl/ast/equal.hpp"
#include "dsl/ast/print.hpp"
#include "tests/unit/dsl/parse_support.hpp"

using namespace tirx::dsl;  // NOLINT(google-build-using-namespace)
using test::parse_text;
using test::Parsed;

namespace {

/// The text of an expression's span, parsed alone, must give the expression again.
void check_alone(const Parsed& parsed, const ast::Expr& expr, int& count) {
  const std::string text = parsed.text(expr.span);
  const bool needs_surroundings = expr.is<ast::Slice>() || expr.is<ast::Starred>();
  if (!needs_surroundings) {
    const Parsed alone = parse_text("(" + text + "\n)");
    REQUIRE_MESSAGE(alone.ok(), alone.errors());
    const auto& value = alone.body().at(0).as<ast::ExprStmt>()->value;
    CHECK_MESSAGE(ast::same(value, expr), text);
  } else {
    const Parsed alone = parse_text("a[" + text + "]");
    REQUIRE_MESSAGE(alone.ok(), alone.errors());
    const auto& value = alone.body().at(0).as<ast::ExprStmt>()->value;
    CHECK_MESSAGE(ast::same(value.as<ast::Subscript>()->items.at(0), expr), text);
  }
  ++count;
  ast::for_each_child(expr, [&](const ast::Expr& child) {
    // A child lies inside of its parent.
    CHECK(child.span.begin >= expr.span.begin);
    CHECK(child.span.end <= expr.span.end);
    CHECK(child.height < expr.height);
    check_alone(parsed, child, count);
  });
}

constexpr const char* kExpressions[] = {
    "a.b(c, *d, e=f, **g)[h:i + 1:2, *j, ...](k for l, m in n if o)",
    "((a + b) * (c - (d)))",
    "- a ** - b if not c in d else lambda e, *f, g=1: (h, i)",
    "a < b <= (c) is not d and e or f",
    "[a, *b, (c,), {d: e, **f}, {g: h for g, h in i}, [j for k in l]]",
    "'x' f'{a.b[0]!r:>{w}}' \"y\"",
    "x[(1, 2) : (3 @ y, 4)] + ~z",
    "f ( a , b ) . c [ d ]",
    "(a,\n b # comment\n , c)",
    "f((x for x in y), (z))",
    "{**a}",
};

}  // namespace

TEST_CASE("the span of an expression is its text, at every depth") {
  int count = 0;
  for (const char* text : kExpressions) {
    const Parsed parsed = parse_text(std::string("q = ") + text + "\n");
    REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
    const auto& value = parsed.body().at(0).as<ast::Assign>()->value;
    CHECK(parsed.text(value.span) == text);
    check_alone(parsed, value, count);
  }
  CHECK(count > 100);
}

TEST_CASE("parentheses belong to the span of what they enclose") {
  const Parsed parsed = parse_text("q = (a + b).c\n");
  const auto& value = parsed.body().at(0).as<ast::Assign>()->value;
  CHECK(parsed.text(value.span) == "(a + b).c");
  CHECK(parsed.text(value.as<ast::Attribute>()->base->span) == "(a + b)");
}

TEST_CASE("names and operators have spans of their own") {
  const Parsed parsed = parse_text("a . bc\na not  in b\nx @ y\nf(key = 1)\nnot x\n");
  REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
  const auto value = [&](std::size_t i) -> const ast::Expr& {
    return parsed.body().at(i).as<ast::ExprStmt>()->value;
  };
  CHECK(parsed.text(value(0).as<ast::Attribute>()->name.span) == "bc");
  CHECK(parsed.text(value(1).as<ast::Compare>()->ops.at(0).span) == "not  in");
  CHECK(parsed.text(value(2).as<ast::Binary>()->op_span) == "@");
  CHECK(parsed.text(value(3).as<ast::Call>()->arguments.at(0).span) == "key = 1");
  CHECK(parsed.text(value(3).as<ast::Call>()->arguments.at(0).name.span) == "key");
  CHECK(parsed.text(value(4).as<ast::Unary>()->op_span) == "not");
}

TEST_CASE("the span of a statement is its text, blocks included") {
  const std::string text =
      "import a.b as c\n"
      "x: int = 1  # comment\n"
      "@d\n@e(1)\ndef f(a, b=2) -> c:\n  if a:\n    return b\n  # last\n\n"
      "while x: y; z\n"
      "for i in j:\n  k\n\n  l(\n    m)\n"
      "with a as b:\n  pass\n"
      "assert a, b ; del c\n"
      "if a:\n  b\nelif c:\n  d\nelse:\n  e\n";
  const Parsed parsed = parse_text(text);
  REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
  const char* const expected[] = {
      "import a.b as c",
      "x: int = 1",
      "@d\n@e(1)\ndef f(a, b=2) -> c:\n  if a:\n    return b",
      "while x: y; z",
      "for i in j:\n  k\n\n  l(\n    m)",
      "with a as b:\n  pass",
      "assert a, b",
      "del c",
      "if a:\n  b\nelif c:\n  d\nelse:\n  e",
  };
  REQUIRE(parsed.body().size() == std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i)
    CHECK(parsed.text(parsed.body()[i].span) == expected[i]);
}
