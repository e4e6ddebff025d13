#include "eval_support.hpp"

#include <sstream>

#include <fmt/format.h>

#include "ir/print.hpp"
#include "numerics/text.hpp"

namespace tirx::dsl::test {

namespace {

constexpr int kFrameLines = 13;

std::string place(const Source& source, Span span, int skip) {
  if (span.empty()) return "";
  const LineAt at = source.locate(span.begin);
  return fmt::format("{}:{}: ", static_cast<int>(at.line) - skip, at.column);
}

std::string list(const Source& source, const DiagnosticList& diagnostics, Severity severity) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (d.severity != severity) continue;
    if (!out.empty()) out += "\n";
    out += place(source, d.span, 0) + d.text;
  }
  return out;
}

std::string indented(const std::string& statements) {
  std::istringstream lines(statements);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += "    " + line + "\n";
  return out;
}

}  // namespace

ir::LaunchOutcome FakeEngine::launch(const ir::Kernel& kernel,
                                     std::span<const ir::Argument> args,
                                     Span) {
  std::string text = kernel.name + "(";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (i > 0) text += ", ";
    if (const auto* tensor = std::get_if<ir::Tensor>(&args[i])) {
      text += ir::to_string(std::span<const std::int64_t>(tensor->shape));
    } else if (const auto* scalar = std::get_if<ir::ScalarValue>(&args[i])) {
      text += num::to_text(scalar->bits, scalar->dtype);
    } else {
      text += "None";
    }
  }
  launched.push_back(text + ")");
  return {};
}

std::string Ran::errors() const {
  std::string out = list(*source, result.diagnostics, Severity::error);
  const std::string differences = list(*source, result.differences, Severity::error);
  if (!out.empty() && !differences.empty()) out += "\n";
  return out + differences;
}

std::string Ran::warnings() const {
  return list(*source, result.diagnostics, Severity::warning);
}

std::string Ran::notes() const {
  std::string out;
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity != Severity::error) continue;
    for (const Note& note : d.notes) {
      if (!out.empty()) out += "\n";
      out += place(*source, note.span, 0) + note.text;
    }
    break;
  }
  return out;
}

Ran run(const std::string& script) {
  Ran ran;
  ran.source = std::make_shared<const Source>("test.tx", script);
  FakeEngine engine;
  ScriptOptions options;
  options.max_host_steps = 300'000;
  options.output = [&](std::string_view text) { ran.output += text; };
  ran.result = run_script(ran.source, engine, options);
  ran.launched = engine.launched;
  return ran;
}

std::string body_of(const ir::Kernel& kernel) {
  std::istringstream lines(ir::to_string(kernel));
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("T.device_entry()") != std::string::npos) {
      inside = true;
      continue;
    }
    if (!inside || line.empty()) continue;
    const bool id = line.find(" = T.cta_id(") != std::string::npos ||
                    line.find(" = T.thread_id(") != std::string::npos ||
                    line.find(" = T.lane_id(") != std::string::npos;
    if (!id) out += line.substr(4) + "\n";
  }
  return out;
}

std::string in_kernel(const std::string& statements) {
  return R"(from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, laneid, warpid, tid_in_wg
@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"),
      H: T.Buffer((64,), "float16"), I: T.Buffer((64,), "int32"),
      U: T.Buffer((64,), "uint32"), E: T.Buffer((64,), "float8_e4m3fn"),
      M: T.Buffer((16, 32), "float32"), n: T.int32):
    T.device_entry()
    bx = T.cta_id([1])
    t = T.thread_id([64])
    lane = T.lane_id([32])

)" + indented(statements);
}

std::string built(const std::string& statements) {
  const Ran ran = run(in_kernel(statements));
  if (ran.result.has_errors()) return ran.errors();
  return body_of(*ran.result.kernels.at(0));
}

std::string rejected(const std::string& statements) {
  const Ran ran = run(in_kernel(statements));
  std::string out;
  for (const Diagnostic& d : ran.result.diagnostics) {
    if (d.severity != Severity::error) continue;
    const LineAt at = ran.source->locate(d.span.begin);
    // Columns count from the statement's own start.
    out += fmt::format("{}:{}: {}", static_cast<int>(at.line) - kFrameLines, at.column - 4, d.text);
  }
  return out;
}

std::string printed(const std::string& script) {
  const Ran ran = run(script);
  const std::string errors = ran.errors();
  return errors.empty() ? ran.output : errors;
}

}  // namespace tirx::dsl::test
