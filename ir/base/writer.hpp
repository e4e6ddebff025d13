// Indented text output, shared by the IR printer and the CUDA emitter.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tirx {

class Writer {
 public:
  explicit Writer(int indent_width = 2) : width_(indent_width) {}

  /// One line at the current indentation.
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_line(fmt::format(format, std::forward<Args>(args)...));
  }

  /// One line, or several if the text contains newlines; each is indented.
  void text_line(std::string_view text);

  void blank() { out_ += '\n'; }

  void indent() { ++depth_; }

  void dedent() { --depth_; }

  [[nodiscard]] std::string take() { return std::move(out_); }

  [[nodiscard]] const std::string& str() const { return out_; }

 private:
  std::string out_;
  int depth_ = 0;
  int width_;
};

/// Indents for its lifetime.
class Indented {
 public:
  explicit Indented(Writer& writer) : writer_(writer) { writer_.indent(); }

  ~Indented() { writer_.dedent(); }

  Indented(const Indented&) = delete;
  Indented& operator=(const Indented&) = delete;

 private:
  Writer& writer_;
};

}  // namespace tirx
