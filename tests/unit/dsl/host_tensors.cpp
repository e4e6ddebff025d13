// Host tensors: views, arithmetic, files, comparison, text.
#include <doctest/doctest.h>

#include "dsl/host/compare.hpp"
#include "dsl/host/npy.hpp"
#include "dsl/host/random.hpp"
#include "dsl/host/tensor_ops.hpp"
#include "dsl/host/tensor_text.hpp"
#include "numerics/scalar.hpp"

using namespace tirx;
using namespace tirx::dsl;
using num::Bits;
using num::DType;
using Shape = std::vector<std::int64_t>;

namespace {

ir::Tensor ramp(DType dtype, Shape shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<Bits> values;
  for (std::int64_t i = 0; i < size; ++i)
    values.push_back(num::from_double(static_cast<double>(i), dtype));
  return from_values(dtype, std::move(shape), values);
}

std::vector<double> values(const ir::Tensor& t) {
  std::vector<double> out;
  for (const Bits bits : read_all(t)) out.push_back(num::to_double(bits, t.dtype));
  return out;
}

Subscript at(std::int64_t index) {
  return {.is_slice = false, .index = index, .begin = {}, .end = {}, .step = 1};
}

Subscript slice(std::optional<std::int64_t> begin,
                std::optional<std::int64_t> end,
                std::int64_t step = 1) {
  return {.is_slice = true, .index = 0, .begin = begin, .end = end, .step = step};
}

}  // namespace

