// The state of emitting one kernel, and the operations on it.  Expressions are in expression.cpp
// (access.cpp, integer.cpp, scalar.cpp, cast.cpp), statements in statement.cpp, machine operations
// in machine_*.cpp by family, the kernel's head in signature.cpp, the host part in launcher.cpp.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend_cuda/emit.hpp"
#include "backend_cuda/names.hpp"
#include "backend_cuda/ranges.hpp"
#include "backend_cuda/text.hpp"
#include "backend_cuda/uses.hpp"
#include "ir/base/writer.hpp"
#include "lower/lowered.hpp"

namespace tirx::cuda {

/// Definitions that kernels ask for beside the prelude, each once a file.
struct FileParts {
  std::vector<std::string> raw_sources;  // func_call: the user's CUDA, pasted
  std::vector<std::string> generated;    // helpers that are made to measure
  std::set<std::string, std::less<>> generated_names;
  bool prints = false;
};

/// The array of all dynamic shared memory; C++ lets no kernel beside it have the name.
inline constexpr std::string_view kArena = "dynamic_shared";

class KernelEmitter {
 public:
  KernelEmitter(const lower::LoweredKernel& kernel,
                const EmitOptions& options,
                std::string name,
                FileParts& parts);

  /// The kernel's definition.
  [[nodiscard]] Result<std::string> device_text();
  /// Its host launcher, a function of that name.
  [[nodiscard]] Result<std::string> host_text(const std::string& launcher);

  // Expressions.
  [[nodiscard]] Text expression(const ir::Expr& expr);
  /// An offset or loop bound: leaving its type is a fault, so plain operators will do.
  [[nodiscard]] Text index(const ir::Expr& expr);
  [[nodiscard]] Text element(const ir::Access& access);
  [[nodiscard]] Text pointer(const ir::Access& access);
  [[nodiscard]] Text scalar(const ir::Expr& expr, const ir::Scalar& scalar);
  [[nodiscard]] Text integer(const ir::Expr& expr, const ir::Scalar& scalar);
  [[nodiscard]] Text floating(num::ScalarOp op,
                              num::DType dtype,
                              const std::vector<Text>& operands,
                              bool hidden,
                              Span span);
  [[nodiscard]] Text convert(const Text& value, num::DType from, num::DType to, Span span);
  [[nodiscard]] Text reinterpret(const Text& value, ir::Type from, ir::Type to);
  [[nodiscard]] Text machine(const ir::Expr& expr, const ir::MachineCall& call);

  // Statements.
  void body(const ir::Body& body);
  void statement(const ir::Stmt& stmt, const ir::Stmt* next, bool& consumed_next);

  /// Remembers the first mistake; what is emitted after it does not matter.
  Text fail(Span span, std::string text, std::vector<Note> notes = {});

  /// A helper made to measure, defined once a file.
  void define(const std::string& name, const std::string& text);

  [[nodiscard]] const ir::Target& target() const { return *kernel_.target; }

  FileParts& parts() { return parts_; }

 private:
  friend struct StatementEmitter;

  // expression.cpp
  [[nodiscard]] Text conditional(const ir::Expr& condition,
                                 const ir::Expr& when_true,
                                 const ir::Expr& when_false,
                                 ir::Type type,
                                 bool both);
  [[nodiscard]] Text load(const ir::Expr& expr, const ir::Load& load);
  [[nodiscard]] Text map_lanes(const ir::Expr& expr, const std::vector<ir::Expr>& vectors);
  // access.cpp
  [[nodiscard]] std::string base_pointer(const ir::Buffer& buffer);
  [[nodiscard]] Text flat_offset(const ir::Access& access);
  // integer.cpp
  struct Wrapping;
  [[nodiscard]] Wrapping wrapping(const ir::Expr& expr, num::DType dtype);
  [[nodiscard]] Text integer_arithmetic(const ir::Expr& expr, const ir::Scalar& scalar);
  [[nodiscard]] Text hash_operand(const ir::Expr& expr);
  [[nodiscard]] Text integer_division(const ir::Expr& expr, const ir::Scalar& scalar);
  [[nodiscard]] Text integer_shift(const ir::Expr& expr, const ir::Scalar& scalar);
  [[nodiscard]] Text integer_bits(const ir::Expr& expr, const ir::Scalar& scalar);
  [[nodiscard]] Text integer_value(const ir::Expr& expr, const ir::Scalar& scalar);
  // opaque.cpp
  /// Whether the compiler cannot know the value: it comes from memory that the kernel only reads.
  [[nodiscard]] bool is_data(const ir::Expr& expr) const;
  [[nodiscard]] bool is_choice(const ir::Expr& expr) const;
  [[nodiscard]] bool hides_operand(const ir::Scalar& scalar) const;
  [[nodiscard]] bool hides_result(const ir::Scalar& scalar, const ir::Expr& whole) const;
  [[nodiscard]] bool is_negation(const ir::Scalar& scalar) const;
  [[nodiscard]] bool hides_narrowed(const ir::Cast& cast, ir::Type to) const;
  [[nodiscard]] bool may_be_negation(const ir::Expr& value) const;
  [[nodiscard]] bool is_plain_data(const ir::Expr& value) const;
  [[nodiscard]] std::optional<std::int64_t> summands(const ir::Expr& value) const;
  [[nodiscard]] bool hides_zero(const ir::Const& constant, ir::Type type) const;
  [[nodiscard]] bool hides_bits(const ir::Reinterpret& bits, ir::Type to) const;
  // statement.cpp
  void let(const ir::Let& let);
  bool allocate(const ir::Allocate& allocate, const ir::Stmt* next);
  void declare(const ir::Declare& declare);
  void store(const ir::Store& store);
  void loop(const ir::For& loop);

  struct Step {
    bool up;
    std::uint64_t by;
  };

  [[nodiscard]] static std::optional<Step> step_of(const ir::For& loop);
  [[nodiscard]] bool last_increment_fits(const ir::For& loop, Step step) const;
  [[nodiscard]] ir::Interval range_of(const ir::For& loop) const;
  void branch(const ir::If& branch, bool is_else_if);
  void check(const ir::Assert& check);
  void evaluate(const ir::Expr& call);
  void block(const ir::Body& inner);
  void line_directive(Span span);
  // signature.cpp
  void declare_parameters();
  void signature();
  void thread_variables();
  void thread_variable(const lower::ThreadVar& var);
  void shared_storage(const ir::Storage& storage);
  [[nodiscard]] std::string thread_value(const lower::ThreadVar& var);
  [[nodiscard]] std::vector<std::string> parameter_list(bool device) const;
  void reserve_raw_functions();
  /// `head(parameters) {`, on several lines where it does not fit one.
  void function_head(const std::string& head, const std::vector<std::string>& parameters);

  const lower::LoweredKernel& kernel_;
  const EmitOptions& options_;
  std::string name_;
  FileParts& parts_;
  Uses uses_;
  NameScopes names_;
  Ranges ranges_;
  Writer writer_;
  std::map<const ir::Variable*, std::string> variables_;
  std::map<const ir::Storage*, std::string> storages_;
  std::vector<std::map<const ir::BufferNode*, std::string>> views_{1};
  std::string warp_name_;  // of the variable that holds the warp's id, once there is one
  std::optional<Diagnostic> error_;
  std::set<const ir::Variable*> data_;  // see is_data
  std::set<const ir::Storage*> data_scalars_;
  bool in_index_ = false;
  bool on_host_ = false;
  std::uint32_t line_ = 0;  // the script's line that the last #line names
};

}  // namespace tirx::cuda
