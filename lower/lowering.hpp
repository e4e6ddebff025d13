// The walk from tile IR to thread IR: one Lowering per kernel.  It owns what is known on the way
// (facts about variables, the threads that are active) and the LoweredKernel it builds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/facts.hpp"
#include "ir/scope/active_set.hpp"
#include "ir/scope/bindings.hpp"
#include "lower/expressions.hpp"
#include "lower/guards.hpp"
#include "lower/lowered.hpp"
#include "lower/shared_plan.hpp"
#include "lower/site.hpp"

namespace tirx::lower {

class Lowering {
 public:
  Lowering(const ir::Kernel& kernel, const ir::Target& target);

  /// Every note says why the variants behind the chosen one refuse (lower/explain.hpp).
  void explain() { explains_ = true; }

  [[nodiscard]] Result<LoweredKernel> run();

 private:
  // thread_ids.cpp
  void bind_thread_ids();
  void fill_launch(const ir::ScopeBindings& bindings);
  void declare_thread_vars(const ir::ScopeBindings& bindings);
  void check_launch();
  /// A per-thread variable of that kind: the declared one, or a new one of that name.
  [[nodiscard]] ir::IndexSum thread_var(ir::ScopeIdKind kind,
                                        int dim,
                                        const char* name,
                                        std::int64_t extent);
  [[nodiscard]] const ThreadVar* named_thread_var(ir::ScopeIdKind kind, int dim) const;
  /// 0 … n-1 over the threads of one instance of the scope; empty at thread scope.
  [[nodiscard]] ir::Expr thread_index(ir::ExecScope scope);
  void drop_unused_thread_vars();

  // statements.cpp
  [[nodiscard]] ir::Body lower_body(const ir::Body& body);
  void lower_stmt(const ir::Stmt& stmt, ir::Body& out);
  void lower_one(const ir::Stmt& stmt, ir::Body& out);  // what is in sequence already
  void lower_let(const ir::Stmt& stmt, const ir::Let& let, ir::Body& out);
  void lower_store(const ir::Stmt& stmt, const ir::Store& store, ir::Body& out);
  void lower_for(const ir::Stmt& stmt, const ir::For& loop, ir::Body& out);
  void lower_while(const ir::Stmt& stmt, const ir::While& loop, ir::Body& out);
  void lower_if(const ir::Stmt& stmt, const ir::If& branch, ir::Body& out);
  [[nodiscard]] ir::Body lower_loop_body(const ir::Body& body, ir::ExecScope uniform, Span span);
  /// Records that the threads of an instance larger than `uniform` may not all be here.
  void add_guard(ir::ExecScope uniform, Span span, const char* reason);
  void lower_allocate(const ir::Stmt& stmt, const ir::Allocate& allocate, ir::Body& out);

  // tile_calls.cpp
  void lower_tile_call(const ir::Stmt& stmt, const ir::TileCall& call, ir::Body& out);
  [[nodiscard]] TileSide make_side(const ir::Region& region, Span call, ir::Body& prologue);
  [[nodiscard]] bool fill_site(Site& site);
  void fill_axis_values(Site& site);
  /// Whether all threads of the scope certainly name another region or number.
  [[nodiscard]] bool differs_by_thread(const Site& site);

  void fail(Diagnostic diagnostic);

  [[nodiscard]] bool failed() const { return expressions_.error().has_value(); }

  const ir::Kernel& kernel_;
  const ir::Target& target_;
  ir::Facts facts_;
  ExpressionLowering expressions_;
  SharedPlan shared_;
  Guards guards_;
  int conditions_ = 0;    // around the statement at hand, or left behind by a return
  ir::ActiveSet active_;  // the threads that reach the statement at hand
  bool explains_ = false;
  LoweredKernel result_;
};

}  // namespace tirx::lower
