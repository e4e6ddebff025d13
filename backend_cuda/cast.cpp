// Conversions as chains of helpers (prelude/convert.cuh says why one rounding remains).
#include "backend_cuda/kernel_emitter.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

using num::DType;

namespace {

bool is_register_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::tf32;
}

Text to_f32(const Text& value, DType from) {
  return is_register_float(from) ? value
                                 : call(fmt::format("tirx_{}_to_f32", short_name(from)), value);
}

Text from_f32(const Text& value, DType to) {
  return to == DType::f32 ? value : call(fmt::format("tirx_f32_to_{}", short_name(to)), value);
}

Text int_to_float(const Text& value, DType from, DType to) {
  const bool narrow = num::bits(from) < 32;
  const std::string_view source = narrow ? "i32" : short_name(from);
  if (to == DType::f32 || to == DType::f64) {
    return call(fmt::format("tirx_{}_to_{}", source, short_name(to)), value);
  }
  if (narrow) return from_f32(call("tirx_i32_to_f32", value), to);
  return from_f32(call(num::is_signed(from) ? "tirx_i64_to_f32_odd" : "tirx_u64_to_f32_odd", value),
                  to);
}

Text bool_to_float(const Text& value, DType to) {
  const bool wide = to == DType::f64;
  const Text number{fmt::format("{} ? {} : {}", operand(value, Precedence::logical_or),
                                wide ? "1.0" : "1.0f", wide ? "0.0" : "0.0f"),
                    Precedence::conditional};
  return wide ? number : from_f32(number, to);
}

}  // namespace

Text KernelEmitter::convert(const Text& value, DType from, DType to, Span span) {
  if (from == to) return value;
  if (from == DType::handle || to == DType::handle) {
    return fail(span, "a handle converts to no other type",
                {{{}, "use T.reinterpret for its bits"}});
  }
  if (to == DType::boolean) {
    if (!num::is_float(from)) return binary(value, "!=", {"0"}, Precedence::equality);
    if (from == DType::f64) return call("tirx_ne_f64", value, Text{"0.0"});
    return call("tirx_ne_f32", to_f32(value, from), Text{"0.0f"});
  }
  if (from == DType::boolean) {
    if (num::is_float(to)) return bool_to_float(value, to);
    return cast(element_type(to), value);
  }
  if (!num::is_float(from)) {
    if (num::is_float(to)) return int_to_float(value, from, to);
    return cast(element_type(to), value);
  }
  if (!num::is_float(to)) {
    const std::string_view source = from == DType::f64 ? "f64" : "f32";
    return call(fmt::format("tirx_{}_to_{}", source, short_name(to)),
                from == DType::f64 ? value : to_f32(value, from));
  }
  if (to == DType::f64) return call("tirx_f32_to_f64", to_f32(value, from));
  if (from == DType::f64) {
    if (to == DType::f32) return call("tirx_f64_to_f32", value);
    return from_f32(call("tirx_f64_to_f32_odd", value), to);
  }
  return from_f32(to_f32(value, from), to);
}

Text KernelEmitter::reinterpret(const Text& value, ir::Type from, ir::Type to) {
  const std::string source = value_type(from);
  const std::string target = value_type(to);
  // A vector of 4-bit elements has one in each byte; its bits are those of two.
  if (num::bits(from.dtype) == 4 && num::bits(to.dtype) != 4)
    return call(fmt::format("tirx_pack_e2m1<{}>", target), value);
  if (num::bits(to.dtype) == 4 && num::bits(from.dtype) != 4)
    return call(fmt::format("tirx_unpack_e2m1<{}, {}>", to.lanes, source), value);
  if (source == target) return value;
  const auto is_plain_integer = [](ir::Type type) {
    // Types that are held as an integer of their width.
    return !type.is_vector() && !is_register_float(type.dtype) && type.dtype != DType::f64 &&
           type.dtype != DType::boolean && type.dtype != DType::handle;
  };
  if (is_plain_integer(from) && is_plain_integer(to)) return cast(target, value);
  if (target == "float" && source == "unsigned") return call("__uint_as_float", value);
  if (target == "float" && source == "int") return call("__int_as_float", value);
  if (target == "unsigned" && source == "float") return call("__float_as_uint", value);
  if (target == "int" && source == "float") return call("__float_as_int", value);
  return call(fmt::format("tirx_bit_cast<{}, {}>", target, source), value);
}

}  // namespace tirx::cuda
