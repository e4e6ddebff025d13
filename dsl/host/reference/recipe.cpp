#include "dsl/host/reference/recipe.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/host/reference/compute.hpp"
#include "dsl/host/reference/scaled_term.hpp"

namespace tirx::dsl::reference {

namespace {

using num::DType;

constexpr std::uint32_t kOne = 0x3f800000;

std::uint32_t mul(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(num::soft::mul(DType::f32, a, b));
}

std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return static_cast<std::uint32_t>(num::soft::fma(DType::f32, a, b, c));
}

std::uint32_t to_f32(std::uint32_t bits, DType from) {
  return static_cast<std::uint32_t>(num::convert(bits, from, DType::f32));
}

/// RN(sa * sb), times the extra one if there is one.
std::uint32_t scale_of(const Problem& p, const Term& t) {
  const std::uint32_t both = mul(bits_of(p, t.sa), bits_of(p, t.sb));
  return t.extra.from == ScaleRef::From::none ? both : mul(both, bits_of(p, t.extra));
}

}  // namespace

std::uint32_t bits_of(const Problem& p, const ScaleRef& scale) {
  const auto at = static_cast<std::size_t>(scale.row * p.blocks() + scale.block);
  switch (scale.from) {
    case ScaleRef::From::sfa:
      return p.sfa[at];
    case ScaleRef::From::sfb:
      return p.sfb[at];
    default:
      return kOne;
  }
}

std::string text_of(const Problem& p, const ScaleRef& scale) {
  if (scale.from == ScaleRef::From::none) return "no scale";
  const bool a = scale.from == ScaleRef::From::sfa;
  const std::int64_t rows = a ? p.sfa_rows() : p.sfb_rows();
  const bool grouped = a ? p.rows_per_group != p.rows : p.groups > 1;
  const double value = num::to_double(bits_of(p, scale), DType::f32);
  const std::string_view name = a ? "SFA" : "SFB";
  if (!grouped) return fmt::format("{}[{}, {}] = {}", name, scale.row, scale.block, value);
  return fmt::format("{}[{}, {}, {}] = {}", name, scale.row / rows, scale.row % rows, scale.block,
                     value);
}

Recipe definition(const Problem& p, std::int64_t row, std::int64_t column) {
  Recipe out;
  out.order = p.order;
  const std::int64_t group = p.row_group[static_cast<std::size_t>(row)];
  for (std::int64_t block = 0; block < p.blocks(); ++block) {
    const std::int64_t stop = std::min(p.k, (block + 1) * p.gk);
    for (std::int64_t first = block * p.gk; first < stop; first += p.promote) {
      Term t;
      t.first = first;
      t.last = std::min(stop, first + p.promote);
      t.a_row = row;
      t.b_row = group * p.n + column;
      t.sa = {ScaleRef::From::sfa, p.row_scale[static_cast<std::size_t>(row)], block};
      t.sb = {ScaleRef::From::sfb, group * p.sfb_rows() + column / p.gn, block};
      out.terms.push_back(t);
    }
  }
  return out;
}

std::uint32_t Element::c() const {
  return problem_.c.empty() ? 0 : problem_.c[static_cast<std::size_t>(row_ * problem_.n + column_)];
}

num::Bits Element::exact(const Recipe& recipe) const {
  const Problem& p = problem_;
  ExactSum sum;
  const std::uint32_t alpha = recipe.use_alpha ? p.alpha : kOne;
  for (std::size_t i = 0; i < recipe.terms.size(); ++i) {
    const Term& scaled = recipe.terms[i];
    const Factor factor =
        product_of({bits_of(p, scaled.sa), bits_of(p, scaled.sb), bits_of(p, scaled.extra), alpha});
    ExactSum plain;
    for (std::size_t j = i;; --j) {
      const Term& t = recipe.terms[j];
      for (std::int64_t k = t.first; k < t.last; ++k) {
        const num::Decoded x =
            trimmed(num::decode(p.a_type, p.a[static_cast<std::size_t>(t.a_row * p.k + k)]));
        const num::Decoded y =
            trimmed(num::decode(p.b_type, p.b[static_cast<std::size_t>(t.b_row * p.k + k)]));
        plain.add_product(x, y);
        if (!is_finite(x) || !is_finite(y)) continue;
        const auto product = static_cast<Integer>(num::Wide{x.significand} * y.significand);
        add_scaled(sum, factor, x.negative != y.negative ? -product : product,
                   x.exponent + y.exponent);
      }
      if (!t.keep || j == 0) break;
    }
    add_special(sum, factor, num::decode(DType::f64, plain.round_to(DType::f64)));
  }
  if (recipe.bias != Recipe::Bias::none && !p.c.empty()) {
    const std::uint32_t beta = recipe.bias == Recipe::Bias::unscaled ? kOne : p.beta;
    if (num::decode(DType::f32, beta).kind != num::NumberClass::zero)
      sum.add_product(num::decode(DType::f32, beta), num::decode(DType::f32, c()));
  }
  return round_once(sum, p.out, recipe.round);
}

