// A shared library that is looked for when it is needed.
#pragma once

#include <string>
#include <vector>

namespace tirx::cuda {

class Library {
 public:
  Library() = default;
  /// The first candidate that loads; is_open() is false if none does.
  explicit Library(const std::vector<std::string>& candidates);

  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Sets `function` to the symbol; false if the library lacks it.
  template <typename Function>
  bool find(const char* symbol, Function*& function) const {
    function = reinterpret_cast<Function*>(address(symbol));
    return function != nullptr;
  }

 private:
  [[nodiscard]] void* address(const char* symbol) const;

  void* handle_ = nullptr;  // stays loaded to the end of the process
  std::string path_;
};

/// An environment variable, or nothing.
[[nodiscard]] std::string environment(const char* name);

}  // namespace tirx::cuda
