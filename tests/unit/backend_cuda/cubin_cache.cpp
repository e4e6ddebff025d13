// The cache of compiled kernels: what is compiled once is read afterwards; what is not a cubin is
// compiled again; a folder that cannot be made costs only time.
#include <filesystem>
#include <fstream>

#include "tests/unit/backend_cuda/support.hpp"

namespace tirx::testing {

TEST_CASE("cubins are kept, and checked when they are read") {
  if (!may_compile()) return;
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "tirx_unit_cache";
  fs::remove_all(folder);
  const std::string text = "extern \"C\" __global__ void k(int* p) { *p = 3; }\n";
  const auto first = cuda::compile_cached(text, "sm_90a", {}, folder.string());
  REQUIRE(first);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  REQUIRE(files.size() == 1);
  CHECK(files[0].extension() == ".cubin");
  CHECK(fs::file_size(files[0]) == first->image.size());
  const auto second = cuda::compile_cached(text, "sm_90a", {}, folder.string());
  REQUIRE(second);
  CHECK(second->image == first->image);
  // Another architecture is another file.
  REQUIRE(cuda::compile_cached(text, "sm_80", {}, folder.string()));
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);
  std::ofstream(files[0], std::ios::binary) << "not a cubin";
  const auto third = cuda::compile_cached(text, "sm_90a", {}, folder.string());
  REQUIRE(third);
  CHECK(third->image.substr(0, 4) == first->image.substr(0, 4));
  fs::remove_all(folder);
  CHECK(cuda::compile_cached(text, "sm_90a", {}, "/dev/null/folder"));
}

TEST_CASE("what does not compile comes with the compiler's log") {
  if (!may_compile()) return;
  const auto bad = cuda::compile("__global__ void k() { undeclared = 1; }\n", "sm_90a");
  REQUIRE(!bad);
  CHECK(bad.error().text.find("identifier \"undeclared\" is undefined") != std::string::npos);
  const auto unknown = cuda::compile("__global__ void k() {}\n", "sm_1");
  CHECK(!unknown);
}

}  // namespace tirx::testing
