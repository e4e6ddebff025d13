// From an operation's id to its evaluation: one handler per operation of the one list.
#include "sim/exec/handlers.hpp"
#include "sim/ops/context.hpp"

namespace tirx::sim::exec {

namespace {

template <typename Op>
const Instr* execute(const Instr* pc, Warp& w) {
  ops::Context context{pc, w, *pc->data.call, w.mask};
  ++w.serial;
  const ops::Next next = ops::eval(Op{}, context);
  switch (next) {
    case ops::Next::go_on:
      return pc + 1;
    case ops::Next::wait:
      w.strands[w.running].pc = pc + 1;
      w.stop = Stop::blocked;
      return nullptr;
    case ops::Next::retry:
      w.strands[w.running].pc = pc;
      w.stop = Stop::blocked;
      return nullptr;
    case ops::Next::stop:
      w.stop = Stop::abort;
      return nullptr;
  }
  return nullptr;
}

}  // namespace

Handler find_machine_op(ir::OpId op) {
  return ir::AllOps::visit(op, [](auto tag) -> Handler { return execute<decltype(tag)>; });
}

}  // namespace tirx::sim::exec
