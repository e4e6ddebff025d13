// Every statement of the language.
#include <doctest/doctest.h>

#include "dsl/ast/equal.hpp"
#include "dsl/ast/print.hpp"
#include "tests/unit/dsl/parse_support.hpp"

using namespace tirx::dsl;  // NOLINT(google-build-using-namespace)
using test::parse_text;
using test::Parsed;
using test::shape;

namespace {

/// The parse owns the tree: keep it while looking at the statement.
struct One {
  explicit One(const std::string& text) : parsed(parse_text(text)) {
    REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
    REQUIRE(parsed.body().size() == 1);
  }

  template <typename T>
  const T& get() const {
    const T* node = parsed.body()[0].as<T>();
    REQUIRE(node != nullptr);
    return *node;
  }

  Parsed parsed;
};

}  // namespace

TEST_CASE("assignments") {
  const One chain("a = b, c = d[0] = e\n");
  const auto& assign = chain.get<ast::Assign>();
  REQUIRE(assign.targets.size() == 3);
  CHECK(shape(assign.targets[0]) == "a");
  CHECK(shape(assign.targets[1]) == "(tuple b c)");
  CHECK(shape(assign.targets[2]) == "(at d 0)");
  CHECK(shape(assign.value) == "e");

  const One starred("a, *b, (c, d) = e\n");
  CHECK(shape(starred.get<ast::Assign>().targets[0]) == "(tuple a *b (tuple c d))");
  CHECK(shape(One("x = 1, 2\n").get<ast::Assign>().value) == "(tuple 1 2)");
  CHECK(shape(One("self.x[1:2, 0].y = 3\n").get<ast::Assign>().targets[0]) ==
        "(.y (at, (.x self) (slice 1 2 _) 0))");
}

TEST_CASE("annotated assignments") {
  const One plain("x: T.int32\n");
  CHECK(shape(plain.get<ast::AnnAssign>().annotation) == "(.int32 T)");
  CHECK(!plain.get<ast::AnnAssign>().value);
  const One let("x: T.let[T.int32] = a + 1\n");
  CHECK(shape(let.get<ast::AnnAssign>().annotation) == "(at (.let T) (.int32 T))");
  CHECK(shape(*let.get<ast::AnnAssign>().value) == "(+ a 1)");
  const One array("acc: T.f32[M, N]\n");
  CHECK(shape(array.get<ast::AnnAssign>().annotation) == "(at, (.f32 T) M N)");
}

TEST_CASE("augmented assignments") {
  const std::pair<const char*, ast::BinaryOp> ops[] = {
      {"+=", ast::BinaryOp::add},           {"-=", ast::BinaryOp::subtract},
      {"*=", ast::BinaryOp::multiply},      {"/=", ast::BinaryOp::divide},
      {"//=", ast::BinaryOp::floor_divide}, {"%=", ast::BinaryOp::modulo},
      {"@=", ast::BinaryOp::matmul},        {"**=", ast::BinaryOp::power},
      {"<<=", ast::BinaryOp::shift_left},   {">>=", ast::BinaryOp::shift_right},
      {"&=", ast::BinaryOp::bit_and},       {"^=", ast::BinaryOp::bit_xor},
      {"|=", ast::BinaryOp::bit_or}};
  for (const auto& [text, op] : ops) {
    const One one(std::string("A[i] ") + text + " b\n");
    CHECK(one.get<ast::AugAssign>().op == op);
    CHECK(one.parsed.text(one.get<ast::AugAssign>().op_span) == text);
  }
}

TEST_CASE("loops") {
  const One loop("for i, (j, k) in T.grid(4, 2):\n  a\n  b\n");
  CHECK(shape(loop.get<ast::For>().target) == "(tuple i (tuple j k))");
  CHECK(shape(loop.get<ast::For>().iterable) == "(call (.grid T) 4 2)");
  CHECK(loop.get<ast::For>().body.size() == 2);
  CHECK(shape(One("for x, in a, b: pass\n").get<ast::For>().iterable) == "(tuple a b)");
  CHECK(shape(One("for a.b[0] in c: pass\n").get<ast::For>().target) == "(at (.b a) 0)");
  const One forever("while i < 3: i += 1; break\n");
  CHECK(shape(forever.get<ast::While>().condition) == "(compare i < 3)");
  REQUIRE(forever.get<ast::While>().body.size() == 2);
  CHECK(forever.get<ast::While>().body[1].is<ast::Break>());
}

