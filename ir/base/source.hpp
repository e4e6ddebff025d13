// Where in the user's text is it?  A Span is a half-open byte range of one Source; lines and
// columns are computed only when something is printed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tirx {

/// Bytes [begin, end) of a Source.  A default Span means "no place in the text".
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool empty() const { return end <= begin; }

  friend bool operator==(const Span&, const Span&) = default;
};

/// The smallest span that covers both; an empty span does not count.
[[nodiscard]] Span join(Span a, Span b);

/// 1-based line and column (in bytes), and the text of that line without its newline.
struct LineAt {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::string_view text;
};

/// One script: its name as the user gave it, its folder (file access is relative to it), its text.
class Source {
 public:
  Source(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] std::string_view text() const { return text_; }

  [[nodiscard]] std::string_view text(Span span) const;
  [[nodiscard]] LineAt locate(std::uint32_t offset) const;
  /// "FILE:LINE:COLUMN" of the span's begin.
  [[nodiscard]] std::string where(Span span) const;
  /// "FILE:LINE" of the span's begin.
  [[nodiscard]] std::string where_line(Span span) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

using SourceRef = std::shared_ptr<const Source>;

}  // namespace tirx
