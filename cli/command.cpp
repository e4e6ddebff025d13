#include "cli/command.hpp"

#include <exception>

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
    case Verb::ops:
      return cmd_ops(options, out, err);
  }
  return Exit::internal;
}

}  // namespace

int run_command(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  const std::variant<Options, int> parsed = parse_options(args, out, err);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  // The layers report by value; what still gets here is the machine's (memory) or our own fault.
  try {
    return static_cast<int>(dispatch(std::get<Options>(parsed), out, err));
  } catch (const std::bad_alloc&) {
    err << "tirx: out of memory\n";
    return static_cast<int>(Exit::incomplete);
  } catch (const std::exception& error) {
    err << "tirx: internal error: " << error.what() << "; please report it\n";
    return static_cast<int>(Exit::internal);
  }
}

}  // namespace tirx::cli
