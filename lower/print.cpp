// See print.hpp; the body is ir's printer at thread level.
#include "lower/print.hpp"

#include <fmt/format.h>

#include "ir/print.hpp"

namespace tirx::lower {

std::string to_string(const LoweredKernel& kernel) {
  Writer out(4);
  ir::BodyPrinter body(out, ir::PrintLevel::thread);
  for (const ir::Var& symbol : kernel.symbols) body.declare(symbol);
  std::string params;
  for (const ir::Param& param : kernel.params) {
    if (param.absent) continue;
    if (!params.empty()) params += ", ";
    if (param.scalar) {
      params +=
          fmt::format("{}: T.{}", body.declare(param.scalar), ir::to_string(param.scalar->type));
    } else {
      params += fmt::format("{}: T.Buffer({})", body.declare(param.buffer),
                            body.buffer_arguments(*param.buffer, true));
    }
  }
  const Launch& launch = kernel.launch;
  out.line("# thread IR for {}", kernel.target->name);
  out.line("# grid ({}, {}, {}), block ({}, {}, {})", body.text(launch.grid[0]),
           body.text(launch.grid[1]), body.text(launch.grid[2]), launch.block[0], launch.block[1],
           launch.block[2]);
  if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1) {
    out.line("# cluster ({}, {}, {})", launch.cluster[0], launch.cluster[1], launch.cluster[2]);
  }
  if (kernel.static_shared_bytes > 0 || kernel.dynamic_shared_bytes > 0) {
    out.line("# shared memory: {} bytes static, {} dynamic", kernel.static_shared_bytes,
             kernel.dynamic_shared_bytes);
  }
  out.line("def {}({}):", kernel.name, params);
  const Indented indented(out);
  if (!kernel.host_body.empty()) {
    body.print(kernel.host_body);
    out.line("T.device_entry()");
  }
  for (const ThreadVar& thread : kernel.thread_vars) {
    const std::string dim = thread.dim == 0 ? "" : fmt::format("[{}]", thread.dim);
    out.line("{} = T.{}(){}", body.declare(thread.var), ir::to_string(thread.kind), dim);
  }
  for (const SharedPlace& place : kernel.shared) {
    out.line("# {}: bytes {} … {} of {}", place.storage->name, place.offset,
             place.offset + place.bytes, ir::to_string(place.storage->scope));
  }
  if (!kernel.body.empty()) body.print(kernel.body);
  return out.take();
}

}  // namespace tirx::lower
