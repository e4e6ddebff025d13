// The ranked lists.  A new variant is a file of its own and one row here.
#include <array>

#include "lower/copy/copy.hpp"

namespace tirx::lower {

namespace {

template <std::int64_t Bits>
constexpr Variant forced_vector(std::string_view name) {
  return {name, 20, true, [](const Site& site) { return refuse_vec(site, Bits); },
          [](const Site& site) { return expand_vec(site, Bits); }};
}

constexpr std::array kCopy{
    forced_vector<256>("vec_256b"),
    forced_vector<128>("vec_128b"),
    forced_vector<64>("vec_64b"),
    forced_vector<32>("vec_32b"),
    forced_vector<16>("vec_16b"),
    Variant{"gmem_smem", 10, false, refuse_gmem_smem, expand_gmem_smem},
    Variant{"reg", 10, false, refuse_reg, expand_reg},
    Variant{"fallback", 0, false, refuse_fallback, expand_fallback},
};

}  // namespace

std::span<const Variant> variants_of(ir::TileOp op) {
  switch (op) {
    case ir::TileOp::copy:
      return kCopy;
    default:
      return {};
  }
}

}  // namespace tirx::lower
