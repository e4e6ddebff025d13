// Is what the caller gave usable, and what did the launch do, as plain values?
#include "embed/tirx.hpp"

#include <algorithm>
#include <cfenv>
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

namespace {

/// The caller's program may round in another direction or flush subnormals (-ffast-math does, for
/// the whole process).  Numerics relies on IEEE's defaults; new host threads inherit them.
class IeeeDefaults {
 public:
  IeeeDefaults() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }

  ~IeeeDefaults() { std::fesetenv(&callers_); }

  IeeeDefaults(const IeeeDefaults&) = delete;
  IeeeDefaults& operator=(const IeeeDefaults&) = delete;

 private:
  std::fenv_t callers_{};
};

}  // namespace

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

Place place_of(const Source& source, Span span) {
  if (span.empty()) return {};
  const LineAt at = source.locate(span.begin);
  return {static_cast<int>(at.line), static_cast<int>(at.column)};
}

std::vector<std::string> help_of(const std::vector<Note>& notes) {
  std::vector<std::string> out;
  for (const Note& note : notes) out.push_back(note.text);
  return out;
}

Message message(const Source& source, const Diagnostic& diagnostic) {
  return {diagnostic.severity == Severity::error, diagnostic.text,
          place_of(source, diagnostic.span), help_of(diagnostic.notes), render(source, diagnostic)};
}

Message plain(std::string text, std::string help = {}) {
  std::string report = "error: " + text + "\n";
  Message out{true, std::move(text), {}, {}, {}};
  if (!help.empty()) {
    report += "  help: " + help + '\n';
    out.help.push_back(std::move(help));
  }
  out.report = std::move(report);
  return out;
}

Access access_of(const Source& source, const ir::FaultAccess& access) {
  const ir::ThreadCoordinate& t = access.thread;
  return {access.what, t.cta, t.thread, t.warp, t.lane, access.role, place_of(source, access.span)};
}

std::string access_report(const Source& source, const ir::FaultAccess& access) {
  const ir::ThreadCoordinate& t = access.thread;
  std::string text =
      fmt::format("  {}: CTA ({}, {}, {})", access.what, t.cta[0], t.cta[1], t.cta[2]);
  if (t.warp >= 0) text += fmt::format(", warp {}", t.warp);
  if (t.lane >= 0) text += fmt::format(", lane {}", t.lane);
  if (!access.role.empty()) text += fmt::format(" ({})", access.role);
  if (access.span.empty()) return text + '\n';
  return text + fmt::format(", {}\n", source.where_line(access.span)) +
         render_caret(source, access.span);
}

Fault fault_of(const Source& source, const ir::Fault& fault) {
  Fault out;
  out.kind = ir::to_string(fault.kind);
  out.text = fault.text;
  out.element = fault.element;
  out.space = fault.space;
  out.first = access_of(source, fault.first);
  if (fault.second) out.second = access_of(source, *fault.second);
  out.help = help_of(fault.notes);
  out.count = fault.count;
  out.report = fmt::format("{}: {}: {}\n", source.name(), out.kind, fault.text) +
               access_report(source, fault.first);
  if (fault.second) out.report += access_report(source, *fault.second);
  for (const Note& note : fault.notes) out.report += fmt::format("  help: {}\n", note.text);
  return out;
}

/// What an array says of itself does not fit; nothing where it does.
std::optional<Message> mistake(const Array& array, const std::string& name) {
  const std::optional<num::DType> dtype = num::find_dtype(array.dtype);
  if (!dtype) return plain(fmt::format("{}: there is no dtype '{}'", name, array.dtype));
  std::int64_t elements = 1;
  for (const std::int64_t extent : array.shape) {
    if (extent < 0) return plain(fmt::format("{} has a negative extent, {}", name, extent));
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > std::int64_t{1} << 48)
      return plain(fmt::format("{} has more elements than there can be", name));
  }
  if (array.data == nullptr && elements > 0) return plain(fmt::format("{} has no data", name));
  if (array.read_only && array.uninitialised)
    return plain(fmt::format("{} is read only and uninitialised: nothing could use it", name));
  return std::nullopt;
}

/// [begin, end) of an array's bytes.
std::pair<std::uintptr_t, std::uintptr_t> bytes_of(const Array& array, const ir::Tensor& tensor) {
  const auto begin = reinterpret_cast<std::uintptr_t>(array.data);
  return {begin, begin + tensor.memory->bytes.size()};
}

