// Instructions called by name: one helper for each form that occurs, which is the instruction in
// inline assembly (PTX ISA; "Inline PTX Assembly in CUDA").  Constants are part of the helper.
#include "backend_cuda/machine.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

namespace {

using ir::ptx::Instruction;
using ir::ptx::Operand;
using num::DType;

/// How a value travels in a register of inline assembly.
struct Carrier {
  std::string_view type;
  char letter;
};

Carrier carrier_of(DType dtype) {
  if (dtype == DType::f32) return {"float", 'f'};
  if (dtype == DType::f64) return {"double", 'd'};
  switch (num::bits(dtype)) {
    case 64:
      return {"unsigned long long", 'l'};
    case 16:
      return {"unsigned short", 'h'};
    default:
      return {"unsigned", 'r'};  // bytes and predicates, too
  }
}

/// A C++ value of the dtype in its carrier's type, and back.
std::string into_register(DType dtype, const std::string& value) {
  const Carrier carrier = carrier_of(dtype);
  if (carrier.type == element_type(dtype)) return value;
  if (num::bits(dtype) == 8 || num::is_int(dtype)) {
    // Narrow values sit zero-extended in wider registers.
    const std::string_view narrow = num::bits(dtype) == 8 ? "(unsigned char)" : "";
    return fmt::format("({}){}{}", carrier.type, narrow, value);
  }
  return fmt::format("tirx_bit_cast<{}>({})", carrier.type, value);
}

std::string out_of_register(DType dtype, const std::string& value) {
  if (dtype == DType::boolean) return value + " != 0";
  if (num::bits(dtype) == 8 || num::is_int(dtype)) {
    return fmt::format("({}){}", element_type(dtype), value);
  }
  return fmt::format("tirx_bit_cast<{}>({})", element_type(dtype), value);
}

/// The parts of the helper as its operands are read.
struct Helper {
  std::string parameters, arguments;  // of the function, and of the call
  std::string registers;              // predicates and their set-up
  std::string text;                   // "d, [p]" with %n
  std::string after;                  // predicates into results
  std::string outputs, inputs, results;
  std::string name;
  int next = 0;        // %n
  int predicates = 0;  // p0, p1, …

  void parameter(std::string_view type, std::string_view parameter_name, const Text& value) {
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", type, parameter_name);
    arguments += (arguments.empty() ? "" : ", ") + value.text;
  }

