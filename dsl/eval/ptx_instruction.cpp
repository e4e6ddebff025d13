// Operands of instructions by name (docs/language/ptx.md): destinations lead and must be writable,
// register groups are flattened, addresses are pointers into the instruction's state space.
#include "dsl/eval/ptx_instruction.hpp"

#include <algorithm>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/machine_call.hpp"
#include "dsl/eval/views.hpp"
#include "numerics/storage_bits.hpp"

namespace tirx::dsl {

namespace {

using ir::ptx::Instruction;
using ir::ptx::Operand;
using Kind = Operand::Kind;

/// "d0, d1, [p]": the operands as they are written in a call.
std::string operand_list(const Instruction& instruction, bool value) {
  std::string out;
  for (const Operand& operand : instruction.operands) {
    if (value && operand.kind == Kind::output) continue;
    for (int i = 0; i < operand.count; ++i) {
      std::string name(operand.name);
      if (operand.count > 1) name += std::to_string(i);
      if (operand.kind == Kind::address) name = "[" + name + "]";
      if (operand.optional) name += "?";
      out += (out.empty() ? "" : ", ") + name;
    }
  }
  return out;
}

std::string_view space_name(ir::ptx::Space space) {
  switch (space) {
    case ir::ptx::Space::generic:
      return "generic";
    case ir::ptx::Space::global:
      return "global";
    case ir::ptx::Space::shared:
      return "shared";
  }
  return "";
}

/// Whether a register of this type can hold a value of that one.
bool fits(const ir::ptx::Register& reg, num::DType dtype) {
  if (dtype == num::DType::boolean || reg.dtype == num::DType::boolean) return dtype == reg.dtype;
  if (num::bits(dtype) != num::bits(reg.dtype)) return false;
  if (reg.any) return true;
  if (num::is_float(reg.dtype) || num::is_float(dtype)) return dtype == reg.dtype;
  return true;
}

std::string register_name(const ir::ptx::Register& reg) {
  if (reg.any) return fmt::format("{} bits", num::bits(reg.dtype));
  return reg.dtype == num::DType::boolean ? std::string("bool") : std::string(num::name(reg.dtype));
}

/// The address `offset` bytes behind an element: in a view of the whole storage, since what lies
/// there physically need not be a neighbour by its indices.
ir::Expr displaced(Interpreter& interpreter,
                   const ir::Expr& pointer,
                   std::int64_t offset,
                   Span span) {
  if (offset == 0) return pointer;
  ir::Access access = ir::as<ir::AddressOf>(pointer)->element;
  const ir::Buffer buffer = access.buffer;
  const ir::Storage& storage = *buffer->storage;
  const int width = num::storage_bits(buffer->dtype);
  if (offset * 8 % width != 0) {
    fail(span, "an offset of {} bytes is not a whole number of {} elements", offset,
         num::name(buffer->dtype));
  }
  const ir::Expr moved = ir::make_int(offset * 8 / width, ir::kInt32, span);
  if (access.indices.size() == 1 && is_row_major(*buffer)) {
    access.indices[0] = add_index(access.indices[0], moved, span);
    return make_checked(ir::kHandle, span, ir::AddressOf{std::move(access)});
  }
  BufferSpec view;
  if (storage.elements) {
    view.shape = {scale_offset(storage.elements, num::storage_bits(storage.dtype), width, span)};
  } else if (is_row_major(*buffer) && !buffer->offset) {
    ir::Expr elements = ir::make_int(1, ir::kInt32, span);
    for (const ir::Expr& extent : buffer->shape) elements = mul_index(elements, extent, span);
    view.shape = {elements};
  } else {
    fail_help(span, fmt::format("{} is not one run of elements", buffer->name),
              "index the element itself instead of moving an address");
  }
  view.name = buffer->name;
  view.dtype = buffer->dtype;
  view.scope = buffer->scope();
  view.span = span;
  ir::Expr flat = add_index(element_offset(access, span), moved, span);
  const ir::Buffer made = declare_view(interpreter, std::move(view), buffer, span);
  return make_checked(ir::kHandle, span, ir::AddressOf{ir::Access{made, {std::move(flat)}, {}, 1}});
}

class Call {
 public:
  Call(Interpreter& interpreter, const Instruction& instruction, CallArgs args, PtxResult result)
      : interpreter_(interpreter),
        instruction_(instruction),
        text_(instruction.text()),
        span_(args.span),
        given_(std::move(args.positional)),
        value_(result != PtxResult::destinations),
        values_(result == PtxResult::values),
        builder_(interpreter.need_kernel("T.ptx." + text_, args.span)) {
    builder_.need_device("T.ptx." + text_, span_);
    keywords(args.named);
  }