/// Elements of an output that mean nothing.
std::optional<Unwritten> unwritten_of(const ir::Tensor& tensor, std::size_t argument) {
  Unwritten out{argument, 0, {}};
  std::int64_t first = -1;
  for (std::int64_t i = 0, n = tensor.size(); i < n; ++i) {
    const auto begin = static_cast<std::size_t>(ir::storage_bytes(tensor.dtype, i));
    const auto end = static_cast<std::size_t>(ir::storage_bytes(tensor.dtype, i + 1));
    if (tensor.memory->is_valid(std::min(begin, end - 1), end)) continue;
    if (out.elements++ == 0) first = i;
  }
  if (out.elements == 0) return std::nullopt;
  out.first.assign(tensor.shape.size(), 0);
  for (std::size_t d = tensor.shape.size(); d-- > 0; first /= tensor.shape[d])
    out.first[d] = first % tensor.shape[d];
  return out;
}

/// A tensor with a copy of the array's bytes.
ir::Tensor tensor_of(const Array& array) {
  ir::Tensor tensor =
      ir::make_tensor(*num::find_dtype(array.dtype), array.shape, !array.uninitialised);
  std::vector<std::byte>& bytes = tensor.memory->bytes;
  if (!bytes.empty()) std::memcpy(bytes.data(), array.data, bytes.size());
  return tensor;
}

/// Numbers take the dtype of their parameter, which must hold them: no integer is cut.
std::variant<ir::ScalarValue, Message> scalar_of(const Argument& argument,
                                                 const std::string& name,
                                                 num::DType dtype) {
  const bool whole = num::is_int(dtype) || dtype == num::DType::boolean;
  if (const auto* integer = std::get_if<std::int64_t>(&argument)) {
    const num::Bits wide = num::from_int64(*integer, num::DType::i64);
    const num::Bits bits = num::convert(wide, num::DType::i64, dtype);
    const bool negative = *integer < 0 && !num::is_signed(dtype);
    if (whole && (negative || num::to_int64(bits, dtype) != *integer))
      return plain(
          fmt::format("{} is {}, which does not hold {}", name, num::name(dtype), *integer));
    return ir::ScalarValue{dtype, bits};
  }
  if (whole) {
    return plain(fmt::format("{} is {}, and {} is a float", name, num::name(dtype),
                             std::get<double>(argument)),
                 "pass an integer (std::int64_t)");
  }
  num::Bits wide = 0;
  const double value = std::get<double>(argument);
  std::memcpy(&wide, &value, sizeof value);
  return ir::ScalarValue{dtype, num::convert(wide, num::DType::f64, dtype)};
}

}  // namespace

std::string version() {
  return TIRX_VERSION;
}

