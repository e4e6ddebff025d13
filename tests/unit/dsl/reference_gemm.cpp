// The oracle of block-scaled GEMM: worked numbers, and two ways of computing each element.
#include <bit>

#include <doctest/doctest.h>

#include "dsl/host/reference/recipe.hpp"
#include "numerics/scalar.hpp"
#include "reference_support.hpp"

using namespace tirx;
using namespace tirx::dsl::reference;
using num::DType;

namespace {

std::uint32_t f32(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// A and B full of ones.
Problem ones(const Sizes& s, std::vector<float> sfa, std::vector<float> sfb) {
  Problem p = random_problem(s, DType::e4m3, DType::e4m3, false, 1);
  p.out = DType::f32;
  p.a.assign(p.a.size(), 0x38);  // 1.0
  p.b.assign(p.b.size(), 0x38);
  REQUIRE(sfa.size() == p.sfa.size());
  REQUIRE(sfb.size() == p.sfb.size());
  for (std::size_t i = 0; i < sfa.size(); ++i) p.sfa[i] = f32(sfa[i]);
  for (std::size_t i = 0; i < sfb.size(); ++i) p.sfb[i] = f32(sfb[i]);
  return p;
}

float at(const Problem& p, std::int64_t row, std::int64_t column) {
  const std::vector<num::Bits> d = compute(p);
  return std::bit_cast<float>(
      static_cast<std::uint32_t>(d[static_cast<std::size_t>(row * p.n + column)]));
}

void check_elements(const Problem& p) {
  const std::vector<num::Bits> all = compute(p);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    for (std::int64_t column = 0; column < p.n; ++column) {
      Element element(p, row, column);
      const num::Bits one = element.evaluate(definition(p, row, column));
      INFO(p.model.name << " [" << row << ", " << column << "]");
      CHECK(num::same_value(all[static_cast<std::size_t>(row * p.n + column)], one, p.out));
    }
  }
}

}  // namespace

TEST_CASE("two waves of rows: 256, 512, 512, 1024") {
  for (const char* name : {"exact", "fma", "sm_90.wgmma", "sm_90.mma_sync"}) {
    Problem p = ones({256, 128, 128, 128, 64, 128}, {2, 4}, {1, 2});
    p.model = *find_model(name, DType::e4m3, DType::e4m3);
    CHECK(at(p, 0, 0) == 256);
    CHECK(at(p, 0, 64) == 512);
    CHECK(at(p, 128, 0) == 512);
    CHECK(at(p, 128, 64) == 1024);
  }
}

TEST_CASE("a K tail has a scale of its own") {
  CHECK(at(ones({1, 1, 192, 1, 1, 128}, {2, 8}, {1, 4}), 0, 0) == 2304);
}

TEST_CASE("four K blocks: 128 * 85") {
  CHECK(at(ones({1, 1, 512, 1, 1, 128}, {1, 2, 4, 8}, {1, 2, 4, 8}), 0, 0) == 10880);
}

TEST_CASE("the order of the scales shows in the last bit") {
  Problem p = ones({1, 1, 13, 1, 1, 13}, {0.1F}, {0.3F});
  p.model = *find_model("fma", DType::e4m3, DType::e4m3);
  Element element(p, 0, 0);
  Recipe recipe = definition(p, 0, 0);
  CHECK(element.evaluate(recipe) == 0x3EC7AE15);
  recipe.order = Order::one_by_one;
  CHECK(element.evaluate(recipe) == 0x3EC7AE16);
  recipe.order = Order::triton;
  CHECK(element.evaluate(recipe) == 0x3EC7AE16);
}

TEST_CASE("contraction shows too: a product that is rounded by itself makes a tie") {
  // With x = 2^-12: (1 + x) * (1 - x + x^2) * 2^-24 = (1 + x^3) * 2^-24, in float32 2^-24.  Added
  // to 1 that is a tie, to even; the unrounded product lies above it.
  Problem p =
      ones({1, 1, 2, 1, 1, 1}, {1, 1 + 0x1p-12F}, {1, (1 - 0x1p-12F + 0x1p-24F) * 0x1p-24F});
  p.out = DType::f32;
  p.model = *find_model("fma", DType::e4m3, DType::e4m3);
  for (const auto& [order, bits] : {std::pair{"one_by_one", 0x3f800001},
                                    {"triton", 0x3f800000},
                                    {"unfused", 0x3f800000},
                                    {"product", 0x3f800000}}) {
    INFO(order);
    p.order = *find_order(order);
    CHECK(compute(p)[0] == static_cast<num::Bits>(bits));
  }
}

TEST_CASE("wgmma drops what lies 13 bits below the largest product; fp8 results saturate") {
  Problem p = ones({1, 1, 32, 1, 1, 32}, {1}, {1});
  p.a[0] = 0x7e;  // 448
  p.b[0] = 0x7e;
  CHECK(at(p, 0, 0) == 200735);
  p.model = *find_model("sm_90a.wgmma", DType::e4m3, DType::e4m3);
  CHECK(at(p, 0, 0) == 200704);
  p.out = DType::e4m3;
  CHECK(compute(p)[0] == 0x7e);
  p.model = Model{};
  CHECK(compute(p)[0] == 0x7e);
}

