// The shortest script that still shows it: hierarchical delta debugging on the syntax tree.
// Statements go first, then blocks lose their headers, parameters and arguments disappear together,
// expressions become their parts, numbers become small.  What a step breaks, the predicate refuses.
#pragma once

#include <functional>
#include <string>

namespace tirx::fuzz {

struct ReduceOptions {
  int max_attempts = 20000;
  double max_seconds = 60;
  bool expectations = false;  // stay, at their statements (fuzz/expect/expectation.hpp)
};

/// `still_fails` must hold for `text`.  Returns the smallest script found (canonical print,
/// without comments but for expectations).
[[nodiscard]] std::string reduce(const std::string& text,
                                 const std::function<bool(const std::string&)>& still_fails,
                                 const ReduceOptions& options = {});

}  // namespace tirx::fuzz
