// The head of a kernel: parameters, launch bounds, the ids of its threads, shared memory.
#include <algorithm>

#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"
#include "backend_cuda/walk.hpp"
#include "ir/all_ops.hpp"
#include "lower/symbol.hpp"

namespace tirx::cuda {

namespace {

constexpr std::size_t kLineWidth = 100;

std::string_view dimension(int dim) {
  static constexpr std::string_view kNames[] = {"x", "y", "z"};
  return kNames[dim];
}

}  // namespace

KernelEmitter::KernelEmitter(const lower::LoweredKernel& kernel,
                             const EmitOptions& options,
                             std::string name,
                             FileParts& parts)
    : kernel_(kernel),
      options_(options),
      name_(std::move(name)),
      parts_(parts),
      uses_(find_uses(kernel)) {
  TIRX_CHECK(kernel.target != nullptr);
}

/// The user's own CUDA functions keep their names.
void KernelEmitter::reserve_raw_functions() {
  const auto note = [&](const ir::Expr& expr) {
    const auto* call = ir::as<ir::MachineCall>(expr);
    if (call == nullptr || call->op != ir::AllOps::id_of<ir::RawCudaCall>()) return;
    names_.reserve(call->text.substr(0, call->text.find('\n')));
  };
  walk(
      kernel_.body, [](const ir::Stmt&) {}, note);
}

void KernelEmitter::declare_parameters() {
  names_.reserve(name_);
  if (kernel_.dynamic_shared_bytes > 0) names_.reserve(std::string(kArena));
  reserve_raw_functions();
  for (const ir::Param& param : kernel_.params) {
    if (param.absent || !param.buffer) continue;
    storages_[param.buffer->storage.get()] = names_.declare(param.name);
  }
  for (const ir::Var& symbol : kernel_.symbols) {
    variables_[symbol.get()] = names_.declare(symbol->name);
    // Dimensions of arguments.
    ranges_.set(symbol, ir::intersect(ir::values_of(symbol->type.dtype),
                                      ir::Interval{0, lower::largest_symbol(symbol->type.dtype)}));
  }
  for (const ir::Param& param : kernel_.params) {
    if (param.absent || !param.scalar) continue;
    variables_[param.scalar.get()] = names_.declare(param.name);
  }
}

std::vector<std::string> KernelEmitter::parameter_list(bool device) const {
  std::vector<std::string> parameters;
  for (const ir::Param& param : kernel_.params) {
    if (param.absent || !param.buffer) continue;
    const ir::Storage* storage = param.buffer->storage.get();
    // Where threads talk through a tensor, __restrict__ lets the compiler move a load over the
    // barrier in front of it (it may take what this thread stored there for what is there still).
    const bool only_read = uses_.written.count(storage) == 0;
    parameters.push_back(
        fmt::format("{}{}*{}{}", only_read ? "const " : "", element_type(storage->dtype),
                    only_read && device ? " __restrict__ " : " ", storages_.at(storage)));
  }
  for (const ir::Var& symbol : kernel_.symbols) {
    parameters.push_back(
        fmt::format("{} {}", value_type(symbol->type), variables_.at(symbol.get())));
  }
  for (const ir::Param& param : kernel_.params) {
    if (param.absent || !param.scalar) continue;
    parameters.push_back(
        fmt::format("{} {}", value_type(param.scalar->type), variables_.at(param.scalar.get())));
  }
  return parameters;
}

void KernelEmitter::signature() {
  const ir::KernelAttributes& attributes = kernel_.attributes;
  const auto& cluster = kernel_.launch.cluster;
  std::string bounds;
  if (attributes.max_registers) {
    bounds = fmt::format("__maxnreg__({})", *attributes.max_registers);
  } else {
    bounds = fmt::format("__launch_bounds__({}", kernel_.launch.threads());
    // The compiler refuses the third number for an architecture without clusters, and beside
    // __cluster_dims__, which says more.
    const bool clusters = attributes.max_blocks_per_cluster && kernel_.target->max_cluster > 1 &&
                          cluster[0] * cluster[1] * cluster[2] == 1;
    if (attributes.min_blocks_per_sm || clusters) {
      bounds += fmt::format(", {}", attributes.min_blocks_per_sm.value_or(1));
    }
    if (clusters) {
      bounds += fmt::format(", {}", *attributes.max_blocks_per_cluster);
    }
    bounds += ")";
  }
  if (cluster[0] * cluster[1] * cluster[2] > 1) {
    bounds += fmt::format(" __cluster_dims__({}, {}, {})", cluster[0], cluster[1], cluster[2]);
  }
  writer_.line("extern \"C\" __global__ void {}", bounds);
  function_head(name_, parameter_list(true));
}

void KernelEmitter::function_head(const std::string& head,
                                  const std::vector<std::string>& parameters) {
  const std::string line = fmt::format("{}({}) {{", head, fmt::join(parameters, ", "));
  if (line.size() <= kLineWidth) {
    writer_.text_line(line);
    return;
  }
  writer_.line("{}(", head);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    writer_.line("    {}{}", parameters[i], i + 1 < parameters.size() ? "," : ") {");
  }
}