TEST_CASE("deferred elements are computed on the first look at one, all of them and once") {
  int calls = 0;
  const auto numbered = [&calls](std::uint64_t i) {
    ++calls;
    return num::from_double(static_cast<double>(i), DType::f32);
  };
  const ir::Tensor later = generate(DType::f32, {2, 3}, true, numbered);
  const ir::Tensor view = transpose(later);
  CHECK_FALSE(first_uninitialised(view).has_value());
  CHECK(calls == 0);
  CHECK(values(view) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(values(later) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(calls == 6);
  // Written first: the others are still there.
  const ir::Tensor written = generate(DType::f32, {3}, true, numbered);
  write_at(written, 1, num::from_double(7, DType::f32));
  CHECK(values(written) == std::vector<double>{0, 7, 2});
  CHECK(to_npy(generate(DType::f32, {3}, true, numbered)) ==
        to_npy(generate(DType::f32, {3}, false, numbered)));
  CHECK(calls == 15);
}

TEST_CASE("subscripts are views, and writing through one reaches the tensor") {
  const ir::Tensor t = ramp(DType::i32, {3, 4});
  CHECK(values(*subscript(t, {at(1), slice(1, 3)})) == std::vector<double>{5, 6});
  CHECK(values(*subscript(t, {slice({}, {}, 2), at(-1)})) == std::vector<double>{3, 11});
  CHECK(subscript(t, {slice(5, 9)})->shape == Shape{0, 4});
  CHECK_FALSE(subscript(t, {at(3)}).ok());
  CHECK_FALSE(subscript(t, {at(0), at(0), at(0)}).ok());
  const ir::Tensor column = *subscript(t, {slice({}, {}), at(0)});
  CHECK(assign(column, from_values(DType::i32, {1}, {9})).ok());
  CHECK(values(t) == std::vector<double>{9, 1, 2, 3, 9, 5, 6, 7, 9, 9, 10, 11});
  CHECK_FALSE(assign(column, ramp(DType::i32, {2})).ok());
}

TEST_CASE("transpose, reshape and view keep NumPy's meaning") {
  const ir::Tensor t = ramp(DType::f32, {2, 3});
  CHECK(values(transpose(t)) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(values(*reshape(transpose(t), {-1})) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK_FALSE(reshape(t, {4}).ok());
  CHECK_FALSE(reshape(t, {-1, -1}).ok());
  const ir::Tensor bytes = *view_as(t, DType::u8);
  CHECK(bytes.shape == Shape{2, 12});
  CHECK(read_all(bytes)[7] == 0x3f);  // 1.0f, little-endian
  CHECK_FALSE(view_as(transpose(t), DType::u8).ok());
}

TEST_CASE("elementwise operations broadcast and are the kernel's operations") {
  const ir::Tensor t = ramp(DType::f16, {2, 3});
  CHECK(values(*elementwise(num::ScalarOp::add, t, ramp(DType::f16, {3}))) ==
        std::vector<double>{0, 2, 4, 3, 5, 7});
  CHECK(elementwise(num::ScalarOp::lt, t, t)->dtype == DType::boolean);
  CHECK_FALSE(elementwise(num::ScalarOp::add, t, ramp(DType::f16, {2})).ok());
  const ir::Tensor fp8 = cast(t, DType::e4m3);
  CHECK_FALSE(elementwise(num::ScalarOp::add, fp8, fp8).ok());
  CHECK_FALSE(
      elementwise(num::ScalarOp::floordiv, ramp(DType::i32, {2}), from_values(DType::i32, {}, {0}))
          .ok());
}

TEST_CASE("reductions: exact float sums, wrapping integers, axes") {
  const ir::Tensor t = ramp(DType::f32, {2, 3});
  CHECK(values(*reduce(Reduction::sum, t, 1, {})) == std::vector<double>{3, 12});
  CHECK(values(*reduce(Reduction::max, t, -2, {})) == std::vector<double>{3, 4, 5});
  CHECK(values(*reduce(Reduction::min, t, {}, {})) == std::vector<double>{0});
  CHECK_FALSE(reduce(Reduction::sum, t, 2, {}).ok());
  const ir::Tensor big = from_values(DType::i32, {2}, {0x7fffffff, 1});
  CHECK(read_all(*reduce(Reduction::sum, big, {}, {})) == std::vector<Bits>{0x80000000});
  // 4096 times 2^-12 + 2^-30 in float16: one rounding of the exact sum.
  const ir::Tensor tiny = from_values(DType::f16, {4096}, std::vector<Bits>(4096, 0x1001));
  CHECK(values(*reduce(Reduction::sum, tiny, {}, {}))[0] ==
        4096.0 * num::to_double(0x1001, DType::f16));
}

TEST_CASE("matmul is exact and rounded once") {
  const ir::Tensor a = ramp(DType::f32, {2, 3});
  const ir::Tensor b = ramp(DType::f32, {3, 2});
  CHECK(values(*matmul(a, b, {})) == std::vector<double>{10, 13, 28, 40});
  CHECK_FALSE(matmul(a, a, {}).ok());
  const ir::Tensor x = from_values(DType::i8, {1, 2}, {0x80, 0x80});
  CHECK(read_all(*matmul(x, transpose(x), {})) == std::vector<Bits>{32768});
}

TEST_CASE("random elements are a function of seed and index, and stay in their range") {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double u =
        num::to_double(random_element(RandomKind::uniform, DType::e4m3, 3, i), DType::e4m3);
    CHECK((u >= -1.0 && u < 1.0));
    const double n =
        num::to_double(random_element(RandomKind::small_int, DType::e2m1, 3, i), DType::e2m1);
    CHECK((n >= -4.0 && n <= 4.0));
  }
  CHECK(random_bits(0, 0, 0) != random_bits(1, 0, 0));
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double v =
        num::to_double(random_element(RandomKind::normal, DType::f32, 1, i), DType::f32);
    sum += v;
    squares += v * v;
  }
  CHECK(sum / 20000 == doctest::Approx(0).epsilon(0).scale(1).epsilon(0.03));
  CHECK(squares / 20000 == doctest::Approx(1).epsilon(0.03));
}

TEST_CASE("the generator is pinned: changing it changes every recorded result") {
  CHECK(random_bits(0, 0, 0) == random_bits(0, 0, 0));
  CHECK(random_element(RandomKind::bits, DType::u64, 42, 5) == random_bits(42, 5, 0));
}

TEST_CASE(".npy files go out and come back, also in Fortran order") {
  const ir::Tensor t = ramp(DType::f16, {3, 5});
  const std::string file = to_npy(t);
  CHECK(file.size() % 64 == 30);  // 128-byte header at most, data aligned to 64
  const auto back = parse_npy(file, {});
  REQUIRE(back.ok());
  CHECK(back->dtype == DType::f16);
  CHECK(values(*back) == values(t));
  std::string fortran = file;
  const std::size_t at = fortran.find("False");
  fortran.replace(at, 5, "True ");
  const auto turned = parse_npy(fortran, {});
  REQUIRE(turned.ok());
  CHECK(turned->shape == Shape{3, 5});
  CHECK(values(*turned)[1] == 3);
  CHECK(parse_npy(to_npy(cast(t, DType::e4m3)), DType::e4m3)->dtype == DType::e4m3);
}

TEST_CASE("broken .npy files are errors, never a crash") {
  const std::string file = to_npy(ramp(DType::f32, {4}));
  for (std::size_t length = 0; length < file.size(); ++length)
    CHECK_FALSE(parse_npy(file.substr(0, length), {}).ok());
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string bad = file;
    bad[i] = static_cast<char>(bad[i] ^ 0x5a);
    (void)parse_npy(bad, {});
  }
}

TEST_CASE("a difference names count, index, values, bits and distance") {
  const ir::Tensor x = ramp(DType::f32, {2, 3});
  const ir::Tensor y = copy(x);
  CHECK_FALSE(difference(x, y)->has_value());
  write_at(y, 4, num::from_double(4.0000005, DType::f32));
  CHECK(
      **difference(x, y) ==
      "1 of 6 elements differ; first at [1, 1]: 4.0 (0x40800000) and 4.0000005 (0x40800001), 1 ulp "
      "apart");
  CHECK_FALSE(difference_beyond(x, y, 1e-6, 0)->has_value());
  CHECK(difference_beyond(x, y, 0, 0)->has_value());
  CHECK_FALSE(difference(x, transpose(y)).ok());
}

TEST_CASE("NaNs are equal unless their bits are asked for") {
  const ir::Tensor x = from_values(DType::f32, {1}, {0x7fc00000});
  const ir::Tensor y = from_values(DType::f32, {1}, {0x7fffffff});
  CHECK_FALSE(difference(x, y)->has_value());
  CHECK(difference(x, y, true)->has_value());
}

TEST_CASE("tensors print as NumPy prints them; poison shows") {
  CHECK(to_text(ramp(DType::i32, {2, 3})) == "[[0 1 2]\n [3 4 5]]");
  CHECK(to_text(ramp(DType::f32, {2})) == "[0. 1.]");
  CHECK(to_text(ramp(DType::i32, {2000})) == "[   0    1    2 ... 1997 1998 1999]");
  const ir::Tensor empty = ir::make_tensor(DType::f32, {2}, false);
  CHECK(to_text(empty) == "[? ?]");
  CHECK(first_uninitialised(empty) == 0);
  write_at(empty, 0, 0);
  CHECK(first_uninitialised(empty) == 1);
}
