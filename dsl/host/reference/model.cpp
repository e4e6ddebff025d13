// D by the rules of the hardware: the order of docs/block_scaling.md, P from the rows of
// numerics/mma or from a chain of fma.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dsl/host/reference/compute.hpp"
#include "dsl/host/reference/recipe.hpp"
#include "ir/base/check.hpp"
#include "numerics/lanes.hpp"
#include "numerics/mma/rows.hpp"

namespace tirx::dsl::reference {

namespace {

using num::DType;

constexpr std::uint32_t kOne = 0x3f800000;

/// Vectors of 32 lanes over a row of n columns, padded.
struct Lanes {
  alignas(64) std::array<std::uint32_t, num::kLanes> v{};

  static Lanes all(std::uint32_t bits) {
    Lanes out;
    out.v.fill(bits);
    return out;
  }
};

struct Ops {
  num::LaneFunction mul = num::find_lane_function(num::ScalarOp::mul, DType::f32);
  num::LaneFunction fma = num::find_lane_function(num::ScalarOp::fma, DType::f32);
};

std::vector<std::uint32_t> as_float32(const std::vector<std::uint32_t>& values, DType type) {
  std::vector<std::uint32_t> out;
  out.reserve(values.size());
  for (const std::uint32_t bits : values)
    out.push_back(static_cast<std::uint32_t>(num::convert(bits, type, DType::f32)));
  return out;
}

/// P of `rows` rows for k in [first, last), into temp (rows x n).
class Products {
 public:
  explicit Products(const Problem& p) : p_(p) {
    if (p.model.arithmetic == Arithmetic::instruction) {
      a_ = containers(p.a, p.a_type);
      b_ = containers(p.b, p.b_type);
      return;
    }
    fa_ = as_float32(p.a, p.a_type);
    const std::vector<std::uint32_t> b = as_float32(p.b, p.b_type);
    fb_.resize(b.size());  // groups x k x n: lanes run along n
    const auto n = static_cast<std::size_t>(p.n);
    const auto k = static_cast<std::size_t>(p.k);
    for (std::size_t g = 0; g < static_cast<std::size_t>(p.groups); ++g) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t t = 0; t < k; ++t) fb_[(g * k + t) * n + j] = b[(g * n + j) * k + t];
      }
    }
  }

  void operator()(std::int64_t row,
                  std::int64_t rows,
                  std::int64_t group,
                  std::int64_t first,
                  std::int64_t last,
                  std::uint32_t* temp) const {
    if (p_.model.arithmetic == Arithmetic::instruction) {
      instruction_tile(*p_.model.row, rows, p_.n, last - first, p_.k,
                       a_.data() + (row * p_.k + first) * num::container_bytes(p_.a_type),
                       b_.data() + (group * p_.n * p_.k + first) * num::container_bytes(p_.b_type),
                       temp);
      return;
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < p_.n; j += num::kLanes)
        chain(row + i, group, first, last, j, temp + i * p_.n + j);
    }
  }

 private:
  void chain(std::int64_t row,
             std::int64_t group,
             std::int64_t first,
             std::int64_t last,
             std::int64_t column,
             std::uint32_t* to) const {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(num::kLanes, p_.n - column));
    Lanes sum;
    Lanes right;
    for (std::int64_t t = first; t < last; ++t) {
      const Lanes left = Lanes::all(fa_[static_cast<std::size_t>(row * p_.k + t)]);
      std::copy_n(fb_.begin() + (group * p_.k + t) * p_.n + column, count, right.v.begin());
      ops_.fma(sum.v.data(), left.v.data(), right.v.data(), sum.v.data(), ~0U);
    }
    std::copy_n(sum.v.begin(), count, to);
  }

  const Problem& p_;
  Ops ops_;
  std::vector<std::uint8_t> a_, b_;
  std::vector<std::uint32_t> fa_, fb_;
};

