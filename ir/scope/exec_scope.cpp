// The names of the scopes.
#include "ir/scope/exec_scope.hpp"

#include <array>
#include <cstddef>

namespace tirx::ir {

namespace {

constexpr std::array<std::string_view, 7> kNames = {"thread",   "warp",    "warpgroup", "cta",
                                                    "cta_pair", "cluster", "kernel"};

}  // namespace

std::string_view name_of(ExecScope scope) {
  return kNames[static_cast<std::size_t>(scope)];
}

std::optional<ExecScope> find_exec_scope(std::string_view name) {
  if (name == "wg") return ExecScope::warpgroup;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ExecScope>(i);
  }
  return std::nullopt;
}

}  // namespace tirx::ir
