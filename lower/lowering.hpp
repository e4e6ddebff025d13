// The walk from tile IR to thread IR: one Lowering per kernel.  It owns what is known on the way
// (facts about variables, the threads that are active) and the LoweredKernel it builds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/base/result.hpp"
#include "ir/facts.hpp"
#include "lower/expressions.hpp"
#include "lower/lowered.hpp"
#include "lower/shared_plan.hpp"

namespace tirx::lower {

class Lowering {
 public:
  Lowering(const ir::Kernel& kernel, const ir::Target& target);

  [[nodiscard]] Result<LoweredKernel> run();

 private:
  // thread_ids.cpp
  void bind_thread_ids();
  void check_launch();
  /// A per-thread variable of that kind: the declared one, or a new one of that name.
  [[nodiscard]] ir::Var thread_var(ir::ScopeIdKind kind, int dim, const char* name);
  void drop_unused_thread_vars();

  // statements.cpp
  [[nodiscard]] ir::Body lower_body(const ir::Body& body);
  void lower_stmt(const ir::Stmt& stmt, ir::Body& out);
  void lower_let(const ir::Stmt& stmt, const ir::Let& let, ir::Body& out);
  void lower_store(const ir::Stmt& stmt, const ir::Store& store, ir::Body& out);
  void lower_for(const ir::Stmt& stmt, const ir::For& loop, ir::Body& out);
  void lower_if(const ir::Stmt& stmt, const ir::If& branch, ir::Body& out);
  void lower_allocate(const ir::Stmt& stmt, const ir::Allocate& allocate, ir::Body& out);
  void lower_tile_call(const ir::Stmt& stmt, const ir::TileCall& call, ir::Body& out);

  void fail(Diagnostic diagnostic);

  [[nodiscard]] bool failed() const { return expressions_.error().has_value(); }

  const ir::Kernel& kernel_;
  const ir::Target& target_;
  ir::Facts facts_;
  ExpressionLowering expressions_;
  SharedPlan shared_;
  LoweredKernel result_;
};

}  // namespace tirx::lower