  Value run() {
    choose();
    std::vector<Destination> destinations;
    std::vector<ir::Expr> arguments;
    // Arguments are numbered with the required ones first.
    for (const Operand* operand : present_) {
      if (operand->kind == Kind::output) {
        for (int i = 0; i < operand->count; ++i) destinations.push_back(destination(*operand, i));
        continue;
      }
      arguments.resize(std::max(arguments.size(), operand->at + 1));
      arguments[operand->at] = argument(*operand);
    }
    const bool all =
        instruction_.outputs(true) == destinations.size() || (value_ && (values_ || all_outputs()));
    const ir::Type type = instruction_.value_type(all);
    ir::Expr call =
        make_checked(type, span_, ir::ptx::make_call(instruction_, std::move(arguments)));
    if (value_ && !type.is_void()) {
      if (predicate_) fail(span_, "a value cannot be predicated: give destinations");
      return call;
    }
    if (!predicate_) {
      emit(call, destinations);
      return {};
    }
    if (!type.is_void() && !preserve_) {
      fail_help(span_,
                fmt::format("where the predicate is false, the destinations of '{}' are undefined",
                            text_),
                "preserve_dst=True keeps their old values");
    }
    ir::If guarded{predicate_, {}, {}};
    {
      const KernelBuilder::Into into(builder_, guarded.then_body);
      emit(call, destinations);
    }
    builder_.emit(span_, std::move(guarded));
    return {};
  }

 private:
  struct Destination {
    std::optional<ir::Access> to;  // nothing: SINK
    ir::Type type;
    ir::ptx::Register from;
  };

  void keywords(const std::vector<std::pair<std::string, ArgumentValue>>& named) {
    for (const auto& [name, given] : named) {
      if (name == "pred") {
        predicate_ = condition_expr(interpreter_.expr(given.value, given.span), given.span);
      } else if (name == "preserve_dst") {
        const auto* flag = given.value.as<bool>();
        if (flag == nullptr) fail(given.span, "preserve_dst must be True or False");
        preserve_ = *flag;
      } else {
        fail_help(given.span, fmt::format("'{}' takes no keyword '{}'", text_, name),
                  "pred=condition executes it where the condition holds");
      }
    }
  }

  [[nodiscard]] bool all_outputs() const {
    return std::none_of(
        instruction_.operands.begin(), instruction_.operands.end(),
        [](const Operand& operand) { return operand.kind == Kind::output && operand.optional; });
  }

  /// Registers that an operand takes among the given ones: a vector is a whole group.
  [[nodiscard]] std::size_t width(const Operand& operand, std::size_t at) const {
    if (operand.count == 1 || at >= given_.size()) return 1;
    const auto* expr = given_[at].value.as<ir::Expr>();
    const bool whole = expr != nullptr && (*expr)->type.lanes == operand.count;
    return whole ? 1 : static_cast<std::size_t>(operand.count);
  }

  /// Which optional operands are there: as many as the call has room for, from the left.
  void choose() {
    const auto count = [&](std::size_t optional) -> std::optional<std::size_t> {
      std::size_t at = 0, taken = 0;
      present_.clear();
      for (const Operand& operand : instruction_.operands) {
        if (value_ && operand.kind == Kind::output) continue;
        if (operand.optional && taken++ >= optional) continue;
        present_.push_back(&operand);
        at += width(operand, at);
      }
      return at == given_.size() ? std::optional(at) : std::nullopt;
    };
    std::size_t optional = 0;
    for (const Operand& operand : instruction_.operands) optional += operand.optional ? 1 : 0;
    for (std::size_t n = 0; n <= optional; ++n) {
      if (count(n)) return;
    }
    std::size_t least = 0, most = 0;
    for (const Operand& operand : instruction_.operands) {
      if (value_ && operand.kind == Kind::output) continue;
      most += static_cast<std::size_t>(operand.count);
      if (!operand.optional) least += static_cast<std::size_t>(operand.count);
    }
    const std::string expected =
        least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
    const std::string list = operand_list(instruction_, value_);
    fail(span_, "'{}' expects {} operand{}{}, not {}", text_, expected, most == 1 ? "" : "s",
         list.empty() ? "" : " (" + list + ")", given_.size());
  }

