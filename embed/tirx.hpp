// tirx in your own program: parse a script from memory, launch its kernels on your arrays, read
// what the checks found.  This header is all there is to include; it depends on the standard
// library only.  docs/embedding.md has the rest.
//
//   find_package(tirx REQUIRED)
//   target_link_libraries(mine PRIVATE tirx::tirx)
//
//   tirx::embed::Script script = tirx::embed::Script::parse(text);
//   const auto outcome = script.launch("scale", {Array::read(a.data(), "float32", {128}), …});
//   for (const auto& fault : outcome.faults) std::cerr << fault.report;
//
// Errors are values: nothing here throws, except std::bad_alloc where memory ends.
//
// Threads: a Script does not change after parse().  Any number of threads may call its functions at
// the same time, also on one Script, as long as no launch writes an array that another one uses.
//
// Lifetimes: a Script, an Outcome and all they contain own what they hold; none refers to the text
// or to another.  Arrays are used during launch() only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tirx::embed {

/// Version of the library that is linked, "0.1.0"; find_package(tirx 0.1) asks for one.
[[nodiscard]] std::string version();

/// Row-major memory of yours.  `dtype` is the language's word: "float32", "float8_e4m3fn", ….
/// Elements of 4 bits lie two a byte, the first one in the low half.
struct Array {
  void* data = nullptr;
  std::string dtype;
  std::vector<std::int64_t> shape;
  /// An output: what it holds counts as never written, and reading it in the kernel is reported.
  bool uninitialised = false;
  /// An input that launch() must not change: a kernel that does is an error.  A store of the bytes
  /// that are there changes nothing.
  bool read_only = false;

  [[nodiscard]] static Array read(const void* data,
                                  std::string dtype,
                                  std::vector<std::int64_t> shape) {
    return {const_cast<void*>(data), std::move(dtype), std::move(shape), false, true};
  }

  [[nodiscard]] static Array update(void* data,
                                    std::string dtype,
                                    std::vector<std::int64_t> shape) {
    return {data, std::move(dtype), std::move(shape), false, false};
  }

  [[nodiscard]] static Array write(void* data, std::string dtype, std::vector<std::int64_t> shape) {
    return {data, std::move(dtype), std::move(shape), true, false};
  }
};

/// For a float parameter a number of either kind, for an integer one an integer that fits it.
using Argument = std::variant<Array, std::int64_t, double>;

/// A place in the script: from 1 on; 0 where there is none.
struct Place {
  int line = 0;
  int column = 0;
};

/// An error or a warning about the script or the launch.
struct Message {
  bool error = true;
  std::string text;  // one sentence
  Place place;
  std::vector<std::string> help;  // the way out, where there is one to name
  std::string report;             // all of it, with the line and its caret
};

/// One side of a fault: a thread at a place.
struct Access {
  std::string what;  // "read", "write", "waits at cta_sync", …
  std::array<std::int64_t, 3> cta{0, 0, 0};
  std::int64_t thread = -1;  // linear in the CTA; -1 where it has no meaning (a whole warp)
  std::int64_t warp = -1;
  std::int64_t lane = -1;
  std::string role;  // what the script calls these warps: "warp == PRODUCER", or empty
  Place place;
};

/// One bug that the checks found.
struct Fault {
  // "bounds", "align", "uninit", "race", "divergence", "deadlock", "async", "arith", "overflow",
  // "trap"
  std::string kind;
  std::string text;     // one sentence
  std::string element;  // "As[3, 17]", or empty
  std::string space;    // "global", "shared", "local", or empty
  Access first;
  std::optional<Access> second;   // of a race: the other access
  std::vector<std::string> help;  // what is missing, the way out, who waits for whom
  std::uint64_t count = 1;        // how often it was seen
  std::string report;             // all of it, with both places, lines and carets
};

/// Elements of an output that the kernel did not write, or wrote from what was never written: what
/// their memory holds after the launch means nothing.
struct Unwritten {
  std::size_t argument = 0;
  std::int64_t elements = 0;
  std::vector<std::int64_t> first;  // the index of the first one
};

enum class Status : std::uint8_t {
  ok,          // ran to the end, perhaps with faults
  refused,     // not launched: see messages
  incomplete,  // given up: step limit, not supported here; arrays are as they were
};

struct Outcome {
  Status status = Status::ok;
  std::vector<Fault> faults;
  std::vector<Message> messages;
  std::vector<Unwritten> unwritten;  // one for each such array
  std::string printed;               // by the kernel
  std::uint64_t warp_instructions = 0;

  /// Ran to the end, without a fault or an error.  Unwritten elements are no error by themselves.
  [[nodiscard]] bool clean() const {
    for (const Message& message : messages) {
      if (message.error) return false;
    }
    return status == Status::ok && faults.empty();
  }
};

struct ParseOptions {
  std::string name = "script.tx";          // what reports call it
  std::map<std::string, std::string> set;  // values for tirx.param("NAME", …)
  std::string folder;  // where tirx.load finds files; empty: the script may read none
};

struct Options {
  std::string arch = "sm_90a";
  std::string checks = "all";           // all, mem, none, or a list of fault kinds
  std::string schedule = "roundrobin";  // order of the warps: roundrobin, reverse, random
  std::string async = "eager";          // asynchronous copies: eager, lazy
  std::uint64_t seed = 0;
  int threads = 0;  // of the host, at most 1024; 0: as many as the machine has
  std::uint64_t max_steps = 1'000'000'000;
  int max_faults = 20;  // distinct faults listed
};

/// A parsed script with the kernels it builds.  Its host part runs once, without launching
/// anything.  Copies share what they hold.
class Script {
 public:
  /// What is wrong with the script is in messages().
  [[nodiscard]] static Script parse(const std::string& text, const ParseOptions& options = {});

  [[nodiscard]] bool ok() const;
  [[nodiscard]] const std::vector<Message>& messages() const;
  /// The names of its kernels, in order.
  [[nodiscard]] std::vector<std::string> kernels() const;

  /// Runs the kernel on the simulator.  Arrays that it writes are updated in place, also after a
  /// fault; the others are not touched.
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
