// A whole random script, valid by construction: every check must stay silent on it, and every
// engine must leave the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace tirx::fuzz {

struct Program {
  std::uint64_t seed = 0;
  std::string text;                // the script, its inputs included
  std::set<std::string> features;  // which parts of the language it uses
  bool has_alternative = false;    // tirx.param("ALT", 0) picks other layouts and loop kinds
};

/// A fault at the end of the program (planted.hpp), whose lines say what must come of it.
struct Planting {
  std::size_t fault = 0;
  bool wrong = true;  // or the same lines as they should be
  bool bare = false;  // nothing before it
};

struct ProgramOptions {
  bool synchronised = false;  // negative mode: barriers in every program, little else
  std::optional<Planting> planted{};
  std::optional<std::size_t> corner{};  // that one (corners.hpp), and nothing before it
  bool second = false;                  // another kernel behind it (second.hpp), in any case
};

[[nodiscard]] Program generate(std::uint64_t seed, const ProgramOptions& options = {});

/// Whether a seed also stands for a program that must be refused, and with which fault: each in its
/// turn, so that a run of a few hundred seeds meets them all.  The program of the seed is the same
/// either way.
[[nodiscard]] std::optional<Planting> refused_planting_of(std::uint64_t seed, int percent);
/// And whether it stands for one that goes wrong when it runs.
[[nodiscard]] std::optional<Planting> reported_planting_of(std::uint64_t seed, int percent);

}  // namespace tirx::fuzz
