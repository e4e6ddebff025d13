// Does a loop that polls get anywhere?  What the warps do next is in their registers, the places of
// their strands, and memory.  Once all of that has come back to what it was before, it goes on like
// that for ever; a loop that counts its rounds or reads the clock does not come back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/warp.hpp"

namespace tirx::sim {

struct Cta;

/// The state of one warp at some time.
class WarpImage {
 public:
  /// `vector_bytes`, `scalars`: the sizes of its register files.
  void take(const Warp& warp, std::size_t vector_bytes, std::size_t scalars);

  /// Whether the warp is in this state again.
  [[nodiscard]] bool same(const Warp& warp) const;

 private:
  std::vector<std::byte> vectors_;
  std::vector<std::uint64_t> scalars_;
  std::vector<std::uint32_t> poison_;
  std::vector<std::uint8_t> scalar_poison_;
  std::vector<JoinState> joins_;
  std::vector<Strand> strands_;
  std::uint64_t chances_ = 0;
  std::uint64_t cluster_phase_ = 0;  // after the cluster's
  std::uint32_t cluster_arrived_ = 0;
};

/// A sum over words: equal for equal bytes in the same order, and hardly for others.
class MemoryHash {
 public:
  void add(const void* data, std::size_t size);

  std::uint64_t value = 0;
  std::uint64_t bytes = 0;

 private:
  std::uint64_t words_ = 0;
};

/// Whether all comes back to what it was: asked after each round of the resident CTAs.  Where
/// nothing has changed meanwhile that polls read, nothing will.
class PollWatch {
 public:
  /// From now on.
  void begin(std::uint64_t round) {
    begun_ = round;
    next_ = 0;
  }

  /// `steady`: the last round ended where warps wait or poll; `steps`: instructions of the launch
  /// so far.
  [[nodiscard]] bool comes_back(std::span<Cta* const> live,
                                std::uint64_t round,
                                bool steady,
                                std::uint64_t steps);

  /// The round of the state that came back.
  [[nodiscard]] std::uint64_t remembered() const { return remembered_; }

 private:
  /// Of the memory that these CTAs can change.
  [[nodiscard]] std::uint64_t memory_of(std::span<Cta* const> live);

  std::uint64_t begun_ = 0, remembered_ = 0;
  std::uint64_t next_ = 0;    // so many rounds after it began is the state remembered anew
  std::uint64_t memory_ = 0;  // when the warps first came back to the remembered state
  int looks_ = 0;             // how often memory was looked at since that state was remembered
  std::uint64_t hashed_ = 0;  // bytes
};

}  // namespace tirx::sim
