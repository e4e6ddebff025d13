// Whatever the nesting, the answer is a tree or a diagnostic, never an overflow.
#include <doctest/doctest.h>

#include "dsl/ast/equal.hpp"
#include "dsl/ast/print.hpp"
#include "tests/unit/dsl/parse_support.hpp"

using namespace tirx::dsl;  // NOLINT(google-build-using-namespace)
using test::parse_text;
using test::Parsed;

namespace {

std::string repeat(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string nested(const std::string& open,
                   const std::string& core,
                   const std::string& close,
                   std::size_t depth) {
  return "x = " + repeat(open, depth) + core + repeat(close, depth) + "\n";
}

struct Nest {
  const char* open;
  const char* close;
};

constexpr Nest kNests[] = {
    {"(", ")"},
    {"[", "]"},
    {"a[", "]"},
    {"a[1:", "]"},
    {"f(", ")"},
    {"f(k=", ")"},
    {"f(*", ")"},
    {"{1: ", "}"},
    {"(1, ", ")"},
    {"[y for z in ", "]"},
    {"[", " for z in k]"},
    {"(a if ", " else b)"},
    {"(a if b else ", ")"},
    {"(lambda: ", ")"},
    {"f\"{", "}\""},
    {"-(", ")"},
    {"not (", ")"},
    {"(a and ", ")"},
    {"(a < ", ")"},
    {"{k: v for k in ", "}"},
};

bool mentions(const Parsed& parsed, const std::string& text) {
  return parsed.errors().find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("200 levels of any bracket are fine, and survive printing and copying") {
  for (const Nest& nest : kNests) {
    const std::size_t depth = std::string(nest.open) == "(lambda: " ? 140 : 200;
    const Parsed parsed = parse_text(nested(nest.open, "1", nest.close, depth));
    CAPTURE(nest.open);
    REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
    const ast::Module copy = parsed.result.module;
    const Parsed again = parse_text(ast::print(copy));
    REQUIRE_MESSAGE(again.ok(), again.errors());
    CHECK(ast::same(copy, again.result.module));
  }
}

TEST_CASE("a mistake at the bottom of 200 levels is found at once, and only one is reported") {
  for (const Nest& nest : kNests) {
    const std::size_t depth = std::string(nest.open) == "(lambda: " ? 140 : 200;
    const Parsed parsed = parse_text(nested(nest.open, "1 1", nest.close, depth));
    CAPTURE(nest.open);
    CHECK(parsed.result.errors.size() == 1);
  }
}

TEST_CASE("the limit of brackets is named") {
  CHECK(parse_text(nested("(", "1", ")", 256)).ok());
  const Parsed parsed = parse_text(nested("(", "1", ")", 257));
  REQUIRE(parsed.result.errors.size() == 1);
  CHECK(mentions(parsed, "test.tx:1:261: error: more than 256 nested brackets"));
  CHECK(mentions(parse_text(nested("(", "1", ")", 100000)), "more than 256 nested brackets"));
  CHECK(mentions(parse_text(nested("f\"{", "1", "}\"", 257)), "more than 256 nested brackets"));
}

TEST_CASE("nesting without brackets has a limit, too") {
  CHECK(parse_text("x = " + repeat("lambda: ", 250) + "1\n").ok());
  CHECK(mentions(parse_text("x = " + repeat("lambda: ", 100000) + "1\n"),
                 "more than 300 nested expressions"));
  CHECK(mentions(parse_text("x = " + repeat("lambda a=", 5000) + "1\n"),
                 "more than 300 nested expressions"));
}

TEST_CASE("long chains: flat ones have no limit, deep ones do") {
  for (const char* link : {" and a", " or a", " < a", ", a", " if a else a"}) {
    const Parsed parsed = parse_text("x = a" + repeat(link, 590) + "\n");
    CHECK_MESSAGE(parsed.ok(), parsed.errors());
  }
  CHECK(parse_text("x = a" + repeat(" and a", 20000) + "\n").ok());
  CHECK(parse_text("x = a" + repeat(" < a", 20000) + "\n").ok());
  CHECK(parse_text("x = [" + repeat("a, ", 20000) + "]\n").ok());
  for (const char* link : {" + a", " ** a", ".a", "()", "[a]", " if a else a"}) {
    CAPTURE(link);
    CHECK(parse_text("x = a" + repeat(link, 599) + "\n").ok());
    const Parsed parsed = parse_text("x = a" + repeat(link, 20000) + "\n");
    CHECK(mentions(parsed, "more than 600 operations deep"));
  }
  CHECK(parse_text("x = " + repeat("-", 599) + "a\n").ok());
  CHECK(mentions(parse_text("x = " + repeat("-", 20000) + "a\n"), "more than 600 operations deep"));
  CHECK(mentions(parse_text("x = " + repeat("not ", 20000) + "a\n"),
                 "more than 600 operations deep"));
}

TEST_CASE("heights add up through brackets") {
  std::string text = "a";
  for (int i = 0; i < 100; ++i) text = "(" + text + repeat(" + a", 12) + ")";
  CHECK(mentions(parse_text("x = " + text + "\n"), "more than 600 operations deep"));
}

TEST_CASE("indentation has a limit") {
  const auto stairs = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += std::string(i, ' ') + "if x:\n";
    return text + std::string(depth, ' ') + "y\n";
  };
  const Parsed parsed = parse_text(stairs(100));
  REQUIRE_MESSAGE(parsed.ok(), parsed.errors());
  CHECK(
      ast::same(parse_text(ast::print(parsed.result.module)).result.module, parsed.result.module));
  CHECK(mentions(parse_text(stairs(101)),
                 "test.tx:102:1: error: more than 100 levels of indentation"));
}

TEST_CASE("at most twenty errors are reported") {
  CHECK(parse_text(repeat("x = = 1\n", 100)).result.errors.size() == kMaxSyntaxErrors);
  CHECK(parse_text(repeat("? ", 100)).result.errors.size() == kMaxSyntaxErrors);
}

TEST_CASE("bytes that are no text") {
  CHECK(mentions(parse_text("x = '\xFF'\n"), "test.tx:1:6: error: this byte is not UTF-8 text"));
  CHECK(mentions(parse_text("# \xC0\x80\n"), "not UTF-8"));
  CHECK(mentions(parse_text("'\xED\xA0\x80'"), "not UTF-8"));
  CHECK(mentions(parse_text(std::string("x = 1\0\n", 7)),
                 "test.tx:1:6: error: invalid character with code 0"));
  CHECK(parse_text("x = '\xF0\x9F\x98\x80'  # \xE2\x82\xAC\n").ok());
}
