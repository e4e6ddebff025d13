// What the pieces that call instructions by their PTX names share.
#pragma once

#include <string>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// A new variable for a result; `keep` lets later expressions use it.
[[nodiscard]] std::string result(Draft& draft, num::DType dtype);
void keep(Draft& draft, const std::string& name, num::DType dtype);

/// One instruction that computes from registers alone.
void arithmetic_by_name(Draft& draft);

}  // namespace tirx::fuzz
