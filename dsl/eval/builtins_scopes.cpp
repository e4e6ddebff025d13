// T.device_entry, scope ids, T.launch_thread, T.attr.
#include <array>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"

namespace tirx::dsl {

namespace {

Value device_entry(Interpreter& interpreter, const Arguments& args) {
  interpreter.need_kernel("T.device_entry()", args.span()).device_entry(args.span());
  return {};
}

std::vector<ir::Expr> extents(const Arguments& args, std::size_t i) {
  Values items;
  if (const Values* given = sequence(args[i])) {
    items = *given;
  } else {
    items = {args[i]};
  }
  if (items.empty() || items.size() > 3) fail(args.span(i), "a scope id has 1 to 3 extents");
  std::vector<ir::Expr> out;
  for (const Value& item : items) {
    ir::Expr extent = index_expr(item, args.span(i));
    std::int64_t known = 0;
    if (ir::is_const_int(extent, known) && known <= 0) {
      fail(args.span(i), "an extent must be positive, not {}", known);
    }
    out.push_back(std::move(extent));
  }
  return out;
}

Value scope_id(Interpreter& interpreter, const Arguments& args, ir::ScopeIdKind kind) {
  KernelBuilder& builder = interpreter.need_kernel(args.function(), args.span());
  builder.need_device(args.function() + "()", args.span());
  ir::ScopeIdDef def{kind, {}, {}, {}, args.span()};
  if (args.has(0)) def.extents = extents(args, 0);
  if (args.has(1)) {
    if (kind != ir::ScopeIdKind::cta_id_in_cluster) {
      fail(args.span(1), "preferred= belongs to T.cta_id_in_cluster");
    }
    def.preferred = extents(args, 1);
  }
  ir::Type type = ir::kInt32;
  if (args.has(2)) {
    type = args.type(2);
    if (type != ir::kInt32 && !(type.dtype == num::DType::u32 && type.lanes == 1)) {
      fail(args.span(2), "a scope id is int32 or uint32");
    }
  }
  const std::size_t count =
      std::max<std::size_t>(1, def.extents.empty() ? args.targets().size() : def.extents.size());
  if (count > 3) fail(args.span(), "a scope id has 1 to 3 dimensions");
  for (const ir::Expr& extent : def.extents) builder.use_symbols(extent);
  Values values;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name;
    if (args.targets().size() == count) {
      name = args.targets()[i];
    } else {
      name = args.target_or(ir::to_string(kind));
      if (count > 1) name += "_" + std::string(1, "xyz"[i]);
    }
    const auto var =
        std::make_shared<const ir::Variable>(ir::Variable{std::move(name), type, args.span()});
    def.vars.push_back(var);
    values.emplace_back(ir::make_var(var, args.span()));
  }
  builder.kernel().scope_ids.push_back(std::move(def));
  if (values.size() == 1) return values.front();
  return make_tuple(std::move(values));
}

template <ir::ScopeIdKind kind>
Value declare(Interpreter& interpreter, const Arguments& args) {
  return scope_id(interpreter, args, kind);
}

template <ir::ScopeIdKind kind>
constexpr BuiltinFunction row(std::string_view name, std::string_view doc) {
  return {name, "extents=None, preferred=None, dtype='int32'", declare<kind>, doc};
}

Value launch_thread(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel("T.launch_thread", args.span());
  const std::string& tag = args.text(0);
  std::string fallback = tag;
  for (char& c : fallback) c = c == '.' ? '_' : c;
  const ir::Var var = builder.launch_axis(tag, index_expr(args[1], args.span(1)),
                                          args.target_or(fallback), args.span());
  return std::make_shared<WithFrame>(ir::make_var(var, args.span()));
}

Value attr(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel("T.attr", args.span());
  const auto* dict = args[0].as<Dict>();
  if (dict == nullptr) args.wrong(0, "a dict of attributes");
  ir::KernelAttributes& attributes = builder.kernel().attributes;

  struct Row {
    std::string_view name;
    std::optional<std::int64_t> ir::KernelAttributes::*field;
  };

  constexpr std::array kRows{
      Row{"tirx.launch_bounds_min_blocks_per_sm", &ir::KernelAttributes::min_blocks_per_sm},
      Row{"tirx.launch_bounds_max_blocks_per_cluster",
          &ir::KernelAttributes::max_blocks_per_cluster},
      Row{"tirx.max_registers", &ir::KernelAttributes::max_registers},
      Row{"tirx.dyn_smem_bytes", &ir::KernelAttributes::dynamic_shared_bytes},
  };
  std::vector<std::string> names;
  for (const Row& known : kRows) names.emplace_back(known.name);
  for (const auto& [key, value] : dict->items) {
    const std::string word = str(key);
    bool found = false;
    for (const Row& known : kRows) {
      if (known.name != word) continue;
      found = true;
      const auto number = value.integer();
      if (!number || *number <= 0) fail(args.span(0), "'{}' must be a positive int", word);
      attributes.*known.field = *number;
    }
    if (!found)
      fail(args.span(0), "no attribute is called '{}'{}", word, did_you_mean(word, names));
  }
  if (attributes.max_registers &&
      (attributes.min_blocks_per_sm || attributes.max_blocks_per_cluster)) {
    fail(args.span(0), "tirx.max_registers cannot be combined with CUDA launch bounds");
  }
  return std::make_shared<WithFrame>(Value());
}

using Kind = ir::ScopeIdKind;

constexpr auto kScopesFunctions = std::to_array<BuiltinFunction>({
    {"device_entry", "", device_entry, "The statements below run on the GPU's threads."},
    row<Kind::cta_id>("cta_id", "The CTA in the grid (blockIdx)."),
    row<Kind::cluster_id>("cluster_id", "The cluster in the grid."),
    row<Kind::cta_id_in_cluster>("cta_id_in_cluster", "The CTA in its cluster."),
    row<Kind::cta_id_in_pair>("cta_id_in_pair", "The CTA in its pair."),
    row<Kind::warpgroup_id>("warpgroup_id", "The warpgroup in the CTA."),
    row<Kind::warp_id>("warp_id", "The warp in the CTA."),
    row<Kind::warp_id_in_wg>("warp_id_in_wg", "The warp in its warpgroup."),
    row<Kind::lane_id>("lane_id", "The lane in the warp."),
    row<Kind::thread_id>("thread_id", "The thread in the CTA (threadIdx)."),
    row<Kind::thread_id_in_wg>("thread_id_in_wg", "The thread in its warpgroup."),
    {"launch_thread", "thread, extent", launch_thread, "The threads of a launch axis."},
    {"attr", "attributes", attr, "Attributes of the kernel: launch bounds, registers."},
});

}  // namespace

void register_scopes(Registry& registry) {
  registry.add("T", kScopesFunctions);
}

}  // namespace tirx::dsl
