// tirx explain: how each tile operation was lowered.
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "lower/lower.hpp"

namespace tirx::cli {

namespace {

void explain(const Source& source, const lower::DispatchNote& note, std::ostream& out) {
  out << fmt::format("{}: {} {}, {} thread{}: variant {}", source.where_line(note.span),
                     ir::name_of(note.scope), ir::spec(note.op).name, note.threads,
                     note.threads == 1 ? "" : "s", note.variant);
  if (note.vector > 0) out << fmt::format(", vec {}", note.vector);
  if (note.rounds > 0) out << fmt::format(", rounds {}", note.rounds);
  out << '\n';
  for (const lower::Refusal& longer : note.wider) {
    out << fmt::format("    no {}: {}\n", longer.variant, longer.reason);
  }
  for (const lower::Refusal& refusal : note.refused)
    out << fmt::format("    {}: refused: {}\n", refusal.variant, refusal.reason);
}

}  // namespace

Exit cmd_explain(const Options& options, std::ostream& out, std::ostream& err) {
  const SourceRef source = read_script(options, err);
  if (!source) return Exit::usage;
  dsl::ScriptResult result = dsl::collect_kernels(source, script_options(options));
  print_result(*source, result, err);
  Exit code = result.has_errors() ? Exit::usage : Exit::clean;
  for (const auto& kernel : result.kernels) {
    const Result<lower::LoweredKernel> lowered = lower::lower(*kernel, options.arch());
    out << fmt::format("{}: kernel {}, {}\n", source->where_line(kernel->span), kernel->name,
                       options.arch().name);
    if (!lowered) {
      err << render(*source, lowered.error());
      code = worse(code, Exit::usage);
      continue;
    }
    for (const lower::DispatchNote& note : lowered->dispatch) explain(*source, note, out);
    if (lowered->dispatch.empty()) out << "    no tile operations\n";
  }
  return code;
}

}  // namespace tirx::cli
