// Runs the text tests: a test is a .tx script that says its command and what a user then sees.
//
//   # run: run %s            the command line after `tirx`; %s is the file's own name
//   # exit: 1                the expected exit code (0 if absent)
//   # out: copy.cu           optional: the output is compared with this file instead
//   …the script…
//   #> first line of output  the rest of the output follows, line by line
//
// Several `# run:` lines run one after another; their outputs follow each other.
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

namespace fs = std::filesystem;

namespace {

struct Case {
  fs::path path;
  std::string script;  // everything but the expected output
  std::vector<std::string> commands;
  int exit_code = 0;
  std::string out_file;
  std::string expected;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Case load(const fs::path& path) {
  Case test{
      .path = path, .script = {}, .commands = {}, .exit_code = 0, .out_file = {}, .expected = {}};
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#>")) {
      test.expected += line.size() > 3 ? line.substr(3) : std::string{};
      test.expected += '\n';
      continue;
    }
    test.script += line + '\n';
    if (line.starts_with("# run: ")) test.commands.push_back(line.substr(7));
    if (line.starts_with("# exit: ")) test.exit_code = std::stoi(line.substr(8));
    if (line.starts_with("# out: ")) test.out_file = line.substr(7);
  }
  if (!test.out_file.empty()) test.expected = read_file(path.parent_path() / test.out_file);
  return test;
}

std::vector<std::string> split(const std::string& command, const std::string& name) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word == "%s" ? name : word);
  return words;
}

void save(const Case& test, const std::string& output, int code) {
  if (code != test.exit_code) {
    std::cout << test.path.string() << ": exit code " << code << "; write `# exit: " << code
              << "` if that is right\n";
  }
  std::ofstream file(test.path, std::ios::binary);
  file << test.script;
  if (!test.out_file.empty()) {
    std::ofstream(test.path.parent_path() / test.out_file, std::ios::binary) << output;
    return;
  }
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    file << (line.empty() ? "#>" : "#> " + line) << '\n';
}

void show_difference(const std::string& expected, const std::string& output) {
  std::istringstream want(expected);
  std::istringstream have(output);
  std::string a;
  std::string b;
  for (int number = 1;; ++number) {
    const bool more_a = static_cast<bool>(std::getline(want, a));
    const bool more_b = static_cast<bool>(std::getline(have, b));
    if (!more_a && !more_b) return;
    if (more_a && more_b && a == b) continue;
    std::cout << "  line " << number << "\n    expected: " << (more_a ? a : "(nothing)")
              << "\n    printed:  " << (more_b ? b : "(nothing)") << '\n';
    return;
  }
}

bool run(const fs::path& path, bool update) {
  const Case test = load(path);
  if (test.commands.empty()) {
    std::cout << path.string() << ": has no `# run:` line\n";
    return false;
  }
  fs::current_path(path.parent_path());
  std::ostringstream output;
  int code = 0;
  for (const std::string& command : test.commands) {
    const int one =
        tirx::cli::run_command(split(command, path.filename().string()), output, output);
    code = std::max(code, one);
  }
  if (update) {
    save(test, output.str(), code);
    return true;
  }
  if (code == test.exit_code && output.str() == test.expected) return true;
  std::cout << "FAILED " << path.string() << '\n';
  if (code != test.exit_code)
    std::cout << "  exit code " << code << ", expected " << test.exit_code << '\n';
  show_difference(test.expected, output.str());
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
