// What does the tokenizer make of a text?  Kinds of tokens, layout, and its own errors.
#include <doctest/doctest.h>

#include "dsl/grammar/literal.hpp"
#include "dsl/grammar/tokenizer.hpp"

using namespace tirx::dsl::grammar;  // NOLINT(google-build-using-namespace)

namespace {

/// Layout as N > < ., the rest as written.
std::string tokens_of(const std::string& text) {
  const tirx::Source source("test.tx", text);
  const TokenList list = tokenize(source);
  std::string out;
  for (const Token& token : list.tokens) {
    if (!out.empty()) out += ' ';
    switch (token.kind) {
      case TokenKind::newline:
        out += 'N';
        break;
      case TokenKind::indent:
        out += '>';
        break;
      case TokenKind::dedent:
        out += '<';
        break;
      case TokenKind::end_of_file:
        out += '.';
        break;
      default:
        out += source.text(token.span);
    }
  }
  return out;
}

std::string first_error(const std::string& text) {
  const tirx::Source source("test.tx", text);
  const TokenList list = tokenize(source);
  return list.errors.empty() ? "none"
                             : source.where(list.errors[0].span) + " " + list.errors[0].text;
}

}  // namespace

TEST_CASE("indentation becomes tokens") {
  CHECK(tokens_of("a\nb\n") == "a N b N .");
  CHECK(tokens_of("if a:\n  b\nc\n") == "if a : N > b N < c N .");
  CHECK(tokens_of("if a:\n  if b:\n      c\nd") == "if a : N > if b : N > c N < < d N .");
  CHECK(tokens_of("if a:\n  b") == "if a : N > b N < .");
  CHECK(tokens_of("\n\n  # c\n\na\n") == "a N .");
  CHECK(tokens_of("if a:\n  b\n# c\n      # d\n  e\n") == "if a : N > b N e N < .");
}

TEST_CASE("lines join in brackets and behind a backslash") {
  CHECK(tokens_of("a(\n  b,\n\n # c\nd)\ne\n") == "a ( b , d ) N e N .");
  CHECK(tokens_of("a + \\\n   b\n") == "a + b N .");
  CHECK(tokens_of("[{(\n)}\n]\n") == "[ { ( ) } ] N .");
}

TEST_CASE("the longest operator wins") {
  CHECK(tokens_of("a**=b//=c<<=d>>=e") == "a **= b //= c <<= d >>= e N .");
  CHECK(tokens_of("a**b*c//d/e<<f<g<=h!=i==j=k->l:=m:n...o.p") ==
        "a ** b * c // d / e << f < g <= h != i == j = k -> l := m : n ... o . p N .");
  CHECK(tokens_of("a+=b-=c*=d/=e%=f@=g&=h|=i^=j") ==
        "a += b -= c *= d /= e %= f @= g &= h |= i ^= j N .");
  CHECK(tokens_of("~a@b%c^d|e&f;g") == "~ a @ b % c ^ d | e & f ; g N .");
}

TEST_CASE("numbers end where they should") {
  CHECK(tokens_of("1+2.5e-3-.5*0xAF_b") == "1 + 2.5e-3 - .5 * 0xAF_b N .");
  CHECK(tokens_of("1..a") == "1. . a N .");
  CHECK(tokens_of("a.b1.c") == "a . b1 . c N .");
  CHECK(tokens_of("a[1:2]") == "a [ 1 : 2 ] N .");
  CHECK(read_number("12_3 rest").length == 4);
  CHECK(read_number("1e+").error == "a name or a digit cannot follow a number directly");
}

TEST_CASE("f-strings are brackets") {
  CHECK(tokens_of("f'a{b + 1!r:>{c}}d'") == "f' a { b + 1 !r : > { c } } d ' N .");
  CHECK(tokens_of("rf\"\"\"{\na}\"\"\"") == "rf\"\"\" { a } \"\"\" N .");
  CHECK(tokens_of("f'{a=}'") == "f' { a = } ' N .");
  CHECK(tokens_of("f'{{}}'") == "f' {{}} ' N .");
}

TEST_CASE("brackets know their partners") {
  const tirx::Source source("test.tx", "a(b[c])\n");
  const TokenList list = tokenize(source);
  CHECK(list.tokens[1].partner == 6);
  CHECK(list.tokens[6].partner == 1);
  CHECK(list.tokens[3].partner == 5);
}

TEST_CASE("errors of the tokenizer") {
  CHECK(first_error("x = 'abc\n") == "test.tx:1:5 this string is not terminated: expected '");
  CHECK(first_error("x = \"\"\"abc\n\n") ==
        "test.tx:1:5 this string is not terminated: expected \"\"\"");
  CHECK(first_error("x = f'abc\n") == "test.tx:1:5 this f-string is not terminated: expected '");
  CHECK(first_error("if a:\n    b\n  c\n") ==
        "test.tx:3:1 this indentation matches no outer level");
  CHECK(first_error("if a:\n\tb\n        c\n") ==
        "test.tx:3:1 tabs and spaces are mixed in the indentation");
  CHECK(first_error("if a:\n\tif b:\n\t\tc\n        d\n") ==
        "test.tx:4:1 tabs and spaces are mixed in the indentation");
  CHECK(first_error("a = \\ b\n") ==
        "test.tx:1:5 a '\\' continues a line only as the last character of that line");
  CHECK(first_error("a = \\") == "test.tx:1:5 the file ends after a '\\'");
  CHECK(first_error("a = b)\n") == "test.tx:1:6 ')' closes nothing");
  CHECK(first_error("a = (b]\n") ==
        "test.tx:1:7 expected ')' to close '(' opened at line 1, found ']'");
  CHECK(first_error("a = [(b]\n") ==
        "test.tx:1:8 expected ')' to close '(' opened at line 1, found ']'");
  CHECK(first_error("f'{(a}'") == "test.tx:1:6 expected ')' to close '(' before '}'");
  CHECK(first_error("0777") == "test.tx:1:1 a decimal number cannot start with 0");
  CHECK(first_error("0x") == "test.tx:1:1 a hexadecimal number needs digits");
  CHECK(first_error("0b12") == "test.tx:1:1 '2' is not a digit of a binary number");
  CHECK(first_error("1_") == "test.tx:1:1 a '_' in a number must stand between two digits");
  CHECK(first_error("1_.5") == "test.tx:1:1 a '_' in a number must stand between two digits");
  CHECK(first_error("1._5") == "test.tx:1:1 a '_' in a number must stand between two digits");
  CHECK(first_error("5j") == "test.tx:1:1 complex numbers are not part of the language");
  CHECK(first_error("b'x'") == "test.tx:1:1 bytes literals are not part of the language");
  CHECK(first_error("'\\u12'") == "test.tx:1:2 '\\u' needs 4 hexadecimal digits");
  CHECK(first_error("'\\ud800'") == "test.tx:1:2 this escape is not a Unicode character");
}
