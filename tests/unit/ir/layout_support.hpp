// Layouts from their text, so that the tests read like the reference: "(8, 4):(4L, 1) + R 2:1W +
// 5W". L, W are short for laneid, warpid; any other axis is written "4@tx".
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ir/layout/algebra.hpp"

namespace tirx::ir::test {

class LayoutText {
 public:
  explicit LayoutText(std::string_view text) {
    for (const char c : text) {
      if (c != ' ') text_ += c;
    }
  }

  TileLayout parse() {
    Iters shard = iters();
    Iters replica;
    AxisValues offset;
    while (take('+')) {
      if (take('R')) {
        replica = iters();
      } else {
        const Iter term = stride();
        offset[term.axis] += term.stride;
      }
    }
    REQUIRE(at_ == text_.size());
    auto layout = TileLayout::make(shard, replica, offset);
    REQUIRE(layout.ok());
    return *layout;
  }

 private:
  Iters iters() {
    const bool many = take('(');
    Iters out;
    do {
      out.push_back({number(), 1, AxisId::m});
    } while (many && take(','));
    if (many) REQUIRE(take(')'));
    REQUIRE(take(':'));
    if (many) REQUIRE(take('('));
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i > 0) REQUIRE(take(','));
      const Iter each = stride();
      out[i].stride = each.stride;
      out[i].axis = each.axis;
    }
    if (many) REQUIRE(take(')'));
    return out;
  }

  Iter stride() {
    Iter out{1, number(), AxisId::m};
    if (take('L'))
      out.axis = AxisId::laneid;
    else if (take('W'))
      out.axis = AxisId::warpid;
    else if (take('@'))
      out.axis = Axis::named(name());
    return out;
  }

  std::int64_t number() {
    char* end = nullptr;
    const std::int64_t value = std::strtoll(text_.c_str() + at_, &end, 10);
    const auto next = static_cast<std::size_t>(end - text_.c_str());
    REQUIRE(next > at_);
    at_ = next;
    return value;
  }

  std::string name() {
    std::string out;
    while (at_ < text_.size() && (std::isalnum(text_[at_]) != 0 || text_[at_] == '_')) {
      out += text_[at_++];
    }
    return out;
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string text_;
  std::size_t at_ = 0;
};

inline TileLayout L(std::string_view text) {
  return LayoutText(text).parse();
}

/// The value of a result that must be there; its text otherwise.
template <typename T>
T must(const Result<T>& result) {
  if (!result) FAIL(result.error().text);
  return *result;
}

template <typename T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : result.error().text;
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// All coordinates of a shape in row-major order.
inline std::vector<Shape> coordinates_of(const Shape& shape) {
  std::vector<Shape> out = {{}};
  for (const std::int64_t extent : shape) {
    std::vector<Shape> next;
    for (const Shape& prefix : out) {
      for (std::int64_t i = 0; i < extent; ++i) {
        next.push_back(prefix);
        next.back().push_back(i);
      }
    }
    out = std::move(next);
  }
  return out;
}

/// The places without the axes at 0 that only some forms of a layout mention.
inline AxisValues places(const Result<AxisValues>& result) {
  AxisValues out = must(result);
  std::erase_if(out, [](const auto& entry) { return entry.second == 0; });
  return out;
}

/// Same place for every coordinate: the meaning of a layout, by enumeration.
inline bool same_map(const TileLayout& a, const TileLayout& b) {
  if (a.size() != b.size()) return false;
  for (std::int64_t c = 0; c < a.size(); ++c) {
    if (places(apply(a, c)) != places(apply(b, c))) return false;
  }
  return true;
}

/// slice().apply(x) == apply(begin + x) for every element of the region.
inline bool slice_is_right(const TileLayout& whole,
                           const Shape& shape,
                           const std::vector<DimRange>& region,
                           const TileLayout& sliced) {
  Shape extents;
  for (const auto& [begin, end] : region) extents.push_back(end - begin);
  for (const Shape& inside : coordinates_of(extents)) {
    Shape moved = inside;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += region[i].first;
    if (places(apply(sliced, inside, extents)) != places(apply(whole, moved, shape))) return false;
  }
  return true;
}

}  // namespace tirx::ir::test
