// The host function that launches a kernel: grid from the symbols, opt-in to more shared memory.
// Clusters need no attribute here, the kernel has __cluster_dims__.
#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

namespace {

constexpr std::int64_t kSharedWithoutOptIn = 48 * 1024;

}  // namespace

Result<std::string> KernelEmitter::host_text(const std::string& launcher) {
  // After device_text(): parameters keep their names.
  on_host_ = true;
  std::vector<std::string> parameters = parameter_list(false);
  names_.open();
  const std::string stream = names_.declare("stream");
  const std::string grid_name = names_.declare("grid");
  const std::string block_name = names_.declare("block");
  const std::string allowed = names_.declare("allowed");
  parameters.push_back(fmt::format("cudaStream_t {} = 0", stream));
  writer_.line("// Launches {} on the stream.", name_);
  function_head("inline cudaError_t " + launcher, parameters);
  writer_.indent();
  for (const ir::Stmt& stmt : kernel_.host_body) {
    if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
      const std::string value = expression(let->value).text;
      variables_[let->var.get()] = names_.declare(let->var->name);
      writer_.line("const {} {} = {};", value_type(let->value->type), variables_[let->var.get()],
                   value);
    } else if (const auto* check = std::get_if<ir::Assert>(&stmt.node)) {
      writer_.line("if ({}) return cudaErrorInvalidValue;",
                   unary("!", expression(check->condition)).text);
    }
  }
  const auto grid = [&](std::size_t dim) {
    return kernel_.launch.grid[dim] ? expression(kernel_.launch.grid[dim]).text : std::string("1");
  };
  const auto& block = kernel_.launch.block;
  writer_.line("const dim3 {}({}, {}, {});", grid_name, grid(0), grid(1), grid(2));
  writer_.line("const dim3 {}({}, {}, {});", block_name, block[0], block[1], block[2]);
  const std::int64_t shared = kernel_.dynamic_shared_bytes;
  if (shared > kSharedWithoutOptIn) {
    writer_.line("const cudaError_t {} = cudaFuncSetAttribute(", allowed);
    writer_.line("    {}, cudaFuncAttributeMaxDynamicSharedMemorySize, {});", name_, shared);
    writer_.line("if ({0} != cudaSuccess) return {0};", allowed);
  }
  std::vector<std::string> arguments;
  for (const ir::Param& param : kernel_.params) {
    if (!param.absent && param.buffer) {
      arguments.push_back(storages_.at(param.buffer->storage.get()));
    }
  }
  for (const ir::Var& symbol : kernel_.symbols) arguments.push_back(variables_.at(symbol.get()));
  for (const ir::Param& param : kernel_.params) {
    if (!param.absent && param.scalar) arguments.push_back(variables_.at(param.scalar.get()));
  }
  writer_.line("{}<<<{}, {}, {}, {}>>>({});", name_, grid_name, block_name, shared, stream,
               fmt::join(arguments, ", "));
  writer_.line("return cudaGetLastError();");
  writer_.dedent();
  writer_.line("}}");
  names_.close();
  if (error_) return *error_;
  return writer_.take();
}

}  // namespace tirx::cuda
