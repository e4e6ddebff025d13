// tirx emit: the kernels of a script as CUDA C++, thread IR or tile IR.
#include <vector>

#include <nlohmann/json.hpp>

#include "backend_cuda/emit.hpp"
#include "cli/verbs.hpp"
#include "ir/base/file.hpp"
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

/// The text, or nothing after an error; what is to be said about it goes to `said`.
std::optional<std::string> emit_text(const Options& options,
                                     const std::vector<KernelRef>& kernels,
                                     DiagnosticList& said) {
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
      said.push_back(one.error());
      return std::nullopt;
    }
    said.insert(said.end(), one->warnings.begin(), one->warnings.end());
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
  emit_options.host_launcher = emit_options.prelude = !options.kernels_alone;
  Result<std::string> emitted = cuda::emit(pointers, emit_options);
  if (!emitted) {
    said.push_back(emitted.error());
    return std::nullopt;
  }
  return std::move(emitted).value();
}

/// The text to its place: the file of -o, or `out`.
Exit deliver(const Options& options,
             const std::string& text,
             std::ostream& out,
             std::ostream& err) {
  if (options.output.empty()) {
    out << text;
    return Exit::clean;
  }
  const auto failed = write_file(options.output, options.output, text);
  if (!failed) return Exit::clean;
  err << "tirx: " << failed->text << '\n';
  return Exit::incomplete;
}

/// With --format json the report goes to `out`, and holds the text unless -o takes it.
Exit report_json(const Options& options,
                 const Source& source,
                 const std::vector<KernelRef>& kernels,
                 const DiagnosticList& said,
                 const std::optional<std::string>& text,
                 std::ostream& out,
                 std::ostream& err) {
  nlohmann::json report = report_head(options, source);
  report["kernels"] = nlohmann::json::array();
  for (const KernelRef& kernel : kernels) report["kernels"].push_back(kernel->name);
  report["diagnostics"] = diagnostics_json(source, said);
  Exit code = text ? Exit::clean : Exit::usage;
  if (text && options.output.empty()) report["text"] = *text;
  if (text && !options.output.empty()) code = deliver(options, *text, out, err);
  report["verdict"] = to_string(code);
  report["exit"] = static_cast<int>(code);
  write_json(out, report);
  return code;
}

}  // namespace

Exit cmd_emit(const Options& options, std::ostream& out, std::ostream& err) {
  const SourceRef source = read_script(options, err);
  if (!source) return Exit::usage;
  const dsl::ScriptResult result = dsl::collect_kernels(source, script_options(options));
  DiagnosticList said = result.diagnostics;
  const std::vector<KernelRef> kernels = chosen(options, result);
  if (kernels.empty() && !result.has_errors()) {
    said.push_back({{},
                    options.kernel.empty() ? "the script has no kernel"
                                           : "the script has no kernel named " + options.kernel,
                    {}});
  }
  std::optional<std::string> text;
  if (!result.has_errors() && !kernels.empty()) text = emit_text(options, kernels, said);
  if (options.json) return report_json(options, *source, kernels, said, text, out, err);
  for (const Diagnostic& diagnostic : said) err << render(*source, diagnostic);
  if (!text) return Exit::usage;
  return deliver(options, *text, out, err);
}

}  // namespace tirx::cli