std::string KernelEmitter::thread_value(const lower::ThreadVar& var) {
  const auto& block = kernel_.launch.block;
  const std::int64_t threads = kernel_.launch.threads();
  const std::string_view dim = dimension(var.dim);
  std::string linear = "threadIdx.x";
  if (block[1] * block[2] > 1) {
    linear = block[2] > 1 ? fmt::format("(threadIdx.x + {} * (threadIdx.y + {} * threadIdx.z))",
                                        block[0], block[1])
                          : fmt::format("(threadIdx.x + {} * threadIdx.y)", block[0]);
  }
  // Uniform in the warp, which the shuffle tells the compiler.
  std::string warp = fmt::format("__shfl_sync(0xffffffffu, {} / 32, 0)", linear);
  if (threads <= ir::kLanesPerWarp) warp = "0";
  if (!warp_name_.empty()) warp = warp_name_;
  switch (var.kind) {
    case ir::ScopeIdKind::cta_id:
      return fmt::format("blockIdx.{}", dim);
    case ir::ScopeIdKind::cluster_id:
      return fmt::format("tirx_cluster_id_{}()", dim);
    case ir::ScopeIdKind::cta_id_in_cluster:
      return fmt::format("tirx_cta_in_cluster_{}()", dim);
    case ir::ScopeIdKind::cta_id_in_pair:
      return "tirx_cluster_rank() % 2";
    case ir::ScopeIdKind::thread_id:
      return fmt::format("threadIdx.{}", dim);
    case ir::ScopeIdKind::thread_id_in_wg:
      return threads <= ir::kThreadsPerWarpgroup ? linear : linear + " % 128";
    case ir::ScopeIdKind::lane_id:
      return threads <= ir::kLanesPerWarp ? linear : linear + " % 32";
    case ir::ScopeIdKind::warp_id:
      return warp;
    case ir::ScopeIdKind::warp_id_in_wg:
      return threads <= ir::kThreadsPerWarpgroup ? warp : warp + " % 4";
    case ir::ScopeIdKind::warpgroup_id:
      return threads <= ir::kThreadsPerWarpgroup ? "0" : warp + " / 4";
  }
  return "0";
}

