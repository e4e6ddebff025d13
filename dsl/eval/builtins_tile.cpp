// Tx.copy, Tx.warp.copy, …: tile calls with the checks that need no knowledge of the lowering.
#include <algorithm>
#include <array>
#include <vector>

#include "dsl/eval/buffers.hpp"
#include "dsl/eval/builtins.hpp"
#include "dsl/eval/interpreter.hpp"
#include "dsl/eval/ir_expr.hpp"
#include "dsl/eval/kernel_builder.hpp"
#include "dsl/eval/machine_call.hpp"
#include "ir/gemm_scales.hpp"

namespace tirx::dsl {

namespace {

using ir::TileOp;

constexpr auto kScopes =
    std::to_array<std::string_view>({"", "thread", "warp", "wg", "warpgroup", "cta", "cluster"});

/// "Tx.warp.copy" -> scope and operation.
struct Named {
  ir::ExecScope scope = ir::ExecScope::thread;
  TileOp op = TileOp::copy;
};

Named named(const std::string& function) {
  Named out;
  const std::size_t last = function.rfind('.');
  out.op = *ir::find_tile_op(std::string_view(function).substr(last + 1));
  const std::size_t first = function.find('.');
  if (first != last) {
    out.scope = *ir::find_exec_scope(function.substr(first + 1, last - first - 1));
  }
  return out;
}

bool is_copy(TileOp op) {
  const ir::TileFamily family = ir::spec(op).family;
  return family == ir::TileFamily::copy || family == ir::TileFamily::copy_async;
}

bool takes_scalars(TileOp op, std::string_view operand) {
  const auto& scalars = ir::spec(op).scalars;
  return std::find(scalars.begin(), scalars.end(), operand) != scalars.end();
}

/// A buffer, a region, or a single element seen as a region.
std::optional<ir::Region> region_operand(const Value& value, Span span) {
  if (auto region = to_region(value, span)) return region;
  const ir::Access* place = writable_place(value);
  if (place == nullptr || place->stride != 1) return std::nullopt;
  ir::Region region{place->buffer, {}, span};
  for (const ir::Expr& index : place->indices) {
    region.ranges.push_back({index, ir::make_int(1, ir::kInt32, span)});
  }
  const auto lanes = (*value.as<ir::Expr>())->type.lanes;
  region.ranges.back().extent = ir::make_int(lanes, ir::kInt32, span);
  return region;
}

/// The dtype that a literal operand takes: what is stored takes the destination's, `bias` and
/// `scale` that of the source.  Nothing: the literal's own, as in any expression.
std::optional<num::DType> literal_dtype(const ir::TileCall& call, std::string_view operand) {
  const auto dtype_of = [&](std::size_t i) -> std::optional<num::DType> {
    if (i >= call.operands.size()) return std::nullopt;
    const auto* region = std::get_if<ir::Region>(&call.operands[i]);
    return region == nullptr ? std::nullopt : std::optional(region->buffer->dtype);
  };
  switch (call.op) {
    case TileOp::fill:
    case TileOp::memset:
    case TileOp::select:
      return dtype_of(0);
    case TileOp::sqrt:
    case TileOp::exp:
    case TileOp::exp2:
    case TileOp::log2:
      if (operand != "bias" && operand != "scale") return std::nullopt;
      return dtype_of(1) ? dtype_of(1) : dtype_of(0);
    default:
      return std::nullopt;
  }
}

/// select's lambda, called with one index for each dimension of the region of dst; or, where it
/// takes fewer, for each dimension of more than one element (`d[w, :, :]` has two).
ir::Expr predicate(Interpreter& interpreter, ir::TileCall& call, const Value& lambda, Span span) {
  const auto* dst = std::get_if<ir::Region>(&call.operands.front());
  Values indices;
  Values wide;
  for (std::size_t i = 0; dst != nullptr && i < dst->ranges.size(); ++i) {
    call.index_vars.push_back(
        std::make_shared<ir::Variable>(ir::Variable{fmt::format("i{}", i), ir::kInt32, span}));
    indices.emplace_back(ir::make_var(call.index_vars.back(), span));
    std::int64_t extent = 0;
    if (!ir::is_const_int(dst->ranges[i].extent, extent) || extent != 1) {
      wide.push_back(indices.back());
    }
  }
  const auto* function = lambda.as<Function>();
  if (function != nullptr && function->parameters != nullptr &&
      function->parameters->size() == wide.size()) {
    indices = std::move(wide);
  }
  return condition_expr(interpreter.expr(interpreter.call(lambda, std::move(indices), span), span),
                        span);
}

ir::TileOperand operand(Interpreter& interpreter,
                        const ir::TileCall& call,
                        std::string_view name,
                        const Value& value,
                        Span span) {
  const TileOp op = call.op;
  const bool scalar_first = takes_scalars(op, name);
  const bool element = value.is<ir::Expr>();
  if (const auto dtype = literal_dtype(call, name); dtype && scalar_first) {
    if (value.number()) return literal_as(value, {*dtype, 1}, span);
    if (element && (op == TileOp::fill || op == TileOp::memset || op == TileOp::select)) {
      return interpreter.convert_for_store(value, {*dtype, 1}, span);
    }
  }
  if (scalar_first && (value.number() || element)) return interpreter.expr(value, span);
  if (auto region = region_operand(value, span)) return *region;
  if (scalar_first) return interpreter.expr(value, span);
  fail_help(span,
            fmt::format("Tx.{} is tile-only and expects `{}` to be a buffer or a region, not {}",
                        ir::spec(op).name, name, kind_name(value)),
            "A, A[0:8, 0:16] or A[i]");
}

std::vector<ir::Expr> non_unit_extents(const ir::Region& region) {
  std::vector<ir::Expr> out;
  for (const ir::Range& range : region.ranges) {
    std::int64_t extent = 0;
    if (ir::is_const_int(range.extent, extent) && extent == 1) continue;
    out.push_back(range.extent);
  }
  return out;
}

std::string extents_text(const std::vector<ir::Expr>& extents) {
  std::string out;
  for (const ir::Expr& extent : extents) {
    std::int64_t known = 0;
    if (!out.empty()) out += ", ";
    out += ir::is_const_int(extent, known) ? std::to_string(known) : repr(Value(extent));
  }
  return "(" + out + ")";
}

void check_copy(const ir::TileCall& call, Span span) {
  const auto* dst = std::get_if<ir::Region>(&call.operands[0]);
  const auto* src = std::get_if<ir::Region>(&call.operands[1]);
  if (dst == nullptr || src == nullptr) return;
  const std::vector<ir::Expr> a = non_unit_extents(*dst);
  const std::vector<ir::Expr> b = non_unit_extents(*src);
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) {
    const auto difference = constant_difference(a[i], b[i]);
    same = !difference || *difference == 0;
  }
  if (same) return;
  fail_text(span,
            fmt::format("Tx.{}: the extents of dst {} and src {} differ", ir::spec(call.op).name,
                        extents_text(a), extents_text(b)),
            {{dst->span, "dst"}, {src->span, "src"}});
}

ir::ConfigValue config_value(const Value& value, const std::string& key, Span span) {
  if (const bool* b = value.as<bool>()) return *b;
  if (const auto* i = value.as<std::int64_t>()) return *i;
  if (const auto* d = value.as<double>()) return *d;
  if (const std::string* text = value.text()) return *text;
  if (const auto* expr = value.as<ir::Expr>()) return *expr;
  if (const Values* items = sequence(value)) {
    std::vector<std::int64_t> numbers;
    for (const Value& item : *items) {
      const auto number = item.integer();
      if (!number) fail(span, "'{}' must be a tuple of ints", key);
      numbers.push_back(*number);
    }
    return numbers;
  }
  if (const ir::Access* place = writable_place(value)) {
    return ir::make_expr(ir::kHandle, span, ir::AddressOf{*place});
  }
  fail(span, "'{}' cannot be configured by {}", key, kind_name(value));
}

bool is_flag(std::string_view keyword) {
  return keyword == "approx" || keyword == "accum" || keyword == "thread_reduce" ||
         keyword == "clip";
}

/// A keyword that the operation would ignore is a mistake, or something it cannot do yet.
void check_keyword(const ir::TileOpSpec& spec, std::string_view name, Span span) {
  std::string known;
  for (const std::string_view keyword : spec.keywords) {
    if (keyword == "*" || keyword == name) return;
    if (!keyword.empty()) known += fmt::format("{}{}=", known.empty() ? "" : ", ", keyword);
  }
  if (spec.op == TileOp::copy &&
      (name == "cache" || name == "l1_evict" || name == "l2_evict" || name == "prefetch_size")) {
    fail_help(span, fmt::format("Tx.copy: the cache hint '{}' is not available", name),
              "leave it out: hints do not change what is copied");
  }
  fail_help(span, fmt::format("Tx.{} takes no keyword '{}'", spec.name, name),
            known.empty()
                ? std::string("its keywords are dispatch=, scope=, workspace=")
                : fmt::format("its keywords are {}, dispatch=, scope=, workspace=", known));
}

/// Positional configuration of an operation, after its operands.
std::vector<std::string_view> extra_parameters(TileOp op) {
  switch (ir::spec(op).family) {
    case ir::TileFamily::reduction:
      return {"axes", "accum"};
    case ir::TileFamily::gemm:
      return {"transpose_A", "transpose_B", "alpha", "beta"};
    default:
      return {};
  }
}

/// Takes `SFA=region`; whether the keyword is an operand.
bool keyword_operand(Interpreter& interpreter,
                     ir::TileCall& call,
                     std::string_view name,
                     const ArgumentValue& argument) {
  if (call.op != TileOp::gemm) return false;
  for (std::size_t i = 0; i < ir::kGemmScales.size(); ++i) {
    if (ir::kGemmScales[i] != name) continue;
    call.operands.resize(ir::kFirstGemmScale + ir::kGemmScales.size());
    call.operands[ir::kFirstGemmScale + i] =
        operand(interpreter, call, name, argument.value, argument.span);
    return true;
  }
  return false;
}

Value tile_call(Interpreter& interpreter, const Arguments& args) {
  KernelBuilder& builder = interpreter.need_kernel(args.function(), args.span());
  builder.need_device(args.function(), args.span());
  const Named what = named(args.function());
  const ir::TileOpSpec& spec = ir::spec(what.op);
  ir::TileCall call{what.op, what.scope, {}, {}, {}};
  std::size_t at = 0;
  for (const std::string_view full : spec.operands) {
    if (full.empty()) break;
    const std::string_view name = full.back() == '?' ? full.substr(0, full.size() - 1) : full;
    if (what.op == TileOp::select && name == "predicate") {
      call.operands.emplace_back(predicate(interpreter, call, args[at], args.span(at)));
    } else if (args.has(at)) {
      call.operands.push_back(operand(interpreter, call, name, args[at], args.span(at)));
    } else {
      call.operands.emplace_back();
    }
    ++at;
  }
  if (!std::holds_alternative<ir::Region>(call.operands.front())) {
    fail(args.span(0), "Tx.{}: the destination must be a buffer or a region", spec.name);
  }
  for (const std::string_view extra : extra_parameters(what.op)) {
    if (args.has(at)) {
      Value value = args[at];
      if (extra == "axes" && value.integer()) value = make_tuple({Value(*value.integer())});
      if ((extra == "alpha" || extra == "beta") && value.number()) value = Value(*value.number());
      call.config[std::string(extra)] = config_value(value, std::string(extra), args.span(at));
    } else if (extra == "axes") {
      call.config["axes"] = std::vector<std::int64_t>{-1};
    }
    ++at;
  }
  call.dispatch = args.text_or(at, "");
  if (args.has(at + 1)) {
    const auto scope = ir::find_exec_scope(args.text(at + 1));
    if (!scope) fail(args.span(at + 1), "no execution scope is called '{}'", args.text(at + 1));
    call.scope = *scope;
  }
  for (const auto& [name, argument] : args.named_rest()) {
    if (argument.value.is_none() || keyword_operand(interpreter, call, name, argument)) continue;
    check_keyword(spec, name, argument.span);
    if (name == "fill" && what.op == TileOp::copy) {
      const num::DType dtype = std::get<ir::Region>(call.operands.front()).buffer->dtype;
      call.config[name] = interpreter.convert_for_store(argument.value, {dtype, 1}, argument.span);
      continue;
    }
    if (!argument.value.is<bool>() && is_flag(name)) {
      fail(argument.span, "'{}' is True or False", name);
    }
    call.config[name] = config_value(argument.value, name, argument.span);
  }
  if (is_copy(what.op) && call.dispatch.rfind("tma", 0) != 0) check_copy(call, args.span());
  builder.emit(args.span(), std::move(call));
  return {};
}

struct Rows {
  std::vector<std::string> signatures;
  std::vector<BuiltinFunction> rows;
};

const std::vector<BuiltinFunction>& tile_rows() {
  static const Rows kRows = [] {
    Rows made;
    made.signatures.reserve(ir::tile_ops().size());
    for (const ir::TileOpSpec& spec : ir::tile_ops()) {
      std::string signature;
      for (const std::string_view operand_name : spec.operands) {
        if (operand_name.empty()) break;
        std::string one(operand_name);
        if (one.back() == '?') one.back() = '=';
        signature += one + ", ";
      }
      for (const std::string_view extra : extra_parameters(spec.op)) {
        signature += std::string(extra) + "=, ";
      }
      signature += "*, dispatch=None, scope=None, workspace=None, **config";
      made.signatures.push_back(std::move(signature));
      made.rows.push_back({spec.name, made.signatures.back(), tile_call, spec.doc});
    }
    return made;
  }();
  return kRows.rows;
}

}  // namespace

void register_tile_ops(Registry& registry) {
  for (const std::string_view scope : kScopes) {
    registry.add(scope.empty() ? std::string("Tx") : "Tx." + std::string(scope), tile_rows());
  }
}

}  // namespace tirx::dsl
