// Names of the script in CUDA: legal identifiers, unique where they are visible.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::cuda {

/// A legal C++ identifier that is no keyword, no name of CUDA's and none of our helpers'.
[[nodiscard]] std::string sanitised(std::string_view name);

/// The same for a name at file scope, where the functions and types of the headers are as well.
[[nodiscard]] std::string sanitised_for_file(std::string_view name);

/// Names in nested scopes.  A name that is visible already gets _1, _2, …
class NameScopes {
 public:
  NameScopes() { open(); }

  void open() { scopes_.emplace_back(); }

  void close() { scopes_.pop_back(); }

  /// Declares a name in the innermost scope and returns the one to print.
  std::string declare(std::string_view name);
  std::string declare_for_file(std::string_view name);

  /// Takes a name as it is.
  void reserve(std::string name) { scopes_.back().insert(std::move(name)); }

 private:
  std::string unique(const std::string& base);
  [[nodiscard]] bool visible(const std::string& name) const;

  std::vector<std::set<std::string>> scopes_;
};

}  // namespace tirx::cuda
