// What must stay of a program with a planted fault, so that a shorter one still has that fault and
// nothing else is wrong with it?  Its right twin, or what its lines say of themselves, tells which
// statements are the fault; they stay with all that their names stand for, and the shorter twin
// must not be refused either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/ast/ast.hpp"

namespace tirx::fuzz {

/// What the names of a fault need to stay what they are: a refusal hangs on what they mean, the
/// CUDA of a line also on the values that it reads, what a run reports on all their values.
enum class Hangs : std::uint8_t { on_meaning, on_read_values, on_values };

class PlantedPair {
 public:
  /// The statements [head, end) of a kernel, and names that are not in them.
  struct Fault {
    std::string kernel;
    std::size_t head = 0, end = 0;
    std::vector<std::string> names{};
    bool waits = false;                // for other threads
    std::vector<std::string> lines{};  // that stay of these statements; none: all
  };

  /// None where the wrong kernel has no statement that the right one has not.
  static std::optional<PlantedPair> make(const std::string& wrong,
                                         const std::string& right,
                                         Hangs hangs = Hangs::on_meaning);

  /// Of a script whose lines say what must come of them: its twin is the script without the
  /// statements from the first such line of a kernel to the last one.  What the kernel's own first
  /// line says is about the names in it.  None where there is no such line.
  static std::optional<PlantedPair> marked(const std::string& text,
                                           Hangs hangs = Hangs::on_meaning);

  /// Whether the script has the fault, and its names mean what they meant.
  [[nodiscard]] bool holds(const std::string& script) const;

  /// The script with the right statements in place of the fault.
  [[nodiscard]] std::string twin(const std::string& script) const;

 private:
  static PlantedPair of(dsl::ast::Module& module, Fault fault, Hangs hangs);

  std::string kernel_;
  // Lines of the fault as they are printed, without indentation; none: all.
  std::vector<std::string> lines_;
  // Statements as they are printed: of the kernel, of the host part above it.
  std::vector<std::string> wrong_, right_, kept_, kept_above_;
  std::vector<std::string> parameters_;
};

}  // namespace tirx::fuzz
