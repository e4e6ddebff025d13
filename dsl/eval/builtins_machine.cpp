// T.cuda.*: synchronisation, exchanges between lanes, atomics, fences, output; and T.tvm_….
#include <array>
#include <vector>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/machine_call.hpp"
#include "ir/all_ops.hpp"

namespace tirx::dsl {

namespace {

template <typename Op>
constexpr ir::OpId id() {
  return ir::AllOps::id_of<Op>();
}

std::vector<ArgumentValue> given(const Arguments& args, std::size_t count) {
  std::vector<ArgumentValue> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (!args.given(i)) break;
    out.push_back({args[i], args.span(i)});
  }
  return out;
}

/// Any row of the operation list, by its name.
Value by_name(Interpreter& interpreter, const Arguments& args) {
  const ir::OpId op = *ir::AllOps::find(std::string_view(args.function()).substr(2));
  const ir::OpSpec& spec = ir::spec(op);
  return machine_call(interpreter, op, given(args, spec.max_operands()), "", args.span());
}

/// Atomics and ordered accesses: semantics and scope as keywords, "relaxed.gpu" by default.
Value atomic(Interpreter& interpreter, const Arguments& args) {
  const ir::OpId op = *ir::AllOps::find(std::string_view(args.function()).substr(2));
  const std::size_t operands = ir::spec(op).max_operands();
  const std::string semantics = args.text_or(operands, "relaxed");
  const std::string scope = args.text_or(operands + 1, "gpu");
  const auto check = [&](const std::string& word, const std::vector<std::string>& known,
                         std::string_view what, std::size_t at) {
    for (const std::string& one : known) {
      if (one == word) return;
    }
    fail(args.span(at), "no {} is called '{}'{}", what, word, did_you_mean(word, known));
  };
  check(semantics, {"relaxed", "acquire", "release", "acq_rel"}, "memory order", operands);
  check(scope, {"cta", "cluster", "gpu", "sys"}, "memory scope", operands + 1);
  return machine_call(interpreter, op, given(args, operands), semantics + "." + scope, args.span());
}

Value thread_fence(Interpreter& interpreter, const Arguments& args) {
  const std::string scope = args.text_or(0, "gpu");
  if (scope != "cta" && scope != "cluster" && scope != "gpu" && scope != "sys") {
    fail(args.span(0), "a fence's scope is cta, cluster, gpu or sys, not '{}'", scope);
  }
  return machine_call(interpreter, id<ir::ThreadFence>(), {}, scope, args.span());
}

Value cluster_sync(Interpreter& interpreter, const Arguments& args) {
  (void)machine_call(interpreter, id<ir::ClusterArrive>(), {}, "", args.span());
  return machine_call(interpreter, id<ir::ClusterWait>(), {}, "", args.span());
}

Value warpgroup_sync(Interpreter& interpreter, const Arguments& args) {
  return machine_call(interpreter, id<ir::NamedBarrierSync>(),
                      {{args[0], args.span(0)}, {Value(ir::kThreadsPerWarpgroup), args.span()}}, "",
                      args.span());
}

Value storage_sync(Interpreter& interpreter, const Arguments& args) {
  const std::string& scope = args.text(0);
  if (scope == "warp") {
    return machine_call(interpreter, id<ir::WarpSync>(), {}, "", args.span());
  }
  if (scope != "shared" && scope != "shared.dyn") {
    fail(args.span(0), "T.tvm_storage_sync() takes \"shared\" or \"warp\", not '{}'", scope);
  }
  return machine_call(interpreter, id<ir::CtaSync>(), {}, "", args.span());
}

/// The conversions of a printf format, each a number's; the arguments are as many.
void check_format(const Arguments& args, const std::string& format) {
  std::size_t conversions = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (i + 1 < format.size() && format[i + 1] == '%') {
      ++i;
      continue;
    }
    const std::size_t letter = format.find_first_not_of("-+ #0123456789.lhz", i + 1);
    if (letter == std::string::npos) fail(args.span(0), "the format ends inside of a conversion");
    constexpr std::string_view kNumbers = "dioxXucfFeEgGa";
    if (kNumbers.find(format[letter]) == std::string_view::npos) {
      fail_help(args.span(0),
                fmt::format("T.cuda.printf prints numbers, and %{} is no conversion of a number",
                            format[letter]),
                "%d %u %x %c %f %e %g; text belongs into the format itself");
    }
    ++conversions;
    i = letter;
  }
  if (conversions != args.rest().size()) {
    fail(args.span(0), "the format has {} conversions, and {} values follow", conversions,
         args.rest().size());
  }
}

