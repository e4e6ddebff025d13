// Output, delays, stops, and raw CUDA.
#include <algorithm>
#include <string_view>

#include "backend_cuda/literal.hpp"
#include "backend_cuda/machine.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

namespace {

using num::DType;

/// An argument of C's printf and the conversion (length and letter) that fits it.
struct Printed {
  Text argument;
  std::string conversion;
};

bool is_one_of(char letter, std::string_view letters) {
  return letters.find(letter) != std::string_view::npos;
}

/// The language's printf takes any number under any letter; C's needs the exact type.
Printed printed(KernelEmitter& emitter, const ir::Expr& value, char letter) {
  const DType dtype = value->type.dtype;
  const int width = num::bits(dtype);
  Text text = emitter.expression(value);
  if (is_one_of(letter, "fFeEgGa") || (num::is_float(dtype) && !is_one_of(letter, "dioxXuc"))) {
    const char known = is_one_of(letter, "fFeEgGa") ? letter : 'g';
    return {emitter.convert(text, dtype, DType::f64, value->span), std::string(1, known)};
  }
  if (num::is_float(dtype)) {
    return {emitter.convert(text, dtype, DType::i64, value->span), std::string("ll") + letter};
  }
  if (!is_one_of(letter, "dioxXuc")) letter = 'd';
  const bool is_signed = letter == 'd' || letter == 'i';
  if (width == 64) {
    return {cast(is_signed ? "long long" : "unsigned long long", text), std::string("ll") + letter};
  }
  // A uint32 under %d is its value, an int8 under %u its eight bits.
  if (is_signed && dtype == DType::u32) return {cast("long long", text), "lld"};
  if (!is_signed && num::is_signed(dtype) && width < 32) {
    text = cast(width == 8 ? "unsigned char" : "unsigned short", text);
  }
  return {width < 32 ? cast("int", text) : text, std::string(1, letter)};
}

}  // namespace

Text emit_op(ir::Printf, const MachineSite& site) {
  site.emitter.parts().prints = true;
  const std::string& text = site.call.text;
  std::string format, arguments;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    format += text[i];
    if (text[i] != '%') continue;
    if (i + 1 < text.size() && text[i + 1] == '%') {
      format += text[++i];
      continue;
    }
    std::size_t end = i + 1;
    for (; end < text.size() && is_one_of(text[end], "-+ #0123456789.lhz"); ++end) {
      if (!is_one_of(text[end], "lhz")) format += text[end];
    }
    TIRX_CHECK(end < text.size() && next < site.count());
    const Printed one = printed(site.emitter, site.call.args[next++], text[end]);
    format += one.conversion;
    arguments += ", " + one.argument.text;
    i = end;
  }
  return {"printf(" + string_literal(format) + arguments + ")"};
}

Text emit_op(ir::PrintBuffer, const MachineSite& site) {
  site.emitter.parts().prints = true;
  const DType dtype = site.pointee(0).buffer->dtype;
  const std::string_view type = element_type(dtype);
  const Text count = site.arg(1);
  if (num::is_float(dtype)) {
    const Text number = site.emitter.convert({"x"}, dtype, DType::f64, site.span);
    return call("tirx_print_floats", site.arg(0), count, Text{string_literal(site.call.text)},
                Text{fmt::format("[]({} x) {{ return {}; }}", type, number.text)});
  }
  return call("tirx_print_integers", site.arg(0), count, Text{string_literal(site.call.text)});
}

Text emit_op(ir::NanoSleep, const MachineSite& site) {
  return call("tirx_nanosleep", site.arg(0));
}

Text emit_op(ir::Clock, const MachineSite&) {
  return {"tirx_clock()"};
}

Text emit_op(ir::Trap, const MachineSite&) {
  return {"__trap()"};
}

Text emit_op(ir::RawCudaCall, const MachineSite& site) {
  const std::string& text = site.call.text;
  const std::size_t end = text.find('\n');
  const std::string name = text.substr(0, end);
  const std::string source = end == std::string::npos ? "" : text.substr(end + 1);
  std::vector<std::string>& sources = site.emitter.parts().raw_sources;
  if (!source.empty() && std::find(sources.begin(), sources.end(), source) == sources.end()) {
    sources.push_back(source);
  }
  std::string out = name + "(";
  for (std::size_t i = 0; i < site.count(); ++i) out += (i == 0 ? "" : ", ") + site.arg(i).text;
  return {out + ")"};
}

}  // namespace tirx::cuda
