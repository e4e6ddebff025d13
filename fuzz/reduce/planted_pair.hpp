// What must stay of a program with a planted fault, so that a shorter one still has that fault and
// nothing else is wrong with it?  Its right twin says which statements are the fault; they stay
// with all that their names stand for, and the shorter twin must not be refused either.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tirx::fuzz {

class PlantedPair {
 public:
  /// None where the wrong kernel has no statement that the right one has not.
  static std::optional<PlantedPair> make(const std::string& wrong, const std::string& right);

  /// Whether the script has the fault, and its names mean what they meant.
  [[nodiscard]] bool holds(const std::string& script) const;

  /// The script with the right statements in place of the fault.
  [[nodiscard]] std::string twin(const std::string& script) const;

 private:
  // Statements as they are printed: of the kernel, of the host part above it.
  std::vector<std::string> wrong_, right_, kept_, kept_above_;
  std::vector<std::string> parameters_;
};

}  // namespace tirx::fuzz
