// The peers: the kernels of kernels.cl through whatever OpenCL platform is there (pocl, or Oclgrind
// when started by it).  Kernel time is enqueue to finish; the build, and one run before the clock
// starts, are not counted.
//   bench_sim_opencl kernels.cl CONTESTANT PLATFORM REPETITIONS KEY:KERNEL:M:N:K…
#define CL_TARGET_OPENCL_VERSION 120
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <CL/cl.h>

#include "bench/sim/case.hpp"
#include "bench/sim/work.hpp"

namespace {

void check(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "opencl: %s: error %d\n", what, code);
  std::exit(1);
}

/// The platform whose name holds `wanted`.
cl_platform_id find_platform(const std::string& wanted) {
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  check(clGetPlatformIDs(16, platforms.data(), &count), "platforms");
  for (cl_uint i = 0; i < count; ++i) {
    std::array<char, 256> name{};
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, name.size(), name.data(), nullptr);
    if (std::strstr(name.data(), wanted.c_str()) != nullptr) return platforms[i];
  }
  std::fprintf(stderr, "opencl: no platform named %s\n", wanted.c_str());
  std::exit(1);
}

class Device {
 public:
  Device(const std::string& platform, const char* source_path) {
    check(clGetDeviceIDs(find_platform(platform), CL_DEVICE_TYPE_ALL, 1, &device_, nullptr),
          "device");
    cl_int code = 0;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "context");
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    check(code, "queue");
    std::ifstream file(source_path);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    const char* pointer = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &pointer, nullptr, &code);
    check(code, "program");
    check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "build");
  }

  std::vector<float> run(const bench::Work& w, int repetitions, bool warm, bench::Timing& timing) {
    cl_int code = 0;
    kernel_ = clCreateKernel(program_, w.kernel.c_str(), &code);
    check(code, "kernel");
    next_ = 0;
    const auto floats = [this](const std::vector<float>& v) { input(v.data(), v.size() * 4); };
    std::array<std::size_t, 2> global{}, local{};
    cl_uint dimensions = 1;
    if (w.kernel == "blockscale") {
      input(w.qa.data(), w.qa.size());
      input(w.qb.data(), w.qb.size());
      floats(w.sa);
      floats(w.sb);
    } else {
      floats(w.a);
      if (!w.b.empty()) floats(w.b);
    }
    const cl_mem out = buffer(w.outputs() * 4, nullptr);
    number(w.m);
    const auto m = static_cast<std::size_t>(w.m), n = static_cast<std::size_t>(w.n);
    if (w.kernel == "vadd" || w.kernel == "reduce") {
      global = {m, 1};
      local = {256, 1};
    } else if (w.kernel == "tilecopy") {
      dimensions = 2;
      global = {m, m / 4};
      local = {32, 8};
    } else {
      number(w.n);
      number(w.k);
      dimensions = 2;
      global = {n, m};
      local = {16, 16};
    }
    const auto launch = [&] {
      check(clEnqueueNDRangeKernel(queue_, kernel_, dimensions, nullptr, global.data(),
                                   local.data(), 0, nullptr, nullptr),
            "launch");
      check(clFinish(queue_), "finish");
    };
    if (warm) launch();  // pocl compiles at the first launch
    timing = bench::measure(repetitions, launch);
    std::vector<float> values(w.outputs());
    check(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, values.size() * 4, values.data(), 0, nullptr,
                              nullptr),
          "read");
    return values;
  }

 private:
  cl_mem buffer(std::size_t bytes, const void* from) {
    cl_int code = 0;
    cl_mem memory = clCreateBuffer(
        context_, from != nullptr ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
        bytes, const_cast<void*>(from), &code);
    check(code, "buffer");
    check(clSetKernelArg(kernel_, next_++, sizeof memory, &memory), "argument");
    return memory;
  }

  void input(const void* from, std::size_t bytes) { buffer(bytes, from); }

  void number(int value) {
    check(clSetKernelArg(kernel_, next_++, sizeof value, &value), "argument");
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  cl_uint next_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const std::string contestant = argv[2];
  const int repetitions = std::atoi(argv[4]);
  Device device(argv[3], argv[1]);
  for (int i = 5; i < argc; ++i) {
    const bench::Case one = bench::parse_case(argv[i]);
    const bench::Work work = bench::make_work(one.kernel, one.m, one.n, one.k);
    bench::Timing timing;
    const bool compiles_late = contestant.starts_with("pocl");
    const std::vector<float> out = device.run(work, repetitions, compiles_late, timing);
    bench::print_result(one.key, contestant, work, timing, bench::judge(work, out));
  }
  return 0;
}
