// How long may a launch take, and how far is it?  --max-seconds, and a line on a terminal for
// launches that take long.
#pragma once

#include <functional>
#include <string>

#include "cli/options.hpp"

namespace tirx::cli {

/// What the simulator asks from time to time (sim::SimOptions::watch); null where nobody is
/// interested.
class ProgressLine {
 public:
  ProgressLine(const Options& options, std::string kernel);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] std::function<bool(const sim::Progress&)> watch();

 private:
  bool tell(const sim::Progress& progress);

  std::string kernel_;
  double limit_ = 0;  // seconds; 0: none
  bool terminal_ = false;
  double begun_ = 0, told_ = 0;
  bool shown_ = false;
};

/// "kernel k: 1,024 of 1,048,576 CTAs, 12 s".
[[nodiscard]] std::string progress_text(std::string_view kernel,
                                        const sim::Progress& progress,
                                        double seconds);

}  // namespace tirx::cli
