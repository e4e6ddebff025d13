// How does one script after another end?  They are asked in a child: one that crashes, hangs or
// loses the GPU costs a new child, not whoever asks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fuzz/campaign/isolated.hpp"
#include "fuzz/check/oracle.hpp"

namespace tirx::fuzz {

/// Says what a script ends in; none: nothing is wrong with it.
using Judge = std::function<std::optional<Finding>(const std::string&)>;

/// A process that ended early ("crash: signal 11", "exit 3").
[[nodiscard]] bool crashed(const std::string& kind);

class Attempts {
 public:
  enum class Children : std::uint8_t {
    last,  // until one ends early
    once,  // each for one script: what one leaves behind in memory is not the next one's
  };

  /// `make_judge` is called in each new child, before its first script.
  explicit Attempts(const std::function<Judge()>& make_judge, Children children = Children::last);

  /// What the script ends in; within `seconds`, or it is a finding of kind "timeout".
  [[nodiscard]] std::optional<Finding> ask(const std::string& script, double seconds);

 private:
  Respondent respondent_;
  Children children_;
};

}  // namespace tirx::fuzz
