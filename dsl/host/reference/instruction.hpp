// P by matrix instructions: the oracle's only way to numerics/mma, by the name of a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "numerics/dtype.hpp"

namespace tirx::num {
struct MmaRow;
}

namespace tirx::dsl::reference {

/// "sm_90.wgmma", "sm_89.mma_sync", … with a float32 accumulator; null if there is none for these
/// types.  Of several shapes the one with the largest k.
[[nodiscard]] const num::MmaRow* find_instruction(std::string_view name,
                                                  num::DType a,
                                                  num::DType b);
[[nodiscard]] std::vector<std::string> instruction_names(num::DType a, num::DType b);

/// Elements as numerics/mma takes them: one a container.
[[nodiscard]] std::vector<std::uint8_t> containers(const std::vector<std::uint32_t>& values,
                                                   num::DType type);

/// temp (m x n, float32) = a (m rows) times b (n rows) over `count` of k, from +0; rows are k
/// containers long.
void instruction_tile(const num::MmaRow& row,
                      std::int64_t m,
                      std::int64_t n,
                      std::int64_t count,
                      std::int64_t k,
                      const std::uint8_t* a,
                      const std::uint8_t* b,
                      std::uint32_t* temp);

/// One element of it, from `start`.
[[nodiscard]] std::uint32_t instruction_dot(const num::MmaRow& row,
                                            std::int64_t count,
                                            const std::uint8_t* a,
                                            const std::uint8_t* b,
                                            std::uint32_t start);

}  // namespace tirx::dsl::reference
