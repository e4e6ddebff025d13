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

struct TileEvalOptions {
  const ir::Target* target = nullptr;  // default_target() when null
  std::uint64_t seed = 0;
  std::uint64_t max_steps = 200'000'000;  // statements of all threads
  int max_faults = 20;
};

/// Runs the kernel on the arguments.  `incomplete` where a tile op is not known here.
[[nodiscard]] ir::LaunchOutcome tile_evaluate(const ir::Kernel& kernel,
                                              std::span<const ir::Argument> arguments,
                                              const TileEvalOptions& options = {});

}  // namespace tirx::sim
