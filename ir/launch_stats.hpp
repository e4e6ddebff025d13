// What did a launch do, counted by place in the script?  Memory requests are those of a warp: what
// one instruction asks for in all its lanes (docs/simulator.md, "Counts").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/base/source.hpp"

namespace tirx::ir {

/// Accesses to one buffer from one place in the script.
struct AccessStats {
  Span span;
  std::string buffer;
  std::string what;  // "read", "write", or the operation
  bool shared = false;
  std::uint64_t requests = 0;  // of warps
  std::uint64_t bytes = 0;     // that lanes asked for, the same byte as often as they did
  // Global: sectors of 32 bytes that the requests touch, and the fewest that hold as many bytes.
  // Shared: passes over the banks, and how many there would be without conflicts.
  std::uint64_t transfers = 0;
  std::uint64_t least = 0;
  std::uint32_t worst = 0;  // of one request: sectors; lanes of one bank that wait for each other
};

/// Barriers and waits at one place: how often a warp passed.
struct WaitStats {
  Span span;
  std::string what;
  std::uint64_t passed = 0;
};

struct LineStats {
  std::uint32_t line = 0;
  std::uint64_t instructions = 0;  // of warps, in the simulator's bytecode, without checks
};

struct LaunchStats {
  std::uint64_t ctas = 0, threads = 0;  // threads of a CTA
  std::uint64_t instructions = 0;
  std::vector<AccessStats> accesses;  // in the order of the script
  std::vector<WaitStats> waits;
  std::vector<LineStats> lines;
};

}  // namespace tirx::ir
