// Does every kernel that tirx emits compile?  Takes all scripts of some folders, emits their
// kernels for every architecture and compiles them with NVRTC; no GPU is needed.  A text that is
// the same for all architectures is compiled for the oldest and the newest one.
//
//   compile_all [--require] FILE-OR-FOLDER…
//
// Without NVRTC the test is skipped (exit 77), with --require or TIRX_REQUIRE_NVRTC=1 it fails.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "backend_cuda/emit.hpp"
#include "backend_cuda/nvrtc.hpp"
#include "dsl/run_script.hpp"
#include "lower/lower.hpp"

namespace fs = std::filesystem;
using namespace tirx;

namespace {

struct Totals {
  int compiled = 0;
  int between = 0;  // the same text as for the oldest and the newest architecture
  int illegal = 0;  // kernels that the architecture cannot run, and tirx says so
  int failed = 0;
};

/// The first one says for which architecture it is.
std::string_view behind_first_line(std::string_view text) {
  return text.substr(std::min(text.find('\n'), text.size()));
}

/// Scripts that expect an error, and kernels with raw CUDA that is not ours, have nothing to
/// compile.
bool expects_error(const std::string& text) {
  return text.find("\n# exit: 2") != std::string::npos || text.starts_with("# exit: 2");
}

void compile_script(const fs::path& path, Totals& totals) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (expects_error(text.str())) return;
  const auto source = std::make_shared<const Source>(path.filename().string(), text.str());
  dsl::ScriptOptions options;
  options.folder = path.parent_path().string();
  const dsl::ScriptResult script = dsl::collect_kernels(source, options);
  for (const auto& kernel : script.kernels) {
    constexpr std::array kArchitectures{"sm_80", "sm_89", "sm_90a", "sm_100a"};
    std::array<std::optional<std::string>, kArchitectures.size()> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Result<lower::LoweredKernel> lowered =
          lower::lower(*kernel, *ir::find_target(kArchitectures[i]));
      const Result<std::string> cuda =
          lowered ? cuda::emit(*lowered) : Result<std::string>(lowered.error());
      if (cuda) texts[i] = *cuda;
    }
    const auto same = [&](std::size_t a, std::size_t b) {
      return texts[a] && texts[b] && behind_first_line(*texts[a]) == behind_first_line(*texts[b]);
    };
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const char* arch = kArchitectures[i];
      if (!texts[i]) {
        ++totals.illegal;
        continue;
      }
      // What compiles for an older and for a newer one has nothing that is missing between them.
      if (i > 0 && i + 1 < texts.size() && same(0, i) && same(i, texts.size() - 1)) {
        ++totals.between;
        continue;
      }
      const Result<cuda::Cubin> cubin = cuda::compile_cached(*texts[i], arch);
      if (cubin) {
        ++totals.compiled;
      } else {
        ++totals.failed;
        std::cout << fmt::format("FAILED {}: {} for {}\n{}\n", path.string(), kernel->name, arch,
                                 cubin.error().text);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* variable = std::getenv("TIRX_REQUIRE_NVRTC");
  bool require = variable != nullptr && std::string(variable) == "1";
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--require") {
      require = true;
    } else if (fs::is_directory(argv[i])) {
      for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.path().extension() == ".tx") files.push_back(fs::absolute(entry.path()));
      }
    } else {
      files.push_back(fs::absolute(argv[i]));
    }
  }
  if (const auto nvrtc = cuda::find_nvrtc(); !nvrtc) {
    std::cout << "NVRTC was not found: " << nvrtc.error().text << '\n';
    return require ? 1 : 77;
  }
  std::sort(files.begin(), files.end());
  Totals totals;
  for (const fs::path& file : files) compile_script(file, totals);
  std::cout << fmt::format(
      "nvrtc: {} compilations, {} failed, {} kernels refused by an architecture, {} the same text "
      "as for an older "
      "and a newer one\n",
      totals.compiled, totals.failed, totals.illegal, totals.between);
  return totals.failed == 0 && totals.compiled > 0 ? 0 : 1;
}
