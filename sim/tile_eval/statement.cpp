// Statements of one thread.  A statement that must wait is executed again from its start; machine
// operations that it has already done answer from `replies`.
#include <fmt/format.h>

#include "numerics/scalar.hpp"
#include "sim/tile_eval/evaluator.hpp"

namespace tirx::sim::tile {

namespace {

/// Of loop variables: a uint64 is held by its bits.
bool is_below(std::int64_t a, std::int64_t b, num::DType dtype) {
  if (dtype != num::DType::u64) return a < b;
  return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
}

/// Steps; whether there is another trip.  The last increment may leave the type.
bool next_trip(Frame& frame, num::DType dtype) {
  if (dtype == num::DType::u64) {
    const auto step = static_cast<std::uint64_t>(frame.step);
    auto value = static_cast<std::uint64_t>(frame.value);
    const bool over = __builtin_add_overflow(value, step, &value);
    frame.value = static_cast<std::int64_t>(value);
    return !over && value < static_cast<std::uint64_t>(frame.end);
  }
  if (__builtin_add_overflow(frame.value, frame.step, &frame.value)) return false;
  return frame.step > 0 ? frame.value < frame.end : frame.value > frame.end;
}

}  // namespace

void Evaluator::run_thread(CtaRun& cta, std::size_t thread) {
  cta_ = &cta;
  thread_ = thread;
  Thread& t = cta.threads[thread];
  // Turns end at polls.  In some rounds they end anywhere, for who polls for a lock that others
  // hold whenever their turns end.
  std::uint64_t left =
      rounds_ % 512 >= 448 ? 1 + (rounds_ * 7 + thread * 13) % 11 : ~std::uint64_t{0};
  while (t.state == State::runnable && !stopped_) {
    if (left-- == 0) {
      t.state = State::polls;
      return;
    }
    if (++steps_ > options_.max_steps) {
      unsupported(kernel_.span, fmt::format("step limit: {} statements", options_.max_steps));
      return;
    }
    step(cta, thread);
  }
}

/// break (leave) or continue: drops the frames inside the innermost loop, and its own for break.
void Evaluator::loop_control(Thread& t, bool leave) {
  while (!t.frames.empty() && t.frames.back().loop == nullptr &&
         t.frames.back().loop_while == nullptr) {
    t.frames.pop_back();
  }
  if (t.frames.empty()) return;
  if (leave) {
    t.frames.pop_back();
  } else {
    t.frames.back().at = t.frames.back().body->size();
  }
}

void Evaluator::step(CtaRun& cta, std::size_t thread) {
  Thread& t = cta.threads[thread];
  t.next_reply = 0;
  blocked_ = false;
  if (t.frames.empty()) {
    t.state = State::done;
    if (cta.cluster != nullptr) --cta.cluster->live;
    ++changes_;
    return;
  }
  Frame& frame = t.frames.back();
  if (frame.at == frame.body->size()) {
    if (frame.loop != nullptr) {
      const num::DType dtype = frame.loop->var->type.dtype;
      if (next_trip(frame, dtype)) {
        t.variables[slots_.at(frame.loop->var.get())] = {
            Cell{num::from_int64(frame.value, dtype), false}};
        frame.at = 0;
        return;
      }
    } else if (frame.loop_while != nullptr) {
      const Cell more = eval_one(frame.loop_while->condition);
      if (blocked_) return;
      t.replies.clear();
      if (more.poison) {
        fault(ir::FaultKind::uninit, frame.loop_while->condition->span,
              "a loop condition depends on data that was never written");
      }
      if (more.bits != 0) {
        frame.at = 0;
        return;
      }
    }
    t.frames.pop_back();
    return;
  }
  const ir::Stmt& stmt = (*frame.body)[frame.at];
  // Executed to its end, unless it waits; then it is executed again.
  const std::size_t depth = t.frames.size();
  const auto advance_frame = [&] {
    t.replies.clear();
    t.frames[depth - 1].at += 1;
  };
  std::visit(
      ir::Match{
          [&](const ir::Let& n) {
            Cells value = eval(n.value);
            if (blocked_) return;
            t.variables[slots_.at(n.var.get())] = std::move(value);
            advance_frame();
          },
          [&](const ir::Allocate& n) {
            const ir::Storage& storage = *n.buffer->storage;
            if (storage.scope == ir::MemoryScope::local) {
              const auto elements = eval_int(storage.elements);
              t.locals[local_slots_.at(&storage)] = std::make_unique<ir::Memory>(
                  static_cast<std::size_t>(ir::storage_bytes(storage.dtype, elements.value_or(0))),
                  false);
            }
            advance_frame();
          },
          [&](const ir::Declare&) { advance_frame(); },
          [&](const ir::Store& n) {
            const Cells values = eval(n.value);
            if (blocked_) return;
            store(n.to, values, stmt.span);
            if (blocked_) return;
            advance_frame();
          },
          [&](const ir::For& n) {
            const auto begin = eval_int(n.begin);
            const auto end = eval_int(n.end);
            const auto step_ = n.step ? eval_int(n.step) : std::optional<std::int64_t>(1);
            if (blocked_) return;
            advance_frame();
            if (!begin || !end || !step_ || *step_ == 0) {
              fault(ir::FaultKind::uninit, stmt.span,
                    "a loop bound depends on data that was never written");
              return;
            }
            const num::DType dtype = n.var->type.dtype;
            const bool up = num::is_unsigned(dtype) || *step_ > 0;
            if (up ? !is_below(*begin, *end, dtype) : !is_below(*end, *begin, dtype)) return;
            Frame inner{&n.body};
            inner.loop = &n;
            inner.value = *begin;
            inner.end = *end;
            inner.step = *step_;
            t.variables[slots_.at(n.var.get())] = {Cell{num::from_int64(*begin, dtype), false}};
            t.frames.push_back(inner);
          },
          [&](const ir::While& n) {
            advance_frame();
            Frame inner{&n.body};
            inner.loop_while = &n;
            inner.at = n.body.size();  // the condition first
            t.frames.push_back(inner);
          },
          [&](const ir::If& n) {
            const Cell condition = eval_one(n.condition);
            if (blocked_) return;
            if (condition.poison) {
              fault(ir::FaultKind::uninit, n.condition->span,
                    "a condition depends on data that was never written");
            }
            advance_frame();
            t.frames.push_back({condition.bits != 0 ? &n.then_body : &n.else_body});
          },
          [&](const ir::Break&) { loop_control(t, true); },
          [&](const ir::Continue&) { loop_control(t, false); },
          [&](const ir::Return&) { t.frames.clear(); },
          [&](const ir::Assert& n) {
            const Cell condition = eval_one(n.condition);
            if (blocked_) return;
            if (condition.poison) {
              fault(ir::FaultKind::uninit, stmt.span,
                    "an assertion depends on data that was never written");
            }
            if (condition.bits == 0) {
              fault(ir::FaultKind::trap, stmt.span,
                    n.message.empty() ? "assertion failed" : "assertion failed: " + n.message);
              stopped_ = true;
              return;
            }
            advance_frame();
          },
          [&](const ir::Evaluate& n) {
            static_cast<void>(eval(n.call));
            if (blocked_) return;
            advance_frame();
          },
          [&](const ir::TileCall& n) {
            advance_frame();
            t.tile = &n;
            t.tile_span = stmt.span;
            t.call = nullptr;
            t.state = State::waits;
          },
          [&](const ir::Group& n) {
            advance_frame();
            t.frames.push_back({&n.body});
          },
      },
      stmt.node);
}

}  // namespace tirx::sim::tile
