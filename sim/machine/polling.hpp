// Does a loop that polls get anywhere?  Where no memory changes, a warp does what its registers and
// the places of its strands say.  Once it has come back to a state in which it was before, it goes
// on like that for ever; a loop that counts its rounds or reads the clock does not come back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/warp.hpp"

namespace tirx::sim {

/// The state of one warp at some time.
class WarpImage {
 public:
  /// `vector_bytes`, `scalars`: the sizes of its register files.
  void take(const Warp& warp, std::size_t vector_bytes, std::size_t scalars);

  /// Whether the warp is in this state again, or was when it was asked before.
  [[nodiscard]] bool repeats(const Warp& warp);

  bool repeated = false;

 private:
  [[nodiscard]] bool same(const Warp& warp) const;

  std::vector<std::byte> vectors_;
  std::vector<std::uint64_t> scalars_;
  std::vector<std::uint32_t> poison_;
  std::vector<std::uint8_t> scalar_poison_;
  std::vector<JoinState> joins_;
  std::vector<Strand> strands_;
  std::uint64_t clocks_ = 0;
};

}  // namespace tirx::sim
