// Values at the ends of a type, in memory, so that no compiler knows them: what tells two texts
// apart that compute the same of ordinary numbers.
#pragma once

#include <string>
#include <vector>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// Lowest and highest, their neighbours, zeros of both signs, ones, subnormals; no NaN.
constexpr int kEnds = 16;

/// A parameter that holds kEnds of them.
[[nodiscard]] std::string ends(Draft& draft, num::DType dtype);

/// Another element of it in every thread of 16 in a row.
[[nodiscard]] std::string end_of(Draft& draft, const std::string& array);

/// What a corner shows: an element for each thread and each value.
class Shown {
 public:
  Shown(Draft& draft, num::DType dtype, int count);

  /// Stores the next value, in a type that the array's comes of.
  void show(const std::string& value);
  /// The place of the next value.
  [[nodiscard]] std::string place();

 private:
  Draft& draft_;
  std::string name_;
  int count_, next_ = 0;
};

}  // namespace tirx::fuzz
