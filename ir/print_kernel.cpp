// A kernel of tile IR as a script: imports, decorator, parameters, buffers, ids, body.
#include <set>

#include <fmt/format.h>

#include "ir/print.hpp"
#include "ir/visit.hpp"

namespace tirx::ir {

namespace {

/// Names of the axes that layouts in the kernel use: they are imported.
void collect_axes(const BufferNode& buffer, std::set<std::string>& axes) {
  if (!buffer.layout) return;
  const auto add = [&](const Axis& axis) {
    if (axis.id() != AxisId::m) axes.insert(std::string(axis.name()));
  };
  for (const Iter& iter : buffer.layout->tile.shard()) add(iter.axis);
  for (const Iter& iter : buffer.layout->tile.replica()) add(iter.axis);
  for (const auto& [axis, value] : buffer.layout->tile.offset()) add(axis);
}

std::set<std::string> axes_of(const Kernel& kernel) {
  std::set<std::string> axes;
  for (const Param& param : kernel.params) {
    if (param.buffer) collect_axes(*param.buffer, axes);
  }
  const auto on_stmt = [&](const Stmt& stmt) {
    if (const auto* allocate = std::get_if<Allocate>(&stmt.node)) {
      collect_axes(*allocate->buffer, axes);
    } else if (const auto* declare = std::get_if<Declare>(&stmt.node)) {
      collect_axes(*declare->buffer, axes);
    } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
      collect_axes(*store->to.buffer, axes);
    } else if (const auto* call = std::get_if<TileCall>(&stmt.node)) {
      for (const TileOperand& operand : call->operands) {
        if (const auto* region = std::get_if<Region>(&operand)) collect_axes(*region->buffer, axes);
      }
    }
  };
  const auto on_expr = [&](const Expr& expr) {
    if (const auto* load = as<Load>(expr)) collect_axes(*load->from.buffer, axes);
  };
  for_each_in_body(kernel.body, on_stmt, on_expr);
  return axes;
}

/// A parameter whose buffer has its own name was annotated with T.Buffer.
bool is_annotated(const Param& param) {
  return param.buffer && param.buffer->name == param.name;
}

class KernelPrinter {
 public:
  explicit KernelPrinter(const Kernel& kernel)
      : kernel_(kernel), out_(4), body_(out_, PrintLevel::tile) {}

  std::string print() {
    header();
    const Indented indented(out_);
    symbols();
    for (const Param& param : kernel_.params) {
      if (param.absent || !param.buffer || is_annotated(param)) continue;
      const std::string arguments = body_.buffer_arguments(*param.buffer, true);
      out_.line("{} = T.match_buffer({}, {})", body_.declare(param.buffer), param.name, arguments);
    }
    if (!kernel_.host_body.empty()) body_.print(kernel_.host_body);
    out_.line("T.device_entry()");
    attributes();
    scope_ids();
    if (!kernel_.body.empty()) body_.print(kernel_.body);
    return out_.take();
  }

 private:
  void header() {
    out_.line("from tvm.script import tirx as T");
    out_.line("from tvm.script.tirx import tile as Tx");
    std::string names = "S, R, TileLayout, ComposeLayout";
    for (const std::string& axis : axes_of(kernel_)) {
      names += ", " + axis;
      body_.reserve(axis);
    }
    out_.line("from tvm.tirx.layout import {}", names);
    out_.blank();
    out_.blank();
    out_.line("@T.prim_func");
    name_symbols();
    std::string params;
    for (const Param& param : kernel_.params) {
      if (param.absent) continue;
      if (!params.empty()) params += ", ";
      if (param.scalar) {
        params +=
            fmt::format("{}: T.{}", body_.declare(param.scalar), to_string(param.scalar->type));
      } else if (is_annotated(param)) {
        params += fmt::format("{}: T.Buffer({})", body_.declare(param.buffer),
                              body_.buffer_arguments(*param.buffer, true, quoted_shape(param)));
      } else {
        params += fmt::format("{}: T.handle", param.name);
      }
    }
    out_.line("def {}({}):", kernel_.name, params);
  }

  /// Symbols that are a whole dimension of an annotated parameter are spelled through it.
  void name_symbols() {
    for (const Param& param : kernel_.params) {
      if (param.absent || !is_annotated(param)) continue;
      for (std::size_t i = 0; i < param.buffer->shape.size(); ++i) {
        const auto* ref = as<VarRef>(param.buffer->shape[i]);
        if (ref == nullptr || annotated_.contains(ref->var.get())) continue;
        annotated_.insert(ref->var.get());
        body_.declare(ref->var, fmt::format("{}.shape[{}]", param.name, i));
      }
    }
    for (const Var& symbol : kernel_.symbols) {
      if (!annotated_.contains(symbol.get())) body_.declare(symbol);
    }
  }

  /// A dimension that is a symbol is named by a string.
  std::vector<std::string> quoted_shape(const Param& param) const {
    std::vector<std::string> dims;
    for (const Expr& extent : param.buffer->shape) {
      const auto* ref = as<VarRef>(extent);
      dims.push_back(ref != nullptr ? fmt::format("\"{}\"", ref->var->name) : body_.text(extent));
    }
    return dims;
  }

  void symbols() {
    for (const Var& symbol : kernel_.symbols) {
      if (annotated_.contains(symbol.get())) continue;
      out_.line("{} = T.{}()", body_.names().variable(*symbol), to_string(symbol->type));
    }
  }

  void attributes() {
    const KernelAttributes& a = kernel_.attributes;
    std::string text;
    const auto add = [&](const char* name, const std::optional<std::int64_t>& value) {
      if (value) text += fmt::format("{}\"tirx.{}\": {}", text.empty() ? "" : ", ", name, *value);
    };
    add("launch_bounds_min_blocks_per_sm", a.min_blocks_per_sm);
    add("launch_bounds_max_blocks_per_cluster", a.max_blocks_per_cluster);
    add("max_registers", a.max_registers);
    add("dyn_smem_bytes", a.dynamic_shared_bytes);
    if (!text.empty()) out_.line("T.attr({{{}}})", text);
  }

  void scope_ids() {
    for (const ScopeIdDef& def : kernel_.scope_ids) {
      const auto list = [&](const std::vector<Expr>& extents) {
        std::string text;
        for (const Expr& extent : extents) text += (text.empty() ? "" : ", ") + body_.text(extent);
        return fmt::format("[{}]", text);
      };
      std::string args = def.extents.empty() ? std::string() : list(def.extents);
      if (!def.preferred.empty()) args += fmt::format(", preferred={}", list(def.preferred));
      if (!def.vars.empty() && def.vars[0]->type != kInt32) {
        args +=
            fmt::format("{}dtype=\"{}\"", args.empty() ? "" : ", ", to_string(def.vars[0]->type));
      }
      std::string targets;
      for (const Var& var : def.vars) {
        targets += (targets.empty() ? "" : ", ") + body_.declare(var);
      }
      out_.line("{} = T.{}({})", targets, to_string(def.kind), args);
    }
  }

  const Kernel& kernel_;
  Writer out_;
  BodyPrinter body_;
  std::set<const Variable*> annotated_;
};

}  // namespace

std::string to_string(const Kernel& kernel) {
  return KernelPrinter(kernel).print();
}

}  // namespace tirx::ir
