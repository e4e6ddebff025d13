// What does a script say must come of it?  A comment "#! …" at the end of a line: expectations with
// "; " between them, each a word, and behind it what it is about.
//   refused WORDS    an error at this line says so, before a kernel runs
//   race WORDS       a run reports a fault of that kind here (any word of ir::FaultKind) and says
//                    so; "race? WORDS": it may.  "beyond tile": the tile-level evaluator does not
//                    look.  "thread 5 times 2*3" at the end: thread 5 of a CTA first, so often
//   prints TEXT      a line of the kernel's output;  origin WORDS: of values that nobody wrote
//   incomplete       the simulator gives up
//   lowered VARIANT  by it; ", vec N", ", warns" and other words behind it say more (promise.hpp)
// A comment on a line of its own is about the whole script.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::fuzz {

inline constexpr std::string_view kExpects = "#! ";
/// Comments about a line's CUDA (fuzz/check/emitted.hpp).
inline constexpr std::string_view kClaims = "#cuda";

struct Expectation {
  std::string word;      // "refused", "race", …
  std::string words;     // what it is about; may be empty
  std::size_t line = 0;  // 0: of the whole script
  bool may = false;      // "race?"
};

/// In the order of the script.
[[nodiscard]] std::vector<Expectation> expectations_of(std::string_view text);

/// The first that is none of the above, as it is written; empty: there is none.
[[nodiscard]] std::string unknown_among(const std::vector<Expectation>& expectations);

/// Whether the script must be refused; else, whether a run has to end in something else than clean.
[[nodiscard]] bool expects_refusal(const std::vector<Expectation>& expectations);
[[nodiscard]] bool expects_report(const std::vector<Expectation>& expectations);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// The comment of one line, from its mark on; empty: it has none.
[[nodiscard]] std::string_view expectations_in(std::string_view line);

/// What a line says of itself, from the first of both marks on; empty: nothing.
[[nodiscard]] std::string_view marks_in(std::string_view line);

/// The script with `claim` as the only one of all claims, at the `which`-th line that has it (from
/// 1; 0: at each of them); empty: none.
[[nodiscard]] std::string with_one_claim(std::string_view text,
                                         std::string_view claim,
                                         std::size_t which = 0);

/// The script without the comments of the lines that `goes` says.
[[nodiscard]] std::string without_expectations(
    std::string_view text, const std::function<bool(std::string_view line)>& goes);

}  // namespace tirx::fuzz
