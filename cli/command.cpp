#include "cli/command.hpp"

#include <exception>
#include <iostream>

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
  const Exit code = run(args, out, err);
  return static_cast<int>(delivered(code, out, err));
}

}  // namespace tirx::cli
