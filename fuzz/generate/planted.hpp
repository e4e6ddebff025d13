// Kernels with one fault each: a few lines, beside the same lines as they should be, which show
// that nothing else is wrong.  What must come of the wrong ones stands in them: a comment at the
// line (fuzz/expect/expectation.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// The CTAs of the program: how many at least, and whether they come in pairs.
struct Needs {
  int ctas = 1;
  bool pairs = false;
};

/// `common` stands above `setup`, and that above the right lines or the wrong ones.
struct PlantedFault {
  std::string_view name;
  std::string_view common, setup;
  std::string_view right, wrong;
  Needs needs{};
};

/// What stands around the lines, and which words are filled in.
enum class Ground : std::uint8_t {
  /// A shared tile `ps` of $R x $C elements of type $D, filled from PIn[bx, :, :] and then copied
  /// to
  /// POut, in a CTA of $T threads.  $E is another 16-bit type, $W a warp, $K is $R and where it is
  /// wrong 0.  Guards: $H holds for all threads of a warp alike, $G does not; $I for all of the
  /// CTA,
  /// $J does not.  PVec[bx, tx, :] are four float32.  A line "^…" stands above device_entry;
  /// "^PSym"
  /// makes PSym, five float32 whose number is a symbol; "^grid …" and "^threads …" are what they
  /// say.
  tile,
  /// Nothing.  $T threads of the CTA, $W and $V two warps, $L and $M two lanes, $A and $Z thread $L
  /// of warp $W and $M of warp $V, $K and $Q from 1 to 7, $N from 33 to 60, $B a barrier's id, $D a
  /// type; $a, $k, $n: $A negated, $K as a letter, $N in hexadecimal, $H: in capitals; $i and $j:
  /// the warps by
  /// number.
  /// PGlob[bx, tx, 0:8] are zeros of int32, PNone as many without a value, PFlag[0:8] zeros,
  /// PMat[0:16, 0:24] zeros of float32, whose rows are a symbol.
  threads,
};

struct PlantedList {
  Ground ground = Ground::tile;
  std::span<const PlantedFault> faults;
};

/// The list of a file; a fault whose wrong lines do not say what must come of them is none.
template <const auto& faults>
[[nodiscard]] constexpr PlantedList planted_list(Ground ground) {
  static_assert(std::all_of(faults.begin(), faults.end(),
                            [](const PlantedFault& fault) {
                              return fault.wrong.find(kExpects) != std::string_view::npos;
                            }),
                "the wrong lines of each fault say what must come of them: #! …");
  return {ground, faults};
}

[[nodiscard]] PlantedList planted_in_copies();
[[nodiscard]] PlantedList planted_in_products();
[[nodiscard]] PlantedList planted_in_language();
[[nodiscard]] PlantedList planted_in_memory();
[[nodiscard]] PlantedList planted_in_fragments();
[[nodiscard]] PlantedList planted_in_gemm();
[[nodiscard]] PlantedList planted_in_parts();
[[nodiscard]] PlantedList planted_in_threads();
[[nodiscard]] PlantedList planted_in_guards();
[[nodiscard]] PlantedList planted_in_leaving();
[[nodiscard]] PlantedList planted_in_overlap();
[[nodiscard]] PlantedList planted_in_limits();
[[nodiscard]] PlantedList faults_of_one_thread();
[[nodiscard]] PlantedList faults_of_values();
[[nodiscard]] PlantedList faults_of_order();
[[nodiscard]] PlantedList faults_between_ctas();
[[nodiscard]] PlantedList faults_of_copies();
[[nodiscard]] PlantedList faults_at_barriers();
[[nodiscard]] PlantedList faults_of_exits();
[[nodiscard]] PlantedList faults_of_operands();
[[nodiscard]] PlantedList faults_of_scopes();
[[nodiscard]] PlantedList faults_of_patterns();
[[nodiscard]] PlantedList faults_of_registers();
[[nodiscard]] PlantedList faults_of_holes();
[[nodiscard]] PlantedList faults_of_facts();
[[nodiscard]] PlantedList faults_of_machine();
[[nodiscard]] PlantedList faults_of_accesses();
[[nodiscard]] PlantedList faults_of_tiles();

/// All of them are numbered.
[[nodiscard]] std::size_t planted_faults();
[[nodiscard]] const PlantedFault& planted_fault(std::size_t number);

/// How many stand on a ground, the number of one of them, and of a random one.
[[nodiscard]] std::size_t planted_on(Ground ground);
[[nodiscard]] std::size_t planted_on(Ground ground, std::size_t which);
[[nodiscard]] std::size_t any_planted(Dice& dice, Ground ground);

/// Whether the program that is begun has the warps and CTAs that the fault needs; and makes them.
[[nodiscard]] bool has_room(const Draft& draft, const PlantedFault& fault);
void make_room(Draft& draft, const PlantedFault& fault);

/// Writes the lines, `wrong` or right.  The CTA has two warps or more.
void plant(Draft& draft, std::size_t number, bool wrong);

}  // namespace tirx::fuzz
