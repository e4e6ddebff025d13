#include "ir/target.hpp"

namespace tirx::ir {

namespace {

constexpr std::int64_t kKiB = 1024;

constexpr std::array kTargets{
    Target{"sm_80", 80, 1024, 48 * kKiB, 163 * kKiB, 164 * kKiB, 2048, 32, 108, 1},
    Target{"sm_86", 86, 1024, 48 * kKiB, 99 * kKiB, 100 * kKiB, 1536, 16, 84, 1},
    Target{"sm_89", 89, 1024, 48 * kKiB, 99 * kKiB, 100 * kKiB, 1536, 24, 142, 1},
    Target{"sm_90a", 90, 1024, 48 * kKiB, 227 * kKiB, 228 * kKiB, 2048, 32, 132, 8},
    Target{"sm_100a", 100, 1024, 48 * kKiB, 227 * kKiB, 228 * kKiB, 2048, 32, 148, 8},
    Target{"sm_120a", 120, 1024, 48 * kKiB, 99 * kKiB, 100 * kKiB, 1536, 24, 188, 8},
};

}  // namespace

std::span<const Target> targets() {
  return kTargets;
}

const Target& default_target() {
  return *find_target("sm_90a");
}

const Target* find_target(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

}  // namespace tirx::ir
