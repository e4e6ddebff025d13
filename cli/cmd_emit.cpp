// tirx emit: the kernels of a script as CUDA C++, thread IR or tile IR.
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "backend_cuda/emit.hpp"
#include "cli/verbs.hpp"
#include "ir/print.hpp"
#include "lower/lower.hpp"
#include "lower/print.hpp"

namespace tirx::cli {

namespace {

using KernelRef = std::shared_ptr<const ir::Kernel>;

std::vector<KernelRef> chosen(const Options& options, const dsl::ScriptResult& result) {
  std::vector<KernelRef> kernels;
  for (const KernelRef& kernel : result.kernels) {
    if (options.kernel.empty() || kernel->name == options.kernel) kernels.push_back(kernel);
  }
  return kernels;
}

/// The text, or nothing after a message on `err`.
std::optional<std::string> emit_text(const Options& options,
                                     const Source& source,
                                     const std::vector<KernelRef>& kernels,
                                     std::ostream& err) {
  std::string text;
  if (options.form == EmitForm::tile_ir) {
    for (const KernelRef& kernel : kernels)
      text += (text.empty() ? "" : "\n") + ir::to_string(*kernel);
    return text;
  }
  std::vector<lower::LoweredKernel> lowered;
  for (const KernelRef& kernel : kernels) {
    Result<lower::LoweredKernel> one = lower::lower(*kernel, options.arch());
    if (!one) {
      err << render(source, one.error());
      return std::nullopt;
    }
    for (const Diagnostic& warning : one->warnings) err << render(source, warning);
    lowered.push_back(std::move(one).value());
  }
  if (options.form == EmitForm::ir) {
    for (const lower::LoweredKernel& kernel : lowered)
      text += (text.empty() ? "" : "\n") + lower::to_string(kernel);
    return text;
  }
  std::vector<const lower::LoweredKernel*> pointers;
  for (const lower::LoweredKernel& kernel : lowered) pointers.push_back(&kernel);
  cuda::EmitOptions emit_options;
  emit_options.line_directives = options.line_directives;
  Result<std::string> emitted = cuda::emit(pointers, emit_options);
  if (!emitted) {
    err << render(source, emitted.error());
    return std::nullopt;
  }
  return std::move(emitted).value();
}

}  // namespace

Exit cmd_emit(const Options& options, std::ostream& out, std::ostream& err) {
  const SourceRef source = read_script(options, err);
  if (!source) return Exit::usage;
  const dsl::ScriptResult result = dsl::collect_kernels(source, script_options(options));
  print_result(*source, result, err);
  if (result.has_errors()) return Exit::usage;
  const std::vector<KernelRef> kernels = chosen(options, result);
  if (kernels.empty()) {
    err << "tirx: " << options.file
        << (options.kernel.empty() ? " has no kernel" : " has no kernel named " + options.kernel)
        << '\n';
    return Exit::usage;
  }
  const std::optional<std::string> text = emit_text(options, *source, kernels, err);
  if (!text) return Exit::usage;
  if (options.output.empty()) {
    out << *text;
    return Exit::clean;
  }
  std::ofstream file(options.output, std::ios::binary);
  file << *text;
  file.close();
  if (!file) {
    err << "tirx: cannot write '" << options.output << "'\n";
    return Exit::usage;
  }
  return Exit::clean;
}

}  // namespace tirx::cli
