// Which helpers does a kernel's text need, and what is their source?  The files of prelude/ are
// ordinary CUDA, as are those of the math functions, which come from numerics; a blank line
// separates fragments, and each fragment defines one name (tirx_…).  A fragment is printed if its
// name occurs in the text, or in a fragment that is printed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::cuda {

/// One definition.  Several fragments may define one name (specialisations, overloads).
struct Fragment {
  std::string_view name;
  std::string_view text;
};

class Prelude {
 public:
  /// All fragments, in the order in which they are printed.
  static const Prelude& get();

  [[nodiscard]] bool has(std::string_view name) const { return by_name_.count(name) != 0; }

  [[nodiscard]] const std::vector<Fragment>& fragments() const { return fragments_; }

  /// The source of everything that `text` uses, each definition before its uses.
  [[nodiscard]] std::string source_for(std::string_view text) const;

 private:
  Prelude();
  void add_file(std::string_view text);
  void add_uses(std::string_view text, std::set<std::size_t>& used) const;

  std::vector<Fragment> fragments_;
  std::map<std::string_view, std::vector<std::size_t>> by_name_;
};

/// Calls visit(name) for each identifier of `text` that begins with "tirx_" or "Tirx".
template <typename Visit>
void for_each_helper_name(std::string_view text, Visit&& visit) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.substr(0, 5) == "tirx_" || word.substr(0, 4) == "Tirx") visit(word);
    at = end;
  }
}

}  // namespace tirx::cuda
