#include "cli/script_files.hpp"

#include <algorithm>
#include <filesystem>

namespace tirx::cli {

std::vector<std::string> script_files(const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    if (!fs::is_directory(argument, ignored)) {
      files.push_back(argument);
      continue;
    }
    std::vector<std::string> inside;
    for (auto it = fs::recursive_directory_iterator(argument, ignored);
         !ignored && it != fs::recursive_directory_iterator(); it.increment(ignored)) {
      if (it->path().extension() == ".tx") inside.push_back(it->path().string());
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

}  // namespace tirx::cli