  void input(char letter, const std::string& value) {
    inputs += fmt::format("{}\"{}\"({})", inputs.empty() ? "" : ", ", letter, value);
  }
};

std::string mangled(std::string_view text) {
  std::string out = "tirx_ptx_";
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word) {
      out += c;
    } else if (out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

std::string group(const Operand& operand, const std::vector<std::string>& registers) {
  std::string out;
  for (const std::string& one : registers) out += (out.empty() ? "" : ", ") + one;
  return operand.braces ? "{" + out + "}" : out;
}

}  // namespace

Text emit_instruction(const MachineSite& site) {
  const auto decoded = ir::ptx::decode(site.call);
  const Instruction& instruction = *decoded;
  Helper helper;
  helper.name = mangled(site.call.text);
  const ir::Type type = site.type;
  const auto count = static_cast<std::size_t>(type.lanes);
  const bool all = count == instruction.outputs(true);
  if (count != 0 && !all) helper.name += "_value";
  // %0 … are the outputs, in the order of their lanes.
  helper.next = static_cast<int>(count);
  const bool direct = count != 0 && carrier_of(type.dtype).type == element_type(type.dtype);
  const auto lane_name = [&](std::size_t i) {
    if (!direct) return fmt::format("r{}", i);
    return type.is_vector() ? fmt::format("out.lane[{}]", i) : std::string("out");
  };
  std::string declared;
  for (std::size_t i = 0; i < count; ++i) {
    helper.outputs += fmt::format("{}\"={}\"({})", i == 0 ? "" : ", ",
                                  carrier_of(type.dtype).letter, lane_name(i));
    if (!direct) declared += fmt::format("  {} r{};\n", carrier_of(type.dtype).type, i);
    const std::string to = type.is_vector() ? fmt::format("out.lane[{}]", i) : std::string("out");
    if (!direct) {
      helper.results +=
          fmt::format("  {} = {};\n", to, out_of_register(type.dtype, fmt::format("r{}", i)));
    }
  }
  for (const Operand& operand : instruction.operands) {
    std::string written;
    const std::size_t at = operand.at;
    if (operand.kind == Operand::Kind::output) {
      if (at >= count) continue;
      std::vector<std::string> registers;
      for (int i = 0; i < operand.count; ++i) {
        const std::size_t lane = at + static_cast<std::size_t>(i);
        if (operand.type.dtype == DType::boolean) {
          const std::string p = fmt::format("p{}", helper.predicates++);
          helper.registers += fmt::format(".reg .pred {}; ", p);
          helper.after += fmt::format(" selp.u32 %{}, 1, 0, {};", lane, p);
          registers.push_back(p);
        } else {
          registers.push_back(fmt::format("%{}", lane));
        }
      }
      if (operand.joined) {
        helper.text += "|" + registers[0];
        continue;
      }
      written = group(operand, registers);
    } else {
      if (at >= site.count()) continue;
      if (operand.optional) helper.name += "_" + std::string(operand.name);
      const ir::Type given = site.type_of(at);
      const std::string parameter(operand.name);
      if (operand.kind == Operand::Kind::immediate) {
        std::int64_t value = 0;
        TIRX_CHECK(ir::is_const_int(site.call.args[at], value));
        written = std::to_string(value);
        helper.name += "_" + (value < 0 ? "m" + std::to_string(-value) : written);
      } else if (operand.kind == Operand::Kind::address) {
        // Without its state space in the text the instruction takes a generic address.
        const bool shared = operand.space == ir::ptx::Space::shared &&
                            site.call.text.find(".shared") != std::string::npos;
        const bool global = operand.space == ir::ptx::Space::global;
        helper.parameter(operand.writes ? "void*" : "const void*", parameter, site.arg(at));
        helper.input(shared ? 'r' : 'l',
                     shared   ? fmt::format("(unsigned)__cvta_generic_to_shared({})", parameter)
                     : global ? fmt::format("__cvta_generic_to_global({})", parameter)
                              : parameter);
        written = fmt::format("[%{}]", helper.next++);
      } else {
        helper.parameter(value_type(given), parameter, site.arg(at));
        std::vector<std::string> registers;
        for (int i = 0; i < operand.count; ++i) {
          const std::string value =
              given.is_vector() ? fmt::format("{}.lane[{}]", parameter, i) : parameter;
          helper.input(carrier_of(given.dtype).letter, into_register(given.dtype, value));
          const std::string reg = fmt::format("%{}", helper.next++);
          if (given.dtype == DType::boolean) {
            const std::string p = fmt::format("p{}", helper.predicates++);
            helper.registers += fmt::format(".reg .pred {}; setp.ne.u32 {}, {}, 0; ", p, p, reg);
            registers.push_back(p);
          } else {
            registers.push_back(reg);
          }
        }
        written = group(operand, registers);
      }
    }
    helper.text += (helper.text.empty() ? "" : ", ") + written;
  }
  std::string text = site.call.text + (helper.text.empty() ? "" : " " + helper.text) + ";";
  if (!helper.registers.empty()) text = "{ " + helper.registers + text + helper.after + " }";
  const ir::Effect effect = ir::spec(site.call.op).effect;
  const bool pure = effect == ir::Effect::pure;
  // Exchanges between lanes order no memory.
  const bool orders = !pure && effect != ir::Effect::warp;
  const std::string result = type.is_void() ? "void" : value_type(type);
  std::string body = type.is_void() ? "" : "  " + result + " out;\n";
  body += declared;
  body += fmt::format("  asm{}(\"{}\"", pure ? "" : " volatile", text);
  const auto section = [&](const std::string& operands) {
    body += "\n      :" + (operands.empty() ? "" : " " + operands);
  };
  const bool has_inputs = !helper.inputs.empty();
  if (!helper.outputs.empty() || has_inputs || orders) section(helper.outputs);
  if (has_inputs || orders) section(helper.inputs);
  if (orders) section("\"memory\"");
  body += ");\n" + helper.results + (type.is_void() ? "" : "  return out;\n");
  site.emitter.define(helper.name, fmt::format("__device__ __forceinline__ {} {}({}) {{\n{}}}\n",
                                               result, helper.name, helper.parameters, body));
  return {fmt::format("{}({})", helper.name, helper.arguments)};
}

}  // namespace tirx::cuda
