// String literals and f-strings: values, and the expressions inside.
#include <doctest/doctest.h>

#include "tests/unit/dsl/parse_support.hpp"

using namespace tirx::dsl;  // NOLINT(google-build-using-namespace)
using test::parse_text;
using test::shape_of;

namespace {

std::string value_of(const std::string& text) {
  const test::Parsed parsed = parse_text(text);
  REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
  const auto* literal = parsed.body().at(0).as<ast::ExprStmt>()->value.as<ast::StringLit>();
  REQUIRE(literal != nullptr);
  return literal->value;
}

}  // namespace

TEST_CASE("quotes, escapes and raw strings") {
  CHECK(value_of("'a\"b'") == "a\"b");
  CHECK(value_of("\"a'b\"") == "a'b");
  CHECK(value_of(R"('\n\t\\\'\"\r\a\b\f\v')") == "\n\t\\'\"\r\a\b\f\v");
  CHECK(value_of(R"('\x41\101\u00e9\U0001F600')") == "AA\xC3\xA9\xF0\x9F\x98\x80");
  CHECK(value_of(R"('\0')") == std::string(1, '\0'));
  CHECK(value_of(R"('\377')") == "\xC3\xBF");
  CHECK(value_of(R"('\d\{')") == "\\d\\{");
  CHECK(value_of(R"(r'\n\'')") == "\\n\\'");
  CHECK(value_of("R\"\\\\\"") == "\\\\");
  CHECK(value_of("u'x'") == "x");
  CHECK(value_of("'a\\\nb'") == "ab");
  CHECK(value_of("''") == "");
}

TEST_CASE("triple quotes span lines and hold quotes") {
  CHECK(value_of("'''a\n 'b' \"c\"\n'''") == "a\n 'b' \"c\"\n");
  CHECK(value_of("\"\"\"__device__ int f() {\n  return 1;\n}\"\"\"") ==
        "__device__ int f() {\n  return 1;\n}");
  CHECK(value_of("\"\"\"a\r\nb\"\"\"") == "a\nb");
  CHECK(value_of("\"\"\"\"\"\"") == "");
  CHECK(value_of("'''a''b'''") == "a''b");
}

TEST_CASE("adjacent literals are one") {
  CHECK(value_of("'a' \"b\" r'\\c'") == "ab\\c");
  CHECK(value_of("('a'\n 'b')") == "ab");
  CHECK(shape_of("'a' f'{x}' 'b' 'c'") == "(f 'a' {x} 'bc')");
  CHECK(shape_of("f'{a}' f'{b}'") == "(f {a} {b})");
}

TEST_CASE("an f-string without fields is a string") {
  CHECK(value_of("f'a{{b}}'") == "a{b}");
  CHECK(value_of("f''") == "");
  CHECK(value_of("rf'\\n{{'") == "\\n{");
}

TEST_CASE("fields hold whole expressions") {
  CHECK(shape_of("f'{a}'") == "(f {a})");
  CHECK(shape_of("f'x{a + b}y{c[0]}z'") == "(f 'x' {(+ a b)} 'y' {(at c 0)} 'z')");
  CHECK(shape_of("f\"m16n8k16.x{num}{'.trans' if trans else ''}.b16\"") ==
        "(f 'm16n8k16.x' {num} {(if trans '.trans' '')} '.b16')");
  CHECK(shape_of("f\"{d[\"key\"]}\"") == "(f {(at d 'key')})");
  CHECK(shape_of("f'{ {1: 2}[1] }'") == "(f {(at (dict 1:2) 1)})");
  CHECK(shape_of("f'{(lambda x: x)(1)}'") == "(f {(call (lambda x x) 1)})");
  CHECK(shape_of("f'{a, b}'") == "(f {(tuple a b)})");
  CHECK(shape_of("f'{a[1:2]}'") == "(f {(at a (slice 1 2 _))})");
  CHECK(shape_of("f'{a != b}'") == "(f {(compare a != b)})");
  CHECK(shape_of("f'''{\na\n}'''") == "(f {a})");
  CHECK(shape_of("f\"{f'{f\"{x}\"}'}\"") == "(f {(f {(f {x})})})");
}

TEST_CASE("conversions, formats and self-documenting fields") {
  CHECK(shape_of("f'{a!r}'") == "(f {a!r})");
  CHECK(shape_of("f'{a:>10}'") == "(f {a: '>10'})");
  CHECK(shape_of("f'{a!s:{w}.{p}f}'") == "(f {a!s: {w} '.' {p} 'f'})");
  CHECK(shape_of("f'{a:=+5}'") == "(f {a: '=+5'})");
  CHECK(shape_of("f'{a=}'") == "(f 'a=' {a!r})");
  CHECK(shape_of("f'n: {a + 1 = }'") == "(f 'n: a + 1 = ' {(+ a 1)!r})");
  CHECK(shape_of("f'{a=:3}'") == "(f 'a=' {a: '3'})");
  CHECK(shape_of("f'{a:}'") == "(f {a})");
}

TEST_CASE("spans inside an f-string are places in the file") {
  const test::Parsed parsed = parse_text("x = 1\ny = f'ab{foo + 1}c'\n");
  REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
  const auto& value = parsed.body().at(1).as<ast::Assign>()->value;
  CHECK(parsed.text(value.span) == "f'ab{foo + 1}c'");
  const auto& parts = value.as<ast::FString>()->parts;
  REQUIRE(parts.size() == 3);
  CHECK(parsed.text(parts[0].span) == "ab");
  CHECK(parsed.text(parts[1].span) == "{foo + 1}");
  const auto& field = std::get<ast::FStringField>(parts[1].content);
  CHECK(parsed.text(field.value->span) == "foo + 1");
  CHECK(parsed.source->where(field.value->span) == "test.tx:2:10");
}
