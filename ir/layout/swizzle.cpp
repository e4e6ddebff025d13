// Swizzled addresses by shifts and xors; the limits keep every shift inside 62 bits.
#include "ir/layout/swizzle.hpp"

#include "ir/layout/arithmetic.hpp"

namespace tirx::ir {

namespace {

constexpr std::int64_t kMostSwizzledBits = 40;

}  // namespace

std::int64_t Swizzle::apply(std::int64_t address) const {
  const std::int64_t rest = address & (chunk() - 1);
  std::int64_t q = address >> per_element;
  const std::int64_t mask = (std::int64_t{1} << swizzle_len) - 1;
  if (inner) {
    q ^= (q >> atom_len) & mask;
  } else {
    q ^= (q & mask) << atom_len;
  }
  return q << per_element | rest;
}

std::int64_t Swizzle::period() const {
  return std::int64_t{1} << (per_element + atom_len + swizzle_len);
}

Result<Swizzle> make_swizzle(std::int64_t per_element,
                             std::int64_t swizzle_len,
                             std::int64_t atom_len,
                             bool inner) {
  if (per_element < 0 || swizzle_len < 0 || atom_len < 0) {
    return layout_error("ComposeLayout({}, {}, {}): the bit counts must not be negative",
                        per_element, swizzle_len, atom_len);
  }
  if (per_element > kMostSwizzledBits || swizzle_len > kMostSwizzledBits ||
      atom_len > kMostSwizzledBits || per_element + swizzle_len + atom_len > kMostSwizzledBits) {
    return layout_error(
        "ComposeLayout({}, {}, {}): layout too large, the bit counts may add up to {}", per_element,
        swizzle_len, atom_len, kMostSwizzledBits);
  }
  if (swizzle_len > atom_len) {
    return layout_error(
        "ComposeLayout({0}, {1}, {2}): swizzle_len {1} must not exceed atom_len {2}, or the bits "
        "that "
        "are swizzled and the bits they are swizzled with overlap",
        per_element, swizzle_len, atom_len);
  }
  return Swizzle{static_cast<int>(per_element), static_cast<int>(swizzle_len),
                 static_cast<int>(atom_len), inner};
}

}  // namespace tirx::ir