Value printf(Interpreter& interpreter, const Arguments& args) {
  const std::string format = args.text(0);
  check_format(args, format);
  return machine_call(interpreter, id<ir::Printf>(), args.rest(), format, args.span());
}

Value print_buffer(Interpreter& interpreter, const Arguments& args) {
  const auto region = to_region(args[0], args.span(0));
  if (!region) args.wrong(0, "a buffer");
  ir::Expr count = ir::make_int(1, ir::kInt32, args.span());
  for (const ir::Range& range : region->ranges) {
    count = mul_index(count, range.extent, args.span());
  }
  return machine_call(interpreter, id<ir::PrintBuffer>(),
                      {{args[0], args.span(0)}, {Value(count), args.span()}}, region->buffer->name,
                      args.span());
}

Value func_call(Interpreter& interpreter, const Arguments& args) {
  const std::string& name = args.text(0);
  const std::string source = args.text(2);
  const Value call = machine_call(interpreter, id<ir::RawCudaCall>(), args.rest(),
                                  name + "\n" + source, args.span());
  const std::string returned =
      args.has(3) ? (args[3].text() != nullptr ? *args[3].text() : ir::to_string(args.type(3)))
                  : std::string("void");
  const auto* expr = call.as<ir::Expr>();
  if (returned == "void" || returned == "None") {
    const ir::Expr nothing = ir::make_expr(ir::kVoid, args.span(), *ir::as<ir::MachineCall>(*expr));
    interpreter.need_kernel("T.cuda.func_call", args.span())
        .emit(args.span(), ir::Evaluate{nothing});
    return {};
  }
  const ir::Type type = args.type(3);
  return ir::make_expr(type, args.span(), *ir::as<ir::MachineCall>(*expr));
}

template <typename Op>
Value tvm_shuffle(Interpreter& interpreter, const Arguments& args) {
  return machine_call(interpreter, id<Op>(), given(args, 4), "", args.span());
}

// ---- reductions over warps and CTAs -------------------------------------------------------------

num::ScalarOp combine_op(const Arguments& args, std::size_t i) {
  const std::string word = args.text_or(i, "sum");
  if (word == "sum" || word == "add") return num::ScalarOp::add;
  if (word == "max") return num::ScalarOp::max;
  if (word == "min") return num::ScalarOp::min;
  fail(args.span(i), "a reduction is \"sum\", \"max\" or \"min\", not '{}'", word);
}

ir::Access at_zero(const ir::Buffer& buffer, Span span) {
  return {buffer, {ir::make_int(0, ir::kInt32, span)}, {}, 1};
}

ir::Expr read(const ir::Buffer& buffer, Span span) {
  return load_expr(at_zero(buffer, span), {buffer->dtype, 1}, span);
}

ir::Buffer variable(KernelBuilder& builder, const char* name, const ir::Expr& value, Span span) {
  const ir::Buffer buffer = builder.make_scalar(name, value->type, span);
  builder.emit(span, ir::Store{at_zero(buffer, span), value});
  return buffer;
}

/// acc = op(acc, acc of the lane at distance width/2, …, 1).
void reduce_warp(Interpreter& interpreter,
                 const ir::Buffer& acc,
                 num::ScalarOp op,
                 std::int64_t width,
                 Span span) {
  KernelBuilder& builder = *interpreter.kernel();
  for (std::int64_t offset = width / 2; offset > 0; offset /= 2) {
    const Value other = machine_call(interpreter, id<ir::ShuffleXor>(),
                                     {{Value(std::int64_t{0xffffffff}), span},
                                      {Value(read(acc, span)), span},
                                      {Value(offset), span}},
                                     "", span);
    builder.emit(span, ir::Store{at_zero(acc, span),
                                 scalar_expr(op, {read(acc, span), *other.as<ir::Expr>()}, span)});
  }
}

std::int64_t warp_width(const Arguments& args, std::size_t i) {
  const std::int64_t width = args.integer_or(i, 32);
  if (width < 1 || width > 32 || (width & (width - 1)) != 0) {
    fail(args.span(i), "the width of a warp reduction is 1, 2, 4, 8, 16 or 32, not {}", width);
  }
  return width;
}

