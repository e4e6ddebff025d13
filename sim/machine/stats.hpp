// How often did each place of a kernel run, and how well does it access memory?  Counted while the
// launch runs, one CTA at a time (docs/simulator.md, "Counts").
//
// Global memory moves in sectors of 32 bytes (CUDA C++ Best Practices Guide, "Coalesced access").
// Shared memory has 32 banks of 4 bytes: a pass over the banks serves one word of each.  Up to 4
// bytes a lane, all lanes are served together; with 8 bytes half a warp, with 16 a quarter.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/launch_stats.hpp"
#include "sim/machine/warp.hpp"

namespace tirx::sim {

struct BankPasses {
  std::uint32_t passes = 0;
  std::uint32_t least = 0;  // without conflicts
  std::uint32_t worst = 0;  // lanes that wait for each other at one bank, at most
};

/// One request of a warp to shared memory: byte addresses, `bytes` (at most 16) a lane.
[[nodiscard]] BankPasses bank_passes(const std::int64_t* address,
                                     std::uint32_t lanes,
                                     std::int64_t bytes);

struct Sectors {
  std::uint32_t touched = 0;
  std::uint32_t least = 0;  // that hold as many different bytes
};

/// One request of a warp to global memory.
[[nodiscard]] Sectors sectors(const std::int64_t* address, std::uint32_t lanes, std::int64_t bytes);

/// The counts of one launch.
class Stats {
 public:
  explicit Stats(const Program& program) : program_(program), executed_(program.code.size()) {}

  /// Executes an instruction and counts it.
  const Instr* step(const Instr* pc, Warp& warp);

  [[nodiscard]] ir::LaunchStats take(const Source* source) const;

 private:
  struct Access {
    std::uint64_t requests = 0, bytes = 0, transfers = 0, least = 0;
    std::uint32_t worst = 0;
  };

  struct Request {
    const MemSite* site = nullptr;
    const CallSite* call = nullptr;
    Access counts;
  };

  void look(const MemSite& site, const CallSite* call, std::size_t argument, const Warp& warp);
  void request(const MemSite& site,
               const std::int64_t* address,
               std::uint32_t lanes,
               std::int64_t bytes,
               Access& counts) const;

  [[nodiscard]] bool is_shared(const MemSite& site) const {
    return site.region >= program_.global_regions;
  }

  const Program& program_;
  std::vector<std::uint64_t> executed_;  // by instruction
  std::unordered_map<const MemSite*, Request> accesses_;
  std::vector<Request> pending_;  // of the instruction that is being executed
};

}  // namespace tirx::sim
