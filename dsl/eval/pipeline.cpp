// Helpers for kernels in stages (`from tvm.tirx.lang.pipeline import …`): which stage and phase a
// loop is in, and an array of mbarriers, one a stage.  They write ordinary statements.
#include <array>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/machine_call.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::dsl {

namespace {

constexpr std::string_view kModule = "tvm.tirx.lang.pipeline";

/// stage counts 0 … depth - 1, and phase flips when it wraps.
struct PipelineState : Object {
  static const ObjectType kType;

  PipelineState(std::int64_t d, ir::Buffer s, ir::Buffer p)
      : Object(kType), depth(d), stage(std::move(s)), phase(std::move(p)) {}

  std::int64_t depth;
  ir::Buffer stage, phase;
};

struct MbarrierArray : Object {
  static const ObjectType kType;

  MbarrierArray(ir::Buffer b, std::int64_t n) : Object(kType), barriers(std::move(b)), count(n) {}

  ir::Buffer barriers;
  std::int64_t count;
};

ir::Access only_element(const ir::Buffer& buffer, Span span) {
  return {buffer, {ir::make_int(0, ir::kInt32, span)}, {}, 1};
}

ir::Expr read(const ir::Buffer& buffer, Span span) {
  return load_expr(only_element(buffer, span), {buffer->dtype, 1}, span);
}

ir::Buffer counter(KernelBuilder& builder, const std::string& name, const ir::Expr& value) {
  const ir::Buffer made = builder.make_scalar(name, ir::kInt32, value->span);
  builder.emit(value->span, ir::Store{only_element(made, value->span), value});
  return made;
}

Value make_state(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel("PipelineState", args.span());
  builder.need_device("PipelineState()", args.span());
  const std::int64_t depth = args.integer(0);
  if (depth < 1) fail(args.span(0), "a pipeline has at least one stage, not {}", depth);
  const std::string name = args.target_or("state");
  const ir::Expr phase = args.has(1) ? integer_expr(args.expr(1), ir::kInt32, args.span(1))
                                     : ir::make_int(0, ir::kInt32, args.span());
  const ir::Buffer stage =
      counter(builder, name + "_stage", ir::make_int(0, ir::kInt32, args.span()));
  return std::make_shared<PipelineState>(depth, stage, counter(builder, name + "_phase", phase));
}

Value state_stage(Interpreter&, const Value& self, Span span) {
  return read(self.as<PipelineState>()->stage, span);
}

Value state_phase(Interpreter&, const Value& self, Span span) {
  return read(self.as<PipelineState>()->phase, span);
}

Value state_advance(Interpreter& interpreter, const Arguments& args) {
  const Span span = args.span();
  KernelBuilder& builder = interpreter.need_kernel("PipelineState.advance", span);
  const PipelineState& state = *args.self.as<PipelineState>();
  const ir::Expr one = ir::make_int(1, ir::kInt32, span);
  const auto set = [&](const ir::Buffer& buffer, const ir::Expr& value) {
    builder.emit(span, ir::Store{only_element(buffer, span), value});
  };
  set(state.stage, add_index(read(state.stage, span), one, span));
  ir::If wraps{
      scalar_expr(num::ScalarOp::eq,
                  {read(state.stage, span), ir::make_int(state.depth, ir::kInt32, span)}, span),
      {},
      {}};
  {
    const KernelBuilder::Into into(builder, wraps.then_body);
    set(state.stage, ir::make_int(0, ir::kInt32, span));
    set(state.phase, scalar_expr(num::ScalarOp::bit_xor, {read(state.phase, span), one}, span));
  }
  builder.emit(span, std::move(wraps));
  return {};
}

Value make_barriers(Interpreter& interpreter, const Arguments& args) {
  const std::int64_t count = args.integer(1);
  if (count < 1) fail(args.span(1), "an array of mbarriers has at least one, not {}", count);
  const Value alloc = interpreter.attribute(args[0], "alloc", args.span(0));
  CallArgs call;
  call.span = args.span();
  call.positional = {{make_tuple({Value(count)}), args.span(1)}, {Value("uint64"), args.span()}};
  call.targets = {args.target_or("mbarriers")};
  const Value buffer = interpreter.call(alloc, std::move(call));
  const auto* made = buffer.as<ir::Buffer>();
  if (made == nullptr || !ir::is_shared((*made)->scope())) args.wrong(0, "a pool of shared memory");
  return std::make_shared<MbarrierArray>(*made, count);
}

ir::Expr pointer_to(const ir::Buffer& barriers, const ir::Expr& stage, Span span) {
  return make_checked(ir::kHandle, span, ir::AddressOf{ir::Access{barriers, {stage}, {}, 1}});
}

ir::Expr stage_pointer(const Arguments& args, std::size_t at) {
  return pointer_to(args.self.as<MbarrierArray>()->barriers, index_expr(args[at], args.span(at)),
                    args.span());
}

/// Thread 0 of the CTA makes them all.
Value barriers_init(Interpreter& interpreter, const Arguments& args) {
  const Span span = args.span();
  KernelBuilder& builder = interpreter.need_kernel("MBarrier.init", span);
  const MbarrierArray& self = *args.self.as<MbarrierArray>();
  const ir::Expr count = integer_expr(args.expr(0), {num::DType::u32, 1}, args.span(0));
  const ir::Expr zero = ir::make_int(0, ir::kInt32, span);
  const auto is_zero = [&](ir::ScopeIdKind kind) {
    return scalar_expr(num::ScalarOp::eq, {scope_variable(builder, kind, span), zero}, span);
  };
  ir::If first{
      and_expr(is_zero(ir::ScopeIdKind::warp_id), is_zero(ir::ScopeIdKind::lane_id), span), {}, {}};
  for (std::int64_t i = 0; i < self.count; ++i) {
    const ir::Expr at = pointer_to(self.barriers, ir::make_int(i, ir::kInt32, span), span);
    first.then_body.push_back(
        {span, ir::Evaluate{ir::ptx::call("mbarrier.init.shared.b64", {at, count}, span)}});
  }
  builder.emit(span, std::move(first));
  return {};
}

Value barriers_wait(Interpreter& interpreter, const Arguments& args) {
  return machine_call(interpreter, ir::AllOps::id_of<ir::MbarrierWait>(),
                      {{Value(stage_pointer(args, 0)), args.span(0)}, {args[1], args.span(1)}}, "",
                      args.span());
}

Value barriers_arrive(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel("MBarrier.arrive", args.span());
  builder.emit(args.span(), ir::Evaluate{ir::ptx::call("mbarrier.arrive.shared.b64",
                                                       {stage_pointer(args, 0)}, args.span())});
  return {};
}

Value barriers_pointer(Interpreter&, const Arguments& args) {
  return stage_pointer(args, 0);
}

constexpr auto kPipelineFunctions = std::to_array<BuiltinFunction>({
    {"PipelineState", "depth, phase=0", make_state, "Counts stages and flips a phase."},
    {"MBarrier", "pool, count", make_barriers, "An array of mbarriers in shared memory."},
});

constexpr auto kStateMethods = std::to_array<BuiltinFunction>({
    {"advance", "", state_advance, "The next stage; behind the last one, the other phase."},
});

constexpr auto kStateProperties = std::to_array<Property>({
    {"stage", state_stage, "0 to depth - 1."},
    {"phase", state_phase, "0 or 1."},
});

constexpr auto kBarrierMethods = std::to_array<BuiltinFunction>({
    {"init", "count", barriers_init, "Thread 0 makes them for `count` arrivals a phase."},
    {"wait", "stage, phase", barriers_wait, "Waits for the phase of that parity."},
    {"arrive", "stage", barriers_arrive, "Arrives."},
    {"ptr_to", "stage", barriers_pointer, "A pointer to one."},
});

}  // namespace

const ObjectType PipelineState::kType{.name = "pipeline state"};
const ObjectType MbarrierArray::kType{.name = "mbarriers"};

void register_pipeline(Registry& registry) {
  registry.add(kModule, kPipelineFunctions);
  registry.add_methods("pipeline state", kStateMethods);
  registry.add_properties("pipeline state", kStateProperties);
  registry.add_methods("mbarriers", kBarrierMethods);
}

}  // namespace tirx::dsl
