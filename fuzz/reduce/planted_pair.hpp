// What must stay of a program with a planted fault, so that a shorter one still has that fault and
// nothing else is wrong with it?  Its right twin, or what its lines say of themselves, tells which
// statements are the fault; they stay with all that their names stand for, and the shorter twin
// must not be refused either.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/ast/ast.hpp"

namespace tirx::fuzz {

class PlantedPair {
 public:
  /// None where the wrong kernel has no statement that the right one has not.
  static std::optional<PlantedPair> make(const std::string& wrong, const std::string& right);

  /// Of a script whose lines say what must come of them: its twin is the script without the
  /// statements from the first such line of the kernel to the last one.  None where it has no such
  /// line.
  static std::optional<PlantedPair> marked(const std::string& text);

  /// Whether the script has the fault, and its names mean what they meant.
  [[nodiscard]] bool holds(const std::string& script) const;

  /// The script with the right statements in place of the fault.
  [[nodiscard]] std::string twin(const std::string& script) const;

 private:
  /// Its wrong statements are those of the kernel that [head, end) counts.
  static PlantedPair of(dsl::ast::Module& module, std::size_t head, std::size_t end);

  // Statements as they are printed: of the kernel, of the host part above it.
  std::vector<std::string> wrong_, right_, kept_, kept_above_;
  std::vector<std::string> parameters_;
};

}  // namespace tirx::fuzz
