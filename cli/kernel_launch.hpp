// run --kernel K --arg A=random(seed=1): a file that only defines kernels is run as if it launched
// one of them.
#pragma once

#include <ostream>

#include "cli/options.hpp"
#include "ir/base/source.hpp"

namespace tirx::cli {

/// The script with the launch behind it; null after a message on `err`.
[[nodiscard]] SourceRef with_launch(const SourceRef& source,
                                    const Options& options,
                                    std::ostream& err);

}  // namespace tirx::cli
