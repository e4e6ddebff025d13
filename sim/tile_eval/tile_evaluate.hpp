// A second opinion on lowering: runs *tile IR* as it stands, one thread and one element at a time,
// by applying each layout to each coordinate.  Slow, and it shares no code with lower/.
#pragma once

#include <cstdint>
#include <span>

#include "ir/kernel.hpp"
#include "ir/launch.hpp"
#include "ir/target.hpp"
#include "ir/tensor.hpp"

namespace tirx::sim {

/// What threads do to memory and where they meet, in an order that is one of the possible ones.
/// Tile calls do not say which thread touches which element: their accesses are not told.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Bytes of the memory `space`; threads are numbered through the whole grid.
  virtual void access(std::size_t thread,
                      std::uint64_t space,
                      std::size_t begin,
                      std::size_t end,
                      bool write,
                      bool atomic) = 0;
  /// A thread arrives at a barrier; then `pass` names those that go on because all have arrived.
  virtual void arrive(std::size_t thread, std::uint64_t barrier) = 0;
  virtual void pass(std::span<const std::size_t> threads, std::uint64_t barrier) = 0;
};

struct TileEvalOptions {
  const ir::Target* target = nullptr;  // default_target() when null
  std::uint64_t seed = 0;
  std::uint64_t max_steps = 200'000'000;  // statements of all threads
  int max_faults = 20;
  TraceSink* trace = nullptr;
};

/// Runs the kernel on the arguments.  `incomplete` where a tile op is not known here.
[[nodiscard]] ir::LaunchOutcome tile_evaluate(const ir::Kernel& kernel,
                                              std::span<const ir::Argument> arguments,
                                              const TileEvalOptions& options = {});

}  // namespace tirx::sim
