// Where does shared memory lie?  Static allocations follow one another in the CTA's static part;
// the one shared.dyn allocation is the dynamic arena, whose parts are views.
#pragma once

#include <optional>

#include "ir/base/diagnostic.hpp"
#include "lower/lowered.hpp"

namespace tirx::lower {

class SharedPlan {
 public:
  /// Gives the storage of an allocation its place; other memory is left alone.  The diagnostic is
  /// the user's: a size that is not constant, a second shared.dyn allocation.
  [[nodiscard]] std::optional<Diagnostic> add(const ir::StorageRef& storage, Span span);
  /// Checks the target's limits, also against `requested` dynamic bytes (T.attr).
  [[nodiscard]] std::optional<Diagnostic> finish(const ir::Target& target,
                                                 std::optional<std::int64_t> requested,
                                                 Span kernel);

  std::vector<SharedPlace> places;
  std::int64_t static_bytes = 0;
  std::int64_t dynamic_bytes = 0;

 private:
  const ir::Storage* arena_ = nullptr;
  Span arena_span_;
  Span last_static_;
};

}  // namespace tirx::lower
