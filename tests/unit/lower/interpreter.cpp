#include "tests/unit/lower/interpreter.hpp"

#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include "ir/layout/layout.hpp"
#include "ir/print.hpp"

namespace tirx::testing {

using num::ScalarOp;

namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

}  // namespace

std::int64_t ElementInterpreter::evaluate(const ir::Expr& expr) {
  std::int64_t literal = 0;
  if (ir::is_const_int(expr, literal)) return literal;
  if (const auto* other = ir::as_const(expr)) return static_cast<std::int64_t>(other->bits);
  if (const auto* ref = ir::as<ir::VarRef>(expr)) return values_.at(ref->var.get());
  if (const auto* cast = ir::as<ir::Cast>(expr)) return evaluate(cast->value);
  if (const auto* load = ir::as<ir::Load>(expr)) return this->load(load->from, 1)[0];
  const auto* scalar = ir::as<ir::Scalar>(expr);
  if (scalar == nullptr) FAIL("expression not expected");
  const std::int64_t a = evaluate(scalar->args[0]);
  const std::int64_t b = scalar->args.size() > 1 ? evaluate(scalar->args[1]) : 0;
  switch (scalar->op) {
    case ScalarOp::add:
      return a + b;
    case ScalarOp::sub:
      return a - b;
    case ScalarOp::mul:
      return a * b;
    case ScalarOp::floordiv:
      return floor_div(a, b);
    case ScalarOp::floormod:
      return a - floor_div(a, b) * b;
    case ScalarOp::truncdiv:
      return a / b;
    case ScalarOp::truncmod:
      return a % b;
    case ScalarOp::bit_and:
      return a & b;
    case ScalarOp::bit_xor:
      return a ^ b;
    case ScalarOp::shl:
      return a << b;
    case ScalarOp::shr:
      return a >> b;
    case ScalarOp::eq:
      return a == b;
    case ScalarOp::lt:
      return a < b;
    case ScalarOp::ge:
      return a >= b;
    default:
      FAIL("operation not expected: " << num::name(scalar->op));
      return 0;
  }
}

Tags& ElementInterpreter::memory(const ir::StorageRef& storage, std::int64_t thread) {
  if (storage->scope != ir::MemoryScope::local) thread = 0;
  return memory_[{storage.get(), thread}];
}

/// Whether the executing thread has this coordinate on the axis, replicas included.
bool ElementInterpreter::holds(const ir::Layout& layout, const ir::Axis& axis, std::int64_t value) {
  std::int64_t own = 0;
  switch (axis.id()) {
    case ir::AxisId::laneid:
      own = thread_ % 32;
      break;
    case ir::AxisId::warpid:
      own = thread_ / 32;
      break;
    case ir::AxisId::wid_in_wg:
      own = thread_ / 32 % 4;
      break;
    case ir::AxisId::tid_in_wg:
      own = thread_ % 128;
      break;
    case ir::AxisId::wgid:
      own = thread_ / 128;
      break;
    case ir::AxisId::tx:
      own = thread_;
      break;
    default:
      return false;
  }
  std::vector<std::int64_t> places{value};
  for (const ir::Iter& iter : layout.tile.replica()) {
    if (!(iter.axis == axis)) continue;
    std::vector<std::int64_t> more;
    for (const std::int64_t place : places) {
      for (std::int64_t i = 0; i < iter.extent; ++i) more.push_back(place + i * iter.stride);
    }
    places = std::move(more);
  }
  return std::find(places.begin(), places.end(), own) != places.end();
}

bool ElementInterpreter::is_held(const ir::BufferNode& buffer,
                                 const std::vector<std::int64_t>& indices) {
  const auto shape = ir::static_shape(buffer);
  const auto at = ir::apply(*buffer.layout, indices, shape.value());
  for (const auto& [axis, value] : *at) {
    if (axis.is_thread() && !holds(*buffer.layout, axis, value)) return false;
  }
  return true;
}

std::int64_t ElementInterpreter::place(const ir::BufferNode& buffer,
                                       const std::vector<std::int64_t>& indices) {
  std::int64_t place = buffer.offset ? evaluate(buffer.offset) : 0;
  if (!buffer.layout) {
    for (std::size_t i = 0; i < buffer.strides.size(); ++i) {
      place += indices[i] * evaluate(buffer.strides[i]);
    }
    return place;
  }
  const auto shape = ir::static_shape(buffer);
  const auto at = ir::apply(*buffer.layout, indices, shape.value());
  for (const auto& [axis, value] : *at) {
    if (axis.is_thread() && !holds(*buffer.layout, axis, value)) {
      FAIL(buffer.name << ": the element lies at " << axis.name() << " " << value << ", thread "
                       << thread_ << " touches it");
    }
  }
  const auto m = at->find(ir::AxisId::m);
  return place + (m == at->end() ? 0 : m->second);
}

