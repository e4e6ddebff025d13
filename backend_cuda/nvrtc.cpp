#include "backend_cuda/nvrtc.hpp"

#include <fmt/format.h>

#include "backend_cuda/library.hpp"

namespace tirx::cuda {

namespace {

// The part of nvrtc.h that is used here, so that building needs no CUDA toolkit.
using Program = struct NvrtcProgram*;
constexpr int kSuccess = 0;

struct Nvrtc {
  Library library;
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) =
      nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  NvrtcInfo info;
  bool complete = false;
};

std::vector<std::string> candidates() {
  const std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> paths;
  const std::string chosen = environment("TIRX_NVRTC");
  if (!chosen.empty()) paths.push_back(chosen);
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = environment(variable);
    if (!root.empty()) {
      folders.push_back(root + "/lib64/");
      folders.push_back(root + "/lib/");
    }
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  for (const std::string& folder : folders) {
    for (const std::string& name : names) paths.push_back(folder + name);
  }
  return paths;
}

const Nvrtc& nvrtc() {
  static const Nvrtc instance = [] {
    Nvrtc n;
    n.library = Library(candidates());
    const Library& lib = n.library;
    n.complete =
        lib.find("nvrtcVersion", n.version) && lib.find("nvrtcCreateProgram", n.create) &&
        lib.find("nvrtcDestroyProgram", n.destroy) && lib.find("nvrtcCompileProgram", n.compile) &&
        lib.find("nvrtcGetCUBINSize", n.cubin_size) && lib.find("nvrtcGetCUBIN", n.cubin) &&
        lib.find("nvrtcGetProgramLogSize", n.log_size) && lib.find("nvrtcGetProgramLog", n.log) &&
        lib.find("nvrtcGetErrorString", n.error_string);
    if (n.complete) {
      n.info.library = lib.path();
      n.version(&n.info.major, &n.info.minor);
    }
    return n;
  }();
  return instance;
}

std::string log_of(const Nvrtc& api, Program program) {
  std::size_t size = 0;
  if (api.log_size(program, &size) != kSuccess || size <= 1) return {};
  std::string log(size, '\0');
  if (api.log(program, log.data()) != kSuccess) return {};
  log.resize(size - 1);  // without the final NUL
  return log;
}

/// Destroys the program on every way out.
struct ProgramGuard {
  const Nvrtc& api;
  Program program;

  ~ProgramGuard() { api.destroy(&program); }
};

}  // namespace

Result<NvrtcInfo> find_nvrtc() {
  const Nvrtc& api = nvrtc();
  if (api.complete) return api.info;
  const std::string problem = api.library.is_open()
                                  ? api.library.path() + " is too old (it makes no cubins)"
                                  : "libnvrtc.so was not found";
  return Diagnostic{{},
                    "NVRTC is not available: " + problem,
                    {{{}, "install the CUDA toolkit's NVRTC, or name its folder with CUDA_HOME"}}};
}

Result<Cubin> compile(const std::string& text,
                      std::string_view arch,
                      const std::vector<std::string>& flags) {
  const Result<NvrtcInfo> found = find_nvrtc();
  if (!found) return found.error();
  const Nvrtc& api = nvrtc();
  ProgramGuard guard{api, nullptr};
  int status = api.create(&guard.program, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
  if (status != kSuccess) {
    return Diagnostic{{}, fmt::format("NVRTC: {}", api.error_string(status)), {}};
  }
  // -fmad and the rest are the defaults of nvcc: the text means the same under any of them.
  std::vector<std::string> options{fmt::format("--gpu-architecture={}", arch), "-std=c++17",
                                   "-default-device"};
  options.insert(options.end(), flags.begin(), flags.end());
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  status = api.compile(guard.program, static_cast<int>(pointers.size()), pointers.data());
  Cubin cubin;
  cubin.log = log_of(api, guard.program);
  std::size_t size = 0;
  if (status == kSuccess) status = api.cubin_size(guard.program, &size);
  if (status == kSuccess) {
    cubin.image.resize(size);
    status = api.cubin(guard.program, cubin.image.data());
  }
  if (status != kSuccess) {
    return Diagnostic{
        {},
        fmt::format("NVRTC {}.{} does not compile this for {}: {}\n{}", api.info.major,
                    api.info.minor, arch, api.error_string(status), cubin.log),
        {}};
  }
  return cubin;
}

}  // namespace tirx::cuda
