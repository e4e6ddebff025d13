// Statement by statement.  Control flow stays as written; what changes are accesses, allocations of
// shared memory (they get a place) and tile calls (they are expanded).
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/known_values.hpp"
#include "ir/simplify.hpp"
#include "ir/tensor.hpp"
#include "lower/exits.hpp"
#include "lower/lowering.hpp"
#include "lower/sequence.hpp"

namespace tirx::lower {

namespace {

constexpr std::int64_t kMaxLocalBytes = 512 * 1024;  // per thread, every architecture

}  // namespace

ir::Body Lowering::lower_body(const ir::Body& body) {
  ir::Body out;
  out.reserve(body.size());
  const ir::ActiveSet before = active_;
  for (const ir::Stmt& stmt : body) {
    if (failed()) break;
    lower_stmt(stmt, out);
  }
  active_ = before;
  return out;
}

void Lowering::lower_let(const ir::Stmt& stmt, const ir::Let& let, ir::Body& out) {
  const ir::Expr value = expressions_.lower(let.value);
  if (num::is_int(let.var->type.dtype) && !let.var->type.is_vector()) {
    facts_.set(let.var, ir::facts_of_let(let.var, value, facts_));
  }
  out.push_back({stmt.span, ir::Let{let.var, value}});
}

void Lowering::lower_store(const ir::Stmt& stmt, const ir::Store& store, ir::Body& out) {
  const ir::Expr value = expressions_.lower(store.value);
  const int lanes = value->type.lanes;
  if (expressions_.is_plain_vector(store.to, lanes)) {
    out.push_back({stmt.span, ir::Store{expressions_.lower(store.to, stmt.span), value}});
    return;
  }
  if (num::bits(store.to.buffer->dtype) == 4) {
    fail({stmt.span,
          fmt::format("{} holds 4-bit elements, two to a byte: they are stored in pairs that are "
                      "neighbours in memory",
                      store.to.buffer->name),
          {}});
    return;
  }
  // The elements are not neighbours in memory: the vector is evaluated once, then stored lane by
  // lane.
  const auto name = std::make_shared<ir::Variable>(
      ir::Variable{store.to.buffer->name + "_vec", value->type, stmt.span});
  out.push_back({stmt.span, ir::Let{name, value}});
  for (int lane = 0; lane < lanes; ++lane) {
    const ir::Expr element =
        ir::make_expr(value->type.element(), stmt.span, ir::Extract{ir::make_var(name), lane});
    out.push_back({stmt.span, ir::Store{expressions_.lane_of(store.to, lane, stmt.span), element}});
  }
}

void Lowering::lower_for(const ir::Stmt& stmt, const ir::For& loop, ir::Body& out) {
  ir::For result = loop;
  result.begin = expressions_.lower(loop.begin);
  result.end = expressions_.lower(loop.end);
  result.step = loop.step ? expressions_.lower(loop.step) : ir::make_int(1, loop.var->type);
  const auto known = ir::facts_of_loop(loop.var, result.begin, result.end, result.step, facts_);
  if (known) facts_.set(loop.var, *known);
  ir::ExecScope uniform =
      std::min(guards_.uniform_over(loop.begin), guards_.uniform_over(loop.end));
  if (loop.step) uniform = std::min(uniform, guards_.uniform_over(loop.step));
  result.body = lower_loop_body(loop.body, uniform, stmt.span);
  out.push_back({stmt.span, std::move(result)});
}

void Lowering::add_guard(ir::ExecScope uniform, Span span, const char* reason) {
  if (uniform >= ir::ExecScope::cluster) return;
  active_.opaque.push_back({uniform, reason, span});
}

ir::Body Lowering::lower_loop_body(const ir::Body& body, ir::ExecScope uniform, Span span) {
  const ir::ActiveSet before = active_;
  // Who has left is missing from the next iteration too, and does not return there.
  const Exits exits = exits_of(body, guards_);
  if (exits.breaks) uniform = std::min(uniform, *exits.breaks);
  if (exits.returns) uniform = std::min(uniform, *exits.returns);
  add_guard(uniform, span, "the threads may leave this loop at different times");
  ir::Body result = lower_body(body);
  active_ = before;
  if (exits.returns) add_guard(uniform, span, "some threads may have returned in this loop");
  return result;
}

void Lowering::lower_while(const ir::Stmt& stmt, const ir::While& loop, ir::Body& out) {
  ir::While result{expressions_.lower(loop.condition), {}};
  ++conditions_;
  result.body =
      lower_loop_body(loop.body, guards_.uniform_over(loop.condition), loop.condition->span);
  --conditions_;
  out.push_back({stmt.span, std::move(result)});
}

void Lowering::lower_if(const ir::Stmt& stmt, const ir::If& branch, ir::Body& out) {
  ir::If result;
  result.condition = expressions_.lower(branch.condition);
  const ir::ActiveSet before = active_;
  const ir::Branches sides = ir::narrow(before, guards_.atoms(branch.condition));
  ++conditions_;
  active_ = sides.then;
  result.then_body = lower_body(branch.then_body);
  active_ = sides.otherwise;
  result.else_body = lower_body(branch.else_body);
  out.push_back({stmt.span, std::move(result)});
  // What follows is reached by those who did not leave (the enclosing body restores the set).
  const bool then_leaves = always_leaves(branch.then_body);
  const bool else_leaves = always_leaves(branch.else_body);
  if (!then_leaves && !else_leaves) --conditions_;
  const ir::ExecScope uniform = guards_.uniform_over(branch.condition);
  constexpr const char* kLeft = "some threads may have left here";
  active_ = before;
  if (then_leaves && !else_leaves) active_ = sides.otherwise;
  if (else_leaves && !then_leaves) active_ = sides.then;
  if (!then_leaves) {
    if (const auto exit = exits_of(branch.then_body, guards_).any()) {
      add_guard(else_leaves ? *exit : std::min(*exit, uniform), branch.condition->span, kLeft);
    }
  }
  if (!else_leaves) {
    if (const auto exit = exits_of(branch.else_body, guards_).any()) {
      add_guard(then_leaves ? *exit : std::min(*exit, uniform), branch.condition->span, kLeft);
    }
  }
}

void Lowering::lower_allocate(const ir::Stmt& stmt, const ir::Allocate& allocate, ir::Body& out) {
  const ir::StorageRef& storage = allocate.buffer->storage;
  const Span span = storage->span.empty() ? stmt.span : storage->span;
  if (const auto refused = shared_.add(storage, span)) {
    fail(*refused);
    return;
  }
  if (storage->scope == ir::MemoryScope::local) {
    std::int64_t elements = 0;
    if (!storage->elements || !ir::is_const_int(storage->elements, elements)) {
      fail(
          {span, fmt::format("the size of local memory {} must be a constant", storage->name), {}});
    } else if (elements < 0 || elements > kMaxLocalBytes ||
               ir::storage_bytes(storage->dtype, elements) > kMaxLocalBytes) {
      fail({span,
            fmt::format("local memory {} has {} elements of {}; a thread has {} bytes",
                        storage->name, elements, num::name(storage->dtype), kMaxLocalBytes),
            {}});
    }
  }
  out.push_back({stmt.span, allocate});
}

void Lowering::lower_stmt(const ir::Stmt& stmt, ir::Body& out) {
  Result<std::optional<ir::Body>> parts = in_sequence(stmt);
  if (!parts) return fail(parts.error());
  if (parts->has_value()) {
    for (const ir::Stmt& part : **parts) lower_one(part, out);
    return;
  }
  lower_one(stmt, out);
}

void Lowering::lower_one(const ir::Stmt& stmt, ir::Body& out) {
  const auto lower = [&](const ir::Expr& expr) { return expressions_.lower(expr); };
  std::visit(ir::Match{
                 [&](const ir::Let& node) { lower_let(stmt, node, out); },
                 [&](const ir::Allocate& node) { lower_allocate(stmt, node, out); },
                 [&](const ir::Declare&) { out.push_back(stmt); },
                 [&](const ir::Store& node) { lower_store(stmt, node, out); },
                 [&](const ir::For& node) { lower_for(stmt, node, out); },
                 [&](const ir::While& node) { lower_while(stmt, node, out); },
                 [&](const ir::If& node) { lower_if(stmt, node, out); },
                 [&](const ir::Break&) { out.push_back(stmt); },
                 [&](const ir::Continue&) { out.push_back(stmt); },
                 [&](const ir::Return&) { out.push_back(stmt); },
                 [&](const ir::Assert& node) {
                   out.push_back({stmt.span, ir::Assert{lower(node.condition), node.message}});
                 },
                 [&](const ir::Evaluate& node) {
                   out.push_back({stmt.span, ir::Evaluate{lower(node.call)}});
                 },
                 [&](const ir::TileCall& node) { lower_tile_call(stmt, node, out); },
                 [&](const ir::Group& node) {
                   out.push_back({stmt.span, ir::Group{node.comment, lower_body(node.body)}});
                 },
             },
             stmt.node);
}

}  // namespace tirx::lower