TEST_CASE("if, elif, else") {
  const One one("if a:\n  b\nelif c: d\nelif e:\n  f\nelse:\n  g\n  h\n");
  const auto& branches = one.get<ast::If>().branches;
  REQUIRE(branches.size() == 3);
  CHECK(shape(branches[1].condition) == "c");
  CHECK(one.parsed.text(branches[1].span) == "elif c: d");
  CHECK(one.get<ast::If>().otherwise.size() == 2);
  CHECK(One("if a: pass\n").get<ast::If>().otherwise.empty());
  const One nested("if a:\n  if b:\n    c\nelse:\n  d\n");
  CHECK(nested.get<ast::If>().otherwise.size() == 1);
}

TEST_CASE("with") {
  const One items("with a(1) as b, c, d as (e, f[0]): pass\n");
  REQUIRE(items.get<ast::With>().items.size() == 3);
  CHECK(shape(*items.get<ast::With>().items[0].target) == "b");
  CHECK(!items.get<ast::With>().items[1].target);
  CHECK(shape(*items.get<ast::With>().items[2].target) == "(tuple e (at f 0))");
  const One wrapped("with (\n  a as b,\n  c,\n): pass\n");
  CHECK(wrapped.get<ast::With>().items.size() == 2);
  CHECK(One("with (a, b) as c: pass\n").get<ast::With>().items.size() == 1);
  CHECK(One("with (a, b): pass\n").get<ast::With>().items.size() == 2);
  CHECK(One("with (a).b(), (c): pass\n").get<ast::With>().items.size() == 2);
  CHECK(shape(One("with ((a, b)): pass\n").get<ast::With>().items[0].context) == "(tuple a b)");
}

TEST_CASE("functions") {
  const One one(
      "def f(a: T.handle, b=1, /, c: int = 2, *args: x, d, e=3, **kw) -> T.int32:\n  'doc'\n  "
      "return a\n");
  const auto& function = one.get<ast::FunctionDef>();
  CHECK(function.name.text == "f");
  CHECK(one.parsed.text(function.name.span) == "f");
  std::string list;
  for (const ast::Parameter& p : function.parameters) {
    const char* const kinds[] = {"posonly", "normal", "*", "kwonly", "**"};
    list +=
        std::string(kinds[static_cast<std::size_t>(p.kind)]) + " " + one.parsed.text(p.span) + "; ";
  }
  CHECK(list ==
        "posonly a: T.handle; posonly b=1; normal c: int = 2; * *args: x; kwonly d; kwonly e=3; ** "
        "**kw; ");
  CHECK(shape(*function.returns) == "(.int32 T)");
  CHECK(function.body.size() == 2);
  CHECK(One("def f(*, a, b=1): pass\n").get<ast::FunctionDef>().parameters[0].kind ==
        ast::ParameterKind::keyword_only);
  CHECK(One("def f(a, b,): pass\n").get<ast::FunctionDef>().parameters.size() == 2);
  CHECK(One("def f(): ...\n").get<ast::FunctionDef>().parameters.empty());
}

TEST_CASE("decorators with and without a call, comments between them") {
  const One one("@T.prim_func\n# why\n\n@T.jit(private=True)  # so\ndef f(): pass\n");
  const auto& function = one.get<ast::FunctionDef>();
  REQUIRE(function.decorators.size() == 2);
  CHECK(shape(function.decorators[0]) == "(.prim_func T)");
  CHECK(shape(function.decorators[1]) == "(call (.jit T) private=True)");
  CHECK(one.parsed.body()[0].span.begin == 0);
}

TEST_CASE("classes") {
  const One one(
      "@T.meta_class\nclass State(Base, metaclass=M):\n  x = 1\n  def f(self): return self.x\n");
  const auto& made = one.get<ast::ClassDef>();
  CHECK(made.name.text == "State");
  CHECK(made.decorators.size() == 1);
  REQUIRE(made.bases.size() == 2);
  CHECK(made.bases[1].name.text == "metaclass");
  CHECK(made.body.size() == 2);
  CHECK(One("class A: pass\n").get<ast::ClassDef>().bases.empty());
  CHECK(One("class A(): pass\n").get<ast::ClassDef>().bases.empty());
}

