// One function for each verb of the command; cli/cmd_NAME.cpp holds it.
#pragma once

#include <ostream>

#include "cli/options.hpp"
#include "cli/report.hpp"

namespace tirx::cli {

Exit cmd_run(const Options& options, std::ostream& out, std::ostream& err);
Exit cmd_emit(const Options& options, std::ostream& out, std::ostream& err);
Exit cmd_explain(const Options& options, std::ostream& out, std::ostream& err);
/// The fields of options.file, a CUTLASS kernel's name.
Exit explain_name(const Options& options, std::ostream& out, std::ostream& err);
Exit cmd_diff(const Options& options, std::ostream& out, std::ostream& err);
Exit cmd_test(const Options& options, std::ostream& out, std::ostream& err);
Exit cmd_fuzz(const Options& options, std::ostream& out, std::ostream& err);
Exit cmd_mutate(const Options& options, std::ostream& out, std::ostream& err);
Exit cmd_ops(const Options& options, std::ostream& out, std::ostream& err);

/// The script's text; null, with a message on `err`, where it cannot be read.
[[nodiscard]] SourceRef read_script(const Options& options, std::ostream& err);
[[nodiscard]] dsl::ScriptOptions script_options(const Options& options);

/// Of a script that cannot be read, one of several: the message that read_script wrote.
[[nodiscard]] nlohmann::json unreadable_json(const Options& options, std::string_view said);

/// Of a script: what, which file, which architecture; the start of every JSON report.
[[nodiscard]] nlohmann::json report_head(const Options& options, const Source& source);
[[nodiscard]] nlohmann::json diagnostics_json(const Source& source,
                                              const DiagnosticList& diagnostics);
/// One JSON value and a line break, whatever bytes its strings hold.
void write_json(std::ostream& out, const nlohmann::json& value);

/// What a script's run amounts to.
[[nodiscard]] Exit verdict(const dsl::ScriptResult& result);
/// Diagnostics, faults, differences and findings as text, in this order, and a line that counts
/// them.
void print_result(const Source& source, const dsl::ScriptResult& result, std::ostream& err);
/// The same as one JSON object; the program's status and the tool's verdict are fields of their
/// own.
[[nodiscard]] nlohmann::json result_json(const Options& options,
                                         const Source& source,
                                         const dsl::ScriptResult& result,
                                         const std::string& printed);

}  // namespace tirx::cli
