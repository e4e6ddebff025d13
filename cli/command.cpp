#include "cli/command.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/verbs.hpp"

namespace tirx::cli {

namespace {

Exit dispatch(const Options& options, std::ostream& out, std::ostream& err) {
  switch (options.verb) {
    case Verb::run:
      return cmd_run(options, out, err);
    case Verb::emit:
      return cmd_emit(options, out, err);
    case Verb::explain:
      return cmd_explain(options, out, err);
    case Verb::diff:
      return cmd_diff(options, out, err);
    case Verb::test:
      return cmd_test(options, out, err);
    case Verb::fuzz:
      return cmd_fuzz(options, out, err);
    case Verb::mutate:
      return cmd_mutate(options, out, err);
    case Verb::ops:
      return cmd_ops(options, out, err);
  }
  return Exit::internal;
}

/// What was printed has arrived, or the run is not complete.
Exit delivered(Exit code, std::ostream& out, std::ostream& err) {
  out.flush();
  if (out) return code;
  err << "tirx: the standard output took only a part of what was written (is the disk full?)\n";
  return worse(code, Exit::incomplete);
}

/// Passes on what is written, and keeps it.
class Listener : public std::streambuf {
 public:
  explicit Listener(std::ostream& to, bool keeps) : to_(to), keeps_(keeps) {}

  [[nodiscard]] bool heard() const { return heard_; }

  [[nodiscard]] const std::string& kept() const { return kept_; }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }

  std::streamsize xsputn(const char* text, std::streamsize size) override {
    heard_ = true;
    to_.write(text, size);
    if (keeps_) kept_.append(text, static_cast<std::size_t>(size));
    return to_ ? size : 0;
  }

  int sync() override { return to_.flush() ? 0 : -1; }

 private:
  std::ostream& to_;
  bool keeps_;
  bool heard_ = false;
  std::string kept_;
};

bool asks_for_json(const std::vector<std::string>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--format=json") return true;
    if (args[i] == "--format" && i + 1 < args.size() && args[i + 1] == "json") return true;
  }
  return false;
}

/// Where an option stands in front of it, too.
std::string verb_of(const std::vector<std::string>& args) {
  constexpr std::array kVerbs{"run", "emit", "explain", "diff", "test", "fuzz", "mutate", "ops"};
  for (const std::string& arg : args) {
    if (std::find(kVerbs.begin(), kVerbs.end(), arg) != kVerbs.end()) return arg;
  }
  return args.empty() ? "" : args[0];
}

/// What went wrong before there was anything to report on (no such file, no GPU, a wrong option),
/// for programs: from the lines that people read, "tirx: text" and "  help: a way out".
nlohmann::json not_begun(const std::vector<std::string>& args, Exit code, const std::string& said) {
  using nlohmann::json;
  json diagnostics = json::array();
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kTirx = "tirx: ";
    constexpr std::string_view kHelp = "  help: ";
    if (line.starts_with(kHelp) && !diagnostics.empty()) {
      diagnostics.back()["notes"].push_back({{"text", line.substr(kHelp.size())}, {"at", nullptr}});
    } else if (line.starts_with(kTirx) || diagnostics.empty()) {
      diagnostics.push_back({{"text", line.substr(line.starts_with(kTirx) ? kTirx.size() : 0)},
                             {"severity", "error"},
                             {"at", nullptr},
                             {"notes", json::array()}});
    } else {
      json& text = diagnostics.back()["text"];
      text = text.get<std::string>() + '\n' + line;
    }
  }
  return {{"tool", "tirx"},
          {"version", TIRX_VERSION},
          {"verb", verb_of(args)},
          {"verdict", to_string(code)},
          {"exit", static_cast<int>(code)},
          {"diagnostics", std::move(diagnostics)}};
}

Exit run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  const std::variant<Options, int> parsed = parse_options(args, out, err);
  if (const int* code = std::get_if<int>(&parsed)) return static_cast<Exit>(*code);
  Options options = std::get<Options>(parsed);
  options.progress = &err == &std::cerr && !options.json;
  // The layers report by value; what still gets here is the machine's (memory) or our own fault.
  try {
    return dispatch(options, out, err);
  } catch (const std::bad_alloc&) {
    err << "tirx: out of memory\n";
    return Exit::incomplete;
  } catch (const std::exception& error) {
    err << "tirx: internal error: " << error.what() << "; please report it\n";
    return Exit::internal;
  }
}

}  // namespace

int run_command(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  if (!asks_for_json(args)) {
    const Exit code = run(args, out, err);
    return static_cast<int>(delivered(code, out, err));
  }
  // Whoever reads JSON gets it, whatever happens.
  Listener reported(out, false);
  Listener said(err, true);
  std::ostream to_out(&reported);
  std::ostream to_err(&said);
  const Exit code = run(args, to_out, to_err);
  if (code != Exit::clean && !reported.heard()) {
    write_json(out, not_begun(args, code, said.kept()));
  }
  return static_cast<int>(delivered(code, out, err));
}

}  // namespace tirx::cli
