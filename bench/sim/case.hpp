// KEY:KERNEL:M:N:K on a command line: which row of the table, which kernel, which size.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>

namespace bench {

struct Case {
  std::string key, kernel;
  int m = 1, n = 1, k = 1;
};

inline Case parse_case(const std::string& text) {
  Case one;
  std::string m, n, k;
  std::istringstream in(text);
  std::getline(in, one.key, ':');
  std::getline(in, one.kernel, ':');
  std::getline(in, m, ':');
  std::getline(in, n, ':');
  std::getline(in, k, ':');
  one.m = std::atoi(m.c_str());
  one.n = std::atoi(n.c_str());
  one.k = std::atoi(k.c_str());
  return one;
}

}  // namespace bench
