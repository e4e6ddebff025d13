// Output, delays, stops, and raw CUDA.
#include <algorithm>

#include "backend_cuda/machine.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += c;
    }
  }
  return out + '"';
}

/// A value as C's variadic functions take it: floats as double, narrow integers as int.
Text variadic(KernelEmitter& emitter, const ir::Expr& value) {
  const num::DType dtype = value->type.dtype;
  const Text text = emitter.expression(value);
  if (num::is_float(dtype) && dtype != num::DType::f64) {
    return emitter.convert(text, dtype, num::DType::f64, value->span);
  }
  return num::bits(dtype) < 32 ? cast("int", text) : text;
}

}  // namespace

Text emit_op(ir::Printf, const MachineSite& site) {
  site.emitter.parts().prints = true;
  std::string text = "printf(" + quoted(site.call.text);
  for (const ir::Expr& arg : site.call.args) text += ", " + variadic(site.emitter, arg).text;
  return {text + ")"};
}

Text emit_op(ir::PrintBuffer, const MachineSite& site) {
  site.emitter.parts().prints = true;
  const num::DType dtype = site.pointee(0).buffer->dtype;
  const std::string_view type = element_type(dtype);
  if (num::is_float(dtype)) {
    const Text number = site.emitter.convert({"x"}, dtype, num::DType::f64, site.span);
    return call("tirx_print_floats", site.arg(0), site.arg(1), Text{quoted(site.call.text)},
                Text{fmt::format("[]({} x) {{ return {}; }}", type, number.text)});
  }
  return call("tirx_print_integers", site.arg(0), site.arg(1), Text{quoted(site.call.text)});
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
