// How does IR read?  As the language itself: a printed kernel of tile IR parses and evaluates back
// to the same IR (equal.hpp says what "same" means).  Thread IR prints in the same style, with
// accesses as flat offsets; it is for reading only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ir/base/writer.hpp"
#include "ir/kernel.hpp"

namespace tirx::ir {

/// Names while printing: variables and buffers of one name in one kernel get different ones.
struct PrintNames {
  std::function<std::string(const Variable&)> variable;
  std::function<std::string(const BufferNode&)> buffer;
};

enum class PrintLevel : std::uint8_t { tile, thread };

/// An expression with the names as they are; flat offsets are not shown at tile level.
[[nodiscard]] std::string to_string(const Expr& expr, PrintLevel level = PrintLevel::tile);
[[nodiscard]] std::string to_string(const Expr& expr, PrintLevel level, const PrintNames& names);
/// `A[i, j]`, or at thread level `A.flat[i * 32 + j]`.
[[nodiscard]] std::string to_string(const Access& access,
                                    int lanes,
                                    PrintLevel level,
                                    const PrintNames& names);
/// `A[0:32, k:k + 8]`.
[[nodiscard]] std::string to_string(const Region& region, const PrintNames& names);
[[nodiscard]] std::string to_string(const Region& region);

/// A whole kernel of tile IR, imports and decorator included.
[[nodiscard]] std::string to_string(const Kernel& kernel);

/// Statements as lines, with names that are unique among those given out so far.
class BodyPrinter {
 public:
  BodyPrinter(Writer& writer, PrintLevel level);
  ~BodyPrinter();
  BodyPrinter(const BodyPrinter&) = delete;
  BodyPrinter& operator=(const BodyPrinter&) = delete;

  void print(const Body& body);
  /// A name that the kernel's header binds: no variable gets it.
  void reserve(const std::string& name);
  /// Gives a variable or buffer its name (a fixed text where `as` is not empty).
  std::string declare(const Var& var, const std::string& as = {});
  std::string declare(const Buffer& buffer);
  [[nodiscard]] const PrintNames& names() const;
  /// The arguments of alloc_buffer and match_buffer after the first: shape (or `dims`, if there are
  /// any), dtype, keywords.
  [[nodiscard]] std::string buffer_arguments(const BufferNode& buffer,
                                             bool parameter,
                                             const std::vector<std::string>& dims = {});
  [[nodiscard]] std::string text(const Expr& expr) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tirx::ir
