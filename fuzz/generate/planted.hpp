// Kernels that must be refused: each fault is a few lines that break one static rule, beside the
// same lines as they should be.  The right ones show that nothing else is wrong with the kernel.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Lines around a shared tile `ps` of $R x $C elements of type $D, filled from PIn[bx, :, :], in a
/// CTA of $T threads.  $E is another 16-bit type, $W a warp, $K is $R and where it is wrong 0.
/// Guards: $H holds for all threads of a warp alike, $G does not; $I for all of the CTA, $J does
/// not.  PVec[bx, tx, :] are four float32.  A line "^…" stands above device_entry; "^PSym" makes
/// PSym, five float32 whose number is a symbol; "^grid …" and "^threads …" are what they say.
struct PlantedFault {
  std::string_view name;
  std::string_view common, setup;
  std::string_view right, wrong;
  std::string_view says{};  // words of its refusal; another refusal does not count
};

[[nodiscard]] std::span<const PlantedFault> planted_in_copies();
[[nodiscard]] std::span<const PlantedFault> planted_in_products();
[[nodiscard]] std::span<const PlantedFault> planted_in_language();
[[nodiscard]] std::span<const PlantedFault> planted_in_memory();
[[nodiscard]] std::span<const PlantedFault> planted_in_fragments();
[[nodiscard]] std::span<const PlantedFault> planted_in_gemm();
[[nodiscard]] std::span<const PlantedFault> planted_in_parts();
[[nodiscard]] std::span<const PlantedFault> planted_in_threads();
[[nodiscard]] std::span<const PlantedFault> planted_in_guards();

/// How many there are, and one by its number.
[[nodiscard]] std::size_t planted_faults();
[[nodiscard]] const PlantedFault& planted_fault(std::size_t number);

/// Writes the lines, `wrong` or right.  The CTA has two warps or four.
void plant(Draft& draft, const PlantedFault& fault, bool wrong);

}  // namespace tirx::fuzz