Value warp_reduce_by(Interpreter& interpreter,
                     const Arguments& args,
                     num::ScalarOp op,
                     std::size_t width_at) {
  KernelBuilder& builder = interpreter.need_kernel(args.function(), args.span());
  const std::int64_t width = warp_width(args, width_at);
  const ir::Buffer acc = variable(builder, "reduced", args.expr(0), args.span());
  reduce_warp(interpreter, acc, op, width, args.span());
  return read(acc, args.span());
}

Value warp_reduce(Interpreter& interpreter, const Arguments& args) {
  return warp_reduce_by(interpreter, args, combine_op(args, 1), 2);
}

template <num::ScalarOp op>
Value warp_fixed(Interpreter& interpreter, const Arguments& args) {
  return warp_reduce_by(interpreter, args, op, 1);
}

ir::Expr identity_of(num::ScalarOp op, ir::Type type, Span span) {
  if (op == num::ScalarOp::add) return literal_as(Value(0), type, span);
  const num::DTypeRow& row = num::row(type.dtype);
  const bool lowest = op == num::ScalarOp::max;
  std::uint64_t bits = 0;
  if (row.kind == num::Kind::floating) {
    const auto exponents = ((std::uint64_t{1} << row.exponent) - 1) << row.fraction;
    bits = lowest ? exponents | (std::uint64_t{1} << (row.exponent + row.fraction)) : exponents;
  } else if (row.kind == num::Kind::signed_int) {
    const std::uint64_t top = std::uint64_t{1} << (row.bits - 1);
    bits = lowest ? top : top - 1;
  } else {
    bits = lowest ? 0 : row.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << row.bits) - 1;
  }
  return ir::make_expr(type, span, ir::Const{bits});
}

Value cta_reduce_by(Interpreter& interpreter,
                    const Arguments& args,
                    num::ScalarOp op,
                    std::size_t warps_at) {
  const Span span = args.span();
  KernelBuilder& builder = interpreter.need_kernel(args.function(), span);
  const std::int64_t warps = args.integer(warps_at);
  if (warps < 1 || warps > 32) fail(args.span(warps_at), "a CTA has 1 to 32 warps, not {}", warps);
  const auto* scratch = args[warps_at + 1].as<ir::Buffer>();
  if (scratch == nullptr || !ir::is_shared((*scratch)->scope())) {
    args.wrong(warps_at + 1, "a shared buffer with one element per warp");
  }
  const ir::Buffer acc = variable(builder, "reduced", args.expr(0), span);
  const ir::Type type{acc->dtype, 1};
  if ((*scratch)->dtype != acc->dtype || (*scratch)->shape.size() != 1) {
    fail(args.span(warps_at + 1), "the scratch buffer must be one-dimensional and of {}",
         num::name(acc->dtype));
  }
  const ir::Expr lane = scope_variable(builder, ir::ScopeIdKind::lane_id, span);
  const ir::Expr warp = scope_variable(builder, ir::ScopeIdKind::warp_id, span);
  const ir::Expr zero = ir::make_int(0, ir::kInt32, span);
  const auto is_zero = [&](const ir::Expr& value) {
    return scalar_expr(num::ScalarOp::eq, {value, zero}, span);
  };

  reduce_warp(interpreter, acc, op, 32, span);
  {
    ir::If leader{is_zero(lane), {}, {}};
    leader.then_body.push_back(
        {span, ir::Store{ir::Access{*scratch, {warp}, {}, 1}, read(acc, span)}});
    builder.emit(span, std::move(leader));
  }
  (void)machine_call(interpreter, id<ir::CtaSync>(), {}, "", span);
  {
    ir::If first_warp{is_zero(warp), {}, {}};
    {
      const KernelBuilder::Into guard(builder, first_warp.then_body);
      const ir::Expr present =
          scalar_expr(num::ScalarOp::lt, {lane, ir::make_int(warps, ir::kInt32, span)}, span);
      const ir::Expr mine = load_expr({*scratch, {lane}, {}, 1}, type, span);
      builder.emit(
          span,
          ir::Store{at_zero(acc, span),
                    make_checked(type, span,
                                 ir::IfThenElse{present, mine, identity_of(op, type, span)})});
      reduce_warp(interpreter, acc, op, 32, span);
      ir::If leader{is_zero(lane), {}, {}};
      leader.then_body.push_back(
          {span, ir::Store{ir::Access{*scratch, {zero}, {}, 1}, read(acc, span)}});
      builder.emit(span, std::move(leader));
    }
    builder.emit(span, std::move(first_warp));
  }
  (void)machine_call(interpreter, id<ir::CtaSync>(), {}, "", span);
  builder.emit(span,
               ir::Store{at_zero(acc, span), load_expr({*scratch, {zero}, {}, 1}, type, span)});
  return read(acc, span);
}