namespace {

std::int64_t extent_of(const lower::LoweredKernel& kernel, const lower::ThreadVar& var) {
  const auto& launch = kernel.launch;
  const auto dim = static_cast<std::size_t>(var.dim);
  const std::int64_t threads = launch.threads();
  std::int64_t grid = 0;
  switch (var.kind) {
    case ir::ScopeIdKind::cta_id:
    case ir::ScopeIdKind::cluster_id:
      if (launch.grid[dim] && ir::is_const_int(launch.grid[dim], grid) && grid > 0) return grid;
      // The largest grid is 2^31 - 1 in x, 65535 in y and z.
      return var.dim == 0 ? 0x7fffffff : 65535;
    case ir::ScopeIdKind::cta_id_in_cluster:
      return launch.cluster[dim];
    case ir::ScopeIdKind::cta_id_in_pair:
      return 2;
    case ir::ScopeIdKind::thread_id:
      return launch.block[dim];
    case ir::ScopeIdKind::thread_id_in_wg:
      return std::min<std::int64_t>(threads, ir::kThreadsPerWarpgroup);
    case ir::ScopeIdKind::lane_id:
      return std::min<std::int64_t>(threads, ir::kLanesPerWarp);
    case ir::ScopeIdKind::warp_id:
      return (threads + 31) / 32;
    case ir::ScopeIdKind::warp_id_in_wg:
      return std::min<std::int64_t>((threads + 31) / 32, ir::kWarpsPerWarpgroup);
    case ir::ScopeIdKind::warpgroup_id:
      return (threads + 127) / 128;
  }
  return 1024;
}

}  // namespace

void KernelEmitter::thread_variable(const lower::ThreadVar& var) {
  const std::string value = thread_value(var);
  const std::string name = names_.declare(var.var->name);
  variables_[var.var.get()] = name;
  ranges_.set(var.var, {0, std::max<std::int64_t>(extent_of(kernel_, var) - 1, 0)});
  writer_.line("const {} {} = {};", value_type(var.var->type), name, value);
  if (var.kind == ir::ScopeIdKind::warp_id) warp_name_ = name;
}

void KernelEmitter::thread_variables() {
  std::vector<const lower::ThreadVar*> used;
  for (const lower::ThreadVar& var : kernel_.thread_vars) {
    if (uses_.variables.count(var.var.get()) != 0) used.push_back(&var);
  }
  // The other ids of warps are computed from the first.
  std::stable_partition(used.begin(), used.end(), [](const lower::ThreadVar* var) {
    return var->kind == ir::ScopeIdKind::warp_id;
  });
  for (const lower::ThreadVar* var : used) thread_variable(*var);
}

void KernelEmitter::shared_storage(const ir::Storage& storage) {
  const std::string_view type = element_type(storage.dtype);
  if (storages_.count(&storage) != 0) return;
  const std::string name = names_.declare(storage.name);
  storages_[&storage] = name;
  if (storage.scope == ir::MemoryScope::shared_dynamic) {
    for (const lower::SharedPlace& place : kernel_.shared) {
      if (place.storage.get() != &storage) continue;
      const std::string start =
          place.offset == 0 ? std::string(kArena) : fmt::format("{} + {}", kArena, place.offset);
      const std::string value =
          type == "unsigned char" ? start : fmt::format("reinterpret_cast<{}*>({})", type, start);
      writer_.line("{}* const {} = {};", type, name, value);
      return;
    }
    TIRX_CHECK(!"a dynamic shared storage has its place");
  }
  std::int64_t elements = 0;
  TIRX_CHECK(storage.elements && ir::is_const_int(storage.elements, elements) && elements >= 1);
  if (num::bits(storage.dtype) == 4) elements = (elements + 1) / 2;
  writer_.line("__shared__ alignas({}) {} {}[{}];", storage.alignment, type, name, elements);
}

Result<std::string> KernelEmitter::device_text() {
  declare_parameters();
  line_directive(kernel_.span);
  signature();
  names_.open();
  writer_.indent();
  thread_variables();
  if (kernel_.dynamic_shared_bytes > 0) {
    // One array for all kernels of a file, which must agree on its type.
    writer_.line("extern __shared__ __align__(1024) unsigned char {}[];", kArena);
  }
  for (const lower::SharedPlace& place : kernel_.shared) {
    if (uses_.allocated.count(place.storage.get()) == 0) shared_storage(*place.storage);
  }
  body(kernel_.body);
  writer_.dedent();
  names_.close();
  writer_.line("}}");
  if (error_) return *error_;
  return writer_.take();
}

}  // namespace tirx::cuda
