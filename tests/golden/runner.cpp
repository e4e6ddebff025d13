// Runs the text tests: a test is a .tx script that says its command and what a user then sees, in
// the form of fuzz/corpus/record.hpp.
//
//   golden_runner [--update] FILE-OR-FOLDER…
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "fuzz/corpus/record.hpp"

namespace fs = std::filesystem;

namespace {

using tirx::fuzz::Printed;
using tirx::fuzz::Record;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void save(const Record& test, const Printed& printed) {
  if (printed.exit_code != test.exit_code) {
    std::cout << test.path.string() << ": exit code " << printed.exit_code
              << "; write `# exit: " << printed.exit_code << "` if that is right\n";
  }
  std::ofstream file(test.path, std::ios::binary);
  file << test.script;
  if (!test.out_file.empty()) {
    std::ofstream(test.path.parent_path() / test.out_file, std::ios::binary) << printed.text;
    return;
  }
  std::istringstream lines(printed.text);
  for (std::string line; std::getline(lines, line);)
    file << (line.empty() ? "#>" : "#> " + line) << '\n';
}

bool run(const fs::path& path, bool update) {
  const Record test = tirx::fuzz::record_in(read_file(path), path);
  if (test.commands.empty()) {
    std::cout << path.string() << ": has no `# run:` line\n";
    return false;
  }
  const Printed printed = tirx::fuzz::replay(test, tirx::cli::run_command);
  if (update) {
    save(test, printed);
    return true;
  }
  const std::string difference = tirx::fuzz::difference(test, printed);
  if (difference.empty()) return true;
  std::cout << "FAILED " << path.string() << '\n' << difference;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bool update = false;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--update") {
      update = true;
    } else if (fs::is_directory(argv[i])) {
      for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
        if (entry.path().extension() == ".tx") files.push_back(fs::absolute(entry.path()));
      }
    } else {
      files.push_back(fs::absolute(argv[i]));
    }
  }
  std::sort(files.begin(), files.end());
  int passed = 0;
  for (const fs::path& file : files) passed += run(file, update) ? 1 : 0;
  const int failed = static_cast<int>(files.size()) - passed;
  std::cout << fmt::format("golden: {} passed, {} failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