  const ArgumentValue& next() { return given_[next_++]; }

  std::string name_of(const Operand& operand, int i) const {
    std::string name(operand.name);
    if (operand.count > 1) name += std::to_string(i);
    return name;
  }

  Destination destination(const Operand& operand, int i) {
    const ArgumentValue& given = next();
    if (given.value.is<PtxSink>()) return {std::nullopt, {}, operand.type};
    const ir::Access* place = writable_place(given.value);
    if (place == nullptr) {
      fail_help(given.span,
                fmt::format("destination {} of '{}' must be a writable scalar", name_of(operand, i),
                            text_),
                "an element of a buffer, a variable `x: T.uint32`, or T.ptx.SINK");
    }
    const ir::Type type = (*given.value.as<ir::Expr>())->type;
    if (type.lanes != 1 || !fits(operand.type, type.dtype)) {
      fail(given.span, "destination {} of '{}' must have dtype {}, not {}", name_of(operand, i),
           text_, register_name(operand.type), ir::to_string(type));
    }
    return {*place, type, operand.type};
  }

  ir::Expr argument(const Operand& operand) {
    switch (operand.kind) {
      case Kind::address:
        return address(operand);
      case Kind::immediate:
        return immediate(operand);
      default:
        break;
    }
    const bool whole = operand.count > 1 && width(operand, next_) == 1;
    if (whole) {
      const ArgumentValue& given = next();
      const ir::Expr value = interpreter_.expr(given.value, given.span);
      check_type(operand, 0, value->type, given.span);
      return reinterpret_expr(value, {operand.type.dtype, value->type.lanes}, given.span);
    }
    ir::MakeVector group;
    for (int i = 0; i < operand.count; ++i) group.lanes.push_back(input(operand, i));
    if (operand.count == 1) return group.lanes[0];
    const auto lanes = static_cast<std::uint16_t>(operand.count);
    return make_checked({operand.type.dtype, lanes}, span_, std::move(group));
  }

  void check_type(const Operand& operand, int i, ir::Type type, Span span) const {
    if (fits(operand.type, type.dtype)) return;
    fail(span, "operand {} of '{}' must have dtype {}, not {}", name_of(operand, i), text_,
         register_name(operand.type), ir::to_string(type));
  }

  ir::Expr input(const Operand& operand, int i) {
    const ArgumentValue& given = next();
    const ir::Type type{operand.type.dtype, 1};
    if (operand.type.dtype == num::DType::boolean) {
      return condition_expr(interpreter_.expr(given.value, given.span), given.span);
    }
    if (const auto number = given.value.integer(); number && num::is_int(type.dtype)) {
      // Bits: -1 and 0xffffffff are the same mask.
      const int width = num::bits(type.dtype);
      const bool inside = width == 64 || (*number >= -(std::int64_t{1} << (width - 1)) &&
                                          *number < (std::int64_t{1} << width));
      if (!inside) fail(given.span, "{} does not fit {} bits", *number, width);
      return ir::make_int(*number, type, given.span);
    }
    if (given.value.number()) return literal_as(given.value, type, given.span);
    const ir::Expr value = interpreter_.expr(given.value, given.span);
    if (value->type.lanes != 1) {
      fail(given.span, "operand {} of '{}' is one register, not {}", name_of(operand, i), text_,
           ir::to_string(value->type));
    }
    check_type(operand, i, value->type, given.span);
    return reinterpret_expr(value, type, given.span);
  }

