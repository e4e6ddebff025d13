// What does an architecture allow?  One row per architecture; limits follow the CUDA C++
// Programming Guide's table of technical specifications per compute capability.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tirx::ir {

struct Target {
  std::string_view name;  // "sm_90a", as nvcc and NVRTC spell it
  int sm;                 // 90
  std::int64_t max_threads_per_cta;
  std::int64_t max_static_shared;   // bytes
  std::int64_t max_dynamic_shared;  // bytes per CTA, with the opt-in
  std::int64_t max_shared_per_sm;   // bytes
  std::int64_t max_threads_per_sm;
  std::int64_t max_ctas_per_sm;
  std::int64_t sm_count;     // of the largest product: residency
  std::int64_t max_cluster;  // CTAs, portable size; 1 = no clusters
};

[[nodiscard]] std::span<const Target> targets();
[[nodiscard]] const Target& default_target();  // sm_90a
[[nodiscard]] const Target* find_target(std::string_view name);

}  // namespace tirx::ir
