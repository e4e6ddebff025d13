#include "fuzz/corpus/record.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace tirx::fuzz {

namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

int number_in(std::string_view text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() ? number : -1;
}

}  // namespace

Record record_in(const std::string& text, const std::filesystem::path& path) {
  Record record;
  record.path = path;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#>")) {
      record.expected += line.size() > 3 ? line.substr(3) : std::string{};
      record.expected += '\n';
      continue;
    }
    record.script += line + '\n';
    if (line.starts_with("# run: ")) record.commands.push_back(line.substr(7));
    if (line.starts_with("# exit: ")) record.exit_code = number_in(line.substr(8));
    if (line.starts_with("# out: ")) record.out_file = line.substr(7);
  }
  if (!record.out_file.empty()) record.expected = bytes_of(path.parent_path() / record.out_file);
  return record;
}

std::vector<std::string> words_of(const Record& record, const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;)
    words.push_back(word == "%s" ? record.path.filename().string() : word);
  return words;
}

Printed replay(const Record& record, const Command& command) {
  std::error_code ignored;  // a folder that is gone shows in what is printed
  if (record.path.has_parent_path())
    std::filesystem::current_path(record.path.parent_path(), ignored);
  std::ostringstream output;
  Printed printed;
  for (const std::string& line : record.commands)
    printed.exit_code =
        std::max(printed.exit_code, command(words_of(record, line), output, output));
  printed.text = output.str();
  return printed;
}

std::string difference(const Record& record, const Printed& printed) {
  std::string text;
  if (record.exit_code < 0) return "its `# exit:` is no number";
  if (printed.exit_code != record.exit_code)
    text = fmt::format("  exit code {}, expected {}\n", printed.exit_code, record.exit_code);
  std::istringstream want(record.expected);
  std::istringstream have(printed.text);
  std::string a;
  std::string b;
  for (int number = 1;; ++number) {
    const bool more_a = static_cast<bool>(std::getline(want, a));
    const bool more_b = static_cast<bool>(std::getline(have, b));
    if (!more_a && !more_b) break;
    if (more_a && more_b && a == b) continue;
    text += fmt::format("  line {}\n    expected: {}\n    printed:  {}\n", number,
                        more_a ? a : "(nothing)", more_b ? b : "(nothing)");
    break;
  }
  if (text.empty() && printed.text != record.expected) text = "  the last line break is another\n";
  return text;
}

}  // namespace tirx::fuzz
