// Where did poison that a kernel stored in a tensor come from?  Kept beside the bytes, so that a
// report by the host can name it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "ir/base/source.hpp"

namespace tirx::ir {

struct PoisonOrigin {
  Span span;         // in the kernel
  std::string text;  // "x[1], which was never written"
};

/// By the first byte of each element that was overwritten with poison; the lowest `kMost` of them.
class PoisonOrigins {
 public:
  static constexpr std::size_t kMost = 4096;

  void remember(std::size_t byte, std::shared_ptr<const PoisonOrigin> origin);

  /// Poison of unknown origin: what was known of the byte is no longer true.
  void forget(std::size_t byte) { origins_.erase(byte); }

  void merge(const PoisonOrigins& others);
  /// Null where nothing is known.
  [[nodiscard]] const PoisonOrigin* at(std::size_t byte) const;

 private:
  std::map<std::size_t, std::shared_ptr<const PoisonOrigin>> origins_;
};

}  // namespace tirx::ir
