// Expressions of tile IR to expressions of thread IR: every access gets its flat offset, vector
// accesses whose elements are not neighbours in memory become scalar ones, machine operations are
// checked against the target.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/base/diagnostic.hpp"
#include "ir/facts.hpp"
#include "ir/stmt.hpp"
#include "ir/target.hpp"

namespace tirx::lower {

/// Rewrites with sharing: one node in, one node out, so that the offset of an access refers to the
/// same nodes as its indices.  A node below which nothing changes stays itself.
class ExpressionLowering {
 public:
  ExpressionLowering(const ir::Target& target, const ir::Facts& facts)
      : target_(target), facts_(facts) {}

  [[nodiscard]] ir::Expr lower(const ir::Expr& expr);
  /// Indices lowered, flat offset filled in (unless it is there already).
  [[nodiscard]] ir::Access lower(const ir::Access& access, Span span);
  /// The access of lane `lane` alone.
  [[nodiscard]] ir::Access lane_of(const ir::Access& access, int lane, Span span);
  [[nodiscard]] bool is_plain_vector(const ir::Access& access, std::int64_t lanes);

  /// The first mistake of the user's that was met.
  [[nodiscard]] const std::optional<Diagnostic>& error() const { return error_; }

  void fail(Span span, std::string text, std::vector<Note> notes = {});

 private:
  [[nodiscard]] ir::Expr lower_node(const ir::Expr& expr);
  [[nodiscard]] std::vector<ir::Expr> lower_all(const std::vector<ir::Expr>& exprs);
  void check_target(const ir::MachineCall& call, Span span);

  const ir::Target& target_;
  const ir::Facts& facts_;
  std::unordered_map<const ir::ExprNode*, ir::Expr> done_;
  std::vector<ir::Expr> kept_;  // keeps the keys of done_ alive
  std::optional<Diagnostic> error_;
};

}  // namespace tirx::lower
