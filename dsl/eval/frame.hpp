// What does the evaluator remember about the function it is in?
#pragma once

#include <string>

#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/objects.hpp"

namespace tirx::dsl {

struct Interpreter::Frame {
  Frame* parent = nullptr;
  const Function* function = nullptr;  // null: the module
  bool builds = false;                 // statements are the kernel's (prim_func, inline)
  bool kernel_body = false;            // the kernel's own function
  int loops = 0;                       // open loops of this function: `break` needs one
  std::string grid;                    // the innermost variable, in the body of a T.grid of several
  int run_time_blocks = 0;             // open conditions and loops that exist at run time
  int depth = 0;
};

/// Sets a variable for a block of C++.
template <typename T>
class Setting {
 public:
  Setting(T& place, T value) : place_(place), saved_(std::move(place)) {
    place_ = std::move(value);
  }

  ~Setting() { place_ = std::move(saved_); }

  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  T& place_;
  T saved_;
};

}  // namespace tirx::dsl
