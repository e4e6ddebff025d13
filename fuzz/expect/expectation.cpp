#include "fuzz/expect/expectation.hpp"

#include <algorithm>
#include <array>

#include "ir/launch.hpp"

namespace tirx::fuzz {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string_view trimmed_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// "bounds ps[64]; uninit": two at one line.
void add(std::vector<Expectation>& all, std::string_view comment, std::size_t line) {
  while (!comment.empty()) {
    const std::size_t stop = std::min(comment.find(';'), comment.size());
    const std::string_view one = trimmed(comment.substr(0, stop));
    const std::size_t space = std::min(one.find(' '), one.size());
    std::string_view word = one.substr(0, space);
    const bool may = word.ends_with('?');
    if (may) word.remove_suffix(1);
    all.push_back({std::string(word), std::string(trimmed(one.substr(space))), line, may});
    comment.remove_prefix(std::min(stop + 1, comment.size()));
  }
}

bool known(const Expectation& one) {
  if (ir::find_fault_kind(one.word)) return true;
  if (one.may) return false;
  if (one.word == "incomplete") return one.words.empty();
  if (one.word == "beyond") return one.words == "tile";
  constexpr auto kAboutSomething =
      std::to_array<std::string_view>({"refused", "lowered", "prints", "origin"});
  return !one.words.empty() && std::find(kAboutSomething.begin(), kAboutSomething.end(),
                                         one.word) != kAboutSomething.end();
}

bool any_of(const std::vector<Expectation>& all, std::string_view word) {
  return std::any_of(all.begin(), all.end(),
                     [word](const Expectation& one) { return one.word == word; });
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string_view expectations_in(std::string_view line) {
  const std::size_t at = line.find(kExpects);
  // A comment may quote a line.
  const bool quoted = line.find_first_not_of(' ') < at && trimmed(line).starts_with('#');
  return at == std::string_view::npos || quoted ? std::string_view() : line.substr(at);
}

std::string_view marks_in(std::string_view line) {
  const std::string_view expects = expectations_in(line);
  const std::size_t at = std::min(line.find(kClaims), line.size());
  return expects.size() > line.size() - at ? expects : line.substr(at);
}

std::vector<Expectation> expectations_of(std::string_view text) {
  std::vector<Expectation> all;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    std::string_view comment = expectations_in(line);
    if (comment.empty()) continue;
    const bool alone = trimmed(line).starts_with(kExpects);
    comment.remove_prefix(kExpects.size());
    add(all, comment, alone ? 0 : number);
  }
  return all;
}

std::string unknown_among(const std::vector<Expectation>& expectations) {
  for (const Expectation& one : expectations) {
    if (!known(one))
      return one.word + (one.may ? "?" : "") + (one.words.empty() ? "" : " ") + one.words;
  }
  return {};
}

bool expects_refusal(const std::vector<Expectation>& expectations) {
  return any_of(expectations, "refused");
}

bool expects_report(const std::vector<Expectation>& expectations) {
  return std::any_of(expectations.begin(), expectations.end(),
                     [](const Expectation& one) { return one.word != "lowered"; });
}

std::string with_one_claim(std::string_view text, std::string_view claim, std::size_t which) {
  std::string left;
  std::size_t seen = 0;
  for (std::string_view line : lines_of(text)) {
    const std::size_t at = line.find(kClaims);
    if (at != std::string_view::npos) {
      const bool has =
          (std::string(line) + ' ').find(std::string(claim) + ' ') != std::string::npos;
      left += trimmed_end(line.substr(0, at));
      seen += has ? 1 : 0;
      if (has && (which == 0 || which == seen)) left.append("  ").append(claim);
    } else {
      left += line;
    }
    left += '\n';
  }
  return left;
}

std::string without_expectations(std::string_view text,
                                 const std::function<bool(std::string_view line)>& goes) {
  std::string left;
  for (std::string_view line : lines_of(text)) {
    const std::string_view comment = expectations_in(line);
    if (!comment.empty() && goes(line)) {
      line = trimmed_end(line.substr(0, line.size() - comment.size()));
      if (line.empty()) continue;
    }
    left += line;
    left += '\n';
  }
  return left;
}

}  // namespace tirx::fuzz
