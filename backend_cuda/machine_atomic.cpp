// Atomics and ordered accesses: a helper is made for each combination of operation, order, scope,
// state space and type that occurs (PTX ISA, "atom", "ld", "st").  The space is spelled out, since
// a global float32 addition flushes subnormals and a shared one does not.
#include "backend_cuda/machine.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

using num::DType;

namespace {

struct Form {
  std::string semantics, scope;  // "relaxed", "gpu"
  bool shared = false;
  DType dtype = DType::i32;
};

char constraint(DType dtype) {
  if (dtype == DType::f32) return 'f';
  if (dtype == DType::f64) return 'd';
  const int width = num::bits(dtype);
  return width == 64 ? 'l' : width == 16 ? 'h' : 'r';
}

/// Reads "SEMANTICS.SCOPE" and the place of the pointer operand; lowering has refused what does not
/// exist (lower/memory_forms.cpp).
Form read_form(const MachineSite& site, std::string_view default_text) {
  const ir::Access& access = site.pointee(0);
  TIRX_CHECK(access.buffer->scope() != ir::MemoryScope::local);
  const std::string_view text = site.call.text.empty() ? default_text : site.call.text;
  const std::size_t dot = text.find('.');
  Form form;
  form.semantics = text.substr(0, dot);
  form.scope = dot == std::string_view::npos ? "gpu" : text.substr(dot + 1);
  form.shared = ir::is_shared(access.buffer->scope());
  form.dtype = access.buffer->dtype;
  return form;
}

std::string_view space(const Form& form) {
  return form.shared ? "shared" : "global";
}

/// "add" + "_relaxed_cta" where that is not the default + "_shared_f32".
std::string helper_name(std::string_view op, const Form& form, std::string_view default_text) {
  std::string name = fmt::format("tirx_{}", op);
  if (form.semantics + "." + form.scope != default_text) {
    name += "_" + form.semantics + "_" + form.scope;
  }
  return fmt::format("{}_{}_{}", name, space(form), short_name(form.dtype));
}

std::string address(const Form& form) {
  return form.shared ? "\"r\"((unsigned)__cvta_generic_to_shared(p))"
                     : "\"l\"(__cvta_generic_to_global(p))";
}

std::string ptx_type(std::string_view op, DType dtype) {
  const int width = num::bits(dtype);
  if (op == "and" || op == "or" || op == "xor" || op == "exch" || op == "cas") {
    return fmt::format("b{}", width);
  }
  if (num::is_float(dtype)) {
    return (width == 16 ? "noftz." : "") + std::string(short_name(dtype));
  }
  // Addition wraps, so the unsigned form serves both (atom has no .s64 addition).
  return fmt::format("{}{}", op == "add" || num::is_unsigned(dtype) ? 'u' : 's', width);
}

Text atomic(std::string_view op, const MachineSite& site) {
  constexpr std::string_view kDefault = "relaxed.gpu";
  const Form form = read_form(site, kDefault);
  const std::string_view type = element_type(form.dtype);
  const char letter = constraint(form.dtype);
  const std::string name = helper_name(fmt::format("atomic_{}", op), form, kDefault);
  const bool cas = op == "cas";
  const std::string instruction = fmt::format("atom.{}.{}.{}.{}.{}", form.semantics, form.scope,
                                              space(form), op, ptx_type(op, form.dtype));
  // Bit forms take bit registers: a float is passed as its bits by the constraint's register class.
  const bool float_bits = num::is_float(form.dtype) && (op == "exch" || cas);
  const std::string_view carrier = !float_bits                   ? type
                                   : num::bits(form.dtype) == 64 ? "unsigned long long"
                                   : num::bits(form.dtype) == 32 ? "unsigned"
                                                                 : "unsigned short";
  const char bits_letter = !float_bits                   ? letter
                           : num::bits(form.dtype) == 64 ? 'l'
                           : num::bits(form.dtype) == 32 ? 'r'
                                                         : 'h';
  const auto in = [&](std::string_view variable) {
    return float_bits && carrier != type
               ? fmt::format("\"{}\"(tirx_bit_cast<{}>({}))", bits_letter, carrier, variable)
               : fmt::format("\"{}\"({})", bits_letter, variable);
  };
  const std::string inputs = cas ? in("compare") + ", " + in("value") : in("value");
  const std::string result =
      float_bits && carrier != type ? fmt::format("tirx_bit_cast<{}>(d)", type) : std::string("d");
  site.emitter.define(
      name,
      fmt::format("__device__ __forceinline__ {0} {1}({0}* p, {2}{0} value) {{\n"
                  "  {3} d;\n"
                  "  asm volatile(\"{4} %0, [%1], {5};\"\n"
                  "               : \"={6}\"(d) : {7}, {8} : \"memory\");\n"
                  "  return {9};\n"
                  "}}\n",
                  type, name, cas ? fmt::format("{} compare, ", type) : "", carrier, instruction,
                  cas ? "%2, %3" : "%2", bits_letter, address(form), inputs, result));
  return cas ? call(name, site.arg(0), site.arg(1), site.arg(2))
             : call(name, site.arg(0), site.arg(1));
}

/// Ordered loads and stores exist for 8 to 64 bits; they move bits.
struct Carrier {
  std::string_view type;
  char letter;
};

Carrier bit_carrier(DType dtype) {
  switch (num::bits(dtype)) {
    case 64:
      return {"unsigned long long", 'l'};
    case 32:
      return {"unsigned", 'r'};
    default:
      return {"unsigned short", 'h'};  // .b8 operands sit in 16-bit registers
  }
}

}  // namespace

