// The staged evaluator: walks the syntax tree once; meta values fold, IR values build IR in the
// kernel that is being built.  Built-in functions see this class only.
//
// Files: eval_expr, eval_call, eval_stmt, eval_assign (the walk); operators (meta arithmetic);
// kernel_stmt (statements inside kernels); limits and diagnostics here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast/ast.hpp"
#include "dsl/eval/arguments.hpp"
#include "dsl/eval/environment.hpp"
#include "dsl/eval/error.hpp"
#include "dsl/eval/objects.hpp"
#include "dsl/eval/registry.hpp"
#include "dsl/eval/value.hpp"
#include "dsl/run_script.hpp"

namespace tirx::dsl {

class KernelBuilder;

/// How a statement list ended.
enum class Flow : std::uint8_t { normal, broke, continued, returned };

class Interpreter {
 public:
  Interpreter(SourceRef source, Engine& engine, const ScriptOptions& options, ScriptResult& result);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Runs a module; throws EvalError and ScriptStopped.
  void run(const ast::Module& module);

  // ---- for built-in functions ------------------------------------------------------------------

  [[nodiscard]] Value call(const Value& callee, CallArgs args);
  [[nodiscard]] Value call(const Value& callee, Values args, Span span);
  [[nodiscard]] Value attribute(const Value& base, std::string_view name, Span span);
  [[nodiscard]] bool has_attribute(const Value& base, std::string_view name, Span span);
  void set_attribute(const Value& base, const std::string& name, Value value, Span span);
  [[nodiscard]] Value subscript(const Value& base, const Subscripts& items);
  void set_subscript(const Value& base, const Subscripts& items, Value value);
  [[nodiscard]] Value binary(ast::BinaryOp op, const Value& left, const Value& right, Span span);
  [[nodiscard]] Value compare(ast::CompareOp op, const Value& left, const Value& right, Span span);
  [[nodiscard]] Value unary(ast::UnaryOp op, const Value& operand, Span span);
  [[nodiscard]] Values iterate(const Value& value, Span span);
  [[nodiscard]] std::optional<std::int64_t> length(const Value& value);
  /// Python truth of a meta value; an IR value is an error that says what to use instead.
  [[nodiscard]] bool truth(const Value& value, Span span);
  /// A value as a scalar IR expression: IR values as they are, literals with their default dtype
  /// (int32 or int64, float32, bool).
  [[nodiscard]] ir::Expr expr(const Value& value, Span span);
  [[nodiscard]] std::string format(const Value& value, std::string_view spec, Span span);

  /// What print shows: __str__ of instances, else str().
  [[nodiscard]] std::string to_text(const Value& value, Span span);

  /// The kernel being built, or null at module level.
  [[nodiscard]] KernelBuilder* kernel() const { return kernel_; }

  /// The same, or an error "T.alloc_buffer is for kernels".
  [[nodiscard]] KernelBuilder& need_kernel(std::string_view what, Span span) const;

  [[nodiscard]] Engine& engine() { return engine_; }

  [[nodiscard]] const ScriptOptions& options() const { return options_; }

  [[nodiscard]] ScriptResult& result() { return result_; }

  /// What `save` has kept instead of writing it (ScriptOptions::saves_in_memory), by path.
  [[nodiscard]] std::map<std::string, std::string>& saved() { return saved_; }

  [[nodiscard]] Registry& registry() { return registry_; }

  [[nodiscard]] const SourceRef& source() const { return source_; }

  /// A value about to be stored as `type`: converted, with a warning from float to integer.
  [[nodiscard]] ir::Expr convert_for_store(const Value& value, ir::Type type, Span span);

  /// Counts work; throws at the limit.  Charge what a call does beyond one step: elements made.
  void spend(std::int64_t steps, Span span);
  void print(std::string_view text);
  void warn(Span span, std::string text);
  /// A failed tirx.assert_… : recorded, and the script goes on.
  void record_difference(Diagnostic difference);
  /// A container that may become part of a cycle; cleared at the end.
  void track(const ObjectRef& object);

  template <typename T, typename... Args>
  [[nodiscard]] std::shared_ptr<T> make(Args&&... args) {
    auto object = std::make_shared<T>(std::forward<Args>(args)...);
    track(object);
    return object;
  }

  // ---- the walk --------------------------------------------------------------------------------

  [[nodiscard]] Value eval(const ast::Expr& expr);
  /// With the names that the result will be bound to.
  [[nodiscard]] Value eval_named(const ast::Expr& expr, std::vector<std::string> targets);
  Flow exec(const ast::Block& block);

  /// Builds the kernel of a function: @T.prim_func, and one instance of @T.jit (with its constexprs
  /// bound by name).
  [[nodiscard]] std::shared_ptr<KernelValue> build_kernel(
      const std::shared_ptr<Function>& function,
      const std::map<std::string, Value>& constexprs,
      bool is_jit,
      Span span);

  [[nodiscard]] const ScopeRef& scope() const { return scope_; }

 private:
  struct Frame;
  class RunTimeBlock;

