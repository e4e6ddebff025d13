// Is each known way to go wrong found, and each tricky way to be right left alone, whatever the
// schedule?  docs/probes.md names scripts and their verdicts; each is run under three schedules
// (the random one with two seeds) and with both policies of asynchronous copies.
//
//   race_probes ROOT        reads ROOT/docs/probes.md:
//   | `FILE-OR-FOLDER [OPTIONS]` | VERDICT | what it is |
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

struct Probe {
  std::vector<fs::path> files;
  std::vector<std::string> options;
  std::string verdict;
};

const std::vector<std::vector<std::string>> kPolicies = {
    {"--schedule", "roundrobin", "--async", "eager"},
    {"--schedule", "roundrobin", "--async", "lazy"},
    {"--schedule", "reverse", "--async", "eager"},
    {"--schedule", "reverse", "--async", "lazy"},
    {"--schedule", "random", "--seed", "5", "--async", "eager"},
    {"--schedule", "random", "--seed", "5", "--async", "lazy"},
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The cells of a row of a table, without the quotes of code.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t begin = 2;
  for (std::size_t end = 0; (end = line.find(" | ", begin)) != std::string::npos; begin = end + 3) {
    cells.push_back(line.substr(begin, end - begin));
  }
  for (std::string& cell : cells) std::erase(cell, '`');
  return cells;
}

std::vector<Probe> read_table(const fs::path& root) {
  std::vector<Probe> probes;
  std::ifstream in(root / "docs" / "probes.md");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string> cells = cells_of(line);
    Probe probe;
    if (cells.size() == 2) {
      std::vector<std::string> words = words_of(cells[0]);
      const fs::path path = root / words[0];
      if (fs::is_directory(path)) {
        for (const auto& entry : fs::directory_iterator(path)) {
          if (entry.path().extension() == ".tx") probe.files.push_back(entry.path());
        }
        std::sort(probe.files.begin(), probe.files.end());
      } else if (fs::exists(path)) {
        probe.files.push_back(path);
      }
      probe.options.assign(words.begin() + 1, words.end());
      const std::vector<std::string> kinds = words_of(cells[1]);
      probe.verdict = joined({kinds.begin(), kinds.end()});
    }
    if (probe.files.empty() || probe.verdict.empty()) {
      std::printf("not a row, or no such file: %s\n", line.c_str());
      std::exit(2);
    }
    probes.push_back(std::move(probe));
  }
  return probes;
}

std::string verdict_of(const fs::path& file, std::vector<std::string> options) {
  std::vector<std::string> command = {"run",  file.string(), "--format",
                                      "json", "--max-steps", "2000000"};
  command.insert(command.end(), options.begin(), options.end());
  std::ostringstream out, err;
  static_cast<void>(tirx::cli::run_command(command, out, err));
  const json result = json::parse(out.str(), nullptr, false);
  if (!result.is_object()) return "no report: " + out.str() + err.str();
  const std::string word = result["verdict"];
  if (word != "fault") return word;
  std::set<std::string> kinds;
  for (const json& launch : result["launches"]) {
    for (const json& fault : launch["faults"]) {
      const std::string kind = fault["kind"];
      if (launch.value("expected_fault", "") != kind) kinds.insert(kind);
    }
  }
  // What the host found begins with its kind too: "uninit: x[0] was never written".
  for (const json& finding : result["findings"]) {
    const std::string text = finding["text"];
    kinds.insert(text.substr(0, text.find(':')));
  }
  return joined(kinds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int scripts = 0, runs = 0, wrong = 0;
  std::set<std::string> faulty;
  for (const Probe& probe : read_table(argv[1])) {
    for (const fs::path& file : probe.files) {
      ++scripts;
      std::string expected = probe.verdict == "same" ? std::string{} : probe.verdict;
      for (const std::vector<std::string>& policy : kPolicies) {
        std::vector<std::string> options = probe.options;
        options.insert(options.end(), policy.begin(), policy.end());
        const std::string verdict = verdict_of(file, options);
        ++runs;
        if (expected.empty()) expected = verdict;
        if (verdict != "clean") faulty.insert(file.string());
        if (verdict == expected) continue;
        ++wrong;
        std::string text;
        for (const std::string& option : options) text += ' ' + option;
        std::printf("%s%s: expected %s, got %s\n", file.string().c_str(), text.c_str(),
                    expected.c_str(), verdict.c_str());
      }
    }
  }
  std::printf("%d scripts, %zu of them faulty, %d runs: %d wrong verdicts\n", scripts,
              faulty.size(), runs, wrong);
  return wrong == 0 && !faulty.empty() ? 0 : 1;
}
