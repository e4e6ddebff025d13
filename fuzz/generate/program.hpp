// A whole random script, valid by construction: every check must stay silent on it, and every
// engine must leave the same bits.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace tirx::fuzz {

struct Program {
  std::uint64_t seed = 0;
  std::string text;                // the script, its inputs included
  std::set<std::string> features;  // which parts of the language it uses
  bool has_alternative = false;    // tirx.param("ALT", 0) picks other layouts and loop kinds
};

struct ProgramOptions {
  bool synchronised = false;  // negative mode: barriers in every program, little else
};

[[nodiscard]] Program generate(std::uint64_t seed, const ProgramOptions& options = {});

}  // namespace tirx::fuzz
