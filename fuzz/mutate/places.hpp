// Where mutations are found and collected: one walk per group of kinds over a kernel's statements
// and expressions, and the expressions that several groups build.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fuzz/mutate/mutations.hpp"
#include "fuzz/mutate/rewrite.hpp"
#include "ir/all_ops.hpp"

namespace tirx::fuzz {

/// Mutations of one kernel, with their texts.
class Places {
 public:
  explicit Places(const ir::Kernel& kernel) : kernel_(kernel) {}

  [[nodiscard]] const ir::Kernel& kernel() const { return kernel_; }

  /// The n-th statement becomes what `edit` makes of it.
  void statement(std::string_view kind, std::size_t n, const ir::Stmt& stmt, const StmtEdit& edit);
  /// The n-th expression.
  void expression(
      std::string_view kind, std::size_t n, const ir::Expr& expr, Span span, const ExprEdit& edit);
  void whole(std::string_view kind,
             Span span,
             std::string before,
             std::string after,
             std::function<ir::Kernel(const ir::Kernel&)> apply);

  [[nodiscard]] std::vector<Mutation> take() { return std::move(found_); }

 private:
  const ir::Kernel& kernel_;
  std::vector<Mutation> found_;
  std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t>, int> ordinals_;
};

/// One group of kinds each.
void find_synchronisation(Places& places);
void find_memory_order(Places& places);
void find_mbarriers(Places& places);
void find_conditions(Places& places);
void find_stores(Places& places);
void find_scales(Places& places);
void find_arithmetic(Places& places);
void find_promotion(Places& places);
void find_tiles(Places& places);
void find_gemm(Places& places);
void find_stages(Places& places);

/// `op` of a and b, with the type that follows.
[[nodiscard]] ir::Expr scalar(num::ScalarOp op, const ir::Expr& a, const ir::Expr& b);
/// An integer of another's type.
[[nodiscard]] ir::Expr same_type(std::int64_t value, const ir::Expr& like);
/// The extent of a dimension, in the type of the index that goes there.
[[nodiscard]] ir::Expr extent_like(const ir::Expr& extent, const ir::Expr& index);
/// (index + step) % extent
[[nodiscard]] ir::Expr shifted(const ir::Expr& index, const ir::Expr& step, const ir::Expr& extent);

/// The machine operation that the statement is for: evaluated, stored or named.
[[nodiscard]] const ir::MachineCall* call_of(const ir::Stmt& stmt);
/// The statement with another operation in its place.
[[nodiscard]] ir::Stmt with_call(const ir::Stmt& stmt, ir::MachineCall call);

template <typename... Ops>
[[nodiscard]] bool is_one_of(ir::OpId id) {
  return ((id == ir::AllOps::id_of<Ops>()) || ...);
}

[[nodiscard]] bool is_global(const ir::BufferNode& buffer);
[[nodiscard]] bool is_zero(const ir::Expr& value);
/// By its layout (one place for many coordinates) or, where it has none, by its name.
[[nodiscard]] bool holds_scales(const ir::BufferNode& buffer);

/// The statement, where a condition holds.
[[nodiscard]] ir::Body only_where(const ir::Expr& condition, const ir::Stmt& stmt);

/// Which values differ between the threads of a CTA: those made of thread ids, through names and
/// mutable scalars.
class ThreadDependence {
 public:
  explicit ThreadDependence(const ir::Kernel& kernel);

  [[nodiscard]] bool of(const ir::Expr& expr) const;

 private:
  std::set<const ir::Variable*> variables_;
  std::set<const ir::Storage*> scalars_;
};

/// The first line of what statements do, for a reader; "(nothing)" for none.
[[nodiscard]] std::string describe(const ir::Body& body);

/// Whether the loop has, or may have, more than one trip of step 1.
[[nodiscard]] bool may_repeat(const ir::For& loop);

}  // namespace tirx::fuzz
