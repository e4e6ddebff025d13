// tirx explain: how each tile operation was lowered.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verbs.hpp"
#include "dsl/host/gemm_name.hpp"
#include "lower/explain.hpp"

namespace tirx::cli {

namespace {

using nlohmann::json;

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

json refusals_json(const std::vector<lower::Refusal>& refusals) {
  json list = json::array();
  for (const lower::Refusal& refusal : refusals)
    list.push_back({{"variant", refusal.variant}, {"reason", refusal.reason}});
  return list;
}

json note_json(const Source& source, const lower::DispatchNote& note) {
  return {{"at", source.where_line(note.span)},
          {"op", ir::spec(note.op).name},
          {"scope", ir::name_of(note.scope)},
          {"threads", note.threads},
          {"variant", note.variant},
          {"vec", note.vector},
          {"rounds", note.rounds},
          {"not_wider", refusals_json(note.wider)},
          {"refused", refusals_json(note.refused)}};
}

Exit explain_json(const Options& options,
                  const Source& source,
                  const dsl::ScriptResult& result,
                  std::ostream& out) {
  DiagnosticList diagnostics = result.diagnostics;
  const bool none = result.kernels.empty() && !result.has_errors();
  if (none) diagnostics.push_back({{}, "the script has no kernel", {}});
  Exit code = result.has_errors() || none ? Exit::usage : Exit::clean;
  json report = report_head(options, source);
  report["kernels"] = json::array();
  for (const auto& kernel : result.kernels) {
    json one = {{"kernel", kernel->name},
                {"at", source.where_line(kernel->span)},
                {"operations", json::array()}};
    const Result<lower::LoweredKernel> lowered = lower::lower_explained(*kernel, options.arch());
    if (lowered) {
      for (const lower::DispatchNote& note : lowered->dispatch)
        one["operations"].push_back(note_json(source, note));
    } else {
      diagnostics.push_back(lowered.error());
      code = worse(code, Exit::usage);
    }
    report["kernels"].push_back(std::move(one));
  }
  report["diagnostics"] = diagnostics_json(source, diagnostics);
  report["verdict"] = to_string(code);
  report["exit"] = static_cast<int>(code);
  write_json(out, report);
  return code;
}

}  // namespace

Exit cmd_explain(const Options& options, std::ostream& out, std::ostream& err) {
  if (dsl::looks_like_gemm_name(options.file)) return explain_name(options, out, err);
  const SourceRef source = read_script(options, err);
  if (!source) return Exit::usage;
  dsl::ScriptResult result = dsl::collect_kernels(source, script_options(options));
  if (options.json) return explain_json(options, *source, result, out);
  print_result(*source, result, err);
  Exit code = result.has_errors() ? Exit::usage : Exit::clean;
  if (result.kernels.empty() && !result.has_errors()) {
    err << source->name() << ": error: the script has no kernel\n";
    return Exit::usage;
  }
  for (const auto& kernel : result.kernels) {
    const Result<lower::LoweredKernel> lowered = lower::lower_explained(*kernel, options.arch());
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
