// tirx in your own program: parse a script from memory, launch its kernels on your arrays, read
// what the checks found.  This header is all there is to include; it depends on the standard
// library only.
//
//   find_package(tirx REQUIRED)
//   target_link_libraries(mine PRIVATE tirx::tirx)
//
//   tirx::embed::Script script = tirx::embed::Script::parse(text);
//   const auto outcome = script.launch("scale", {{a.data(), "float32", {128}}, …});
//   for (const auto& fault : outcome.faults) std::cerr << fault.report;
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tirx::embed {

/// Row-major memory of yours.  `dtype` is the language's word: "float32", "float8_e4m3fn", ….
struct Array {
  void* data = nullptr;
  std::string dtype;
  std::vector<std::int64_t> shape;
  /// An output: what it holds counts as never written, and reading it in the kernel is reported.
  bool uninitialised = false;
};

/// Integers go to integer parameters, floats to float ones.
using Argument = std::variant<Array, std::int64_t, double>;

/// An error or a warning about the script or the launch.
struct Message {
  bool error = true;
  std::string text;    // one sentence
  std::string report;  // with the place, the line and its caret
};

/// One bug that the checks found.
struct Fault {
  std::string kind;     // "bounds", "uninit", "race", …
  std::string text;     // one sentence
  std::string element;  // "As[3, 17]", or empty
  int line = 0;         // of the script; 0 where there is none
  std::uint64_t count = 1;
  std::string report;  // with both places, lines and carets
};

enum class Status : std::uint8_t {
  ok,          // ran to the end, perhaps with faults
  refused,     // not launched: see messages
  incomplete,  // given up: step limit, not supported here
};

struct Outcome {
  Status status = Status::ok;
  std::vector<Fault> faults;
  std::vector<Message> messages;
  std::uint64_t warp_instructions = 0;

  [[nodiscard]] bool clean() const { return status == Status::ok && faults.empty(); }
};

struct Options {
  std::string arch = "sm_90a";
  std::string checks = "all";  // all, mem, none, or a list of fault kinds
  std::uint64_t seed = 0;
  int threads = 0;  // of the host; 0: as many as the machine has
  std::uint64_t max_steps = 1'000'000'000;
};

/// A parsed script with the kernels it builds.  Its host part runs once, without launching
/// anything.  Copies share what they hold.
class Script {
 public:
  /// Never throws: what is wrong with the script is in messages().
  [[nodiscard]] static Script parse(const std::string& text, const std::string& name = "script.tx");

  [[nodiscard]] bool ok() const;
  [[nodiscard]] const std::vector<Message>& messages() const;
  /// The names of its kernels, in order.
  [[nodiscard]] std::vector<std::string> kernels() const;

  /// Runs the kernel on the simulator; arrays that it writes are updated in place.
  [[nodiscard]] Outcome launch(const std::string& kernel,
                               const std::vector<Argument>& arguments,
                               const Options& options = {}) const;
  /// The kernel as CUDA C++; empty, with the reason in `why_not`, where it cannot be.
  [[nodiscard]] std::string cuda(const std::string& kernel,
                                 const std::string& arch = "sm_90a",
                                 std::string* why_not = nullptr) const;

 private:
  struct State;

  explicit Script(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

}  // namespace tirx::embed
