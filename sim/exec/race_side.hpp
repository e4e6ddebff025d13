// One of the two accesses of a race.
#pragma once

#include <cstdint>
#include <string>

#include "ir/all_ops.hpp"
#include "sim/machine/cta.hpp"

namespace tirx::sim::exec {

struct Side {
  const RaceSite* site = nullptr;
  bool writes = false;
  std::int64_t cta = 0;  // linear
  std::uint32_t warp = 0;
  int lane = 0;
  race::Tick tick = 0;
  bool strong = false;
  bool copy = false;     // done by a copy, on its own
  bool pending = false;  // … that its thread has not waited for
  race::Scope scope = race::Scope::sys;

  [[nodiscard]] const Place& place() const {
    return site->call != nullptr ? site->call->place : site->mem->place;
  }

  [[nodiscard]] Span span() const { return place().span; }

  [[nodiscard]] std::string what() const {
    if (site->call != nullptr) return std::string(ir::spec(site->call->op).name);
    return writes ? "write" : "read";
  }
};

}  // namespace tirx::sim::exec
