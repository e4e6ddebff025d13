// How is a copy between global and shared memory shared out?  No operand says which thread moves
// what, so a partition [rounds, threads, vector] is made: the global side gives the order
// (descending stride), a vector that both sides allow is carved off its tail, then the threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/copy/copy.hpp"

namespace tirx::lower {

struct Partition {
  StridedTile global, shared;
  StridedIters global_order, shared_order;  // permuted by descending global stride, fused
  std::vector<std::size_t> permutation;
  std::vector<StridedIters> shared_groups;  // one per global iter, in original order
};

/// What any such partition needs: all threads, constant extents, a size that the threads divide.
[[nodiscard]] std::optional<std::string> refuse_pair(const Site& site);
/// One side is global, the other shared.
[[nodiscard]] Result<Partition> align_sides(const Site& site);
/// Whether vectors of `vec` elements work out; empty, or the reason why not.
[[nodiscard]] std::string try_vector(const Site& site, const Partition& sides, std::int64_t vec);
[[nodiscard]] CopyPlan partition_plan(const Site& site, const Partition& sides, std::int64_t vec);

}  // namespace tirx::lower