Script::Script(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Script Script::parse(const std::string& text, const ParseOptions& options) {
  const IeeeDefaults defaults;
  auto state = std::make_shared<State>();
  state->source = std::make_shared<const Source>(options.name, text);
  dsl::ScriptOptions script;
  script.set = options.set;
  script.saves_in_memory = true;
  // Paths that leave the folder are refused, and in this one there is nothing.
  script.folder = options.folder.empty() ? "/nonexistent" : options.folder;
  state->result = dsl::collect_kernels(state->source, script);
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

namespace {

/// The simulator's options; the error says which word is unknown.
std::variant<sim::SimOptions, Message> sim_options(const Options& options) {
  sim::SimOptions out;
  const auto checks = sim::CheckSet::parse(options.checks);
  if (!checks) return plain(fmt::format("unknown checks '{}'", options.checks));
  out.checks = *checks;
  if (options.schedule == "reverse" || options.schedule == "random") {
    out.schedule = options.schedule == "random" ? sim::Schedule::random : sim::Schedule::reverse;
  } else if (options.schedule != "roundrobin") {
    return plain(fmt::format("unknown schedule '{}'", options.schedule),
                 "roundrobin, reverse or random");
  }
  if (options.async == "lazy") {
    out.async = sim::AsyncPolicy::lazy;
  } else if (options.async != "eager") {
    return plain(fmt::format("unknown async '{}'", options.async), "eager or lazy");
  }
  if (options.threads < 0 || options.threads > 1024) return plain("threads must be 0 to 1024");
  if (options.max_steps == 0) return plain("max_steps must not be 0");
  if (options.max_faults < 1) return plain("max_faults must be 1 or more");
  out.seed = options.seed;
  out.threads = options.threads;
  out.max_steps = options.max_steps;
  out.max_faults = options.max_faults;
  return out;
}

/// The arguments as tensors with copies of the arrays' bytes: arrays on the same bytes share one
/// memory, so that the rules for overlapping arguments hold.
std::variant<std::vector<ir::Argument>, Message> arguments_of(
    const ir::Kernel& kernel, const std::vector<Argument>& arguments) {
  if (arguments.size() != kernel.params.size()) {
    return plain(fmt::format("{} takes {} arguments, not {}", kernel.name, kernel.params.size(),
                             arguments.size()));
  }
  std::vector<ir::Argument> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Param& param = kernel.params[i];
    const auto* array = std::get_if<Array>(&arguments[i]);
    if ((array != nullptr) != static_cast<bool>(param.buffer)) {
      return plain(
          fmt::format("{} is {} parameter", param.name, param.buffer ? "an array" : "a scalar"));
    }
    if (array == nullptr) {
      auto scalar = scalar_of(arguments[i], param.name, param.scalar->type.dtype);
      if (auto* wrong = std::get_if<Message>(&scalar)) return std::move(*wrong);
      values.emplace_back(std::get<ir::ScalarValue>(scalar));
      continue;
    }
    if (auto wrong = mistake(*array, param.name)) return *std::move(wrong);
    ir::Tensor tensor = tensor_of(*array);
    for (std::size_t k = 0; k < i; ++k) {
      const auto* other = std::get_if<Array>(&arguments[k]);
      if (other == nullptr) continue;
      const auto mine = bytes_of(*array, tensor);
      const auto theirs = bytes_of(*other, std::get<ir::Tensor>(values[k]));
      if (mine == theirs) {
        tensor.memory = std::get<ir::Tensor>(values[k]).memory;
      } else if (mine.first < theirs.second && theirs.first < mine.second) {
        return plain(
            fmt::format("arguments {} and {} overlap in memory", kernel.params[k].name, param.name),
            "give each its own memory, or both the same");
      }
    }
    values.emplace_back(std::move(tensor));
  }
  return values;
}

}  // namespace

Outcome Script::launch(const std::string& name,
                       const std::vector<Argument>& arguments,
                       const Options& options) const {
  const IeeeDefaults defaults;
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
  auto how = sim_options(options);
  if (auto* wrong = std::get_if<Message>(&how)) return refuse(std::move(*wrong));
  auto made = arguments_of(*kernel, arguments);
  if (auto* wrong = std::get_if<Message>(&made)) return refuse(std::move(*wrong));
  const auto& values = std::get<std::vector<ir::Argument>>(made);
  const Result<lower::LoweredKernel> lowered = lower::lower(*kernel, *target);
  if (!lowered) return refuse(message(source, lowered.error()));
  const ir::LaunchOutcome outcome = sim::simulate(*lowered, values, std::get<sim::SimOptions>(how));
  out.status = outcome.status == ir::LaunchStatus::ok        ? Status::ok
               : outcome.status == ir::LaunchStatus::refused ? Status::refused
                                                             : Status::incomplete;
  out.warp_instructions = outcome.warp_instructions;
  out.printed = outcome.output;
  for (const ir::Fault& fault : outcome.faults) out.faults.push_back(fault_of(source, fault));
  for (const Diagnostic& diagnostic : outcome.diagnostics)
    out.messages.push_back(message(source, diagnostic));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* array = std::get_if<Array>(&arguments[i]);
    if (array == nullptr || out.status != Status::ok) continue;
    const ir::Tensor& tensor = std::get<ir::Tensor>(values[i]);
    const std::vector<std::byte>& bytes = tensor.memory->bytes;
    if (array->uninitialised) {
      if (auto some = unwritten_of(tensor, i)) out.unwritten.push_back(*std::move(some));
    }
    // An array that stays the same is not written: other threads may be reading it.
    if (bytes.empty() || std::memcmp(array->data, bytes.data(), bytes.size()) == 0) continue;
    if (array->read_only) {
      out.messages.push_back(
          plain(fmt::format("{} is read only, and {} writes it", kernel->params[i].name, name),
                "pass it as Array::update"));
      continue;
    }
    std::memcpy(array->data, bytes.data(), bytes.size());
  }
  return out;
}

std::string Script::cuda(const std::string& name,
                         const std::string& arch,
                         std::string* why_not) const {
  const IeeeDefaults defaults;
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
