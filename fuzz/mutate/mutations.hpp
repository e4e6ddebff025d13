// In which known ways can a kernel be broken?  The mutations that real bugs of block-scaled GEMMs
// and of their copies amount to, as rewrites of tile IR; each is one place and one way.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ir/kernel.hpp"

namespace tirx::fuzz {

/// A row of the table that `tirx mutate --list` prints.
struct MutationKind {
  std::string_view name;  // "barrier removed", "scale index shifted", …
  std::string_view area;  // what it is about: "synchronisation", "scales", …
  std::string_view doc;   // what becomes of the kernel
};

[[nodiscard]] std::span<const MutationKind> mutation_kinds();

struct Mutation {
  std::string kind;           // the name of a row
  Span span;                  // where
  std::string before, after;  // the changed expression or the first line of the statement
  std::function<ir::Kernel(const ir::Kernel&)> apply;
  int ordinal = 0;  // among those of one kind at one place of the text

  /// Which one it is, in every instance of the kernel that the text makes.
  [[nodiscard]] auto place() const { return std::tuple(kind, span.begin, span.end, ordinal); }
};

/// Barriers, fences and waits removed, one at a time.
[[nodiscard]] std::vector<Mutation> synchronisation_mutations(const ir::Kernel& kernel);
/// Those, and everything else that the table has.
[[nodiscard]] std::vector<Mutation> possible_mutations(const ir::Kernel& kernel);
/// Those that give a kernel that is well formed.
[[nodiscard]] std::vector<Mutation> all_mutations(const ir::Kernel& kernel);

}  // namespace tirx::fuzz
