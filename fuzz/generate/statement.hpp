// Random statements that each thread executes alone: variables, arrays, stores, divergent control
// flow.
#pragma once

#include "fuzz/generate/draft.hpp"

namespace tirx::fuzz {

/// `count` statements, nested at most `depth` deep.
void straight(Draft& draft, int depth, int count);
/// A new variable of the type, initialised.
void declare_variable(Draft& draft, num::DType dtype);
/// A new local array of the type, every element initialised.
void declare_array(Draft& draft, num::DType dtype);

}  // namespace tirx::fuzz
