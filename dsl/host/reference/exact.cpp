// D in rational arithmetic, rounded once.  The sum over k inside a block is done in integers: the
// elements of a row are written as integers times one power of two per block, and a block whose
// numbers lie too far apart for that is summed term by term.
#include <algorithm>
#include <array>
#include <bit>

#include "dsl/host/exact_sum.hpp"
#include "dsl/host/reference/compute.hpp"
#include "dsl/host/reference/scaled_term.hpp"
#include "ir/base/check.hpp"

namespace tirx::dsl::reference {

namespace {

using num::Decoded;
using num::DType;
using num::NumberClass;

/// One matrix, row by row and block by block: value = integer * 2^exponent.
struct Aligned {
  std::int64_t k = 0, gk = 1, blocks = 0;
  std::vector<std::int64_t> integers;  // rows x k
  std::vector<int> exponents;          // rows x blocks
  std::vector<int> widths;             // bits of the largest; kTooWide: does not fit
  std::vector<Decoded> values;         // rows x k
};

constexpr int kTooWide = 1000;

void align_block(Aligned& m, std::int64_t row, std::int64_t block) {
  const auto begin = static_cast<std::size_t>(row * m.k + block * m.gk);
  const auto end = static_cast<std::size_t>(row * m.k + std::min(m.k, (block + 1) * m.gk));
  const auto at = static_cast<std::size_t>(row * m.blocks + block);
  int lowest = INT32_MAX;
  int highest = INT32_MIN;
  bool special = false;
  for (std::size_t i = begin; i < end; ++i) {
    const Decoded& v = m.values[i];
    if (v.kind == NumberClass::zero) continue;
    special = special || v.kind != NumberClass::finite;
    lowest = std::min(lowest, v.exponent);
    highest = std::max(highest, v.exponent + num::bit_length(v.significand));
  }
  m.exponents[at] = lowest == INT32_MAX ? 0 : lowest;
  m.widths[at] = lowest == INT32_MAX ? 0 : highest - lowest;
  if (special || m.widths[at] > 62) {
    m.widths[at] = kTooWide;
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Decoded& v = m.values[i];
    if (v.kind == NumberClass::zero) continue;
    const auto magnitude = static_cast<std::int64_t>(v.significand << (v.exponent - lowest));
    m.integers[i] = v.negative ? -magnitude : magnitude;
  }
}

Aligned align(const std::vector<std::uint32_t>& bits,
              DType type,
              std::int64_t rows,
              const Problem& p) {
  Aligned m;
  m.k = p.k;
  m.gk = p.gk;
  m.blocks = p.blocks();
  m.integers.assign(bits.size(), 0);
  m.exponents.assign(static_cast<std::size_t>(rows * m.blocks), 0);
  m.widths.assign(m.exponents.size(), 0);
  m.values.reserve(bits.size());
  for (const std::uint32_t b : bits) m.values.push_back(trimmed(num::decode(type, b)));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t block = 0; block < m.blocks; ++block) align_block(m, row, block);
  }
  return m;
}

template <typename Sum>
Sum dot(const std::int64_t* a, const std::int64_t* b, std::int64_t count) {
  Sum sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<Sum>(a[i]) * b[i];
  return sum;
}

/// scale * P(row of a, row of b, block) into the sum.
void add_block(ExactSum& sum,
               const Factor& scale,
               const Aligned& a,
               std::int64_t a_row,
               const Aligned& b,
               std::int64_t b_row,
               std::int64_t block) {
  const std::int64_t first = block * a.gk;
  const std::int64_t count = std::min(a.k, first + a.gk) - first;
  const auto a_at = static_cast<std::size_t>(a_row * a.k + first);
  const auto b_at = static_cast<std::size_t>(b_row * b.k + first);
  const auto a_block = static_cast<std::size_t>(a_row * a.blocks + block);
  const auto b_block = static_cast<std::size_t>(b_row * b.blocks + block);
  const int width = a.widths[a_block] + b.widths[b_block] +
                    static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)));
  if (width <= 126) {
    const Integer total = width <= 63
                              ? dot<std::int64_t>(&a.integers[a_at], &b.integers[b_at], count)
                              : dot<Integer>(&a.integers[a_at], &b.integers[b_at], count);
    add_scaled(sum, scale, total, a.exponents[a_block] + b.exponents[b_block]);
    Decoded sign;  // what an infinite scale needs to know of P
    sign.kind = total == 0 ? NumberClass::zero : NumberClass::finite;
    sign.negative = total < 0;
    add_special(sum, scale, sign);
    return;
  }
  ExactSum products;
  for (std::int64_t t = 0; t < count; ++t) {
    const Decoded& x = a.values[a_at + static_cast<std::size_t>(t)];
    const Decoded& y = b.values[b_at + static_cast<std::size_t>(t)];
    products.add_product(x, y);
    if (!is_finite(x) || !is_finite(y)) continue;
    const auto product = static_cast<Integer>(num::Wide{x.significand} * y.significand);
    add_scaled(sum, scale, x.negative != y.negative ? -product : product, x.exponent + y.exponent);
  }
  add_special(sum, scale, num::decode(DType::f64, products.round_to(DType::f64)));
}

}  // namespace

std::vector<num::Bits> compute_exact(const Problem& p) {
  const Aligned a = align(p.a, p.a_type, p.rows, p);
  const Aligned b = align(p.b, p.b_type, p.groups * p.n, p);
  const std::int64_t blocks = p.blocks();
  std::vector<num::Bits> out(static_cast<std::size_t>(p.rows * p.n), 0);
  std::vector<Factor> scales(static_cast<std::size_t>(blocks));
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const std::int64_t group = p.row_group[static_cast<std::size_t>(row)];
    if (group < 0) continue;
    const std::int64_t sfa = p.row_scale[static_cast<std::size_t>(row)] * blocks;
    for (std::int64_t column = 0; column < p.n; ++column) {
      const std::int64_t sfb = (group * p.sfb_rows() + column / p.gn) * blocks;
      if (column % p.gn == 0) {
        for (std::int64_t block = 0; block < blocks; ++block) {
          scales[static_cast<std::size_t>(block)] =
              product_of({p.sfa[static_cast<std::size_t>(sfa + block)],
                          p.sfb[static_cast<std::size_t>(sfb + block)], p.alpha});
        }
      }
      ExactSum sum;
      for (std::int64_t block = 0; block < blocks; ++block) {
        add_block(sum, scales[static_cast<std::size_t>(block)], a, row, b, group * p.n + column,
                  block);
      }
      const auto at = static_cast<std::size_t>(row * p.n + column);
      if (!p.c.empty() && num::decode(DType::f32, p.beta).kind != NumberClass::zero) {
        sum.add_product(num::decode(DType::f32, p.beta), num::decode(DType::f32, p.c[at]));
      }
      out[at] = round_once(sum, p.out);
    }
  }
  return out;
}

}  // namespace tirx::dsl::reference
