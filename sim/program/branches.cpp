// Branches: what is known about values inside of them, and the instructions that take them; and
// assertions, which are a branch to a trap.
#include <algorithm>

#include "sim/program/compiler.hpp"

namespace tirx::sim {

using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

/// Facts that hold inside a branch: `i < n` bounds i.
void Compiler::assume(ValueId condition, bool holds) {
  const ValueNode node = table_[condition];
  if (node.kind != Kind::op) return;
  if (node.op == ScalarOp::bit_and && node.dtype == DType::boolean && holds) {
    assume(node.args[0], true);
    assume(node.args[1], true);
    return;
  }
  if (node.op == ScalarOp::bit_or && node.dtype == DType::boolean && !holds) {
    assume(node.args[0], false);
    assume(node.args[1], false);
    return;
  }
  if (node.op == ScalarOp::logical_not) {
    assume(node.args[0], !holds);
    return;
  }
  if (!num::is_int(node.from) || node.from == DType::u64) return;
  ScalarOp op = node.op;
  if (!holds) {
    switch (op) {
      case ScalarOp::lt:
        op = ScalarOp::ge;
        break;
      case ScalarOp::le:
        op = ScalarOp::gt;
        break;
      case ScalarOp::gt:
        op = ScalarOp::le;
        break;
      case ScalarOp::ge:
        op = ScalarOp::lt;
        break;
      case ScalarOp::ne:
        op = ScalarOp::eq;
        break;
      default:
        return;
    }
  }
  const ValueId a = node.args[0], b = node.args[1];
  const Interval ra = range(a), rb = range(b);
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  switch (op) {
    case ScalarOp::lt:
      if (rb.hi > kMin) assumed_.emplace_back(a, Interval{kMin, rb.hi - 1});
      if (ra.lo < kMax) assumed_.emplace_back(b, Interval{ra.lo + 1, kMax});
      break;
    case ScalarOp::le:
      assumed_.emplace_back(a, Interval{kMin, rb.hi});
      assumed_.emplace_back(b, Interval{ra.lo, kMax});
      break;
    case ScalarOp::gt:
      if (rb.lo < kMax) assumed_.emplace_back(a, Interval{rb.lo + 1, kMax});
      if (ra.hi > kMin) assumed_.emplace_back(b, Interval{kMin, ra.hi - 1});
      break;
    case ScalarOp::ge:
      assumed_.emplace_back(a, Interval{rb.lo, kMax});
      assumed_.emplace_back(b, Interval{kMin, ra.hi});
      break;
    case ScalarOp::eq:
      assumed_.emplace_back(a, rb);
      assumed_.emplace_back(b, ra);
      break;
    default:
      break;
  }
}

Interval Compiler::range(ValueId id) const {
  Interval r = table_[id].range;
  for (const auto& [other, fact] : assumed_) {
    if (other == id) r = intersect(r, fact);
  }
  return r;
}

/// Runs one of two pieces of code by a condition, and forgets the assignments of both afterwards.
void Compiler::branch(ValueId condition,
                      Span span,
                      const std::function<void()>& on_true,
                      const std::function<void()>& on_false) {
  const ValueNode known = table_[condition];
  const Label otherwise = new_label(), end = new_label();
  check_poison(condition, span, "a condition", nullptr, nullptr);
  const auto side = [&](const std::function<void()>& body, bool holds) {
    const std::size_t before = assumed_.size();
    push_scope();
    assume(condition, holds);
    body();
    pop_scope();
    assumed_.resize(before);
  };
  const auto forget = [&] {
    for (auto& [storage, home] : scalars_) home.current = kNoValue;
  };
  std::uint32_t id = kNoJoin;
  if (known.uniform) {
    const Reg reg = uniform_reg(condition);
    Draft& draft = emit(exec::branch_u);
    draft.instr.a = reg;
    draft.registers = Draft::kA;
    draft.label = otherwise;
  } else {
    id = static_cast<std::uint32_t>(program_->join_count++);
    const Reg reg = vector_reg(condition);
    auto site = std::make_unique<BranchSite>();
    site->join = id;
    site->join_label = end;
    Draft& draft = emit(exec::branch_v);
    draft.instr.a = reg;
    draft.registers = Draft::kA;
    draft.label = otherwise;
    draft.branch = site.get();
    draft.instr.data.branch = site.get();
    program_->branch_sites.push_back(std::move(site));
  }
  const std::size_t branch_at = code_->size() - 1;
  side(on_true, true);
  forget();
  const std::size_t before_else = code_->size();
  Draft& over = emit(exec::jump);
  over.label = end;
  place_label(otherwise);
  side(on_false, false);
  forget();
  if (code_->size() == before_else + 2) {
    // Nothing on the other side: its lanes go to the end at once.
    code_->resize(before_else);
    (*code_)[branch_at].label = end;
    if ((*code_)[branch_at].branch != nullptr) (*code_)[branch_at].branch->direct = true;
  }
  place_label(end);
  if (id != kNoJoin) {
    Draft& draft = emit(exec::join);
    draft.instr.d = id;
  }
}

void Compiler::if_statement(const ir::If& node) {
  const ValueId condition = value(node.condition);
  if (table_[condition].kind == Kind::constant) {
    push_scope();
    statements(table_[condition].bits != 0 ? node.then_body : node.else_body);
    pop_scope();
    return;
  }
  const Span outer = role_;
  const bool outer_otherwise = role_otherwise_;
  const auto part = [&](const ir::Body& body, bool otherwise) {
    if (names_role(condition, node.condition->span)) {
      role_ = node.condition->span;
      role_otherwise_ = otherwise;
    }
    statements(body);
    role_ = outer;
    role_otherwise_ = outer_otherwise;
  };
  branch(
      condition, node.condition->span, [&] { part(node.then_body, false); },
      [&] { part(node.else_body, true); });
}

/// Whether a condition of the script's tells warps apart: then it says what they are there for.
bool Compiler::names_role(ValueId condition, Span span) const {
  const ValueNode& node = table_[condition];
  if (node.kind != Kind::table || !node.uniform || kernel_.source == nullptr) return false;
  // Conditions that lowering made stand at the operation they were made for.
  std::string_view before = kernel_.source->text().substr(0, span.begin);
  while (!before.empty() && (before.back() == ' ' || before.back() == '(')) before.remove_suffix(1);
  return before.ends_with("if") && !span.empty();
}

void Compiler::assertion(const ir::Assert& node, Span span) {
  const ValueId condition = value(node.condition);
  if (table_[condition].kind == Kind::constant && table_[condition].bits != 0) return;
  check_poison(condition, span, "an assertion", nullptr, nullptr);
  auto site = std::make_unique<CallSite>();
  site->place = place(span);
  site->text = node.message;
  const bool uniform = table_[condition].uniform;
  const Reg reg = uniform ? uniform_reg(condition) : vector_reg(condition);
  Draft& draft = emit(uniform ? exec::assert_u : exec::assert_v);
  draft.instr.a = reg;
  draft.registers = Draft::kA;
  draft.instr.data.call = site.get();
  program_->call_sites.push_back(std::move(site));
}

}  // namespace tirx::sim
