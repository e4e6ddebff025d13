// A script while it is written: its lines, the names in scope, and which parts of the language it
// has used.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fuzz/generate/dice.hpp"
#include "numerics/dtype.hpp"

namespace tirx::fuzz {

/// A value that an expression may use.
struct Name {
  std::string text;
  num::DType dtype;
};

/// An array of each thread, every element of it written.
struct LocalArray {
  std::string text;
  num::DType dtype;
  int size;
};

class Draft {
 public:
  explicit Draft(std::uint64_t seed) : dice(seed) {}

  static constexpr int kInputs = 96;  // elements of each input array
  static constexpr int kSlots = 6;    // results of each thread and type

  Dice dice;
  int ctas = 1;
  int threads = 32;
  std::vector<num::DType> types;  // of inputs and outputs
  std::vector<Name> values;       // all that can be read here
  std::vector<Name> variables;    // those that can be assigned
  std::vector<LocalArray> arrays;
  bool cluster = false;          // CTAs come in pairs
  bool sized_at_launch = false;  // the number of CTAs is a symbol
  bool pool = false;             // the program has its SMEMPool, or other dynamic shared memory
  bool by_name = false;  // PTX instructions that the tile-level evaluator does not know, too
  int loops = 0;         // loops around this place that may be left
  bool in_loop_that_breaks = false;
  std::set<std::string> features;  // "op add float32", "barrier", …
  bool has_alternative = false;    // ALT changes something
  bool flat_block = true;          // tx is an id, not computed from several
  std::string kernel = "k";        // its name
  std::string head;  // declares bx, warp, lane, tx in another way; empty: as the rest expects it
  std::string grid;  // how many CTAs there are, as the kernel says it; empty: `ctas`
  std::string host_checks;  // statements above device_entry
  /// Further launches, each with another argument in place of one of the first's.
  std::vector<std::pair<std::string, std::string>> again;

  [[nodiscard]] int warps() const { return threads / 32; }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    body_ += std::string(static_cast<std::size_t>(indent_) * 4, ' ') +
             fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  /// A line of the host part, above the kernel.
  template <typename... Args>
  void host(fmt::format_string<Args...> format, Args&&... args) {
    host_ += fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  /// A tensor parameter of the kernel with the host's expression that makes it.
  void parameter(const std::string& name,
                 const std::string& shape,
                 num::DType dtype,
                 const std::string& made_by,
                 const std::string& layout = {});

  /// Strides of the parameter that was declared last.
  void strides_of_last(const std::string& strides) { parameters_.back().strides = strides; }

  /// A tensor whose shape names symbols: `shape` and what else T.match_buffer takes, in its words.
  void matched(const std::string& name,
               const std::string& shape,
               num::DType dtype,
               const std::string& made_by,
               const std::string& more = {});

  /// A size that is known at launch only, bound by the shape of an argument; its name.
  std::string symbol();

  /// A parameter that is a number; its name.
  std::string scalar(num::DType dtype, const std::string& value);

  /// A global tile of each CTA with random contents, and one that receives results: their names.
  std::string tile_input(const std::string& shape, num::DType dtype, std::string_view kind);
  std::string tile_output(const std::string& shape, num::DType dtype);

  void mark(std::string feature) { features.insert(std::move(feature)); }

  std::string fresh(std::string_view prefix) {
    return fmt::format("{}{}", prefix, counter_[std::string(prefix)]++);
  }

  /// The input array of a type; asks for it where it is not there yet.
  std::string input(num::DType dtype);
  std::string output(num::DType dtype);

  /// Text behind everything else: another kernel with its launches.
  void append(const std::string& more) { more_ += more; }

  [[nodiscard]] std::string text() const;

  /// The kernel alone, and a host function that makes its arguments and launches it.
  [[nodiscard]] std::string function_text() const;

  /// Indents, and hides the names declared inside when it ends.
  class Block {
   public:
    explicit Block(Draft& draft)
        : draft_(draft),
          values_(draft.values.size()),
          variables_(draft.variables.size()),
          arrays_(draft.arrays.size()) {
      ++draft_.indent_;
    }

    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    ~Block() {
      --draft_.indent_;
      draft_.values.resize(values_, Name{});
      draft_.variables.resize(variables_, Name{});
      draft_.arrays.resize(arrays_, LocalArray{});
    }

   private:
    Draft& draft_;
    std::size_t values_, variables_, arrays_;
  };

 private:
  struct Parameter {
    std::string name, shape, dtype, made_by, layout;
    bool handle = false;
    std::string strides{};
  };

  [[nodiscard]] std::string kernel_text() const;
  [[nodiscard]] std::string launch_text() const;

  std::string body_, host_, symbols_, matches_, more_;
  int indent_ = 1;
  std::map<std::string, int> counter_;
  std::vector<Parameter> parameters_;
  std::set<num::DType> inputs_, outputs_;
};

/// "float16" of a type, and the letter-and-digits form for names: "f16".
[[nodiscard]] std::string type_name(num::DType dtype);
[[nodiscard]] std::string type_tag(num::DType dtype);

}  // namespace tirx::fuzz