Value cta_reduce(Interpreter& interpreter, const Arguments& args) {
  return cta_reduce_by(interpreter, args, combine_op(args, 1), 2);
}

template <num::ScalarOp op>
Value cta_fixed(Interpreter& interpreter, const Arguments& args) {
  return cta_reduce_by(interpreter, args, op, 1);
}

// ---- bits ---------------------------------------------------------------------------------------

template <num::DType dtype>
Value as_bits(Interpreter&, const Arguments& args) {
  return reinterpret_expr(args.expr(0), {dtype, 1}, args.span());
}

Value grid_sync(Interpreter&, const Arguments& args) {
  fail_help(args.span(), "T.cuda.grid_sync() needs a cooperative launch, which tirx does not make",
            "end the kernel and launch the next one");
}

Value fdividef(Interpreter&, const Arguments& args) {
  fail_help(args.span(), "the bits of T.cuda.fdividef() are not recorded",
            "x / y is the exact quotient; T.ptx.rcp.approx.ftz.f32 approximates 1 / y");
}

/// make_float2(x, y), …: a short vector.
template <num::DType dtype, int lanes>
Value make_short_vector(Interpreter& interpreter, const Arguments& args) {
  ir::MakeVector made;
  for (int i = 0; i < lanes; ++i) {
    const auto at = static_cast<std::size_t>(i);
    made.lanes.push_back(interpreter.convert_for_store(args[at], {dtype, 1}, args.span(at)));
  }
  return make_checked({dtype, static_cast<std::uint16_t>(lanes)}, args.span(), std::move(made));
}

/// A pointer into shared memory stays what it is: instructions convert it themselves.
Value shared_pointer(Interpreter& interpreter, const Arguments& args) {
  const ir::Expr pointer = pointer_expr(interpreter, args[0], args.span(0));
  if (!ir::is_shared(ir::as<ir::AddressOf>(pointer)->element.buffer->scope())) {
    args.wrong(0, "a pointer into shared memory");
  }
  return pointer;
}

/// Rows whose operands are plain values.
constexpr auto kByName = std::to_array<std::string_view>({
    "cta_sync",
    "warp_sync",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__all_sync",
    "__any_sync",
    "__ballot_sync",
    "__match_any_sync",
    "__activemask",
    "elect_sync",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__reduce_and_sync",
    "__reduce_or_sync",
    "__reduce_xor_sync",
    "ldg",
    "mbarrier_wait",
    "nano_sleep",
    "clock",
    "trap",
});

constexpr auto kAtomics = std::to_array<std::string_view>({
    "atomic_add",
    "atomic_min",
    "atomic_max",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
    "atomic_exch",
    "atomic_cas",
});

std::string signature_of(const ir::OpSpec& spec, bool ordered) {
  std::string out;
  for (std::size_t i = 0; i < spec.max_operands(); ++i) {
    std::string name(spec.operands[i]);
    if (name.back() == '?') name.back() = '=';
    out += (out.empty() ? "" : ", ") + name;
  }
  if (ordered) out += ", *, sem=relaxed, scope=gpu";
  return out;
}

struct NamedRows {
  std::vector<std::string> signatures;
  std::vector<BuiltinFunction> rows;
};

const std::vector<BuiltinFunction>& rows_by_name() {
  static const NamedRows kRows = [] {
    NamedRows made;
    made.signatures.reserve(kByName.size() + kAtomics.size());
    const auto add = [&](std::string_view name, bool ordered) {
      const auto op = ir::AllOps::find("cuda." + std::string(name));
      made.signatures.push_back(signature_of(ir::spec(*op), ordered));
      made.rows.push_back(
          {name, made.signatures.back(), ordered ? atomic : by_name, ir::spec(*op).doc});
    };
    for (const std::string_view name : kByName) add(name, false);
    for (const std::string_view name : kAtomics) add(name, true);
    return made;
  }();
  return kRows.rows;
}

