// What stands behind a row of a table, and does it still?  Outputs of a GPU witness the code that
// they were compared with: a fingerprint of that code is recorded with them, and a row whose code
// has changed since is only `published` until it is compared again (docs/numerics.md, "Evidence").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tirx::num {

enum class Evidence : std::uint8_t {
  witnessed,  // compared with outputs of an H200 (docs/numerics.md says how many)
  published,  // documented by the vendor or measured by others, not compared by us
  modelled,   // somebody else's model, or our own inference
  defined,    // the language defines it; the emitted CUDA executes the same definition
};

[[nodiscard]] std::string_view name(Evidence evidence);

/// Eight digits that change with the text, but not with comments (to the end of a line) and blanks.
[[nodiscard]] std::string text_fingerprint(std::string_view text);

/// The digits of a file of numerics/ ("codec.cpp") when this library was built; empty: not listed.
[[nodiscard]] std::string_view source_fingerprint(std::string_view file);

/// The digits that were recorded with a GPU's outputs under this name; empty: none were.
[[nodiscard]] std::string_view recorded_fingerprint(std::string_view name);

/// `declared`, but `published` for a witnessed row whose code is not that of its recording.
[[nodiscard]] Evidence standing(Evidence declared, std::string_view recorded, std::string_view now);

}  // namespace tirx::num
