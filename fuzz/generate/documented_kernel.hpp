// The small kernel that documented.hpp speaks of, while it is written: its lines by subject, each
// with its claims.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fuzz/generate/dice.hpp"

namespace tirx::fuzz {

/// The comments of a line: the text is in its CUDA, is not, is anywhere in the file.
[[nodiscard]] inline std::string has(const std::string& text) {
  return " #cuda: " + text;
}

[[nodiscard]] inline std::string has_not(const std::string& text) {
  return " #cuda not: " + text;
}

[[nodiscard]] inline std::string in_file(const std::string& text) {
  return " #cuda file: " + text;
}

class KnownKernel {
 public:
  KnownKernel(Dice& dice, std::string name)
      : dice_(dice),
        name_(std::move(name)),
        in_cuda_(name_ == "known"        ? name_
                 : name_ == "tirx_known" ? "vtirx_known"
                                         : name_ + "_1"),
        threads_(32 * dice.one_of({1, 2, 4})),
        extremes_(dice.chance(40)) {}

  std::string text();
  [[nodiscard]] std::string launch() const;

 private:
  struct Tensor {
    std::string name;
    bool written;
  };

  /// An int32 and all that it can be.
  struct Ranged {
    std::string text;
    std::int64_t low, high;
  };

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    body_ += std::string(static_cast<std::size_t>(4 * indent_), ' ') +
             fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  std::string fresh(const char* prefix) { return fmt::format("{}{}", prefix, counter_++); }

  std::string place() { return fmt::format("B[t, {}]", slot_++ % 7); }

  std::string float_place() { return fmt::format("F[t, {}]", slot_++ % 8); }

  /// No bounds beside those of the type.
  std::string any() { return dice_.chance(60) ? "x" : "KnownE[(t + 1) % 8]"; }

  void more_parameters();
  [[nodiscard]] std::string signature() const;
  // documented_numbers.cpp
  Ranged leaf();
  Ranged named(Ranged value);
  std::string approximated(const std::string& value);
  void arithmetic();
  void quotient();
  void approximation();
  void negation();
  void sign();
  void narrow();
  void wide();
  // documented_ranges.cpp
  Ranged of_two();
  Ranged of_narrow();
  Ranged any_loop();
  void wraps();
  void shift();
  void divisor();
  void in_loop();
  void in_wide_loop();
  void in_index();
  // documented_statements.cpp
  void loop();
  void names();
  void own_name();
  void written();
  void assertion();
  void copy();
  void variable();
  void array();
  void fence();
  void ordered();
  void by_name();
  void size();
  void view();
  void half_bytes();
  void hidden_lanes();

  Dice& dice_;
  std::string name_, in_cuda_;
  int threads_;
  bool extremes_;  // there is a minimum of integers
  int bounds_ = dice_.below(8);
  int indent_ = 1, counter_ = 0, slot_ = 0;
  std::string body_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> used_;
  std::vector<Ranged> in_scope_;  // variables of loops
  /// Parameters with names that the text uses for something else.
  std::string parameters_, arguments_, claims_;
};

}  // namespace tirx::fuzz
