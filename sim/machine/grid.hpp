// Which CTA runs when, and on which host thread?
#pragma once

#include "sim/machine/cta.hpp"

namespace tirx::sim {

void run_grid(const lower::LoweredKernel& kernel,
              const Binding& binding,
              const Program& program,
              const SimOptions& options,
              ir::LaunchOutcome& outcome);

}  // namespace tirx::sim
