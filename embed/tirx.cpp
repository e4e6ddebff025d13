#include "embed/tirx.hpp"

#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "backend_cuda/emit.hpp"
#include "dsl/run_script.hpp"
#include "lower/lower.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "sim/simulate.hpp"

namespace tirx::embed {

struct Script::State {
  SourceRef source;
  dsl::ScriptResult result;
  std::vector<Message> messages;
  bool ok = true;

  [[nodiscard]] const ir::Kernel* find(const std::string& name) const {
    for (const auto& kernel : result.kernels) {
      if (kernel->name == name) return kernel.get();
    }
    return nullptr;
  }
};

namespace {

Message message(const Source& source, const Diagnostic& diagnostic) {
  return {diagnostic.severity == Severity::error, diagnostic.text, render(source, diagnostic)};
}

Message plain(std::string text) {
  std::string report = "error: " + text + "\n";
  return {true, std::move(text), std::move(report)};
}

std::string access_report(const Source& source, const ir::FaultAccess& access) {
  const ir::ThreadCoordinate& t = access.thread;
  std::string text =
      fmt::format("  {}: CTA ({}, {}, {})", access.what, t.cta[0], t.cta[1], t.cta[2]);
  if (t.warp >= 0) text += fmt::format(", warp {}", t.warp);
  if (t.lane >= 0) text += fmt::format(", lane {}", t.lane);
  if (access.span.empty()) return text + '\n';
  return text + fmt::format(", {}\n", source.where_line(access.span)) +
         render_caret(source, access.span);
}

Fault fault_of(const Source& source, const ir::Fault& fault) {
  Fault out;
  out.kind = ir::to_string(fault.kind);
  out.text = fault.text;
  out.element = fault.element;
  out.count = fault.count;
  out.report = fmt::format("{}: {}: {}\n", source.name(), out.kind, fault.text) +
               access_report(source, fault.first);
  if (fault.second) out.report += access_report(source, *fault.second);
  for (const Note& note : fault.notes) out.report += fmt::format("  help: {}\n", note.text);
  if (!fault.first.span.empty()) out.line = source.locate(fault.first.span.begin).line;
  return out;
}

/// A tensor with a copy of the array's bytes; the error says what does not fit.
Result<ir::Tensor> tensor_of(const Array& array) {
  const std::optional<num::DType> dtype = num::find_dtype(array.dtype);
  if (!dtype) return Diagnostic{{}, fmt::format("there is no dtype '{}'", array.dtype), {}};
  for (const std::int64_t extent : array.shape) {
    if (extent < 0) return Diagnostic{{}, "an array has a negative extent", {}};
  }
  ir::Tensor tensor = ir::make_tensor(*dtype, array.shape, !array.uninitialised);
  std::vector<std::byte>& bytes = tensor.memory->bytes;
  if (array.data == nullptr && !bytes.empty()) return Diagnostic{{}, "an array has no data", {}};
  if (!bytes.empty()) std::memcpy(bytes.data(), array.data, bytes.size());
  return tensor;
}

/// Numbers take the dtype of their parameter.
ir::ScalarValue scalar_of(const Argument& argument, num::DType dtype) {
  if (const auto* integer = std::get_if<std::int64_t>(&argument)) {
    const num::Bits wide = num::from_int64(*integer, num::DType::i64);
    return {dtype, num::convert(wide, num::DType::i64, dtype)};
  }
  num::Bits wide = 0;
  const double value = std::get<double>(argument);
  std::memcpy(&wide, &value, sizeof value);
  return {dtype, num::convert(wide, num::DType::f64, dtype)};
}

}  // namespace

Script::Script(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Script Script::parse(const std::string& text, const std::string& name) {
  auto state = std::make_shared<State>();
  state->source = std::make_shared<const Source>(name, text);
  state->result = dsl::collect_kernels(state->source);
  for (const Diagnostic& diagnostic : state->result.diagnostics)
    state->messages.push_back(message(*state->source, diagnostic));
  state->ok = !state->result.has_errors();
  return Script(std::move(state));
}

bool Script::ok() const {
  return state_->ok;
}

const std::vector<Message>& Script::messages() const {
  return state_->messages;
}

std::vector<std::string> Script::kernels() const {
  std::vector<std::string> names;
  for (const auto& kernel : state_->result.kernels) names.push_back(kernel->name);
  return names;
}

Outcome Script::launch(const std::string& name,
                       const std::vector<Argument>& arguments,
                       const Options& options) const {
  Outcome out;
  const auto refuse = [&](Message why) {
    out.status = Status::refused;
    out.messages.push_back(std::move(why));
    return out;
  };
  const Source& source = *state_->source;
  const ir::Kernel* kernel = state_->find(name);
  if (kernel == nullptr) return refuse(plain(fmt::format("there is no kernel '{}'", name)));
  const ir::Target* target = ir::find_target(options.arch);
  if (target == nullptr)
    return refuse(plain(fmt::format("unknown architecture '{}'", options.arch)));
  sim::SimOptions sim_options;
  const auto checks = sim::CheckSet::parse(options.checks);
  if (!checks) return refuse(plain(fmt::format("unknown checks '{}'", options.checks)));
  sim_options.checks = *checks;
  sim_options.seed = options.seed;
  sim_options.threads = options.threads;
  sim_options.max_steps = options.max_steps;
  if (arguments.size() != kernel->params.size()) {
    return refuse(plain(fmt::format("{} takes {} arguments, not {}", name, kernel->params.size(),
                                    arguments.size())));
  }
  std::vector<ir::Argument> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* array = std::get_if<Array>(&arguments[i]);
    if ((array != nullptr) != static_cast<bool>(kernel->params[i].buffer)) {
      return refuse(plain(fmt::format("{} is {} parameter", kernel->params[i].name,
                                      kernel->params[i].buffer ? "an array" : "a scalar")));
    }
    if (array == nullptr) {
      values.emplace_back(scalar_of(arguments[i], kernel->params[i].scalar->type.dtype));
      continue;
    }
    Result<ir::Tensor> tensor = tensor_of(*array);
    if (!tensor) return refuse(message(source, tensor.error()));
    values.emplace_back(std::move(tensor).value());
  }
  const Result<lower::LoweredKernel> lowered = lower::lower(*kernel, *target);
  if (!lowered) return refuse(message(source, lowered.error()));
  const ir::LaunchOutcome outcome = sim::simulate(*lowered, values, sim_options);
  out.status = outcome.status == ir::LaunchStatus::ok        ? Status::ok
               : outcome.status == ir::LaunchStatus::refused ? Status::refused
                                                             : Status::incomplete;
  out.warp_instructions = outcome.warp_instructions;
  for (const ir::Fault& fault : outcome.faults) out.faults.push_back(fault_of(source, fault));
  for (const Diagnostic& diagnostic : outcome.diagnostics)
    out.messages.push_back(message(source, diagnostic));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* array = std::get_if<Array>(&arguments[i]);
    if (array == nullptr || out.status != Status::ok) continue;
    const std::vector<std::byte>& bytes = std::get<ir::Tensor>(values[i]).memory->bytes;
    if (!bytes.empty()) std::memcpy(array->data, bytes.data(), bytes.size());
  }
  return out;
}

std::string Script::cuda(const std::string& name,
                         const std::string& arch,
                         std::string* why_not) const {
  const auto fail = [&](std::string why) {
    if (why_not != nullptr) *why_not = std::move(why);
    return std::string();
  };
  const ir::Kernel* kernel = state_->find(name);
  if (kernel == nullptr) return fail(fmt::format("there is no kernel '{}'", name));
  const ir::Target* target = ir::find_target(arch);
  if (target == nullptr) return fail(fmt::format("unknown architecture '{}'", arch));
  const Result<lower::LoweredKernel> lowered = lower::lower(*kernel, *target);
  if (!lowered) return fail(render(*state_->source, lowered.error()));
  Result<std::string> text = cuda::emit(*lowered);
  if (!text) return fail(render(*state_->source, text.error()));
  return std::move(text).value();
}

}  // namespace tirx::embed