std::int64_t ElementInterpreter::lane_place(const ir::Access& access, int lane) {
  std::vector<std::int64_t> indices;
  if (lane == 0 || access.lane_indices.empty()) {
    for (const ir::Expr& index : access.indices) indices.push_back(evaluate(index));
    if (lane != 0) indices.back() += lane * access.stride;
  } else {
    for (const ir::Expr& index : access.lane_indices[static_cast<std::size_t>(lane - 1)]) {
      indices.push_back(evaluate(index));
    }
  }
  const ir::BufferNode& buffer = *access.buffer;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool inside = indices[i] >= 0 && indices[i] < evaluate(buffer.shape[i]);
    if (!inside) REQUIRE(inside);
  }
  const std::int64_t flat = evaluate(access.flat) + lane * access.stride;
  const std::int64_t expected = place(buffer, indices);
  if (flat != expected) {
    INFO("flat offset " << ir::to_string(access.flat, ir::PrintLevel::thread) << " of "
                        << buffer.name << ", lane " << lane);
    REQUIRE(flat == expected);
  }
  return flat;
}

std::vector<std::int64_t> ElementInterpreter::load(const ir::Access& access, int lanes) {
  std::vector<std::int64_t> result;
  for (int lane = 0; lane < lanes; ++lane) {
    Tags& tags = memory(access.buffer->storage, thread_);
    const auto at = static_cast<std::size_t>(lane_place(access, lane));
    if (at >= tags.value.size()) REQUIRE(at < tags.value.size());
    result.push_back(tags.value[at]);
  }
  return result;
}

std::vector<std::int64_t> ElementInterpreter::evaluate_vector(const ir::Expr& expr) {
  if (const auto* from = ir::as<ir::Load>(expr)) return load(from->from, expr->type.lanes);
  if (expr->type.lanes == 1) return {evaluate(expr)};
  FAIL("vector expression not expected");
  return {};
}

void ElementInterpreter::run_stmt(const ir::Stmt& stmt) {
  if (const auto* let = std::get_if<ir::Let>(&stmt.node)) {
    values_[let->var.get()] = evaluate(let->value);
  } else if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
    const std::vector<std::int64_t> value = evaluate_vector(store->value);
    const std::int64_t first = evaluate(store->to.flat);
    if (value.size() > 1 && store->to.buffer->dtype != num::DType::e2m1) {
      // A vector access is naturally aligned.
      const bool aligned = first % static_cast<std::int64_t>(value.size()) == 0;
      if (!aligned) REQUIRE(aligned);
    }
    for (int lane = 0; lane < static_cast<int>(value.size()); ++lane) {
      Tags& tags = memory(store->to.buffer->storage, thread_);
      const auto at = static_cast<std::size_t>(lane_place(store->to, lane));
      if (at >= tags.value.size()) {
        tags.value.resize(at + 1, -1);
      }
      tags.writes.resize(tags.value.size(), 0);
      tags.value[at] = value[static_cast<std::size_t>(lane)];
      ++tags.writes[at];
    }
  } else if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
    const std::int64_t end = evaluate(loop->end);
    for (std::int64_t i = evaluate(loop->begin); i < end; i += evaluate(loop->step)) {
      values_[loop->var.get()] = i;
      run_body(loop->body);
    }
  } else if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
    run_body(evaluate(branch->condition) != 0 ? branch->then_body : branch->else_body);
  } else if (const auto* group = std::get_if<ir::Group>(&stmt.node)) {
    run_body(group->body);
  } else {
    const bool silent = std::holds_alternative<ir::Allocate>(stmt.node) ||
                        std::holds_alternative<ir::Declare>(stmt.node) ||
                        std::holds_alternative<ir::Evaluate>(stmt.node);
    if (!silent) REQUIRE(silent);
  }
}

void ElementInterpreter::run_body(const ir::Body& body) {
  for (const ir::Stmt& stmt : body) run_stmt(stmt);
}

void ElementInterpreter::run(const std::map<const ir::Variable*, std::int64_t>& symbols) {
  const auto& block = kernel_.launch.block;
  for (thread_ = 0; thread_ < kernel_.launch.threads(); ++thread_) {
    values_.clear();
    for (const auto& [var, value] : symbols) values_[var] = value;
    for (const lower::ThreadVar& id : kernel_.thread_vars) {
      std::int64_t value = 0;
      switch (id.kind) {
        case ir::ScopeIdKind::thread_id:
          value = id.dim == 0   ? thread_ % block[0]
                  : id.dim == 1 ? thread_ / block[0] % block[1]
                                : thread_ / (block[0] * block[1]);
          break;
        case ir::ScopeIdKind::lane_id:
          value = thread_ % 32;
          break;
        case ir::ScopeIdKind::warp_id:
          value = thread_ / 32;
          break;
        case ir::ScopeIdKind::warpgroup_id:
          value = thread_ / 128;
          break;
        case ir::ScopeIdKind::warp_id_in_wg:
          value = thread_ / 32 % 4;
          break;
        case ir::ScopeIdKind::thread_id_in_wg:
          value = thread_ % 128;
          break;
        default:
          break;
      }
      values_[id.var.get()] = value;
    }
    run_body(kernel_.body);
  }
}

}  // namespace tirx::testing
