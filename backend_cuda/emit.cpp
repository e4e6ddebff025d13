// The file as a whole: kernels first, then what they turned out to need before them.
#include "backend_cuda/emit.hpp"

#include <algorithm>

#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/prelude.hpp"

namespace tirx::cuda {

namespace {

/// "sm_90a" or "sm_80, sm_90a", as the kernels were lowered for.
std::string architectures(std::span<const lower::LoweredKernel* const> kernels) {
  std::string out;
  for (const lower::LoweredKernel* kernel : kernels) {
    const std::string name(kernel->target->name);
    if (out.find(name) == std::string::npos) out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

/// What no kernel can be called.
NameScopes names_of_file() {
  NameScopes names;
  names.reserve(std::string(kArena));
  return names;
}

}  // namespace

Result<std::string> emit(std::span<const lower::LoweredKernel* const> kernels,
                         const EmitOptions& options) {
  FileParts parts;
  NameScopes names = names_of_file();
  std::string device, host;
  // Kernels keep their names where they can; launchers take what is left.
  std::vector<std::string> kernel_names, launchers;
  for (const lower::LoweredKernel* kernel : kernels) {
    kernel_names.push_back(names.declare_for_file(kernel->name));
  }
  for (const std::string& name : kernel_names) {
    launchers.push_back(names.declare_for_file("launch_" + name));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelEmitter emitter(*kernels[i], options, kernel_names[i], parts);
    Result<std::string> text = emitter.device_text();
    if (!text) return text;
    device += (device.empty() ? "" : "\n") + *text;
    if (!options.host_launcher) continue;
    text = emitter.host_text(launchers[i]);
    if (!text) return text;
    host += "\n" + *text;
  }
  std::string body;
  for (const std::string& source : parts.raw_sources) body += source + "\n";
  for (const std::string& helper : parts.generated) body += helper + "\n";
  body += device;
  if (!host.empty()) {
    body += "\n#ifndef __CUDACC_RTC__\n" + host + "\n#endif  // __CUDACC_RTC__\n";
  }
  std::string out = "// Made by tirx for " + architectures(kernels) +
                    (options.prelude ? "; the same bits whatever flags it is compiled with.\n"
                                     : "; to be read: the helpers it calls are left out.\n");
  if (!host.empty() || parts.prints) {
    out += "#ifndef __CUDACC_RTC__\n";
    if (parts.prints) out += "#include <cstdio>\n";
    if (!host.empty()) out += "#include <cuda_runtime.h>\n";
    out += "#endif\n";
  }
  out += "\n";
  if (options.prelude) out += Prelude::get().source_for(body);
  return out + body;
}

Result<std::string> emit(const lower::LoweredKernel& kernel, const EmitOptions& options) {
  const lower::LoweredKernel* const one[] = {&kernel};
  return emit(one, options);
}

std::string entry_name(const lower::LoweredKernel& kernel) {
  return names_of_file().declare_for_file(kernel.name);
}

}  // namespace tirx::cuda
