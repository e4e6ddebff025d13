// What does a script say that comes out of it?  A text test is a .tx script that names its commands
// and what a user then sees; the golden runner and `tirx fuzz --corpus` read it with this.
//
//   # run: run %s            the command line after `tirx`; %s is the file's own name
//   # exit: 1                the expected exit code (0 if absent): the worst of the commands
//   # out: copy.cu           optional: the output is compared with this file instead
//   …the script…
//   #> first line of output  the rest of the output follows, line by line
//
// Several `# run:` lines run one after another; their outputs follow each other.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace tirx::fuzz {

struct Record {
  std::filesystem::path path;
  std::string script;  // everything but the expected output
  std::vector<std::string> commands;
  int exit_code = 0;  // -1, which nothing ends in: what stands there is no number
  std::string out_file;
  std::string expected;
};

[[nodiscard]] Record record_in(const std::string& text, const std::filesystem::path& path);

/// The words of a command, with the file's own name in them.
[[nodiscard]] std::vector<std::string> words_of(const Record& record, const std::string& command);

/// `tirx ARGS…` in this process.
using Command =
    std::function<int(const std::vector<std::string>& args, std::ostream& out, std::ostream& err)>;

struct Printed {
  std::string text;
  int exit_code = 0;
};

/// Runs the commands in the script's folder, which is this process's folder then.
[[nodiscard]] Printed replay(const Record& record, const Command& command);

/// Empty where that is what the record says; else its exit code, or the first line that is another.
[[nodiscard]] std::string difference(const Record& record, const Printed& printed);

}  // namespace tirx::fuzz
