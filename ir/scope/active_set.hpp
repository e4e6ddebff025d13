// Which threads reach this statement, as far as that is known at compile time?  A box over the
// lanes of a warp, the warps of a CTA and the CTAs of a cluster.  Guards narrow it (narrow.hpp); a
// collective operation splits it into what is inside one instance of its scope and which instances
// there are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/layout/axis.hpp"
#include "ir/scope/exec_scope.hpp"

namespace tirx::ir {

/// offset, offset + stride, …, `extent` values.
struct AxisRange {
  std::int64_t extent = 1;
  std::int64_t offset = 0;
  std::int64_t stride = 1;

  [[nodiscard]] std::int64_t last() const { return offset + (extent - 1) * stride; }

  [[nodiscard]] std::int64_t at(std::int64_t i) const { return offset + i * stride; }

  [[nodiscard]] bool contains(std::int64_t value) const;
  /// The same values, whatever the stride of a single one.
  [[nodiscard]] bool same_values(const AxisRange& other) const;

  /// 0, 1, …, n-1.
  [[nodiscard]] bool is_full(std::int64_t n) const { return same_values({n, 0, 1}); }

  friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

/// A guard the box cannot express.  All threads of one instance of `uniform_over` decide it alike,
/// so operations of that scope and below need not care.
struct OpaqueGuard {
  ExecScope uniform_over = ExecScope::thread;
  std::string reason;
  Span span;

  friend bool operator==(const OpaqueGuard&, const OpaqueGuard&) = default;
};

/// The threads of the launch that a set is a part of; x first.
struct ThreadSpace {
  std::vector<std::int64_t> block = {1};    // extents of thread_id
  std::vector<std::int64_t> cluster = {1};  // extents of cta_id_in_cluster

  [[nodiscard]] std::int64_t threads() const;
  [[nodiscard]] std::int64_t warps() const;  // rounded up
  [[nodiscard]] std::int64_t lanes() const;  // of a full warp, or of the only one
  [[nodiscard]] std::int64_t ctas() const;   // of a cluster

  friend bool operator==(const ThreadSpace&, const ThreadSpace&) = default;
};

struct ActiveSet {
  ThreadSpace space;
  AxisRange laneid;
  AxisRange warpid;
  std::vector<AxisRange> cta;  // one per dimension of the cluster
  bool elected = false;        // laneid is one lane, but which one is the hardware's choice
  bool empty = false;          // no thread gets here
  std::vector<OpaqueGuard> opaque;

  /// cta_id for a one-dimensional cluster, else cbx, cby, cbz.
  [[nodiscard]] Axis cta_axis(std::size_t dim) const;
  /// Threads in the box.
  [[nodiscard]] std::int64_t size() const;

  friend bool operator==(const ActiveSet&, const ActiveSet&) = default;
};

/// All threads of a cluster of CTAs.  Error: extents that are not positive or absurdly large.
[[nodiscard]] Result<ActiveSet> initial_active_set(std::vector<std::int64_t> block,
                                                   std::vector<std::int64_t> cluster = {1});

using AxisRanges = std::vector<std::pair<Axis, AxisRange>>;

/// The set as seen by an operation of some scope: the threads inside one instance, and the
/// instances.
struct ScopeSplit {
  AxisRanges intra;
  AxisRanges inter;

  [[nodiscard]] const AxisRange* find_intra(const Axis& axis) const;
  [[nodiscard]] const AxisRange* find_inter(const Axis& axis) const;
  /// Threads that carry out the operation together: 1 at thread scope.
  [[nodiscard]] std::int64_t thread_count() const;
};

/// Errors: a guard in force cannot be represented at this scope; "… crosses warpgroup boundary …";
/// a last warp that is not full.
[[nodiscard]] Result<ScopeSplit> split(const ActiveSet& set, ExecScope scope);

/// No guard has taken a thread away from the instances of this scope: 32 lanes, 4 warps of a
/// warpgroup, all warps of the CTA, all CTAs of the cluster.
[[nodiscard]] bool all_threads_active(const ActiveSet& set, ExecScope scope);

/// "laneid 32@0, warpid 2@4, cta_id 1@0": for messages and tests.
[[nodiscard]] std::string to_string(const ActiveSet& set);
[[nodiscard]] std::string to_string(const AxisRange& range);

}  // namespace tirx::ir