std::uint32_t Element::product(const Term& t, std::uint32_t start, const Model& model) {
  const Problem& p = problem_;
  const Key key{t.first, t.last, t.a_row, t.b_row, start, model.row};
  if (const auto found = products_.find(key); found != products_.end()) return found->second;
  const auto a_at = static_cast<std::size_t>(t.a_row * p.k);
  const auto b_at = static_cast<std::size_t>(t.b_row * p.k);
  std::uint32_t sum = start;
  if (model.arithmetic == Arithmetic::fma) {
    for (std::int64_t k = t.first; k < t.last; ++k) {
      const auto i = static_cast<std::size_t>(k);
      sum = fma(to_f32(p.a[a_at + i], p.a_type), to_f32(p.b[b_at + i], p.b_type), sum);
    }
  } else {
    const auto part = [&](const std::vector<std::uint32_t>& of, std::size_t at, DType type) {
      const auto begin = of.begin() + static_cast<std::ptrdiff_t>(at);
      return containers({begin + t.first, begin + t.last}, type);
    };
    sum = instruction_dot(*model.row, t.last - t.first, part(p.a, a_at, p.a_type).data(),
                          part(p.b, b_at, p.b_type).data(), start);
  }
  products_.emplace(key, sum);
  return sum;
}

std::uint32_t Element::by_elements(const Recipe& recipe) const {
  const Problem& p = problem_;
  std::uint32_t acc = 0;
  for (const Term& t : recipe.terms) {
    for (std::int64_t k = t.first; k < t.last; ++k) {
      const std::uint32_t x = to_f32(p.a[static_cast<std::size_t>(t.a_row * p.k + k)], p.a_type);
      const std::uint32_t y = to_f32(p.b[static_cast<std::size_t>(t.b_row * p.k + k)], p.b_type);
      acc = fma(mul(x, bits_of(p, t.sa)), mul(y, bits_of(p, t.sb)), acc);
    }
  }
  return acc;
}

std::uint32_t Element::accumulate(const Recipe& recipe, const Model& model) {
  const Problem& p = problem_;
  if (recipe.order == Order::elements) return by_elements(recipe);
  std::uint32_t acc = 0;
  std::uint32_t temp = 0;
  for (const Term& t : recipe.terms) {
    temp = product(t, t.keep ? temp : 0, model);
    switch (recipe.order) {
      case Order::one_by_one:
        acc = fma(mul(temp, bits_of(p, t.sa)), bits_of(p, t.sb), acc);
        break;
      case Order::unfused:
        acc =
            static_cast<std::uint32_t>(num::soft::add(DType::f32, acc, mul(scale_of(p, t), temp)));
        break;
      case Order::triton:
        acc = static_cast<std::uint32_t>(
            num::soft::add(DType::f32, acc, mul(mul(temp, bits_of(p, t.sa)), bits_of(p, t.sb))));
        break;
      default:
        acc = fma(scale_of(p, t), temp, acc);
    }
  }
  return acc;
}

num::Bits Element::evaluate(const Recipe& recipe, const Model& model) {
  if (model.arithmetic == Arithmetic::exact) return exact(recipe);
  const Problem& p = problem_;
  const std::uint32_t acc = accumulate(recipe, model);
  std::uint32_t beta = p.beta;
  if (recipe.bias == Recipe::Bias::none) beta = 0;
  if (recipe.bias == Recipe::Bias::unscaled) beta = kOne;
  const std::uint32_t d = finish(recipe.use_alpha ? p.alpha : kOne, acc, beta, c());
  num::Conversion form = num::cast_rule(DType::f32, p.out);
  form.round = recipe.round;
  return p.out == DType::f32 ? d : num::convert(d, DType::f32, p.out, form);
}

}  // namespace tirx::dsl::reference
