// A lowered kernel run element by element, one thread after the other: the oracle of the lowering
// tests.  It knows integers and moves of tagged elements, no floats and no synchronisation.
//
// Every access is checked on the way: the place that the layout algebra gives for the logical
// indices of each lane must be the flat offset of that lane.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lower/lowered.hpp"

namespace tirx::testing {

struct Tags {
  std::vector<std::int64_t> value;
  std::vector<int> writes;
};

class ElementInterpreter {
 public:
  explicit ElementInterpreter(const lower::LoweredKernel& kernel) : kernel_(kernel) {}

  /// Runs all threads of CTA 0 (scope ids of CTAs are 0); symbols have the given values.
  void run(const std::map<const ir::Variable*, std::int64_t>& symbols = {});

  /// Memory of a storage; registers: of one thread.
  Tags& memory(const ir::StorageRef& storage, std::int64_t thread = 0);
  std::int64_t evaluate(const ir::Expr& expr);

  void set_thread(std::int64_t thread) { thread_ = thread; }

  /// Whether the current thread holds the element of a register tile.
  bool is_held(const ir::BufferNode& buffer, const std::vector<std::int64_t>& indices);

  /// The place of an element by the layout algebra or the strides, from the storage's start.
  std::int64_t place(const ir::BufferNode& buffer, const std::vector<std::int64_t>& indices);

 private:
  void run_body(const ir::Body& body);
  void run_stmt(const ir::Stmt& stmt);
  bool holds(const ir::Layout& layout, const ir::Axis& axis, std::int64_t value);
  std::int64_t lane_place(const ir::Access& access, int lane);
  std::vector<std::int64_t> load(const ir::Access& access, int lanes);
  std::vector<std::int64_t> evaluate_vector(const ir::Expr& expr);

  const lower::LoweredKernel& kernel_;
  std::map<const void*, std::int64_t> values_;
  std::map<std::pair<const void*, std::int64_t>, Tags> memory_;
  std::int64_t thread_ = 0;
};

}  // namespace tirx::testing
