// Is this tensor the scale matrix that the kernel's parameter describes?  Scales of the wrong major
// have the right number of elements and give wrong numbers, so shape and tag are checked.
#pragma once

#include "ir/base/source.hpp"
#include "ir/kernel.hpp"
#include "ir/tensor.hpp"

namespace tirx::dsl {

/// For parameters whose layout is one of block scales; anything else passes.  Throws EvalError.
void check_scales(const ir::Param& param, const ir::Tensor& tensor, Span place);

}  // namespace tirx::dsl
