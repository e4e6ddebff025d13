// How is the place of a mistake shown?  The line, and a caret under the characters it is about.
#include <doctest/doctest.h>

#include "ir/base/diagnostic.hpp"

using namespace tirx;

namespace {

std::string shown(std::string text, std::uint32_t begin, std::uint32_t end) {
  return render_caret(Source("script.tx", std::move(text)), {begin, end});
}

}  // namespace

TEST_CASE("the caret marks the span, tabs stay tabs") {
  CHECK(shown("a\n\tb = cc\n", 7, 9) == "  \tb = cc\n  \t    ^^\n");
  CHECK(shown("ab", 2, 3) == "  ab\n    ^\n");  // behind the end
}

TEST_CASE("a character of several bytes takes one column") {
  CHECK(shown("\xc3\xa9\xc3\xa9 = x", 7, 8) == "  \xc3\xa9\xc3\xa9 = x\n       ^\n");
}

TEST_CASE("control bytes are shown as codes, so that a terminal does not obey them") {
  CHECK(shown("a\x1b[31m\x07 + q", 10, 11) == "  a\\x1b[31m\\x07 + q\n                  ^\n");
  CHECK(shown("\x01", 0, 1) == "  \\x01\n  ^^^^\n");
}

TEST_CASE("of a long line the part around the caret is shown") {
  const std::string line = std::string(500, 'a') + " bad " + std::string(500, 'c');
  const std::string text = shown(line, 501, 504);
  CHECK(text.size() < 300);
  CHECK(
      text.starts_with("  \xe2\x80\xa6"
                       "aaa"));
  CHECK(text.find(" bad ccc") != std::string::npos);
  CHECK(text.find("c\xe2\x80\xa6\n") != std::string::npos);
  // 2 blanks, the ellipsis, 60 characters, then the caret.
  CHECK(text.find("\n" + std::string(63, ' ') + "^^^\n") != std::string::npos);
  CHECK(shown(line, 0, 500).find(std::string(121, '^')) == std::string::npos);
}

TEST_CASE("a long line is cut between characters, not inside of one") {
  std::string line;
  for (int i = 0; i < 400; ++i) line += "\xc3\xa9";
  for (std::uint32_t at = 300; at < 304; ++at) {
    const std::string text = shown(line, at, at + 1);
    const std::size_t dots = text.find("\xe2\x80\xa6");
    CHECK(text.substr(dots + 3, 2) == "\xc3\xa9");
    const std::size_t last = text.rfind("\xe2\x80\xa6");
    CHECK(text.substr(last - 2, 2) == "\xc3\xa9");
  }
}
