// Block-scaled problems for the tests of the oracle.
#pragma once

#include <random>

#include "dsl/host/reference/problem.hpp"

namespace tirx::dsl::reference {

struct Sizes {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t gm = 1, gn = 1, gk = 1;
};

/// Random operands: `bits` any pattern, otherwise values near 1; scales with random fractions.
inline Problem random_problem(
    const Sizes& s, num::DType a, num::DType b, bool bits, unsigned seed) {
  std::mt19937 random(seed);
  Problem p;
  p.rows = s.m;
  p.rows_per_group = s.m;
  p.n = s.n;
  p.k = s.k;
  p.gm = s.gm;
  p.gn = s.gn;
  p.gk = s.gk;
  p.promote = s.gk;
  p.a_type = a;
  p.b_type = b;
  p.out = num::DType::bf16;
  const auto element = [&](num::DType type) {
    if (bits) {
      const std::uint32_t mask =
          num::bits(type) == 32 ? ~0U : (1U << static_cast<unsigned>(num::bits(type))) - 1;
      return static_cast<std::uint32_t>(random()) & mask;
    }
    const double value = static_cast<double>(static_cast<int>(random() % 4001) - 2000) / 777.0;
    return static_cast<std::uint32_t>(num::from_double(value, type));
  };
  const auto scale = [&] {
    const double value = (1.0 + static_cast<double>(random() % 1000) / 999.0) *
                         static_cast<double>(1 << (random() % 12)) / 64.0;
    return static_cast<std::uint32_t>(num::from_double(value, num::DType::f32));
  };
  for (std::int64_t i = 0; i < p.rows * p.k; ++i) p.a.push_back(element(a));
  for (std::int64_t i = 0; i < p.n * p.k; ++i) p.b.push_back(element(b));
  for (std::int64_t i = 0; i < p.sfa_rows() * p.blocks(); ++i) p.sfa.push_back(scale());
  for (std::int64_t i = 0; i < p.sfb_rows() * p.blocks(); ++i) p.sfb.push_back(scale());
  p.row_group.assign(static_cast<std::size_t>(p.rows), 0);
  for (std::int64_t row = 0; row < p.rows; ++row) p.row_scale.push_back(row / p.gm);
  return p;
}

}  // namespace tirx::dsl::reference
