// Raising errors of the script, and the closest known name to a wrong one (edit distance,
// Damerau-Levenshtein restricted to adjacent transpositions).
#include "dsl/eval/error.hpp"

#include <algorithm>
#include <cstddef>

namespace tirx::dsl {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

void fail_text(Span span, std::string text, std::vector<Note> notes) {
  throw EvalError{Diagnostic{span, std::move(text), std::move(notes), Severity::error}};
}

void fail_help(Span span, std::string text, std::string help) {
  fail_text(span, std::move(text), {Note{{}, std::move(help)}});
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names) {
  if (wrong.size() > 64) return "";
  std::size_t best = 1 + wrong.size() / 3;
  const std::string* closest = nullptr;
  for (const std::string& name : names) {
    if (name.size() > 64) continue;
    const std::size_t distance = edit_distance(wrong, name);
    if (distance < best || (distance == best && closest != nullptr && name < *closest)) {
      best = distance;
      closest = &name;
    }
  }
  return closest != nullptr ? fmt::format(" (did you mean '{}'?)", *closest) : "";
}

}  // namespace tirx::dsl
