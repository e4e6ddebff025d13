// Which parts of the language does a lowered kernel use, and which should random programs use?
// Read off the thread IR, which is what simulator and GPU run: operations that the lowering made
// count, those that it removed do not.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// "op add", "instruction ptx.mma", "variant copy/reg": adds those of the kernel.
void add_features(const lower::LoweredKernel& kernel, std::set<std::string>& features);

/// Every scalar operation, instruction and variant, but those whose result is nobody's to compare
/// (clocks, prints, elected lanes) or that no kernel for the default target can have.
[[nodiscard]] std::vector<std::string> expected_features();

}  // namespace tirx::fuzz
