#include "cli/report.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tirx::cli {

namespace {

using nlohmann::json;

std::string thread_text(const ir::ThreadCoordinate& at) {
  std::string text = fmt::format("CTA ({}, {}, {})", at.cta[0], at.cta[1], at.cta[2]);
  if (at.warp >= 0) text += fmt::format(", warp {}", at.warp);
  if (at.lane >= 0) text += fmt::format(", lane {}", at.lane);
  if (at.thread >= 0) text += fmt::format(" (thread {})", at.thread);
  return text;
}

/// "write: CTA (0, 0, 0), warp 1, lane 5 (thread 37), FILE:12".
std::string access_text(const Source& source, const ir::FaultAccess& access) {
  std::string text = access.what.empty() ? "by" : access.what;
  text += ": " + thread_text(access.thread);
  if (!access.role.empty()) text += fmt::format(", role '{}'", access.role);
  if (!access.span.empty()) text += ", " + source.where_line(access.span);
  return text;
}

json span_json(const Source& source, Span span) {
  if (span.empty()) return nullptr;
  const LineAt at = source.locate(span.begin);
  return {{"file", source.name()},
          {"line", at.line},
          {"column", at.column},
          {"text", std::string(source.text(span))}};
}

json notes_json(const Source& source, const std::vector<Note>& notes) {
  json list = json::array();
  for (const Note& note : notes)
    list.push_back({{"text", note.text}, {"at", span_json(source, note.span)}});
  return list;
}

json access_json(const Source& source, const ir::FaultAccess& access) {
  const ir::ThreadCoordinate& at = access.thread;
  json out = {{"what", access.what}, {"cta", at.cta}, {"at", span_json(source, access.span)}};
  if (at.warp >= 0) out["warp"] = at.warp;
  if (at.lane >= 0) out["lane"] = at.lane;
  if (at.thread >= 0) out["thread"] = at.thread;
  if (!access.role.empty()) out["role"] = access.role;
  return out;
}

}  // namespace

Exit worse(Exit a, Exit b) {
  constexpr std::array kOrder{Exit::internal, Exit::usage,      Exit::incomplete,
                              Exit::fault,    Exit::difference, Exit::clean};
  for (const Exit candidate : kOrder) {
    if (a == candidate || b == candidate) return candidate;
  }
  return a;
}

std::string_view to_string(Exit code) {
  switch (code) {
    case Exit::clean:
      return "clean";
    case Exit::fault:
      return "fault";
    case Exit::usage:
      return "error";
    case Exit::difference:
      return "difference";
    case Exit::incomplete:
      return "incomplete";
    case Exit::internal:
      return "internal error";
  }
  return "";
}

std::string fault_text(const Source& source, const ir::Fault& fault) {
  const Span span = fault.first.span;
  std::string out;
  if (span.empty()) {
    out = fmt::format("{}: {}: {}\n", source.name(), ir::to_string(fault.kind), fault.text);
  } else {
    out = fmt::format("{}: {}: {}\n", source.where(span), ir::to_string(fault.kind), fault.text);
    out += render_caret(source, span);
  }
  // The wait-for table in the notes names every waiter, the first one too.
  const bool table = fault.kind == ir::FaultKind::deadlock && !fault.notes.empty();
  if (!table) out += fmt::format("  {}\n", access_text(source, fault.first));
  if (fault.second) {
    out += fmt::format("  {}\n", access_text(source, *fault.second));
    if (!fault.second->span.empty()) out += render_caret(source, fault.second->span);
  }
  for (const Note& note : fault.notes) {
    if (note.span.empty()) {
      out += fmt::format("  help: {}\n", note.text);
    } else {
      out += fmt::format("{}: note: {}\n", source.where(note.span), note.text) +
             render_caret(source, note.span);
    }
  }
  if (fault.count > 1) {
    out += fault.kind == ir::FaultKind::race ? fmt::format("  seen at {} elements\n", fault.count)
                                             : fmt::format("  seen {} times\n", fault.count);
  }
  return out;
}

json fault_json(const Source& source, const ir::Fault& fault) {
  json out = {{"kind", ir::to_string(fault.kind)},
              {"text", fault.text},
              {"element", fault.element},
              {"space", fault.space},
              {"count", fault.count},
              {"first", access_json(source, fault.first)},
              {"notes", notes_json(source, fault.notes)}};
  if (fault.second) out["second"] = access_json(source, *fault.second);
  return out;
}

json diagnostic_json(const Source& source, const Diagnostic& diagnostic) {
  return {{"severity", diagnostic.severity == Severity::error ? "error" : "warning"},
          {"text", diagnostic.text},
          {"at", span_json(source, diagnostic.span)},
          {"notes", notes_json(source, diagnostic.notes)}};
}

}  // namespace tirx::cli
