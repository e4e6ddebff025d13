// Elementwise tile operations, as other phases use them.
#pragma once

#include <string>

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// One elementwise operation into `tile`; `lowered`: what its line promises.
void tile_operation(Draft& draft,
                    const std::string& scope,
                    const std::string& tile,
                    const std::string& from,
                    const std::string& other,
                    num::DType dtype,
                    const std::string& lowered = {});

}  // namespace tirx::fuzz
