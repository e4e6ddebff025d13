#include "cli/kernel_launch.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/verbs.hpp"
#include "dsl/eval/error.hpp"
#include "dsl/run_script.hpp"

namespace tirx::cli {

namespace {

using Values = std::map<std::string, std::string>;  // --arg NAME=VALUE

/// Functions of `tirx` that take the parameter's shape and dtype from here.
const std::vector<std::string>& makers() {
  static const std::vector<std::string> kNames{"random", "zeros", "empty", "full", "arange"};
  return kNames;
}

bool makes_tensor(std::string_view call) {
  return std::any_of(makers().begin(), makers().end(),
                     [&](const std::string& name) { return call.starts_with(name + "("); });
}

/// What is wrong with `rnadom()` or `random(`; empty: nothing that can be seen here.
std::string unknown_function(std::string_view call) {
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos || (makes_tensor(call) && call.ends_with(")"))) return {};
  if (!call.ends_with(")")) return "the ')' is missing";
  const std::string_view name = call.substr(0, open);
  const std::string near = dsl::did_you_mean(name, makers());
  return near.empty() ? near : fmt::format("there is no {}(){}", name, near);
}

/// The extent of a dimension: a constant, or a symbol that --arg gives.
std::optional<std::string> extent(const ir::Expr& expr, Values& unused, const Values& given) {
  std::int64_t known = 0;
  if (ir::is_const_int(expr, known)) return std::to_string(known);
  const auto* symbol = ir::as<ir::VarRef>(expr);
  if (symbol == nullptr) return std::nullopt;
  const auto value = given.find(symbol->var->name);
  if (value == given.end()) return std::nullopt;
  unused.erase(symbol->var->name);
  return value->second;
}

}  // namespace

SourceRef with_launch(const SourceRef& source, const Options& options, std::ostream& err) {
  const dsl::ScriptResult script = dsl::collect_kernels(source, script_options(options));
  if (script.has_errors()) {
    print_result(*source, script, err);
    return nullptr;
  }
  const ir::Kernel* kernel = nullptr;
  std::vector<std::string> names;
  for (const auto& one : script.kernels) {
    names.push_back(one->name);
    if (one->name == options.kernel) kernel = one.get();
  }
  if (kernel == nullptr) {
    err << fmt::format(
        "tirx: --kernel {}: the script has {}\n", options.kernel,
        names.empty() ? "no kernel" : fmt::format("the kernels {}", fmt::join(names, ", ")));
    return nullptr;
  }
  Values given, unused;
  for (const std::string& argument : options.arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      err << fmt::format("tirx: --arg {}: write NAME=VALUE, for example A=random(seed=1)\n",
                         argument);
      return nullptr;
    }
    if (!given.emplace(argument.substr(0, equals), argument.substr(equals + 1)).second) {
      err << fmt::format("tirx: --arg {}: {} is given twice\n", argument,
                         argument.substr(0, equals));
      return nullptr;
    }
  }
  unused = given;
  std::vector<std::string> arguments;
  for (const ir::Param& param : kernel->params) {
    auto value = given.find(param.name);
    if (value == given.end() && param.buffer) value = given.find(param.buffer->name);
    if (value != given.end()) unused.erase(value->first);
    if (!param.buffer) {
      if (value == given.end()) {
        err << fmt::format("tirx: --kernel {}: {} has no value: --arg {}=…\n", kernel->name,
                           param.name, param.name);
        return nullptr;
      }
      arguments.push_back(value->second);
      continue;
    }
    // What is not said is storage that nobody wrote.
    const std::string call = value == given.end() ? "empty()" : value->second;
    if (const std::string wrong = unknown_function(call); !wrong.empty()) {
      err << fmt::format("tirx: --arg {}={}: {}\n", value->first, call, wrong);
      return nullptr;
    }
    if (!makes_tensor(call)) {
      arguments.push_back(call.starts_with("load(") ? "tirx." + call : call);
      continue;
    }
    std::string shape;
    for (const ir::Expr& dimension : param.buffer->shape) {
      const auto size = extent(dimension, unused, given);
      if (!size) {
        const auto* symbol = ir::as<ir::VarRef>(dimension);
        err << fmt::format("tirx: --kernel {}: the shape of {} is not known{}\n", kernel->name,
                           param.buffer->name,
                           symbol != nullptr ? fmt::format(": --arg {}=256", symbol->var->name)
                                             : ": write --arg with a whole tensor");
        return nullptr;
      }
      shape += *size + ", ";
    }
    const std::size_t open = call.find('(');
    const std::string rest = call.substr(open + 1, call.size() - open - 2);
    arguments.push_back(fmt::format("tirx.{}(({}), {}{}dtype=\"{}\")", call.substr(0, open), shape,
                                    rest, rest.empty() ? "" : ", ",
                                    num::name(param.buffer->dtype)));
  }
  if (!unused.empty()) {
    err << fmt::format("tirx: --arg {}: {} has no parameter and no dimension of that name\n",
                       unused.begin()->first, kernel->name);
    return nullptr;
  }
  return std::make_shared<const Source>(
      source->name(),
      std::string(source->text()) +
          fmt::format("\n{}({})  # --kernel\n", kernel->name, fmt::join(arguments, ", ")));
}

}  // namespace tirx::cli
