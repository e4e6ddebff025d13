#include "ir/base/source.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tirx {

Span join(Span a, Span b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::string_view Source::text(Span span) const {
  const std::size_t begin = std::min<std::size_t>(span.begin, text_.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

LineAt Source::locate(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto index = static_cast<std::size_t>(after - line_starts_.begin() - 1);
  const std::size_t start = line_starts_[index];
  std::size_t stop = text_.find('\n', start);
  if (stop == std::string::npos) stop = text_.size();
  if (stop > start && text_[stop - 1] == '\r') --stop;
  return {static_cast<std::uint32_t>(index + 1), static_cast<std::uint32_t>(offset - start + 1),
          std::string_view(text_).substr(start, stop - start)};
}

std::string Source::where(Span span) const {
  const LineAt at = locate(span.begin);
  return fmt::format("{}:{}:{}", name_, at.line, at.column);
}

std::string Source::where_line(Span span) const {
  return fmt::format("{}:{}", name_, locate(span.begin).line);
}

}  // namespace tirx
