#include "tests/unit/backend_cuda/support.hpp"

#include <cstdio>

namespace tirx::testing {

namespace {

/// Prints the count when the tests are over.
struct Counter {
  int count = 0;

  ~Counter() { std::printf("NVRTC compiled %d kernel texts\n", count); }
};

Counter counter;

}  // namespace

int& compiled_count() {
  return counter.count;
}

void compiles(KernelBuilder& builder, const std::vector<std::string>& archs) {
  if (!may_compile()) return;
  for (const std::string& arch : archs) {
    const lower::LoweredKernel kernel = lowered(builder, arch);
    const Result<std::string> text = cuda::emit(kernel);
    INFO((text ? std::string() : text.error().text));
    REQUIRE(text);
    const Result<cuda::Cubin> cubin = cuda::compile(*text, arch);
    if (const char* folder = std::getenv("TIRX_DUMP")) {
      std::FILE* file =
          std::fopen((std::string(folder) + "/" + kernel.name + "." + arch + ".cu").c_str(), "w");
      std::fputs(text->c_str(), file);
      std::fclose(file);
    }
    INFO(*text);
    INFO((cubin ? std::string() : cubin.error().text));
    CHECK(cubin);
    if (cubin) ++compiled_count();
  }
}

}  // namespace tirx::testing