Text emit_op(ir::AtomicAdd, const MachineSite& site) {
  return atomic("add", site);
}

Text emit_op(ir::AtomicMin, const MachineSite& site) {
  return atomic("min", site);
}

Text emit_op(ir::AtomicMax, const MachineSite& site) {
  return atomic("max", site);
}

Text emit_op(ir::AtomicAnd, const MachineSite& site) {
  return atomic("and", site);
}

Text emit_op(ir::AtomicOr, const MachineSite& site) {
  return atomic("or", site);
}

Text emit_op(ir::AtomicXor, const MachineSite& site) {
  return atomic("xor", site);
}

Text emit_op(ir::AtomicExchange, const MachineSite& site) {
  return atomic("exch", site);
}

Text emit_op(ir::AtomicCas, const MachineSite& site) {
  return atomic("cas", site);
}

Text emit_op(ir::LoadAcquire, const MachineSite& site) {
  constexpr std::string_view kDefault = "acquire.gpu";
  const Form form = read_form(site, kDefault);
  const std::string_view type = element_type(form.dtype);
  const Carrier carrier = bit_carrier(form.dtype);
  const std::string name = helper_name("load", form, "");
  const bool same_size = num::bits(form.dtype) >= 16;
  site.emitter.define(
      name,
      fmt::format(
          "__device__ __forceinline__ {0} {1}(const {0}* p) {{\n"
          "  {2} d;\n"
          "  asm volatile(\"ld.{3}.{4}.{5}.b{6} %0, [%1];\" : \"={7}\"(d) : {8} : \"memory\");\n"
          "  return {9};\n"
          "}}\n",
          type, name, carrier.type, form.semantics, form.scope, space(form), num::bits(form.dtype),
          carrier.letter, address(form),
          same_size && carrier.type != type ? fmt::format("tirx_bit_cast<{}>(d)", type)
                                            : fmt::format("({})d", type)));
  return call(name, site.arg(0));
}

Text emit_op(ir::StoreRelease, const MachineSite& site) {
  constexpr std::string_view kDefault = "release.gpu";
  const Form form = read_form(site, kDefault);
  const std::string_view type = element_type(form.dtype);
  const Carrier carrier = bit_carrier(form.dtype);
  const std::string name = helper_name("store", form, "");
  const bool same_size = num::bits(form.dtype) >= 16;
  site.emitter.define(
      name, fmt::format("__device__ __forceinline__ void {0}({1}* p, {1} value) {{\n"
                        "  asm volatile(\"st.{2}.{3}.{4}.b{5} [%0], %1;\"\n"
                        "               : : {6}, \"{7}\"({8}) : \"memory\");\n"
                        "}}\n",
                        name, type, form.semantics, form.scope, space(form), num::bits(form.dtype),
                        address(form), carrier.letter,
                        same_size && carrier.type != type
                            ? fmt::format("tirx_bit_cast<{}>(value)", carrier.type)
                            : fmt::format("({})value", carrier.type)));
  return call(name, site.arg(0), site.arg(1));
}

Text emit_op(ir::LoadReadOnly, const MachineSite& site) {
  const ir::Access& access = site.pointee(0);
  TIRX_CHECK(access.buffer->scope() == ir::MemoryScope::global);
  if (access.buffer->dtype == num::DType::boolean) return site.emitter.element(access);
  return call("__ldg", site.arg(0));
}

}  // namespace tirx::cuda
