// What does the name of a CUTLASS GEMM kernel say?
//   cutlass3x_sm100_tensorop_gemm_64x128f32xe4m3_1x128f32xe4m3_f32_f16_f16_64x128x128_1x1x1_0_nnn_align16_1sm
// Grammar: CUTLASS's profiler and library generator (python/cutlass_library), blockwise GEMMs of
// sm_90, sm_100, sm_120; without the scale fields also the plain ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.hpp"

namespace tirx::dsl {

struct GemmNameField {
  std::string key;                     // "gm", "a_dtype"
  std::string value;                   // as text
  std::optional<std::int64_t> number;  // when it is one
  std::string written;                 // the part of the name it was read from
  std::string meaning;                 // one sentence
};

struct GemmName {
  std::vector<GemmNameField> fields;  // in the order of the name
};

/// Errors name the field that does not fit and what was expected.
[[nodiscard]] Result<GemmName> parse_gemm_name(std::string_view name);

/// Whether this could be such a name and not a file.
[[nodiscard]] bool looks_like_gemm_name(std::string_view text);

}  // namespace tirx::dsl
