// Kernels that go wrong when they run, with the verdict that every run must come to: a few lines
// beside the same lines as they should be.  Marks at the ends of the wrong ones say what is
// reported there (fuzz/check/misbehaving.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Words ($a, $k, $n: $A negated, $K as a letter, $N in hexadecimal;
/// $i and $j: the warps by number): $T threads of the CTA, $W and
/// $V two warps, $L and $M two lanes, $A and $Z thread $L of warp $W and $M of warp $V, $K and $Q
/// from 1 to 7, $N from 33 to 60, $B a barrier's id, $D a type.  PGlob[bx, tx, 0:8] are zeros of
/// int32, PNone as many without a value, PFlag[0:8] zeros.
struct RunFault {
  std::string_view name;
  std::string_view common;
  std::string_view right, wrong;
  int ctas = 1;        // at least
  bool pairs = false;  // whether CTAs must come in pairs
};

[[nodiscard]] std::span<const RunFault> faults_of_one_thread();
[[nodiscard]] std::span<const RunFault> faults_of_values();
[[nodiscard]] std::span<const RunFault> faults_of_order();
[[nodiscard]] std::span<const RunFault> faults_at_barriers();

/// How many there are, and one by its number.
[[nodiscard]] std::size_t run_faults();
[[nodiscard]] const RunFault& run_fault(std::size_t number);

/// Whether the program that is begun has the CTAs that the fault needs; and makes them.
[[nodiscard]] bool has_room(const Draft& draft, const RunFault& fault);
void make_room(Draft& draft, const RunFault& fault);

/// Writes the lines, `wrong` or right.  The CTA has two warps or more.
void plant(Draft& draft, const RunFault& fault, bool wrong);

}  // namespace tirx::fuzz