constexpr auto kCuda = std::to_array<BuiltinFunction>({
    {"thread_fence", "scope='gpu'", thread_fence, "Orders memory accesses (fence.acq_rel)."},
    {"cluster_sync", "", cluster_sync, "Waits for all threads of the cluster."},
    {"warpgroup_sync", "barrier", warpgroup_sync, "Waits for the threads of the warpgroup."},
    {"grid_sync", "", grid_sync, "Waits for the whole grid (not available)."},
    {"fdividef", "x, y", fdividef, "An approximate quotient (not available)."},
    {"make_float2", "x, y", make_short_vector<num::DType::f32, 2>, "A float32x2."},
    {"make_float4", "x, y, z, w", make_short_vector<num::DType::f32, 4>, "A float32x4."},
    {"make_int2", "x, y", make_short_vector<num::DType::i32, 2>, "An int32x2."},
    {"make_int4", "x, y, z, w", make_short_vector<num::DType::i32, 4>, "An int32x4."},
    {"make_uint2", "x, y", make_short_vector<num::DType::u32, 2>, "A uint32x2."},
    {"make_uint4", "x, y, z, w", make_short_vector<num::DType::u32, 4>, "A uint32x4."},
    {"cvta_generic_to_shared", "pointer", shared_pointer,
     "The pointer, for an operand in shared memory."},
    {"printf", "format, *values", printf, "Prints from each thread."},
    {"func_call", "name, *args, source_code=, return_type='void'", func_call,
     "Calls a device function given as CUDA source."},
    {"warp_reduce", "value, op='sum', width=32", warp_reduce, "Reduces over the lanes."},
    {"warp_sum", "value, width=32", warp_fixed<num::ScalarOp::add>, "Sum over the lanes."},
    {"warp_max", "value, width=32", warp_fixed<num::ScalarOp::max>, "Maximum over the lanes."},
    {"warp_min", "value, width=32", warp_fixed<num::ScalarOp::min>, "Minimum over the lanes."},
    {"cta_reduce", "value, op, num_warps, scratch", cta_reduce, "Reduces over the CTA."},
    {"cta_sum", "value, num_warps, scratch", cta_fixed<num::ScalarOp::add>, "Sum over the CTA."},
    {"cta_max", "value, num_warps, scratch", cta_fixed<num::ScalarOp::max>, "Maximum over it."},
    {"cta_min", "value, num_warps, scratch", cta_fixed<num::ScalarOp::min>, "Minimum over it."},
    {"uint_as_float", "value", as_bits<num::DType::f32>, "The bits as float32."},
    {"float_as_uint", "value", as_bits<num::DType::u32>, "The bits as uint32."},
    {"int_as_float", "value", as_bits<num::DType::f32>, "The bits as float32."},
    {"float_as_int", "value", as_bits<num::DType::i32>, "The bits as int32."},
});

constexpr auto kTvm = std::to_array<BuiltinFunction>({
    {"tvm_storage_sync", "scope", storage_sync, "Waits for the CTA (or the warp)."},
    {"tvm_warp_shuffle", "mask, value, lane, width=, warp_size=", tvm_shuffle<ir::ShuffleIdx>,
     "The value of a lane."},
    {"tvm_warp_shuffle_up", "mask, value, delta, width=, warp_size=", tvm_shuffle<ir::ShuffleUp>,
     "The value of a lower lane."},
    {"tvm_warp_shuffle_down", "mask, value, delta, width=, warp_size=",
     tvm_shuffle<ir::ShuffleDown>, "The value of a higher lane."},
    {"tvm_warp_shuffle_xor", "mask, value, lane_mask, width=, warp_size=",
     tvm_shuffle<ir::ShuffleXor>, "The value of the lane whose id differs."},
    {"print_buffer", "buffer", print_buffer, "Prints a buffer from each thread."},
});

}  // namespace

void register_machine(Registry& registry) {
  registry.add("T.cuda", rows_by_name());
  registry.add("T.cuda", kCuda);
  registry.add("T", kTvm);
}

}  // namespace tirx::dsl
