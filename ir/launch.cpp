#include "ir/launch.hpp"

namespace tirx::ir {

namespace {

constexpr std::array<std::string_view, 10> kWords{"bounds",     "align",    "uninit", "race",
                                                  "divergence", "deadlock", "async",  "arith",
                                                  "overflow",   "trap"};

}  // namespace

std::string_view to_string(FaultKind kind) {
  return kWords[static_cast<std::size_t>(kind)];
}

std::optional<FaultKind> find_fault_kind(std::string_view word) {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] == word) return static_cast<FaultKind>(i);
  }
  return std::nullopt;
}

}  // namespace tirx::ir
