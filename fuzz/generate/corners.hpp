// What the other phases do not come by, found with broken builds of tirx that survived them
// (docs/testing.md, "Broken builds").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

struct Corner {
  std::string_view name;  // the feature that it marks
  void (*write)(Draft& draft);
  int warps = 1;       // that a CTA must have, at least
  bool pairs = false;  // whether CTAs must come in pairs
};

/// How many there are, and one by its number.
[[nodiscard]] std::size_t corners();
[[nodiscard]] const Corner& corner_of(std::size_t number);

/// Warps and CTAs as the corner needs them, before anything is written.
void make_room(Draft& draft, const Corner& corner);

/// How many corners the program of the seed ends with; by a stream of its own, so that the rest of
/// the program is what it is without.
[[nodiscard]] int corners_in(std::uint64_t seed);

/// One that the program has room for.
void any_corner(Draft& draft);

/// The right lines of one of planted.hpp: one a program, for their names are fixed.  `last`:
/// nothing follows but the results.
void beside_a_fault(Draft& draft, bool last);

/// The lists, a file each.
[[nodiscard]] std::span<const Corner> symbolic_corners();
[[nodiscard]] std::span<const Corner> packed_corners();
[[nodiscard]] std::span<const Corner> id_corners();
[[nodiscard]] std::span<const Corner> memory_corners();
[[nodiscard]] std::span<const Corner> operand_corners();
[[nodiscard]] std::span<const Corner> machine_corners();
[[nodiscard]] std::span<const Corner> transfer_corners();
[[nodiscard]] std::span<const Corner> text_corners();
[[nodiscard]] std::span<const Corner> vector_corners();
[[nodiscard]] std::span<const Corner> sequence_corners();
[[nodiscard]] std::span<const Corner> place_corners();
[[nodiscard]] std::span<const Corner> known_corners();
[[nodiscard]] std::span<const Corner> range_corners();
[[nodiscard]] std::span<const Corner> loop_corners();
[[nodiscard]] std::span<const Corner> hidden_corners();
[[nodiscard]] std::span<const Corner> form_corners();
[[nodiscard]] std::span<const Corner> tile_corners();
[[nodiscard]] std::span<const Corner> lane_corners();
[[nodiscard]] std::span<const Corner> promised_corners();

/// Ends a corner: the value is one of those that the program's last statements write down.
void keep_result(Draft& draft, const std::string& value, num::DType dtype);

}  // namespace tirx::fuzz