/// acc = fma(RN(sa * sb), P, acc), one row.
void promote(const Problem& p,
             const Ops& ops,
             std::int64_t row,
             std::int64_t group,
             std::int64_t block,
             const std::uint32_t* temp,
             std::uint32_t* acc) {
  const std::int64_t blocks = p.blocks();
  const Lanes sa = Lanes::all(
      p.sfa[static_cast<std::size_t>(p.row_scale[static_cast<std::size_t>(row)] * blocks + block)]);
  for (std::int64_t j = 0; j < p.n; j += num::kLanes) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(num::kLanes, p.n - j));
    Lanes s;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::int64_t sfb = (j + static_cast<std::int64_t>(lane)) / p.gn;
      s.v[lane] = p.sfb[static_cast<std::size_t>((group * p.sfb_rows() + sfb) * blocks + block)];
    }
    ops.mul(s.v.data(), sa.v.data(), s.v.data(), nullptr, ~0U);
    Lanes t;
    Lanes sum;
    std::copy_n(temp + j, count, t.v.begin());
    std::copy_n(acc + j, count, sum.v.begin());
    ops.fma(sum.v.data(), s.v.data(), t.v.data(), sum.v.data(), ~0U);
    std::copy_n(sum.v.begin(), count, acc + j);
  }
}

}  // namespace

std::optional<Model> find_model(std::string_view name, DType a, DType b) {
  if (name == "exact") return Model{};
  if (name == "fma") return Model{Arithmetic::fma, nullptr, "fma"};
  const num::MmaRow* row = find_instruction(name, a, b);
  if (row == nullptr) return std::nullopt;
  return Model{Arithmetic::instruction, row, std::string(name)};
}

std::vector<std::string> model_names(DType a, DType b) {
  std::vector<std::string> names = instruction_names(a, b);
  names.insert(names.begin(), {"exact", "fma"});
  return names;
}

std::uint32_t finish(std::uint32_t alpha, std::uint32_t acc, std::uint32_t beta, std::uint32_t c) {
  if (num::decode(DType::f32, beta).kind == num::NumberClass::zero) {
    return alpha == kOne ? acc : static_cast<std::uint32_t>(num::soft::mul(DType::f32, alpha, acc));
  }
  const num::Bits added = num::soft::mul(DType::f32, beta, c);
  return static_cast<std::uint32_t>(num::soft::fma(DType::f32, alpha, acc, added));
}

std::vector<num::Bits> compute_model(const Problem& p) {
  const Products products(p);
  const Ops ops;
  std::vector<num::Bits> out(static_cast<std::size_t>(p.rows * p.n), 0);
  std::vector<std::uint32_t> temp;
  std::vector<std::uint32_t> acc;
  for (std::int64_t row = 0; row < p.rows;) {
    const std::int64_t group = p.row_group[static_cast<std::size_t>(row)];
    std::int64_t end = row + 1;
    while (end < p.rows && p.row_group[static_cast<std::size_t>(end)] == group) ++end;
    if (group < 0) {
      row = end;
      continue;
    }
    const std::int64_t rows = end - row;
    temp.assign(static_cast<std::size_t>(rows * p.n), 0);
    acc.assign(temp.size(), 0);
    for (std::int64_t block = 0; block < p.blocks(); ++block) {
      const std::int64_t stop = std::min(p.k, (block + 1) * p.gk);
      for (std::int64_t first = block * p.gk; first < stop; first += p.promote) {
        products(row, rows, group, first, std::min(stop, first + p.promote), temp.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          promote(p, ops, row + i, group, block, temp.data() + i * p.n, acc.data() + i * p.n);
        }
      }
    }
    for (std::size_t i = 0; i < acc.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(row * p.n) + i;
      out[at] = num::convert(finish(p.alpha, acc[i], p.beta, p.c.empty() ? 0 : p.c[at]), DType::f32,
                             p.out);
    }
    row = end;
  }
  return out;
}

std::optional<Order> find_order(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"product", "one_by_one", "unfused", "triton",
                                                      "elements"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Order>(i);
  }
  return std::nullopt;
}

std::vector<num::Bits> compute(const Problem& problem) {
  if (problem.model.arithmetic == Arithmetic::exact) return compute_exact(problem);
  if (problem.order == Order::product) return compute_model(problem);
  // Other people's orders, element by element.
  std::vector<num::Bits> out(static_cast<std::size_t>(problem.rows * problem.n), 0);
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    if (problem.row_group[static_cast<std::size_t>(row)] < 0) continue;
    for (std::int64_t column = 0; column < problem.n; ++column) {
      out[static_cast<std::size_t>(row * problem.n + column)] =
          Element(problem, row, column).evaluate(definition(problem, row, column));
    }
  }
  return out;
}

}  // namespace tirx::dsl::reference
