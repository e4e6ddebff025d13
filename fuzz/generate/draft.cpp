#include "fuzz/generate/draft.hpp"

#include "fuzz/expect/expectation.hpp"

namespace tirx::fuzz {

void Draft::parameter(const std::string& name,
                      const std::string& shape,
                      num::DType dtype,
                      const std::string& made_by,
                      const std::string& layout) {
  parameters_.push_back({name, shape, type_name(dtype), made_by, layout});
}

void Draft::matched(const std::string& name,
                    const std::string& shape,
                    num::DType dtype,
                    const std::string& made_by,
                    const std::string& more) {
  parameters_.push_back({name, shape, type_name(dtype), made_by, {}, true});
  matches_ += fmt::format("    {0} = T.match_buffer({0}_ptr, {1}, \"{2}\"{3})\n", name, shape,
                          type_name(dtype), more);
}

std::string Draft::symbol() {
  std::string name = fresh("n");
  symbols_ += fmt::format("    {} = T.int32()\n", name);
  return name;
}

std::string Draft::scalar(num::DType dtype, const std::string& value) {
  std::string name = fresh("a");
  parameters_.push_back({name, {}, type_name(dtype), value, {}});
  return name;
}

std::string Draft::tile_input(const std::string& shape, num::DType dtype, std::string_view kind) {
  std::string name = fresh("Tin");
  const std::string full = fmt::format("({}, {})", ctas, shape);
  parameter(name, full, dtype,
            fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"{}\")", full, type_name(dtype),
                        dice.below(100000), kind));
  return name;
}

std::string Draft::tile_output(const std::string& shape, num::DType dtype) {
  std::string name = fresh("Tout");
  const std::string full = fmt::format("({}, {})", ctas, shape);
  parameter(name, full, dtype, fmt::format("tirx.empty({}, \"{}\")", full, type_name(dtype)));
  return name;
}

std::string Draft::input(num::DType dtype) {
  std::string name = "In_" + type_tag(dtype);
  if (inputs_.insert(dtype).second) {
    // Mostly any bits (NaN, infinities, extremes), sometimes tame numbers that keep sums finite.
    const char* kind = dice.chance(60) ? "bits" : num::is_float(dtype) ? "normal" : "int";
    if (dtype == num::DType::boolean) kind = "bits";
    parameter(name, fmt::format("({},)", kInputs), dtype,
              fmt::format("tirx.random(({},), \"{}\", seed={}, kind=\"{}\")", kInputs,
                          type_name(dtype), dice.below(100000), kind));
  }
  return name;
}

std::string Draft::output(num::DType dtype) {
  std::string name = "Out_" + type_tag(dtype);
  if (outputs_.insert(dtype).second) {
    const std::string shape = fmt::format("({}, {})", ctas * threads, kSlots);
    parameter(name, shape, dtype, fmt::format("tirx.empty({}, \"{}\")", shape, type_name(dtype)));
  }
  return name;
}

std::string Draft::text() const {
  std::string out =
      "from tvm.script import tirx as T\n"
      "from tvm.script.tirx import tile as Tx\n"
      "from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, laneid, warpid\n"
      "from tvm.tirx.layout import tid_in_wg, wid_in_wg, wgid, tx\n";
  if (pool) out += "from tvm.tirx.lang.pipeline import PipelineState, MBarrier\n";
  out += "import tirx\n\n";
  if (has_alternative) {
    out +=
        "ALT = tirx.param(\"ALT\", 0)\n"
        "loop = T.unroll if ALT else T.serial\n";
  }
  return out + host_ + "\n\n" + kernel_text() + "\n\n" + launch_text() + more_;
}

std::string Draft::function_text() const {
  std::string out = host_ + "\n\n" + kernel_text() + fmt::format("\n\ndef launch_{}():\n", kernel);
  const std::string lines = launch_text();
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at) + 1;
    out += "    " + lines.substr(at, end - at);
    at = end;
  }
  return out + fmt::format("\n\nlaunch_{}()\n", kernel);
}

std::string Draft::kernel_text() const {
  std::string out = fmt::format("@T.prim_func\ndef {}(", kernel);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    if (i > 0) out += ", ";
    if (p.handle) {
      out += p.name + "_ptr: T.handle";
      continue;
    }
    if (p.shape.empty()) {
      out += fmt::format("{}: T.{}", p.name, p.dtype);
      continue;
    }
    out += fmt::format("{}: T.Buffer({}, \"{}\"{}{})", p.name, p.shape, p.dtype,
                       p.layout.empty() ? "" : ", layout=" + p.layout,
                       p.strides.empty() ? "" : ", strides=" + p.strides);
  }
  if (sized_at_launch)
    out += fmt::format("{}Grid: T.Buffer((\"ctas\",), \"int32\")", parameters_.empty() ? "" : ", ");
  out += "):\n" + symbols_ + matches_ + host_checks;
  if (!head.empty()) {
    out += "    T.device_entry()\n" + head;
  } else {
    out += fmt::format(
        "    T.device_entry()\n"
        "    bx = T.cta_id([{}])\n    warp = T.warp_id([{}])\n    lane = T.lane_id([32])\n"
        "    tx = T.thread_id([{}])\n    row: T.let = bx * {} + tx\n",
        !grid.empty()     ? grid
        : sized_at_launch ? "Grid.shape[0]"
                          : fmt::to_string(ctas),
        warps(), threads, threads);
  }
  if (cluster) out += "    rank = T.cta_id_in_cluster([2])\n";
  if (grid.empty()) return out + body_;
  // The promises above a fault were made for a grid whose size is known.
  return out + without_expectations(body_, [](std::string_view line) {
           return expectations_in(line).starts_with("#! lowered");
         });
}

std::string Draft::launch_text() const {
  std::string out, arguments;
  for (const Parameter& p : parameters_) {
    out += fmt::format("{} = {}\n", p.name, p.made_by);
    arguments += (arguments.empty() ? "" : ", ") + p.name;
  }
  if (sized_at_launch)
    arguments += fmt::format("{}tirx.zeros(({},), \"int32\")", arguments.empty() ? "" : ", ", ctas);
  out += fmt::format("{}({})\n", kernel, arguments);
  for (const auto& [name, made_by] : again) {
    out += fmt::format("{} = {}\n{}({})\n", name, made_by, kernel, arguments);
  }
  return out;
}

std::string type_name(num::DType dtype) {
  return std::string(num::name(dtype));
}

std::string type_tag(num::DType dtype) {
  const num::DTypeRow& row = num::row(dtype);
  std::string tag(row.shorthand.empty() ? row.name : row.shorthand);
  return tag;
}

}  // namespace tirx::fuzz
