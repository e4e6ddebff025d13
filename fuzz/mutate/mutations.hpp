// In which known ways can a kernel be broken?  The mutations that real bugs of block-scaled GEMMs
// and of their copies amount to, as rewrites of tile IR; each is one place and one way.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/kernel.hpp"

namespace tirx::fuzz {

struct Mutation {
  std::string kind;  // "barrier removed", "scale index shifted", …
  Span span;         // where
  std::function<ir::Kernel(const ir::Kernel&)> apply;
};

/// Barriers, fences and waits removed, one at a time.
[[nodiscard]] std::vector<Mutation> synchronisation_mutations(const ir::Kernel& kernel);
/// Those, and everything that changes values, indices, bounds and layouts.
[[nodiscard]] std::vector<Mutation> all_mutations(const ir::Kernel& kernel);

}  // namespace tirx::fuzz
