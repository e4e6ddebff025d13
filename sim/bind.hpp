// The arguments of a launch, as lower/bind.hpp has bound them, under the names of this layer.
#pragma once

#include "lower/bind.hpp"

namespace tirx::sim {

using lower::bind;
using lower::Binding;
using lower::BoundTensor;
using lower::evaluate_constant;
using lower::evaluate_int;
using lower::Signature;
using lower::written_storages;

}  // namespace tirx::sim
