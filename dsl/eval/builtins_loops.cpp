// What a kernel's `for` runs over.
#include <array>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

namespace {

LoopFrame::Level level_of(const Arguments& args, std::size_t start, std::size_t stop) {
  LoopFrame::Level level;
  const Span span = args.span();
  if (args.has(stop)) {
    level.begin = index_expr(args[start], args.span(start));
    level.end = index_expr(args[stop], args.span(stop));
  } else {
    level.begin = ir::make_int(0, ir::kInt32, span);
    level.end = index_expr(args[start], args.span(start));
  }
  level.step = ir::make_int(1, ir::kInt32, span);
  return level;
}

/// unroll=True: fully (-1); False: not at all (1); n: by n; None: as the compiler likes (0).
int unroll_factor(const Arguments& args, std::size_t i) {
  if (!args.has(i)) return 0;
  if (const bool* flag = args[i].as<bool>()) return *flag ? -1 : 1;
  const std::int64_t factor = args.integer(i);
  if (factor < 1 || factor > 1024) fail(args.span(i), "unroll= must lie in 1 … 1024");
  return static_cast<int>(factor);
}

Value one_level(const Arguments& args, ir::LoopKind kind) {
  auto frame = std::make_shared<LoopFrame>();
  frame->kind = kind;
  LoopFrame::Level level = level_of(args, 0, 1);
  if (args.has(2)) level.step = index_expr(args[2], args.span(2));
  frame->unroll = unroll_factor(args, 3);
  if (args.has(5)) {
    level.type = args.type(5);
    const num::DType dtype = level.type.dtype;
    if (level.type.lanes != 1 || !num::is_int(dtype) || num::bits(dtype) < 32) {
      fail(args.span(5), "a loop variable is int32, uint32, int64 or uint64");
    }
  }
  finish_level(level, args.span());
  frame->levels.push_back(std::move(level));
  return frame;
}

Value serial(Interpreter&, const Arguments& args) {
  return one_level(args, ir::LoopKind::serial);
}

Value unroll(Interpreter&, const Arguments& args) {
  return one_level(args, ir::LoopKind::unroll);
}

Value vectorized(Interpreter&, const Arguments& args) {
  return one_level(args, ir::LoopKind::vectorized);
}

Value parallel(Interpreter&, const Arguments& args) {
  return one_level(args, ir::LoopKind::parallel);
}

Value grid(Interpreter&, const Arguments& args) {
  auto frame = std::make_shared<LoopFrame>();
  if (args.rest().empty() || args.rest().size() > 16) {
    fail(args.span(), "T.grid() takes 1 to 16 extents");
  }
  for (const ArgumentValue& extent : args.rest()) {
    LoopFrame::Level level;
    level.begin = ir::make_int(0, ir::kInt32, extent.span);
    level.step = ir::make_int(1, ir::kInt32, extent.span);
    if (const Values* pair = sequence(extent.value)) {
      if (pair->size() != 2) fail(extent.span, "an extent of T.grid is n or (begin, end)");
      level.begin = index_expr((*pair)[0], extent.span);
      level.end = index_expr((*pair)[1], extent.span);
    } else {
      level.end = index_expr(extent.value, extent.span);
    }
    finish_level(level, extent.span);
    frame->levels.push_back(std::move(level));
  }
  return frame;
}

Value thread_binding(Interpreter&, const Arguments& args) {
  auto frame = std::make_shared<LoopFrame>();
  LoopFrame::Level level = level_of(args, 0, 1);
  std::int64_t begin = 0;
  if (!ir::is_const_int(level.begin, begin) || begin != 0) {
    fail(args.span(0), "T.thread_binding() starts at 0");
  }
  finish_level(level, args.span());
  frame->levels.push_back(std::move(level));
  frame->thread = args.text(2);
  return frame;
}

constexpr std::string_view kSignature =
    "start, stop=None, step=1, unroll=None, annotations=None, dtype='int32'";

constexpr auto kLoopsFunctions = std::to_array<BuiltinFunction>({
    {"serial", kSignature, serial, "One iteration after the other."},
    {"unroll", kSignature, unroll, "Copied out by the compiler."},
    {"vectorized", kSignature, vectorized, "Iterations that may become vector instructions."},
    {"parallel", kSignature, parallel, "Iterations that do not depend on each other."},
    {"grid", "*extents", grid, "Nested serial loops."},
    {"thread_binding", "start, stop=None, thread=", thread_binding,
     "Not a loop: the threads of a launch axis."},
});

}  // namespace

void register_loops(Registry& registry) {
  registry.add("T", kLoopsFunctions);
}

}  // namespace tirx::dsl
