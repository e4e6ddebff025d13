// What is said about common mistakes, and at which line and column.
#include <doctest/doctest.h>

#include "tests/unit/dsl/parse_support.hpp"

using namespace tirx::dsl;  // NOLINT(google-build-using-namespace)
using test::parse_text;
using test::Parsed;

namespace {

struct Mistake {
  const char* script;
  const char* place;  // line:column
  const char* message;
  const char* help;  // the first note; empty: not looked at
};

/// The script has this one error.
void check(std::initializer_list<Mistake> mistakes) {
  for (const Mistake& mistake : mistakes) {
    const Parsed parsed = parse_text(mistake.script);
    CAPTURE(mistake.script);
    REQUIRE_MESSAGE(parsed.result.errors.size() == 1, parsed.errors());
    const tirx::Diagnostic& error = parsed.result.errors[0];
    CHECK(parsed.source->where(error.span) == std::string("test.tx:") + mistake.place);
    CHECK(error.text == mistake.message);
    CHECK(!error.span.empty());
    if (mistake.help[0] == '\0') continue;
    REQUIRE(!error.notes.empty());
    CHECK(error.notes[0].text == mistake.help);
  }
}

/// "line:column" of each error, in order.
std::string places(const std::string& script) {
  const Parsed parsed = parse_text(script);
  std::string out;
  for (const tirx::Diagnostic& error : parsed.result.errors) {
    const tirx::LineAt at = parsed.source->locate(error.span.begin);
    out += (out.empty() ? "" : " ") + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  return out;
}

}  // namespace

TEST_CASE("lines and brackets") {
  check({
      {"x = foo(1, 2\ny = 3\n", "2:1", "expected ')' to close '(' opened at line 1", ""},
      {"x = foo(1, 2\ndef f():\n    pass\n", "2:1", "expected ')' to close '(' opened at line 1",
       ""},
      {"x = (1, [2, 3)\n", "1:14", "expected ']' to close '[' opened at line 1, found ')'", ""},
      {"x = 1)\n", "1:6", "')' closes nothing", "remove it, or open the bracket before it"},
      {"  x = 1\n", "1:1", "unexpected indentation",
       "a block is indented only after a line that ends with ':'"},
      {"if a:\n    b\n  c\n", "3:1", "this indentation matches no outer level",
       "the nearest outer block is indented by 0"},
      {"if a:\n\tb\n        c\n", "3:1", "tabs and spaces are mixed in the indentation",
       "indent with spaces only"},
      {"x = [1, 2\n", "1:5", "'[' is never closed: expected ']' before the end of the file", ""},
      {"x = {1: 2\n", "1:5", "'{' is never closed: expected '}' before the end of the file", ""},
      {"x = a \\ \n", "1:7", "a '\\' continues a line only as the last character of that line",
       "remove it, or the blanks and the comment after it"},
      {"from x import (a, b\ny = 1\n", "2:1", "expected ')' to close '(' opened at line 1", ""},
      {"with (a as b, c as d: pass\n", "1:6",
       "'(' is never closed: expected ')' before the end of the file", ""},
      {"def f(x:\n    y = 3\n", "1:6",
       "'(' is never closed: expected ')' before the end of the file", ""},
  });
}

TEST_CASE("blocks") {
  check({
      {"if x\n    y\n", "1:5", "missing ':' after 'if'",
       "a line that starts a block ends with ':'"},
      {"if x:\ny = 1\n", "2:1", "expected an indented block after 'if' on line 1",
       "write 'pass' for a block that does nothing"},
      {"if x = 3:\n    y\n", "1:6", "'=' in a condition", "a comparison is written '=='"},
      {"while x == 3\n    y\n", "1:13", "missing ':' after 'while'",
       "a line that starts a block ends with ':'"},
      {"def f(a, b)\n    return a\n", "1:12", "missing ':' after 'def'",
       "a line that starts a block ends with ':'"},
      {"for i in range(3)\n    pass\n", "1:18", "missing ':' after 'for'",
       "a line that starts a block ends with ':'"},
      {"else:\n    x\n", "1:1", "'else' without an 'if' before it",
       "it must have the indentation of its 'if'"},
      {"f(x for x in y, 1)\n", "1:3",
       "a generator among other arguments needs parentheses of its own",
       "write f((x for x in y), z)"},
      {"@foo\nx = 1\n", "2:1", "expected 'def' or 'class' after the decorator",
       "a decorator stands on the line above what it decorates"},
      {"@foo\n", "2:1", "expected 'def' or 'class' after the decorator",
       "a decorator stands on the line above what it decorates"},
      {"if x: if y: z\n", "1:7", "'if' must start a line of its own", ""},
      {"x = 1; if y: z\n", "1:8", "'if' must start a line of its own", ""},
      {"if x {\n   y\n}\n", "1:6", "missing ':' after 'if'",
       "a line that starts a block ends with ':'"},
  });
}

TEST_CASE("strings and numbers") {
  check({
      {"x = \"abc\ny = 2\n", "1:5", "this string is not terminated: expected \"",
       "a string over several lines is written in triple quotes"},
      {"x = \"\"\"abc\ny = 2\n", "1:5", "this string is not terminated: expected \"\"\"", ""},
      {"x = 08\n", "1:5", "a decimal number cannot start with 0",
       "an octal number is written 0o17"},
      {"x = 1__0\n", "1:5", "a '_' in a number must stand between two digits", ""},
      {"x = 0xg\n", "1:5", "'g' is not a digit of a hexadecimal number", ""},
      {"x = 1abc\n", "1:5", "a name or a digit cannot follow a number directly",
       "put a space or an operator between them"},
      {"x = \"\\xzz\"\n", "1:6", "'\\x' needs 2 hexadecimal digits",
       "write '\\\\' for a backslash, or use a raw string r\"…\""},
      {"x = f\"{a\"\ny = 1\n", "1:7", "this '{' of the f-string is never closed: expected '}'",
       "write '{{' for the character"},
      {"x = f\"a}b\"\n", "1:8", "a single '}' in an f-string", "write '}}' for the character"},
      {"x = f\"{a!x}\"\n", "1:9", "expected a conversion !r, !s or !a",
       "'not' is the logical negation"},
      {"x = f\"{a:{b}\"\n", "1:7", "this '{' of the f-string is never closed: expected '}'",
       "write '{{' for the character"},
      {"x = f\"{a[1}\"\n", "1:11", "expected ']' to close '[' before '}'", ""},
  });
}

TEST_CASE("other languages and other Python") {
  check({
      {"if a:\n    b\nelse if c:\n    d\n", "3:1", "'else if' is not part of the language",
       "write 'elif'"},
      {"x = a ? b : c\n", "1:7", "invalid character '?'",
       "a choice is written 'a if condition else b'"},
      {"print \"hello\"\n", "1:1", "'print' is a function",
       "put parentheses around its arguments: print(…)"},
      {"print x\n", "1:1", "'print' is a function",
       "put parentheses around its arguments: print(…)"},
      {"x++\n", "1:2", "'++' is not an operator", "write 'x += 1'"},
      {"if a && b: pass\n", "1:6", "'&&' is not an operator", "write 'and'"},
      {"if a || b: pass\n", "1:6", "'||' is not an operator", "write 'or'"},
      {"if !a: pass\n", "1:4", "'!' is not an operator", "write 'not'"},
      {"T.ptx.cp.async.commit_group()\n", "1:10", "'async' is a keyword and cannot be a name",
       "write 'async_'"},
      {"T.ptx.ld.global(x)\n", "1:10", "'global' is a keyword and cannot be a name",
       "write 'global_'"},
      {"yield x\n", "1:1", "'yield' is not part of the language",
       "gather the values in a list and return it"},
      {"x = yield y\n", "1:5", "'yield' is not part of the language",
       "gather the values in a list and return it"},
      {"if (n := 3): pass\n", "1:7", "':=' is not part of the language",
       "assign on a line of its own, before this one"},
      {"f(x := 3)\n", "1:5", "':=' is not part of the language",
       "assign on a line of its own, before this one"},
      {"async def f(): pass\n", "1:1", "'async' is not part of the language",
       "leave it out; copies are asynchronous by the name of the operation"},
      {"await x\n", "1:1", "'await' is not part of the language",
       "leave it out; waiting is an operation such as T.ptx.cp.async_.wait_group(0)"},
      {"x = {1, 2}\n", "1:5", "sets are not part of the language",
       "write a list […] or a tuple (…)"},
      {"x = {1}\n", "1:5", "sets are not part of the language", "write a list […] or a tuple (…)"},
      {"x = {a for a in b}\n", "1:5", "sets are not part of the language",
       "write a list […] or a tuple (…)"},
      {"x = 3j\n", "1:5", "complex numbers are not part of the language", ""},
      {"x = b\"abc\"\n", "1:5", "bytes literals are not part of the language",
       "write a plain string"},
      {"x = \"\\N{DASH}\"\n", "1:6", "named characters '\\N{…}' are not part of the language",
       "write its code: '\\u03b1'"},
      {"x = a – b\n", "1:7", "invalid character '–'", "write '-'"},
      {"x = α + 1\n", "1:5", "invalid character 'α'",
       "names are made of ASCII letters, digits and '_'; strings may hold any text"},
      {"x = $y\n", "1:5", "invalid character '$'", ""},
      {"def for(): pass\n", "1:5", "'for' is a keyword and cannot be a name", "write 'for_'"},
      {"for i in x:\n    pass\nelse:\n    y\n", "3:1",
       "'else' of a 'for' loop is not part of the language",
       "set a flag in the loop and test it with 'if' after the loop"},
      {"a <> b\n", "1:3", "'<>' is not an operator", "write '!='"},
      {"a === b\n", "1:3", "'===' is not an operator", "write '=='"},
      {"func f(x): pass\n", "1:1", "'func' does not start a function", "write 'def'"},
      {"a, b := 3\n", "1:6", "':=' is not part of the language",
       "assign on a line of its own, before this one"},
  });
}

TEST_CASE("expressions") {
  check({
      {"x = [a b]\n", "1:8", "expected ',' or ']' before 'b'", "perhaps a comma is missing"},
      {"f(a b)\n", "1:5", "expected ',' or ')' before 'b'", "perhaps a comma is missing"},
      {"f(a, b c=3)\n", "1:8", "expected ',' or ')' before 'c'", "perhaps a comma is missing"},
      {"f(1=2)\n", "1:4", "'=' inside an expression",
       "a comparison is written '=='; a keyword argument is a plain name, '=', and the value"},
      {"f(a.b=2)\n", "1:6", "'=' inside an expression",
       "a comparison is written '=='; a keyword argument is a plain name, '=', and the value"},
      {"f(a=1, 2)\n", "1:8", "a positional argument cannot follow a keyword argument",
       "move it to the front, or write NAME=…"},
      {"f(a=1, a=2)\n", "1:8", "keyword argument 'a' is given twice", "remove one"},
      {"x = a if b\n", "1:11", "expected 'else', found the end of the line",
       "a conditional expression is 'a if condition else b'"},
      {"x = f\"{a b}\"\n", "1:10", "expected ',' or '}' before 'b'", "perhaps a comma is missing"},
      {"x = f\"{}\"\n", "1:8", "expected an expression, found '}'", ""},
      {"lambda x: = 3\n", "1:11", "expected an expression, found '='", ""},
      {"x = *a\n", "1:5", "'*…' can stand only in a tuple, a list, a call or a subscript",
       "for a tuple write a comma behind it"},
      {"x = (*a)\n", "1:6", "'*…' can stand only in a tuple, a list, a call or a subscript",
       "for a tuple write a comma behind it"},
      {"return *a\n", "1:8", "'*…' can stand only in a tuple, a list, a call or a subscript",
       "for a tuple write a comma behind it"},
      {"a == not b\n", "1:6", "'not' cannot follow this operator directly",
       "put parentheses around it: (not x)"},
      {"x[]\n", "1:3", "expected an expression, found ']'", ""},
      {"f(,)\n", "1:3", "expected an expression, found ','", ""},
      {"(,)\n", "1:2", "expected an expression, found ','", ""},
      {"x = [,]\n", "1:6", "expected an expression, found ','", ""},
      {"x = 3 +\n", "1:8", "expected an expression after '+'", ""},
      {"x = (3 +)\n", "1:9", "expected an expression, found ')'", ""},
      {"x not y\n", "1:3", "expected the end of the line, found 'not'",
       "an operator is missing, or a ';' between two statements"},
      {"def f() -> : pass\n", "1:12", "expected an expression, found ':'", ""},
      {"x: = 3\n", "1:4", "expected an expression, found '='", ""},
      {"f(**a, *b)\n", "1:8", "'*…' cannot follow '**…' in a call", "move it to the front"},
      {"x = [i for i in]\n", "1:16", "expected an expression, found ']'", ""},
      {"x = [for i in y]\n", "1:6", "expected an expression, found 'for'", ""},
      {"(a for b in c, d)\n", "1:2", "a comprehension has one element",
       "put parentheses around the element, or around the comprehension"},
      {"[a, b for b in c]\n", "1:7", "a comprehension has one element",
       "put parentheses around it: [(a, b) for …]"},
      {"x = not\n", "1:8", "expected an expression after 'not'", ""},
      {"raise X from\n", "1:13", "expected an expression after 'from'", ""},
      {"x = 5 if y else\n", "1:16", "expected an expression after 'else'", ""},
      {"for (i = 0; i < 3; i++) y\n", "1:8", "'=' inside an expression",
       "a comparison is written '=='; a keyword argument is a plain name, '=', and the value"},
  });
}

TEST_CASE("targets and parameters") {
  check({
      {"1 = x\n", "1:1", "cannot assign to a number",
       "a target is a name, an attribute or a subscript; a comparison is written '=='"},
      {"f(x) = 3\n", "1:1", "cannot assign to the result of a call",
       "a target is a name, an attribute or a subscript; a comparison is written '=='"},
      {"a + b = c\n", "1:1", "cannot assign to an expression",
       "a target is a name, an attribute or a subscript; a comparison is written '=='"},
      {"a, 1 = c\n", "1:4", "cannot assign to a number",
       "a target is a name, an attribute or a subscript; a comparison is written '=='"},
      {"None = 3\n", "1:1", "cannot assign to None",
       "a target is a name, an attribute or a subscript; a comparison is written '=='"},
      {"(a, b) += 1\n", "1:1", "'+=' needs a single target, not a tuple",
       "a target is a name, an attribute or a subscript"},
      {"(a, b): int = 3\n", "1:1", "an annotation needs a single target, not a tuple",
       "a target is a name, an attribute or a subscript"},
      {"for f(x) in y: pass\n", "1:5", "cannot assign to the result of a call",
       "a target is a name, an attribute or a subscript; a comparison is written '=='"},
      {"def f(a, a): pass\n", "1:10", "parameter 'a' is declared twice", "rename one"},
      {"def f(a=1, b): pass\n", "1:12",
       "a parameter without a default cannot follow one with a default",
       "give it a default, or move it to the front"},
      {"def f(*): pass\n", "1:7", "a bare '*' needs a parameter after it",
       "name it, or remove the '*'"},
      {"def f(*a, *b): pass\n", "1:11", "a second '*' among the parameters", "remove it"},
      {"def f(**a, b): pass\n", "1:12", "nothing can follow the '**' parameter",
       "move it to the front"},
      {"def f(/, b): pass\n", "1:7",
       "'/' stands once, behind the positional-only parameters and before '*'", ""},
      {"def f(1): pass\n", "1:7", "expected a parameter, found '1'", ""},
      {"from x import\n", "1:14", "expected a name or '*', found the end of the line", ""},
      {"x = lambda (a, b): a\n", "1:12", "expected a parameter, found '('",
       "the parameters of a lambda stand without parentheses"},
      {"del f(x)\n", "1:5", "cannot delete the result of a call",
       "write a name, an attribute or a subscript"},
      {"x = 3 + * 4\n", "1:9", "expected an expression, found '*'", ""},
      {"with open(x) as 3: pass\n", "1:17", "cannot assign to a number",
       "a target is a name, an attribute or a subscript; a comparison is written '=='"},
  });
}

TEST_CASE("statements") {
  check({
      {"for i range(3):\n    pass\n", "1:7", "expected 'in' after the loop variable, found 'range'",
       "a loop is 'for x in range(n):'"},
      {"x += y += z\n", "1:8", "unexpected '+='", ""},
      {"class: pass\n", "1:6", "expected a name, found ':'", ""},
      {"import\n", "1:7", "expected a name, found the end of the line", ""},
      {"from x import a,\n", "1:17", "expected a name, found the end of the line", ""},
      {"import a as\n", "1:12", "expected a name, found the end of the line", ""},
      {"x[1:2:3:4]\n", "1:8", "expected ']' or ',', found ':'", ""},
      {"global\n", "1:7", "expected a name, found the end of the line", ""},
      {"assert (x, \"msg\")\n", "1:8", "this assertion always holds: its condition is a tuple",
       "write assert CONDITION, MESSAGE without parentheses"},
      {"x = 1 y = 2\n", "1:7", "expected the end of the line, found 'y'",
       "an operator is missing, or a ';' between two statements"},
      {"x: int int\n", "1:8", "expected the end of the line, found 'int'",
       "an operator is missing, or a ';' between two statements"},
      {"x.1\n", "1:2", "expected the end of the line, found '.1'",
       "an operator is missing, or a ';' between two statements"},
      {"x. = 3\n", "1:4", "expected a name, found '='", ""},
      {"nonlocal x,\n", "1:12", "expected a name, found the end of the line", ""},
      {"break 3\n", "1:7", "expected the end of the line, found '3'",
       "an operator is missing, or a ';' between two statements"},
      {"import a.b.c as d, e.\n", "1:22", "expected a name, found the end of the line", ""},
      {"if x then: y\n", "1:6", "expected ':', found 'then'", ""},
      {"x = new Foo()\n", "1:9", "expected the end of the line, found 'Foo'",
       "an operator is missing, or a ';' between two statements"},
      {"int x = 3\n", "1:5", "expected the end of the line, found 'x'",
       "an operator is missing, or a ';' between two statements"},
      {"#include <foo>\nx = 1 // comment here\n", "2:18",
       "expected the end of the line, found 'here'",
       "an operator is missing, or a ';' between two statements"},
  });
}

TEST_CASE("the user sees file, line, column, caret and a way out") {
  CHECK(parse_text("x = 1\nif x = 2:\n  y\n").errors() ==
        "test.tx:2:6: error: '=' in a condition\n"
        "  if x = 2:\n"
        "       ^\n"
        "  help: a comparison is written '=='\n");
  CHECK(parse_text("x = foo(1,\n  [2, 3)\n").errors() ==
        "test.tx:2:8: error: expected ']' to close '[' opened at line 2, found ')'\n"
        "    [2, 3)\n"
        "         ^\n"
        "test.tx:2:3: note: the bracket that is open here\n"
        "    [2, 3)\n"
        "    ^\n");
}

TEST_CASE("several mistakes are reported in one run, one a line") {
  CHECK(places("a = = 1\nb = 2\nc d\nif e:\n  f g\n  h\nelse:\n  (i\n") == "1:5 3:3 5:5 8:3");
  CHECK(places("x = 1 1 1 = = )\n") == "1:15");
  CHECK(places("a = $ + 1 1\nb b\n") == "1:5 2:3");
  CHECK(places("1 = a; 2 = b\n") == "1:1 1:8");
}

TEST_CASE("what follows a broken header belongs to it") {
  CHECK(places("if a b:\n  c c\nelif d:\n  e e\nelse:\n  f f\ng g\n") == "1:6 2:5 4:5 6:5 7:3");
  CHECK(places("try:\n  a\nexcept E as e:\n  b\nelse:\n  c\nfinally:\n  d\n") == "1:1");
  CHECK(places("for a b:\n  c\nwhile:\n  d\ndef (e):\n  f\nclass 1:\n  g\n") == "1:7 3:6 5:5 7:7");
  CHECK(places("if a:\n  b\n    c\n  d\nelse:\n  e\n") == "3:1");
  CHECK(places("if a:\nelse:\n  b\n") == "2:1");
}

TEST_CASE("a forgotten bracket does not swallow the file") {
  CHECK(places("a = f(1\nb = 2\nc = = 3\n") == "2:1 3:5");
  CHECK(places("a = f(1,\ndef g():\n  b b\n") == "2:1 3:5");
  CHECK(places("def f():\n  a = [1,\n  b = 2\n  c c\nd d\n") == "3:3 4:5 5:3");
  CHECK(places("a = 'b\nc c\n") == "1:5 2:3");
  CHECK(places("a = f'{b\nc c\n") == "1:7 2:3");
  CHECK(places("a = (\n") == "1:5");
  CHECK(places("f(\na,\n)\nb = [1,\n") == "4:5");
}

TEST_CASE("a forgotten bracket is no pretext for refusing odd layouts") {
  CHECK(parse_text("f(\na,\nb=1,\n)\n").ok());
  CHECK(parse_text("x = [\n1\n,\n2\n]\n").ok());
  CHECK(parse_text("x = (a\nif b\nelse c)\n").ok());
  CHECK(parse_text("x = [a\nfor a\nin b\nif c]\n").ok());
  CHECK(parse_text("x = (a\nand b\nor not c\nis d\nin e)\n").ok());
}

TEST_CASE("errors come in the order of the text") {
  const Parsed parsed = parse_text("1 = a\nb = (c]\nd e\nf = '\\xq'\n");
  REQUIRE(parsed.result.errors.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(parsed.result.errors[i - 1].span.begin < parsed.result.errors[i].span.begin);
  }
}