TEST_CASE("alpha, beta and C; beta = 0 does not read C") {
  for (const char* name : {"exact", "fma"}) {
    Problem p = ones({1, 1, 4, 1, 1, 4}, {1}, {1});
    p.model = *find_model(name, DType::e4m3, DType::e4m3);
    p.alpha = f32(0.5F);
    p.c = {0x7fc00000};
    CHECK(at(p, 0, 0) == 2);
    p.beta = f32(3);
    p.c = {f32(7)};
    CHECK(at(p, 0, 0) == 23);
  }
}

TEST_CASE("every element by the whole-matrix code and alone, all models, ragged sizes") {
  unsigned seed = 0;
  for (const auto& [a, b] : {std::pair{DType::e4m3, DType::e4m3},
                             {DType::e5m2, DType::e4m3},
                             {DType::bf16, DType::bf16},
                             {DType::f16, DType::f16},
                             {DType::f32, DType::f32}}) {
    for (const Sizes& s : {Sizes{5, 37, 70, 1, 16, 32}, Sizes{9, 33, 64, 4, 3, 64},
                           Sizes{3, 2, 40, 2, 1, 7}, Sizes{1, 1, 1, 1, 1, 128}}) {
      for (const bool bits : {false, true}) {
        Problem p = random_problem(s, a, b, bits, ++seed);
        for (const std::string& name : model_names(a, b)) {
          p.model = *find_model(name, a, b);
          check_elements(p);
        }
        if (s.gk % 2 != 0) continue;
        p.promote = s.gk / 2;
        check_elements(p);
      }
    }
  }
}

TEST_CASE("results of every type, alpha and beta in the two ways") {
  unsigned seed = 100;
  for (const DType out : {DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e5m2}) {
    Problem p = random_problem({4, 35, 48, 2, 5, 16}, DType::e4m3, DType::e5m2, false, ++seed);
    p.out = out;
    p.alpha = f32(0.3F);
    p.beta = f32(-1.7F);
    for (std::int64_t i = 0; i < p.rows * p.n; ++i)
      p.c.push_back(f32(static_cast<float>(i) * 0.37F));
    for (const char* name : {"exact", "fma", "sm_90.mma_sync"}) {
      p.model = *find_model(name, p.a_type, p.b_type);
      check_elements(p);
    }
  }
}

TEST_CASE("other orders than the definition's, and the last bit that tells them") {
  Problem p = random_problem({3, 4, 64, 1, 1, 32}, DType::e4m3, DType::e4m3, false, 9);
  p.out = DType::f32;
  p.model = *find_model("fma", DType::e4m3, DType::e4m3);
  const auto product = compute(p);
  for (const char* name : {"one_by_one", "unfused", "triton", "elements"}) {
    p.order = *find_order(name);
    CHECK(compute(p) != product);
    check_elements(p);
  }
  CHECK_FALSE(find_order("sa*sb").has_value());
}

TEST_CASE("groups: each row meets its own B; rows of no group are left alone") {
  Problem p = random_problem({6, 4, 32, 1, 2, 16}, DType::e4m3, DType::e4m3, false, 7);
  Problem other = random_problem({6, 4, 32, 1, 2, 16}, DType::e4m3, DType::e4m3, false, 8);
  Problem both = p;
  both.groups = 2;
  both.b.insert(both.b.end(), other.b.begin(), other.b.end());
  both.sfb.insert(both.sfb.end(), other.sfb.begin(), other.sfb.end());
  both.row_group = {1, 0, 0, -1, 1, 0};
  other.a = p.a;
  other.sfa = p.sfa;
  for (const char* name : {"exact", "fma", "sm_90.wgmma"}) {
    for (Problem* one : {&p, &other, &both})
      one->model = *find_model(name, DType::e4m3, DType::e4m3);
    const auto zero = compute(p);
    const auto first = compute(other);
    const auto all = compute(both);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t group = both.row_group[i / 4];
      CHECK(all[i] == (group < 0 ? 0 : group == 0 ? zero[i] : first[i]));
    }
  }
}

TEST_CASE("infinite scales and operands in exact mode") {
  const std::uint32_t inf = 0x7f800000;
  Problem p = random_problem({1, 1, 4, 1, 1, 4}, DType::f32, DType::f32, false, 3);
  p.out = DType::f32;
  p.a = {f32(1), f32(-3), 0, 0};
  p.b = {f32(1), f32(1), f32(1), f32(1)};
  p.sfb = {f32(1)};
  p.sfa = {inf};
  CHECK(compute(p)[0] == 0xff800000);  // -2 * inf
  p.a = {f32(1), f32(-1), 0, 0};
  CHECK(num::is_nan(compute(p)[0], DType::f32));  // 0 * inf
  p.sfa = {f32(-2)};
  p.a[2] = inf;
  CHECK(compute(p)[0] == 0xff800000);
  p.sfa = {0};
  CHECK(num::is_nan(compute(p)[0], DType::f32));
  p.a[2] = 0;
  CHECK(compute(p)[0] == 0);
}
