// Are the examples' own checks worth something?  Breaks an example on purpose, one change of text
// at a time, and requires that running it notices, with the words that a user should then read.
//
//   mutants EXAMPLES-FOLDER FILE-OR-FOLDER…
//
// tests/mutants/NAME.txt belongs to EXAMPLES-FOLDER/NAME.tx:
//   ## what is broken
//   - the text to replace (further lines may follow)
//   + the new text
//   > what must be printed (further lines may follow)
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"

namespace fs = std::filesystem;

namespace {

struct Mutant {
  std::string name;
  std::string find;
  std::string replacement;
  std::vector<std::string> expected;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void append_line(std::string& text, const std::string& line, bool& first) {
  if (!first) text += '\n';
  text += line;
  first = false;
}

std::vector<Mutant> load(const fs::path& path) {
  std::vector<Mutant> out;
  std::istringstream lines(read_file(path));
  bool first_find = true;
  bool first_replacement = true;
  for (std::string line; std::getline(lines, line);) {
    const std::string rest = line.size() > 2 ? line.substr(2) : std::string();
    if (line.starts_with("## ")) {
      out.push_back({.name = line.substr(3), .find = {}, .replacement = {}, .expected = {}});
      first_find = first_replacement = true;
    } else if (out.empty()) {
      continue;
    } else if (line.starts_with("- ")) {
      append_line(out.back().find, rest, first_find);
    } else if (line.starts_with("+ ")) {
      append_line(out.back().replacement, rest, first_replacement);
    } else if (line.starts_with("> ")) {
      out.back().expected.push_back(rest);
    }
  }
  return out;
}

/// What is wrong with the mutant's run; empty if it was caught as it should be.  `place` is where
/// the changed script goes, in a folder of its own.
std::string judge(const Mutant& mutant, std::string script, const fs::path& place) {
  bool found = false;
  for (std::size_t at = script.find(mutant.find); !mutant.find.empty() && at != std::string::npos;
       at = script.find(mutant.find, at + mutant.replacement.size())) {
    script.replace(at, mutant.find.size(), mutant.replacement);
    found = true;
  }
  if (!found) return "the text to replace is not in the example";
  if (mutant.expected.empty()) return "does not say what must be printed";
  std::ofstream(place, std::ios::binary) << script;
  std::ostringstream printed;
  const int code =
      tirx::cli::run_command({"run", place.string(), "--threads", "1"}, printed, printed);
  if (code != 1 && code != 2 && code != 3)
    return fmt::format("survived: exit code {}\n{}", code, printed.str());
  for (const std::string& words : mutant.expected) {
    if (printed.str().find(words) == std::string::npos)
      return fmt::format("caught (exit code {}), but not with the words '{}':\n{}", code, words,
                         printed.str());
  }
  return {};
}

int run(const fs::path& table, const fs::path& examples, int& failed) {
  const fs::path example = examples / (table.stem().string() + ".tx");
  const std::string script = read_file(example);
  const fs::path folder =
      fs::temp_directory_path() / fs::path(fmt::format("tirx_mutants_{}", table.stem().string()));
  const std::vector<Mutant> mutants = load(table);
  std::vector<std::string> wrong(mutants.size());
  // Each is a run of its own; most of the time goes into references on the host, one thread each.
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < mutants.size(); i = next++) {
      const fs::path place = folder / std::to_string(i);
      fs::create_directories(place);
      wrong[i] = judge(mutants[i], script, place / example.filename());
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (wrong[i].empty()) continue;
    ++failed;
    std::cout << fmt::format("FAILED {}: {}\n  {}\n", table.stem().string(), mutants[i].name,
                             wrong[i]);
  }
  fs::remove_all(folder);
  return static_cast<int>(mutants.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const fs::path examples = fs::absolute(argv[1]);
  std::vector<fs::path> tables;
  for (int i = 2; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      tables.push_back(fs::absolute(argv[i]));
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      if (entry.path().extension() == ".txt") tables.push_back(fs::absolute(entry.path()));
    }
  }
  std::sort(tables.begin(), tables.end());
  int failed = 0;
  int total = 0;
  for (const fs::path& table : tables) total += run(table, examples, failed);
  std::cout << fmt::format("mutants: {} caught, {} not\n", total - failed, failed);
  return failed == 0 && total > 0 ? 0 : 1;
}
