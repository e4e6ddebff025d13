// What the device prints goes to the process's standard output when it is synchronised; here it is
// led into memory for that time, so that it becomes part of the outcome.
#pragma once

#include <string>

namespace tirx::cuda {

class CapturedOutput {
 public:
  /// Nothing is captured unless `wanted`.
  explicit CapturedOutput(bool wanted);

  ~CapturedOutput();

  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  /// Ends the capture and returns what was printed.
  std::string take();

 private:
  void restore();

  int saved_ = -1;
  int file_ = -1;
};

}  // namespace tirx::cuda
