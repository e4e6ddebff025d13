// Does any script make the evaluator, the verifier or the lowering crash or hang?  Each input is
// evaluated with small limits; every kernel it builds is lowered and printed, and the print of tile
// IR is evaluated again.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "dsl/run_script.hpp"
#include "ir/print.hpp"
#include "lower/lower.hpp"
#include "lower/print.hpp"

namespace {

using namespace tirx;  // NOLINT(google-build-using-namespace)

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "eval_fuzz: %s\n", what);
  std::abort();
}

dsl::ScriptOptions small_limits() {
  dsl::ScriptOptions options;
  options.max_host_steps = 20'000;
  options.folder = "/nonexistent";
  return options;
}

void check(const Source& source, const DiagnosticList& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    require(!diagnostic.text.empty(), "a diagnostic without a text");
    require(diagnostic.span.begin <= source.text().size(), "a diagnostic outside of the text");
    require(!render(source, diagnostic).empty(), "a diagnostic that does not render");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source = std::make_shared<const Source>(
      "fuzz.tx", std::string(reinterpret_cast<const char*>(data), size));
  const dsl::ScriptOptions options = small_limits();
  const dsl::ScriptResult result = dsl::collect_kernels(source, options);
  check(*source, result.diagnostics);
  check(*source, result.differences);
  for (const auto& kernel : result.kernels) {
    const std::string text = ir::to_string(*kernel);
    require(!text.empty(), "a kernel that does not print");
    const Result<lower::LoweredKernel> lowered = lower::lower(*kernel, ir::default_target());
    if (lowered) {
      require(!lower::to_string(*lowered).empty(), "thread IR that does not print");
    } else {
      check(*source, {lowered.error()});
    }
  }
  return 0;
}
