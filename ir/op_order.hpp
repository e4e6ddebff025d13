// What does an operation do for the order of threads, beside its effect?  Said in its struct, next
// to its spec, as `kOrder`; most do nothing.
#pragma once

#include <cstdint>

namespace tirx::ir {

struct OpOrder {
  enum class Step : std::uint8_t {
    none,
    meet,    // arrives and waits at once
    arrive,  // … without waiting
    wait,
    commit,  // closes a group of copies
  };
  Step step = Step::none;
  bool mbarrier = false;  // at a barrier in shared memory
  bool async = false;     // about copies that go on beside their thread
};

}  // namespace tirx::ir
