// tirx explain NAME: what a CUTLASS kernel's name says, field by field.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verbs.hpp"
#include "dsl/host/gemm_name.hpp"

namespace tirx::cli {

namespace {

using nlohmann::json;

Exit name_json(const Options& options, const Result<dsl::GemmName>& name, std::ostream& out) {
  const Source none(options.file, "");
  json report = report_head(options, none);
  report["name"] = options.file;
  report["diagnostics"] =
      diagnostics_json(none, name ? DiagnosticList{} : DiagnosticList{name.error()});
  if (name) {
    report["fields"] = json::array();
    for (const dsl::GemmNameField& field : name->fields) {
      json one = {{"key", field.key}, {"written", field.written}, {"meaning", field.meaning}};
      if (field.number) {
        one["value"] = *field.number;
      } else {
        one["value"] = field.value;
      }
      report["fields"].push_back(std::move(one));
    }
  }
  const Exit code = name ? Exit::clean : Exit::usage;
  report["verdict"] = to_string(code);
  report["exit"] = static_cast<int>(code);
  write_json(out, report);
  return code;
}

void print_fields(const dsl::GemmName& name, std::ostream& out) {
  std::size_t written = 0;
  std::size_t entries = 0;
  for (const dsl::GemmNameField& field : name.fields) {
    written = std::max(written, field.written.size());
    entries = std::max(entries, field.key.size() + field.value.size() + 3);
  }
  std::string_view before;
  for (const dsl::GemmNameField& field : name.fields) {
    // One part of the name can say several things.
    const bool again = field.written == before;
    const std::string entry = fmt::format("{} = {}", field.key, field.value);
    out << fmt::format("{:<{}}  {:<{}}  {}\n", again ? "" : field.written, written, entry, entries,
                       field.meaning);
    before = field.written;
  }
}

}  // namespace

Exit explain_name(const Options& options, std::ostream& out, std::ostream& err) {
  const Result<dsl::GemmName> name = dsl::parse_gemm_name(options.file);
  if (options.json) return name_json(options, name, out);
  if (name) {
    print_fields(*name, out);
    return Exit::clean;
  }
  err << fmt::format("{}: {}\n", options.file, name.error().text);
  for (const Note& note : name.error().notes) err << fmt::format("  help: {}\n", note.text);
  return Exit::usage;
}

}  // namespace tirx::cli
