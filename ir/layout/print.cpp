// Layouts as they are written in the language, so that the text evaluates back to the layout.
#include <fmt/format.h>

#include "ir/layout/layout.hpp"

namespace tirx::ir {

namespace {

std::string on_axis(std::int64_t value, const Axis& axis) {
  if (axis == Axis(AxisId::m)) return fmt::format("{}", value);
  return fmt::format("{}@{}", value, axis.name());
}

std::string iters_text(const Iters& iters) {
  if (iters.size() == 1) {
    return fmt::format("[{}:{}]", iters[0].extent, on_axis(iters[0].stride, iters[0].axis));
  }
  std::string extents;
  std::string strides;
  for (const Iter& it : iters) {
    const char* comma = extents.empty() ? "" : ", ";
    extents += fmt::format("{}{}", comma, it.extent);
    strides += fmt::format("{}{}", comma, on_axis(it.stride, it.axis));
  }
  return fmt::format("[({}):({})]", extents, strides);
}

}  // namespace

std::string to_string(const TileLayout& layout) {
  std::string out = fmt::format("S{}", iters_text(layout.shard()));
  if (!layout.replica().empty()) out += fmt::format(" + R{}", iters_text(layout.replica()));
  for (const auto& [axis, value] : layout.offset())
    out += fmt::format(" + {}", on_axis(value, axis));
  return out;
}

std::string to_string(const Layout& layout) {
  if (!layout.swizzle) return to_string(layout.tile);
  const Swizzle& s = *layout.swizzle;
  return fmt::format("ComposeLayout({}, {}, {}, {}{})", s.per_element, s.swizzle_len, s.atom_len,
                     to_string(layout.tile), s.inner ? "" : ", swizzle_inner=False");
}

std::string to_string(std::span<const std::int64_t> shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  }
  return out + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace tirx::ir