TEST_CASE("imports") {
  const One plain("import numpy as np, a.b.c\n");
  REQUIRE(plain.get<ast::Import>().names.size() == 2);
  CHECK(plain.get<ast::Import>().names[0].alias.text == "np");
  CHECK(plain.get<ast::Import>().names[1].name.text == "a.b.c");
  CHECK(plain.parsed.text(plain.get<ast::Import>().names[1].name.span) == "a.b.c");
  const One from("from tvm.tirx.layout import (S, R as Replica,\n  TileLayout,)\n");
  CHECK(from.get<ast::FromImport>().module.text == "tvm.tirx.layout");
  REQUIRE(from.get<ast::FromImport>().names.size() == 3);
  CHECK(from.get<ast::FromImport>().names[1].alias.text == "Replica");
  CHECK(One("from a import *\n").get<ast::FromImport>().star);
  CHECK(One("from .... import a\n").get<ast::FromImport>().level == 4);
  CHECK(One("from ..a import b\n").get<ast::FromImport>().level == 2);
  CHECK(One("from __future__ import annotations\n").get<ast::FromImport>().names.size() == 1);
}

TEST_CASE("the other simple statements") {
  CHECK(!One("return\n").get<ast::Return>().value);
  CHECK(shape(*One("return a, *b\n").get<ast::Return>().value) == "(tuple a *b)");
  CHECK(shape(*One("assert a > 0, 'no'\n").get<ast::Assert>().message) == "'no'");
  CHECK(!One("raise\n").get<ast::Raise>().value);
  CHECK(shape(*One("raise E(1) from e\n").get<ast::Raise>().cause) == "e");
  CHECK(One("global a, b\n").get<ast::Global>().names.size() == 2);
  CHECK(One("nonlocal a\n").get<ast::Nonlocal>().names.size() == 1);
  CHECK(One("del a, b[0]\n").get<ast::Del>().targets.size() == 2);
  CHECK(One("del (a, b)\n").get<ast::Del>().targets.size() == 2);
  One("pass\n").get<ast::Pass>();
  One("continue\n").get<ast::Continue>();
  One("'''doc'''\n").get<ast::ExprStmt>();
}

TEST_CASE("semicolons separate statements, also behind a colon") {
  const Parsed parsed = parse_text("a; b = 1; c()\nif x: d; e;\nf;\n");
  REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
  REQUIRE(parsed.body().size() == 5);
  CHECK(parsed.body()[3].as<ast::If>()->branches[0].body.size() == 2);
}

TEST_CASE("lines join in brackets and behind a backslash; comments and blank lines are nothing") {
  const Parsed parsed = parse_text(
      "# first\n\nx = (1 +  # one\n\n     2)\ny = 1 + \\\n  2\nf(\na,\n)\n   # oddly indented\nif "
      "a:\n\n  # c\n  b\n# d\n  c");
  REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
  REQUIRE(parsed.body().size() == 4);
  CHECK(parsed.body()[3].as<ast::If>()->branches[0].body.size() == 2);
}

TEST_CASE("line ends, tabs, form feeds and a byte order mark") {
  CHECK(parse_text("if a:\r\n  b\r\nc\r\n").body().size() == 2);
  CHECK(parse_text("if a:\r  b\rc\r").body().size() == 2);
  CHECK(parse_text("if a:\n\tb\n\tc\nd\n").body().size() == 2);
  CHECK(parse_text("\f\na\n").ok());
  CHECK(parse_text("\xEF\xBB\xBF"
                   "a = 1\n")
            .ok());
  CHECK(parse_text("").body().empty());
  // A line of a lone backslash belongs to the next, also when that is blank.
  CHECK(parse_text("if a:\n   \\\n b\n   c\n").body().size() == 1);
  CHECK(parse_text("if a: b\n   \\\n # c\nd\n").body().size() == 2);
  CHECK(!parse_text("if a:\n   \\\n   # c\n").ok());
  CHECK(parse_text("\n\n# only a comment").body().empty());
  CHECK(parse_text("a = 1").body().size() == 1);
}

TEST_CASE("trees compare without their places") {
  CHECK(
      ast::same(parse_text("x = (a + b)").result.module, parse_text("\n\nx = a+b").result.module));
  const char* const different[] = {
      "x = a + b", "x = a - b",     "x = b + a",       "x = a",    "y = a + b",  "x: a = b",
      "x = a[b]",  "x = a[b,]",     "x = a.b",         "x = a(b)", "x = a(b=b)", "x = a(*b)",
      "x = 'a'",   "x = f'{a}'",    "x = [a]",         "x = (a,)", "x = {a: b}", "x = 1",
      "x = 1.0",   "x = lambda: a", "x = lambda b: a", "x += a",   "x = y = a",  "x = 01.0"};
  for (const char* a : different) {
    for (const char* b : different) {
      CHECK(ast::same(parse_text(a).result.module, parse_text(b).result.module) == (a == b));
    }
  }
}
