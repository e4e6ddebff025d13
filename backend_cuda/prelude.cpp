// Cuts the prelude into fragments and prints those that are needed.  The order is by first
// definition, moved up where a later fragment is used by an earlier one.
#include "backend_cuda/prelude.hpp"

#include <functional>

#include "ir/base/check.hpp"
#include "numerics/cuda_math.hpp"

namespace tirx::cuda {

extern const std::string_view prelude_files[];
extern const std::size_t prelude_files_count;

namespace {

/// The text without its leading comment lines; empty if there is nothing else.
std::string_view without_comments(std::string_view text) {
  while (text.substr(0, 2) == "//") {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text;
}

/// The name that a definition defines: the first helper name that a '(' follows before the body
/// begins, else (types) the last one before '{', ';' or '='.
std::string_view defined_name(std::string_view definition) {
  const std::string_view head = definition.substr(0, definition.find_first_of("{;="));
  std::string_view name;
  bool is_function = false;
  for_each_helper_name(head, [&](std::string_view found) {
    if (is_function) return;
    name = found;
    const std::size_t after = static_cast<std::size_t>(found.data() + found.size() - head.data());
    is_function = after < head.size() && head[after] == '(';
  });
  return name;
}

}  // namespace

const Prelude& Prelude::get() {
  static const Prelude prelude;
  return prelude;
}

Prelude::Prelude() {
  for (std::size_t i = 0; i < prelude_files_count; ++i) add_file(prelude_files[i]);
  for (const std::string& file : num::cuda_math_files()) add_file(file);
}

void Prelude::add_file(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    std::string_view piece = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    while (!piece.empty() && piece.back() == '\n') piece.remove_suffix(1);
    while (!piece.empty() && piece.front() == '\n') piece.remove_prefix(1);
    const std::string_view definition = without_comments(piece);
    if (definition.empty()) continue;  // the comment that opens a file
    const std::string_view name = defined_name(definition);
    TIRX_CHECK(!name.empty());
    by_name_[name].push_back(fragments_.size());
    fragments_.push_back({name, piece});
  }
}

std::string Prelude::source_for(std::string_view text) const {
  std::string out;
  std::set<std::size_t> printed;
  std::set<std::size_t> wanted;
  add_uses(text, wanted);
  const std::function<void(std::size_t)> print = [&](std::size_t index) {
    if (!printed.insert(index).second) return;
    std::set<std::size_t> uses;
    add_uses(fragments_[index].text, uses);
    for (const std::size_t use : uses) {
      if (fragments_[use].name != fragments_[index].name) print(use);
    }
    out += fragments_[index].text;
    out += "\n\n";
  };
  for (const std::size_t index : wanted) print(index);
  return out;
}

void Prelude::add_uses(std::string_view text, std::set<std::size_t>& used) const {
  for_each_helper_name(text, [&](std::string_view name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return;
    used.insert(found->second.begin(), found->second.end());
  });
}

}  // namespace tirx::cuda
