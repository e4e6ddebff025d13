// Is a line's CUDA what docs/cuda.md says of such a line?  Much of it changes no value: a plain
// operator for an unsigned one, `const __restrict__`, an unrolled loop, a name.  So a generated
// line may end in comments that say what becomes of it, which are compared with the emitted text;
// `#line` says which part of that is the line's.  No GPU and no compiler is asked.
//
//   x = a + 1        #cuda: a + 1 #cuda not: unsigned
//   def k(A: …):     #cuda: const float* __restrict__ A
//   …                #cuda file: #include <cstdio> #cuda once: int twice(int x)
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/kernel.hpp"
#include "lower/lowered.hpp"

namespace tirx::fuzz {

/// Makes CUDA of kernels, with `#line` or without: backend_cuda's, which this layer does not see.
using Emit = std::function<Result<std::string>(std::span<const lower::LoweredKernel* const>, bool)>;

/// Whether a script says anything about its CUDA.
[[nodiscard]] bool says_cuda(std::string_view script);

/// A name of a script that is no plain text in a string of C++.
inline constexpr std::string_view kQuotedName = "the \"fuzzed\" \\ one\nof two lines.tx";

/// What the text uses and does not define: the helpers are there, and every bracket is closed.
[[nodiscard]] std::optional<std::string> not_self_contained(std::string_view cuda);

struct BrokenText {
  std::string sentence;
  std::string claim;  // the comment that is not so; empty where no line says it
};

/// What is not as the script of the kernels says, of all of them in one file.
[[nodiscard]] std::optional<BrokenText> broken_text(
    std::span<const std::shared_ptr<const ir::Kernel>> kernels,
    const ir::Target& target,
    const Emit& emit);

}  // namespace tirx::fuzz
