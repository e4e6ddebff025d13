// gemm / mma.m16n8k*, mma.m8n8k4: which calls it takes.
#include <cmath>

#include <fmt/format.h>

#include "ir/gemm_scales.hpp"
#include "ir/print.hpp"
#include "lower/copy/copy.hpp"
#include "lower/gemm/gemm.hpp"
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

namespace tirx::lower {

namespace {

const ir::ConfigValue* config(const Site& site, std::string_view key) {
  const auto found = site.call.config.find(std::string(key));
  return found == site.call.config.end() ? nullptr : &found->second;
}

num::DType accumulator(const Site& site) {
  return site.sides[0]->buffer().dtype;
}

Result<bool> flag(const Site& site, std::string_view key) {
  const ir::ConfigValue* value = config(site, key);
  if (value == nullptr) return false;
  if (const bool* set = std::get_if<bool>(value)) return *set;
  return placeless(fmt::format("{} must be True or False", key));
}

Result<Factor> factor(const Site& site, std::string_view key, double otherwise) {
  const num::DType dtype = accumulator(site);
  const ir::Type type{dtype, 1};
  Factor made;
  made.known = otherwise;
  if (const ir::ConfigValue* value = config(site, key)) {
    if (const auto* expr = std::get_if<ir::Expr>(value)) {
      made.known.reset();
      made.value = (*expr)->type == type ? *expr : ir::make_expr(type, site.span, ir::Cast{*expr});
      if (num::is_int(dtype) && num::is_float((*expr)->type.dtype)) {
        return placeless(fmt::format("{} is {}, but D is {}", key, ir::to_string((*expr)->type),
                                     num::name(dtype)));
      }
      return made;
    }
    if (const auto* number = std::get_if<double>(value))
      made.known = *number;
    else if (const auto* whole = std::get_if<std::int64_t>(value))
      made.known = static_cast<double>(*whole);
    else
      return placeless(fmt::format("{} must be a number", key));
  }
  if (num::is_int(dtype)) {
    if (std::trunc(*made.known) != *made.known || std::abs(*made.known) > 2147483647.0) {
      return placeless(fmt::format("{} is {}, but D is {}", key, *made.known, num::name(dtype)));
    }
    made.value = ir::make_int(static_cast<std::int64_t>(*made.known), type);
  } else {
    made.value = ir::make_expr(type, site.span, ir::Const{num::from_double(*made.known, dtype)});
  }
  return made;
}

std::optional<std::string> refuse_gemm_operands(const Site& site) {
  constexpr std::array kRoles{"D", "A", "B", "C"};
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    if (i >= site.sides.size() || !site.sides[i]) {
      if (i == 3) continue;
      return fmt::format("operands — {} is missing", kRoles[i]);
    }
    const TileSide& side = *site.sides[i];
    const ir::BufferNode& buffer = side.buffer();
    if (buffer.scope() != ir::MemoryScope::local) {
      return fmt::format("registers — {} is {}, which is {} memory; mma.sync takes registers",
                         kRoles[i], buffer.name, ir::to_string(buffer.scope()));
    }
    if (!buffer.layout) return fmt::format("layouts — {} has layout=None", buffer.name);
    if (side.extents.empty()) {
      return fmt::format("static_extents — the extents of {} are not constants", buffer.name);
    }
  }
  if (site.sides[3] && site.sides[3]->buffer().dtype != accumulator(site)) {
    return fmt::format("dtypes — C is {}, but D is {}", num::name(site.sides[3]->buffer().dtype),
                       num::name(accumulator(site)));
  }
  return std::nullopt;
}

/// D is written tile by tile while A, B, C and the scales are still read.
std::optional<std::string> refuse_overlap(const Site& site, const GemmPlan& plan) {
  const ir::Storage* d = plan.d.side().buffer().storage.get();
  for (std::size_t i = ir::kFirstGemmScale; i < site.sides.size(); ++i) {
    if (site.sides[i] && site.sides[i]->buffer().storage.get() == d)
      return fmt::format("overlap — D and {} share registers", site.sides[i]->buffer().name);
  }
  for (const RegisterTile* operand : {&plan.a, &plan.b}) {
    if (operand->side().buffer().storage.get() == d) {
      return fmt::format("overlap — D and {} share registers", operand->side().buffer().name);
    }
  }
  if (!plan.c || plan.c->side().buffer().storage.get() != d) return std::nullopt;
  if (plan.c->base() == plan.d.base() && plan.c_regs == plan.d_regs) return std::nullopt;
  return "overlap — D and C share registers, but not element by element";
}

/// The error is a reason to refuse.
Result<GemmOptions> gemm_options(const Site& site) {
  for (const auto& [key, value] : site.call.config) {
    const bool known = key == "transpose_A" || key == "transpose_B" || key == "alpha" ||
                       key == "beta" || key == "promotion_interval" || key == "fill_mode" ||
                       key == "workspace";
    if (!known) return placeless(fmt::format("config — gemm takes no {}", key));
  }
  GemmOptions how;
  for (const bool a : {true, false}) {
    const Result<bool> set = flag(site, a ? "transpose_A" : "transpose_B");
    if (!set) return set.error();
    (a ? how.transpose_a : how.transpose_b) = *set;
  }
  Result<Factor> alpha = factor(site, "alpha", 1.0);
  if (!alpha) return alpha.error();
  Result<Factor> beta = factor(site, "beta", 0.0);
  if (!beta) return beta.error();
  how.alpha = std::move(alpha).value();
  how.beta = std::move(beta).value();
  if (!site.sides[3] && !how.beta.is(0.0)) {
    return placeless("operands — beta is not 0, but there is no C");
  }
  return how;
}

/// The promotion interval and the scales, which need the extents that the plan has checked.
std::optional<std::string> add_scales(const Site& site, const GemmPlan& plan, GemmOptions& how) {
  const bool scaled = site.sides.size() > 4 && (site.sides[4] || site.sides[5]);
  const ir::ConfigValue* wanted = config(site, "promotion_interval");
  if (!scaled && wanted == nullptr) return std::nullopt;
  const std::int64_t k = plan.a.columns();
  how.interval = k;
  if (wanted != nullptr) {
    const auto* number = std::get_if<std::int64_t>(wanted);
    if (number == nullptr || *number <= 0)
      return "config — promotion_interval is a positive number";
    how.interval = *number;
  }
  if (k % how.interval != 0) {
    return fmt::format("scales — K={} is no multiple of the promotion interval {}", k,
                       how.interval);
  }
  if (how.interval % plan.mma.k != 0) {
    return fmt::format("scales — a k step of {} would straddle the promotion interval {}",
                       plan.mma.k, how.interval);
  }
  if (accumulator(site) != num::DType::f32) {
    return fmt::format("scales — promotion needs float32 accumulators, D is {}",
                       num::name(accumulator(site)));
  }
  const ir::ConfigValue* fill = config(site, "fill_mode");
  const bool zero_fill = fill != nullptr;
  if (zero_fill &&
      (!std::holds_alternative<std::string>(*fill) || std::get<std::string>(*fill) != "zero")) {
    return "config — fill_mode is \"zero\"";
  }
  for (const bool a : {true, false}) {
    const std::size_t operand = ir::kFirstGemmScale + (a ? 0 : 1);
    if (site.sides.size() <= operand || !site.sides[operand]) continue;
    auto scales = ScaleTile::make(site, plan, a, how.interval,
                                  a ? how.transpose_a : !how.transpose_b, zero_fill);
    if (!scales) return scales.error().text;
    (a ? how.scale_a : how.scale_b) = std::move(scales).value();
  }
  return std::nullopt;
}

}  // namespace

Result<MmaCall> plan_mma(const Site& site, MmaSize size) {
  if (site.scope == ir::ExecScope::thread) {
    return placeless("exec_scope — mma.sync is executed by whole warps, got thread");
  }
  for (const auto refuse : {refuse_scope, refuse_gemm_operands, refuse_inactive}) {
    if (auto why = refuse(site)) return placeless(std::move(*why));
  }
  Result<GemmOptions> how = gemm_options(site);
  if (!how) return how.error();
  const auto dtype = [&](std::size_t i) { return site.sides[i]->buffer().dtype; };
  const Result<MmaInstruction> mma = find_mma(site.target, dtype(1), dtype(2), dtype(0), size);
  if (!mma) return mma.error();
  Result<GemmPlan> plan = plan_gemm(site, *mma, how->transpose_a, how->transpose_b);
  if (!plan) return plan.error();
  if (auto why = refuse_overlap(site, *plan)) return placeless(std::move(*why));
  if (auto why = add_scales(site, *plan, *how)) return placeless(std::move(*why));
  return MmaCall{std::move(plan).value(), std::move(how).value()};
}

Expansion expand_mma(const Site& site, const MmaCall& call) {
  return emit_gemm(site, call.plan, call.how);
}

}  // namespace tirx::lower
