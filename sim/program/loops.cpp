// Loops.  A loop that all lanes leave together is a plain jump; one that they may leave apart has a
// join where the early ones wait.

#include "ir/base/common_divisor.hpp"
#include "sim/program/compiler.hpp"

namespace tirx::sim {

namespace {

using num::DType;
using num::ScalarOp;
using Kind = ValueNode::Kind;

/// What a step can be: the one of an unsigned loop is above 0, also where int64 does not hold it.
Interval step_range(const ValueNode& step, Interval known) {
  if (step.dtype == DType::u64 && known.lo < 0)
    return {1, std::numeric_limits<std::int64_t>::max()};
  return known;
}

}  // namespace

/// Variables assigned in the loop have another value in each trip.
void Compiler::forget_assigned(const void* node) {
  const auto at = analysis_.assigned.find(node);
  if (at == analysis_.assigned.end()) return;
  for (const ir::Storage* storage : at->second) {
    const auto scalar = scalars_.find(storage);
    if (scalar != scalars_.end()) scalar->second.current = kNoValue;
  }
}

void Compiler::open_loop(const void* node) {
  push_scope();  // of the preheader
  auto frame = std::make_unique<LoopFrame>();
  frame->node = node;
  frame->first_place = next_place_;
  frame->scope = scopes_.size() - 1;
  frame->break_label = new_label();
  frame->continue_label = new_label();
  frame->outer = code_;
  loops_.push_back(std::move(frame));
  code_ = &loops_.back()->body;
  push_scope();  // of the body
  forget_assigned(node);
}

void Compiler::close_loop() {
  pop_scope();
  std::unique_ptr<LoopFrame> frame = std::move(loops_.back());
  loops_.pop_back();
  program_->loops.push_back({frame->first_place, next_place_});
  code_ = frame->outer;
  code_->insert(code_->end(), frame->preheader.begin(), frame->preheader.end());
  code_->insert(code_->end(), frame->body.begin(), frame->body.end());
  pop_scope();
  forget_assigned(frame->node);
}

void Compiler::for_loop(const ir::For& node, Span span) {
  const DType dtype = node.var->type.dtype;
  ValueId begin = table_.cast(value(node.begin), dtype);
  ValueId end = table_.cast(value(node.end), dtype);
  const ValueId step = node.step ? table_.cast(value(node.step), dtype) : table_.constant(dtype, 1);
  for (const ValueId id : {begin, end, step})
    check_poison(id, span, "a loop bound", nullptr, nullptr);
  const Interval rs = step_range(table_[step], range(step));
  if (rs.lo <= 0 && rs.hi >= 0) {
    if (rs.single()) {
      fail(span, "the step of a loop is 0", "use a step other than 0");
      return;
    }
  }
  const bool uniform = table_[begin].uniform && table_[end].uniform && table_[step].uniform;
  if (uniform) {
    uniform_for(node, begin, end, step, span);
  } else {
    varying_for(node, begin, end, step, span);
  }
}

/// What the loop variable can be.
static ValueNode loop_variable(DType dtype, Interval b, Interval e, Interval s) {
  ValueNode node;
  node.dtype = dtype;
  // Of a uint64 that int64 may not hold nothing is known but what is below something known.
  if (dtype == DType::u64 && e.lo < 0) return node;
  if (dtype == DType::u64 && b.lo < 0) b = {0, std::numeric_limits<std::int64_t>::max()};
  if (s.lo > 0) {
    node.range = {b.lo, e.hi == std::numeric_limits<std::int64_t>::min() ? e.hi : e.hi - 1};
    if (node.range.hi < node.range.lo) node.range.hi = node.range.lo;
  } else if (s.hi < 0) {
    node.range = {e.lo == std::numeric_limits<std::int64_t>::max() ? e.lo : e.lo + 1, b.hi};
    if (node.range.hi < node.range.lo) node.range.lo = node.range.hi;
  }
  return node;
}

void Compiler::loop_body(const ir::Body& body, LoopFrame& frame) {
  const bool apart = analysis_.divergent_continue.contains(frame.node);
  if (apart) {
    frame.continue_join = static_cast<std::uint32_t>(program_->join_count++);
    enter_join(frame.continue_join, frame.continue_label);
  }
  push_scope();
  statements(body);
  pop_scope();
  place_label(frame.continue_label);
  if (apart) {
    Draft& draft = emit(exec::join);
    draft.instr.d = frame.continue_join;
  }
}

void Compiler::enter_join(std::uint32_t id, Label label) {
  auto site = std::make_unique<BranchSite>();
  site->join = id;
  site->join_label = label;
  Draft& draft = emit(exec::loop_enter);
  draft.instr.d = id;
  draft.instr.data.branch = site.get();
  draft.branch = site.get();
  program_->branch_sites.push_back(std::move(site));
}

void Compiler::uniform_for(
    const ir::For& node, ValueId begin, ValueId end, ValueId step, Span span) {
  static_cast<void>(span);
  const DType dtype = node.var->type.dtype;
  const Interval rb = range(begin), re = range(end);
  const Interval rs = step_range(table_[step], range(step));
  const bool far = dtype == DType::u64 && (rb.lo < 0 || re.lo < 0 || range(step).lo < 0);
  if (!far && rs.lo > 0 && rb.lo >= re.hi) return;  // no trip
  if (rs.hi < 0 && rb.hi <= re.lo) return;
  const bool runs = !far && ((rs.lo > 0 && rb.hi < re.lo) || (rs.hi < 0 && rb.lo > re.hi));
  const bool apart = analysis_.divergent_for.contains(&node);
  // The bounds are read once.
  const auto frozen = [&](ValueId id) {
    const Reg reg = uniform_reg(id);
    if (!mentions_alias(id)) return reg;
    const Reg copy = new_uniform();
    Draft& draft = emit(exec::u_copy);
    draft.instr.d = copy;
    draft.instr.a = reg;
    draft.registers = Draft::kD | Draft::kA;
    return copy;
  };
  const Reg end_reg = frozen(end);
  const bool fixed_step = rs.single() && !far;
  const Reg step_reg = fixed_step ? zero_ : frozen(step);
  const Reg counter = new_uniform();
  const Reg begin_reg = uniform_reg(begin);
  Draft& init = emit(exec::u_copy);
  init.instr.d = counter;
  init.instr.a = begin_reg;
  init.registers = Draft::kD | Draft::kA;
  const Label head = new_label();
  const Label skip = new_label();
  if (!runs) {
    Draft& guard = emit(far           ? exec::guard_u_far
                        : !fixed_step ? exec::guard_u_any
                        : rs.lo > 0   ? exec::guard_u_up
                                      : exec::guard_u_down);
    guard.instr.a = counter;
    guard.instr.b = end_reg;
    guard.instr.c = step_reg;
    guard.registers = Draft::kA | Draft::kB | Draft::kC;
    guard.label = skip;
  }
  open_loop(&node);
  LoopFrame& frame = *loops_.back();
  ValueNode var = loop_variable(dtype, rb, re, rs);
  var.uniform = true;
  var.reg = counter;
  var.level = static_cast<int>(depth());
  var.multiple = common_divisor(table_[begin].multiple, table_[step].multiple);
  variables_[node.var.get()] = {table_.leaf(var)};
  Code enter;
  if (apart) {
    // Once, before the first trip.
    frame.break_join = static_cast<std::uint32_t>(program_->join_count++);
    enter_join(frame.break_join, frame.break_label);
  }
  place_label(head);
  loop_body(node.body, frame);
  Draft& tail = emit(far           ? exec::loop_u_far
                     : !fixed_step ? exec::loop_u_any
                     : rs.lo > 0   ? exec::loop_u_up
                                   : exec::loop_u_down);
  tail.instr.a = counter;
  tail.instr.b = end_reg;
  tail.instr.c = step_reg;
  tail.instr.data.imm = rs.lo;
  tail.registers = Draft::kA | Draft::kB | Draft::kC;
  tail.label = head;
  const Label done = frame.break_label;
  const std::uint32_t join = frame.break_join;
  place_label(done);
  if (apart) {
    Draft& draft = emit(exec::join);
    draft.instr.d = join;
  }
  close_loop();
  place_label(skip);
}

/// The counter after a trip: the end where the step would reach it or leave the type.
ValueId Compiler::next_value(ValueId counter, ValueId end, ValueId step, Interval by, DType dtype) {
  const ValueId next = table_.binary(ScalarOp::add, dtype, counter, step);
  const Interval all = range_of(dtype);
  const Interval to = range(end);
  const bool unknown = dtype == DType::u64;
  if (!unknown && by.lo > 0 && to.hi <= all.hi - (by.hi - 1)) return next;
  if (!unknown && by.hi < 0 && to.lo >= all.lo - (by.lo + 1)) return next;
  const DType distance = num::bits(dtype) == 64 ? DType::u64 : DType::u32;
  const auto between = [&](ValueId from, ValueId until) {
    return table_.binary(ScalarOp::sub, distance, table_.cast(until, distance),
                         table_.cast(from, distance));
  };
  const bool up = by.lo > 0;
  const ValueId room = up ? between(counter, end) : between(end, counter);
  const ValueId zero = table_.constant(distance, 0);
  const ValueId width = table_.cast(step, distance);
  const ValueId size = up ? width : table_.binary(ScalarOp::sub, distance, zero, width);
  return table_.select(table_.binary(ScalarOp::gt, distance, room, size), next, end);
}

void Compiler::varying_for(
    const ir::For& node, ValueId begin, ValueId end, ValueId step, Span span) {
  const DType dtype = node.var->type.dtype;
  const Interval rs = step_range(table_[step], range(step));
  if (rs.lo <= 0 && rs.hi >= 0) {
    fail(span, "the direction of this loop differs between threads",
         "use a step whose sign is known");
    return;
  }
  const auto frozen = [&](ValueId id) {
    if (!mentions_alias(id)) {
      // One register before the loop.
      return id;
    }
    Reg reg = 0;
    const ValueId copy = fresh_leaf(dtype, table_[id].uniform, false, reg);
    assign(id, reg, table_[id].uniform, false);
    return copy;
  };
  end = frozen(end);
  step = frozen(step);
  const Reg counter = new_vector(dtype);
  assign(begin, counter, false, false);
  open_loop(&node);
  LoopFrame& frame = *loops_.back();
  frame.break_join = static_cast<std::uint32_t>(program_->join_count++);
  enter_join(frame.break_join, frame.break_label);
  ValueNode var = loop_variable(dtype, range(begin), range(end), rs);
  var.uniform = false;
  var.alias = true;
  var.reg = counter;
  var.level = static_cast<int>(depth());
  const ValueId variable = table_.leaf(var);
  variables_[node.var.get()] = {variable};
  const Label head = new_label();
  place_label(head);
  // The test sees the counter before its range is known.
  ValueNode raw = var;
  raw.range = range_of(dtype);
  const ValueId tested = table_.leaf(raw);
  push_scope();
  const ValueId more = table_.binary(rs.lo > 0 ? ScalarOp::lt : ScalarOp::gt, dtype, tested, end);
  loop_test(more, frame);
  pop_scope();
  loop_body(node.body, frame);
  const ValueId next = next_value(tested, end, step, rs, dtype);
  emit_vector(*code_, next, counter);
  Draft& back = emit(exec::jump);
  back.label = head;
  place_label(frame.break_label);
  Draft& draft = emit(exec::join);
  draft.instr.d = frame.break_join;
  close_loop();
}

void Compiler::loop_test(ValueId condition, LoopFrame& frame) {
  if (table_[condition].kind == Kind::constant && table_[condition].bits != 0) return;
  const bool uniform = table_[condition].uniform && frame.break_join == kNoJoin;
  const Reg reg = uniform ? uniform_reg(condition) : vector_reg(condition);
  Draft& draft = emit(uniform ? exec::branch_u : exec::loop_test);
  draft.instr.a = reg;
  draft.registers = Draft::kA;
  draft.label = frame.break_label;
  if (!uniform) draft.instr.d = frame.break_join;
}

void Compiler::while_loop(const ir::While& node, Span span) {
  const bool apart = analysis_.divergent_while.contains(&node);
  spin_check(node, span);
  open_loop(&node);
  LoopFrame& frame = *loops_.back();
  if (apart) {
    frame.break_join = static_cast<std::uint32_t>(program_->join_count++);
    enter_join(frame.break_join, frame.break_label);
  }
  const Label head = new_label();
  place_label(head);
  push_scope();
  const ValueId condition = value(node.condition);
  check_poison(condition, node.condition->span, "a loop condition", nullptr, nullptr);
  loop_test(condition, frame);
  const std::size_t before = assumed_.size();
  assume(condition, true);
  loop_body(node.body, frame);
  assumed_.resize(before);
  pop_scope();
  Draft& back = emit(exec::jump);
  back.label = head;
  place_label(frame.break_label);
  if (apart) {
    Draft& draft = emit(exec::join);
    draft.instr.d = frame.break_join;
  }
  close_loop();
}

void Compiler::break_loop() {
  LoopFrame& frame = *loops_.back();
  if (frame.break_join == kNoJoin) {
    Draft& draft = emit(exec::jump);
    draft.label = frame.break_label;
    return;
  }
  Draft& draft = emit(exec::leave);
  draft.instr.d = frame.break_join;
  draft.label = frame.break_label;
}

void Compiler::continue_loop() {
  LoopFrame& frame = *loops_.back();
  if (frame.continue_join == kNoJoin) {
    Draft& draft = emit(exec::jump);
    draft.label = frame.continue_label;
    return;
  }
  Draft& draft = emit(exec::leave);
  draft.instr.d = frame.continue_join;
  draft.label = frame.continue_label;
}

}  // namespace tirx::sim
