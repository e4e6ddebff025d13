// Accesses, told to the race detector.  The rows that hot loops touch are handled in isa/race.inc;
// this is the general form, and what is said about a race.
#pragma once

#include <cstdint>

#include "sim/machine/race.hpp"

namespace tirx::sim {

struct Cta;
struct CopyBatch;

namespace exec {

/// What is stored is not known.
inline constexpr std::uint32_t kNoValueRegister = 0xffffffffU;

/// One access of some lanes to the bytes [byte, byte + size).
void race_access(const RaceSite& site,
                 Warp& w,
                 std::uint32_t lanes,
                 std::int64_t byte,
                 std::int64_t size,
                 std::uint32_t value_register);

/// The access of all lanes that take part in a load or store.
void race_slow(const RaceSite& site, Warp& w, std::uint32_t value_register);

/// Copies begin: they read their sources and write their destinations on their own.
void race_copy(Warp& w, const CopyBatch& batch);

/// Two accesses without an order; `byte` is where the granule begins.
void report_race(const RaceSite& site,
                 Warp& w,
                 const race::Conflict& conflict,
                 std::int64_t byte,
                 std::uint32_t value_register);

}  // namespace exec

}  // namespace tirx::sim