  ir::Expr immediate(const Operand& operand) {
    const ArgumentValue& given = next();
    std::optional<std::int64_t> number = given.value.integer();
    if (!number) {
      const ir::Expr value = interpreter_.expr(given.value, given.span);
      std::int64_t known = 0;
      if (ir::is_const_int(value, known)) number = known;
    }
    if (!number) {
      fail(given.span, "operand {} of '{}' must be a constant", operand.name, text_);
    }
    if (!operand.legal.empty()) {
      std::string words = "|" + std::string(operand.legal) + "|";
      if (words.find(fmt::format("|{}|", *number)) == std::string::npos) {
        std::string listed(operand.legal);
        for (std::size_t at = listed.find('|'); at != std::string::npos; at = listed.find('|')) {
          const bool last = listed.find('|', at + 1) == std::string::npos;
          listed.replace(at, 1, last ? " or " : ", ");
        }
        fail(given.span, "operand {} of '{}' must be {}, not {}", operand.name, text_, listed,
             *number);
      }
    } else if (*number < operand.low || *number > operand.high) {
      fail(given.span, "operand {} of '{}' must be {} to {}, not {}", operand.name, text_,
           operand.low, operand.high, *number);
    }
    return ir::make_int(*number, {num::DType::u32, 1}, given.span);
  }

  ir::Expr address(const Operand& operand) {
    const ArgumentValue& given = next();
    const auto* moved = given.value.as<PtxAddress>();
    const ir::Expr pointer =
        moved != nullptr
            ? displaced(interpreter_, pointer_expr(interpreter_, moved->base, moved->span),
                        moved->offset, given.span)
            : pointer_expr(interpreter_, given.value, given.span);
    const ir::BufferNode& buffer = *ir::as<ir::AddressOf>(pointer)->element.buffer;
    const bool shared = ir::is_shared(buffer.scope());
    const bool local = buffer.scope() == ir::MemoryScope::local;
    if (local || (operand.space == ir::ptx::Space::shared && !shared) ||
        (operand.space == ir::ptx::Space::global && shared)) {
      const std::string where = local ? "local to a thread" : shared ? "shared" : "global";
      fail(
          given.span, "operand [{}] of '{}' must point into the {} state space, and {} is {}",
          operand.name, text_,
          operand.space == ir::ptx::Space::generic ? "shared or global" : space_name(operand.space),
          buffer.name, where);
    }
    return pointer;
  }

  /// One lane of the call's value as the destination's type.
  ir::Expr lane_of(const ir::Expr& value, std::size_t lane, const Destination& to) const {
    ir::Expr one = value;
    if (value->type.is_vector()) {
      one = ir::make_expr(value->type.element(), span_, ir::Extract{value, static_cast<int>(lane)});
    }
    if (one->type.dtype == to.type.dtype) return one;
    if (to.from.dtype == num::DType::boolean) return condition_expr(one, span_);
    return reinterpret_expr(one, to.type, span_);
  }

  void emit(const ir::Expr& call, const std::vector<Destination>& destinations) {
    const auto kept = std::count_if(destinations.begin(), destinations.end(),
                                    [](const Destination& d) { return d.to.has_value(); });
    if (kept == 0) {
      builder_.emit(span_, ir::Evaluate{call});
      return;
    }
    ir::Expr value = call;
    if (destinations.size() > 1) {
      const auto name = std::make_shared<const ir::Variable>(ir::Variable{
          std::string(instruction_.family->opcode.substr(0, instruction_.family->opcode.find('.'))),
          call->type, span_});
      builder_.emit(span_, ir::Let{name, call});
      value = ir::make_var(name, span_);
    }
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      const Destination& to = destinations[i];
      if (to.to) builder_.emit(span_, ir::Store{*to.to, lane_of(value, i, to)});
    }
  }

  Interpreter& interpreter_;
  const Instruction& instruction_;
  std::string text_;
  Span span_;
  std::vector<ArgumentValue> given_;
  bool value_, values_;
  KernelBuilder& builder_;
  std::vector<const Operand*> present_;
  std::size_t next_ = 0;
  ir::Expr predicate_;
  bool preserve_ = false;
};

}  // namespace

const ObjectType PtxAddress::kType{
    .name = "ptx address", .repr = [](const Value&, int) { return std::string("T.ptx.addr(…)"); }};

const ObjectType PtxSink::kType{
    .name = "ptx sink", .repr = [](const Value&, int) { return std::string("T.ptx.SINK"); }};

Value ptx_call(Interpreter& interpreter,
               const ir::ptx::Instruction& instruction,
               CallArgs args,
               PtxResult result) {
  return Call(interpreter, instruction, std::move(args), result).run();
}

}  // namespace tirx::dsl
