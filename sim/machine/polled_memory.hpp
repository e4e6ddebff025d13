// Which element does a strand poll in vain, what is in it, and who wrote it last?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/cta.hpp"

namespace tirx::sim {

struct PolledMemory {
  std::string element;
  std::string_view space;
  std::string text;         // "lock[0] to change (it polls): it is 1"
  std::vector<Note> notes;  // who wrote it last, and the way out
};

/// Nothing where the strand waits otherwise, or polls an mbarrier.
[[nodiscard]] std::optional<PolledMemory> polled_memory(const Cta& cta,
                                                        const Warp& warp,
                                                        const Strand& strand);

}  // namespace tirx::sim