  // eval_expr.cpp
  [[nodiscard]] Value lookup(const std::string& name, Span span);
  [[nodiscard]] Value eval_fstring(const ast::FString& text, Span span);
  [[nodiscard]] std::string eval_format_parts(const std::vector<ast::FStringPart>& parts);
  [[nodiscard]] Value eval_bool(const ast::BoolOp& node, Span span);
  /// Of a comparison that does not hold, `operands` gets what was compared up to there.
  [[nodiscard]] Value eval_compare(const ast::Compare& node, Span span, Values* operands = nullptr);
  [[nodiscard]] Value eval_conditional(const ast::Conditional& node, Span span);
  [[nodiscard]] Values eval_elements(const std::vector<ast::Expr>& elements);
  [[nodiscard]] Value eval_dict(const ast::Dict& node);
  void eval_clauses(const std::vector<ast::Clause>& clauses,
                    std::size_t at,
                    const std::function<void()>& each);
  [[nodiscard]] Subscripts eval_subscripts(const ast::Subscript& node, Span span);
  [[nodiscard]] Value decay(Value value, Span span) const;

  // eval_call.cpp
  [[nodiscard]] CallArgs eval_arguments(const ast::Call& node, Span span, bool by_name = false);
  [[nodiscard]] Value eval_argument(const ast::Expr& argument, bool by_name);
  [[nodiscard]] Value call_function(const std::shared_ptr<Function>& function, CallArgs args);
  [[nodiscard]] Value call_class(const std::shared_ptr<Class>& type, CallArgs args);
  [[nodiscard]] std::shared_ptr<Function> make_function(std::string name,
                                                        const std::vector<ast::Parameter>& params,
                                                        Span span);

  // eval_stmt.cpp
  Flow exec(const ast::Stmt& stmt);

  Flow exec_block(const ast::Block& block) { return exec(block); }

  Flow exec_for(const ast::For& node, Span span);
  Flow exec_while(const ast::While& node, Span span);
  Flow exec_if(const ast::If& node, std::size_t branch, Span span);
  Flow exec_with(const ast::With& node, Span span);
  void exec_assert(const ast::Assert& node, Span span);
  void exec_function(const ast::FunctionDef& node, Span span);
  void exec_class(const ast::ClassDef& node, Span span);
  void exec_import(const ast::Import& node);
  void exec_from_import(const ast::FromImport& node, Span span);
  void exec_delete(const ast::Del& node);
  void exec_expression(const ast::Expr& value);

  // eval_assign.cpp
  void bind_pattern(const ast::Expr& target, Value value);  // plain binding, as in comprehensions
  void assign(const ast::Expr& target, Value value, Span value_span);
  void assign_name(const std::string& name, Value value, Span span, Span value_span);
  void read_before_stores(const std::vector<ast::Expr>& targets, Values& items, Span span);
  void assign_attribute(const Value& base,
                        const ast::Identifier& name,
                        Value value,
                        Span value_span);
  [[nodiscard]] bool augment_in_place(ast::BinaryOp op,
                                      const Value& before,
                                      const Value& right,
                                      Span span);
  void exec_assign(const ast::Assign& node, Span span);
  void exec_annotated(const ast::AnnAssign& node, Span span);
  void exec_augmented(const ast::AugAssign& node, Span span);

  // build_kernel.cpp
  void bind_constexprs(const Function& function,
                       const std::map<std::string, Value>& given,
                       Scope& scope,
                       Span span);
  void bind_parameter(const Function& function,
                      const ast::Parameter& parameter,
                      const std::map<std::string, Value>& constexprs,
                      bool is_jit);

  // kernel_stmt.cpp
  [[nodiscard]] bool in_kernel_code() const;  // statements build IR now (prim_func or inline body)
  Flow kernel_for(const ast::For& node, Span span);
  Flow kernel_while(const ast::While& node, Span span);
  Flow kernel_if(const ir::Expr& condition, const ast::If& node, std::size_t branch, Span span);
  Flow kernel_return(const ast::Return& node, Span span);
  void kernel_assign_name(const std::string& name, Value value, Span span, Span value_span);
  void kernel_annotated(const ast::AnnAssign& node, Span span);
  void kernel_expression(const Value& value, Span span);
  [[nodiscard]] std::shared_ptr<LoopFrame> range_frame(const ast::Expr& iterable);
  [[nodiscard]] ir::Expr freeze(const ir::Expr& pointer, Span span);
  Flow run_block(const ast::Block& block, ir::Body& into);
  void check_stack(Span span) const;

  SourceRef source_;
  Engine& engine_;
  const ScriptOptions& options_;
  ScriptResult& result_;
  std::map<std::string, std::string> saved_;
  Registry registry_;
  ScopeRef module_scope_;
  ScopeRef scope_;
  Frame* frame_ = nullptr;
  KernelBuilder* kernel_ = nullptr;
  Value returned_;
  bool fresh_variable_ = false;  // the assigned value was made by a call: a new variable, an alias
  std::int64_t steps_ = 0;
  const char* stack_base_ = nullptr;
  std::vector<std::weak_ptr<Object>> tracked_;
  std::vector<std::weak_ptr<Scope>> scopes_;
  std::size_t sweep_at_ = 1024;

  [[nodiscard]] ScopeRef new_scope(ScopeKind kind, ScopeRef parent);
};

/// Gives a loop its variable's type, and checks its step.
void finish_level(LoopFrame::Level& level, Span span);

}  // namespace tirx::dsl
