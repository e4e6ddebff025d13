// The slow side of the checks: which lanes are at fault, and what is said about it.
#pragma once

#include <string>

#include "sim/machine/cta.hpp"

namespace tirx::sim::exec {

/// An index outside of the buffer's shape.
void report_index(const CheckSite& check, Warp& w, std::uint32_t lanes);
/// An address outside of the storage.
void report_outside(const MemSite& site, Warp& w, std::uint32_t lanes);
void report_outside(const LocalSite& site, Warp& w, std::uint32_t lanes);
void report_align(const CheckSite& check, Warp& w, std::uint32_t lanes);
void report_poison(const CheckSite& check, Warp& w, std::uint32_t lanes, std::uint32_t origin);
void report_division(const CheckSite& check, Warp& w, std::uint32_t lanes);
void report_overflow(const CheckSite& check, Warp& w, std::uint32_t lanes);

/// Numbers of origins (Cta::origins): an element that a load found invalid, an access that was
/// refused, a variable before its first assignment, a division by zero.
[[nodiscard]] std::uint32_t load_origin(const MemSite& site, Warp& w, int lane, std::int64_t byte);
[[nodiscard]] std::uint32_t refused_origin(const Place& place, const ir::Buffer& buffer, Warp& w);
[[nodiscard]] std::uint32_t variable_origin(const CheckSite& site, Warp& w);
[[nodiscard]] std::uint32_t division_origin(const CheckSite& site, Warp& w);

/// Poison was stored at this byte: a later load of it can name the origin.
void remember_poison(const MemSite& site, Warp& w, std::int64_t byte, std::uint32_t origin);

/// Claims what an access touches; false: another CTA that runs at the same time has touched it.
[[nodiscard]] bool claim_access(const MemSite& site, Warp& w);
void note_conflict(Warp& w);

/// A failed assertion stops the lanes' kernel with a trap.
const Instr* report_assert(const CallSite& site, Warp& w, std::uint32_t lanes, const Instr* pc);

}  // namespace tirx::sim::exec
