// What does the race detector need to know of an access before the run?  Made by
// program/races.cpp, used by exec/race.cpp and exec/isa/race.inc.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/race/scope.hpp"

namespace tirx::sim {

struct MemSite;
struct CallSite;

/// An access that is watched for races.
struct RaceSite {
  enum class Kind : std::uint8_t { read, write, atomic };

  /// Neighbouring granules of a pattern, from `granule` behind the one of the base address.
  struct Segment {
    std::int64_t granule = 0;
    std::uint32_t first = 0;  // into lanes
    std::uint32_t count = 0;
  };

  std::uint32_t number = 0;  // stamps name sites by it
  Kind kind = Kind::read;
  bool shared = false;       // shared memory; else global
  std::uint16_t shadow = 0;  // into Space::shadows
  const MemSite* mem = nullptr;
  const CallSite* call = nullptr;  // the operation; null: a plain load or store
  // Operations only.
  bool strong = false;  // an atomic or a synchronising access
  bool acquires = false, releases = false;
  race::Scope scope = race::Scope::sys;
  // Fixed patterns of whole granules only: which lanes touch which granule.
  std::vector<Segment> segments;
  std::vector<std::uint32_t> lanes;
  bool distinct = false;            // one lane for each granule
  std::vector<std::uint32_t> lane;  // its number
};

/// A memory with accesses that are watched.
struct RaceRegion {
  std::int64_t lo = 0, hi = 0;
  int shift = -1;  // a granule has 1 << shift bytes; -1: nothing is watched
  bool shared = false;
  bool atomics = false;
  bool reads = false;
};

}  // namespace tirx::sim
