// From the contestants' result lines (standard input) to the table of rates and ratios; the last
// line is one JSON object.  Fails where an output was wrong or a contestant is missing.
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

struct Entry {
  double rate = 0;  // by processor time
  std::string size, verdict;
};

constexpr const char* kKernels[] = {"vadd",     "tilecopy", "sgemm256",
                                    "sgemm512", "reduce",   "blockscale"};
constexpr const char* kContestants[] = {"ours_none",    "ours_mem", "ours_all", "oclgrind",
                                        "oclgrind_all", "pocl_1t",  "native"};

std::string scaled(double rate) {
  if (rate >= 1e9) return fmt::format("{:.3g} G", rate / 1e9);
  if (rate >= 1e6) return fmt::format("{:.3g} M", rate / 1e6);
  return fmt::format("{:.3g} k", rate / 1e3);
}

using Results = std::map<std::string, std::map<std::string, Entry>>;

/// Two threads and one, in pairs: the median of the ratios and its quartiles.
struct SpeedUp {
  double median = 0, low = 0, high = 0;
  int pairs = 0;
};

using SpeedUps = std::map<std::string, SpeedUp>;

Results read(SpeedUps& speed_ups) {
  Results results;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.starts_with("speedup\t")) {
      std::istringstream in(line.substr(8));
      std::string kernel;
      SpeedUp found;
      in >> kernel >> found.median >> found.low >> found.high >> found.pairs;
      speed_ups[kernel] = found;
    }
    if (!line.starts_with("result\t")) continue;
    std::istringstream in(line.substr(7));
    std::string kernel, contestant, rate, wall;
    Entry entry;
    std::getline(in, kernel, '\t');
    std::getline(in, contestant, '\t');
    std::getline(in, rate, '\t');
    std::getline(in, wall, '\t');
    std::getline(in, entry.size, '\t');
    std::getline(in, entry.verdict, '\t');
    entry.rate = std::stod(rate);
    results[kernel][contestant] = entry;
  }
  return results;
}

}  // namespace

int main() {
  SpeedUps speed_ups;
  Results results = read(speed_ups);
  bool complete = true;
  std::cout << "\nOperations per second and core (processor time, median), and outputs compared "
               "bit by bit\n\n";
  std::cout << fmt::format("{:12}", "");
  for (const char* kernel : kKernels) std::cout << fmt::format("{:>12}", kernel);
  std::cout << '\n';
  for (const char* contestant : kContestants) {
    std::cout << fmt::format("{:12}", contestant);
    for (const char* kernel : kKernels) {
      const Entry& entry = results[kernel][contestant];
      const bool good = entry.rate > 0 && entry.verdict != "WRONG";
      complete = complete && good;
      std::cout << fmt::format("{:>12}", good             ? scaled(entry.rate)
                                         : entry.rate > 0 ? "WRONG"
                                                          : "-");
    }
    std::cout << '\n';
  }
  std::cout << "\nRatios\n";
  const auto ratios = [&](const char* title, const char* above, const char* below) {
    std::cout << fmt::format("{:36}", title);
    for (const char* kernel : kKernels) {
      const Entry &a = results[kernel][above], &b = results[kernel][below];
      std::cout << (b.rate > 0 ? fmt::format("{:>12.3g}", a.rate / b.rate)
                               : fmt::format("{:>12}", "-"));
    }
    std::cout << '\n';
  };
  std::cout << fmt::format("{:36}", "");
  for (const char* kernel : kKernels) std::cout << fmt::format("{:>12}", kernel);
  std::cout << '\n';
  ratios("all checks / Oclgrind's checks", "ours_all", "oclgrind_all");
  ratios("all checks / Oclgrind, none", "ours_all", "oclgrind");
  ratios("bounds and init / pocl, 1 thread", "ours_mem", "pocl_1t");
  ratios("no checks / pocl, 1 thread", "ours_none", "pocl_1t");
  ratios("all checks / pocl, 1 thread", "ours_all", "pocl_1t");
  ratios("no checks / native C++", "ours_none", "native");
  std::cout << "\nTwo threads beside one, all checks: wall time, in turns, median of the ratios\n";
  const auto speed_up = [&](const char* title, auto&& text) {
    std::cout << fmt::format("{:36}", title);
    for (const char* kernel : kKernels) std::cout << fmt::format("{:>12}", text(speed_ups[kernel]));
    std::cout << '\n';
  };
  speed_up("2 threads / 1 thread",
           [](const SpeedUp& s) { return fmt::format("{:.3g}", s.median); });
  speed_up("  quartiles",
           [](const SpeedUp& s) { return fmt::format("{:.2f} {:.2f}", s.low, s.high); });
  speed_up("  pairs", [](const SpeedUp& s) { return std::to_string(s.pairs); });
  std::cout
      << "\nSizes (M x N x K); a smaller grid does the same work per CTA, so its rate compares\n";
  for (const char* kernel : kKernels) {
    std::map<std::string, std::string> by_size;
    for (const char* contestant : kContestants) {
      const Entry& entry = results[kernel][contestant];
      std::string& who = by_size[entry.size];
      who += (who.empty() ? "" : ", ") + std::string(contestant) + " " + entry.verdict;
    }
    for (const auto& [size, who] : by_size)
      std::cout << fmt::format("{:12}{:16} {}\n", kernel, size, who);
  }
  nlohmann::ordered_json json;
  for (const char* kernel : kKernels) {
    for (const char* contestant : kContestants)
      json[kernel][contestant] = results[kernel][contestant].rate;
  }
  std::cout << json.dump() << std::endl;
  return complete ? 0 : 1;
}
