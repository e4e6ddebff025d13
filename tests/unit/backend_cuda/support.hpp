// Kernels for the emitter's tests: built by hand, lowered, emitted, compiled.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "backend_cuda/emit.hpp"
#include "backend_cuda/nvrtc.hpp"
#include "ir/all_ops.hpp"
#include "lower/lower.hpp"
#include "tests/unit/lower/builder.hpp"

namespace tirx::testing {

inline const ir::Target& target(std::string_view name = "sm_90a") {
  const ir::Target* found = ir::find_target(name);
  REQUIRE(found != nullptr);
  return *found;
}

inline lower::LoweredKernel lowered(KernelBuilder& builder, std::string_view arch = "sm_90a") {
  Result<lower::LoweredKernel> result = lower::lower(builder.kernel(), target(arch));
  INFO((result ? std::string() : result.error().text));
  REQUIRE(result);
  return std::move(result).value();
}

/// The kernel's text from `extern "C"` on: without prelude and launcher.
inline std::string kernel_text(const lower::LoweredKernel& kernel) {
  const Result<std::string> text =
      cuda::emit(kernel, {.line_directives = false, .host_launcher = false});
  INFO((text ? std::string() : text.error().text));
  REQUIRE(text);
  return text->substr(text->find("extern \"C\" __global__"));
}

/// Tests that compile are left out without NVRTC; TIRX_REQUIRE_NVRTC=1 makes that a failure.
inline bool may_compile() {
  const auto found = cuda::find_nvrtc();
  if (found) return true;
  const char* require = std::getenv("TIRX_REQUIRE_NVRTC");
  INFO(found.error().text);
  REQUIRE_FALSE((require != nullptr && std::string_view(require) == "1"));
  return false;
}

/// How many texts were compiled by this run of the tests.
int& compiled_count();

/// Emits for each architecture and compiles; `archs` where the kernel is legal.
void compiles(KernelBuilder& builder,
              const std::vector<std::string>& archs = {"sm_80", "sm_89", "sm_90a", "sm_100a"});

}  // namespace tirx::testing
