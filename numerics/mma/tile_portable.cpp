// The tile path in plain C++: the same loops over arrays of eight lanes.
#include "numerics/mma/fma_chain.inl"
#include "numerics/mma/tile_kernel.hpp"

namespace {

struct V {
  static constexpr int kWidth = 8, kRowsAtOnce = 1;

  template <class T, int kCount>
  struct Lanes {
    T at[kCount];
  };

  using F = Lanes<float, kWidth>;
  using I = Lanes<std::int32_t, kWidth>;
  using E = Lanes<std::int16_t, 2 * kWidth>;
  using M = Lanes<bool, kWidth>;

  template <class R, class Op>
  static R each(Op op) {
    R r;
    for (int i = 0; i < static_cast<int>(sizeof(r.at) / sizeof(r.at[0])); ++i) r.at[i] = op(i);
    return r;
  }

  static std::uint32_t u(std::int32_t x) { return static_cast<std::uint32_t>(x); }

  static std::int32_t s(std::uint32_t x) { return static_cast<std::int32_t>(x); }

  static std::int16_t s16(int x) { return static_cast<std::int16_t>(x); }

  static F load(const float* p) {
    return each<F>([=](int i) { return p[i]; });
  }

  static I load(const std::uint32_t* p) {
    return each<I>([=](int i) { return s(p[i]); });
  }

  static void store(std::uint32_t* p, I x) {
    for (int i = 0; i < kWidth; ++i) p[i] = u(x.at[i]);
  }

  static void store(float* p, F x) {
    for (int i = 0; i < kWidth; ++i) p[i] = x.at[i];
  }

  static F all(float x) {
    return each<F>([=](int) { return x; });
  }

  static I all(int x) {
    return each<I>([=](int) { return x; });
  }

  static F mul(F x, F y) {
    return each<F>([&](int i) { return x.at[i] * y.at[i]; });
  }

  static F add(F x, F y) {
    return each<F>([&](int i) { return x.at[i] + y.at[i]; });
  }

  static I add(I x, I y) {
    return each<I>([&](int i) { return s(u(x.at[i]) + u(y.at[i])); });
  }

  static I sub(I x, I y) {
    return each<I>([&](int i) { return s(u(x.at[i]) - u(y.at[i])); });
  }

  static I max(I x, I y) {
    return each<I>([&](int i) { return x.at[i] > y.at[i] ? x.at[i] : y.at[i]; });
  }

  static I min(I x, I y) {
    return each<I>([&](int i) { return x.at[i] < y.at[i] ? x.at[i] : y.at[i]; });
  }

  static I abs(I x) {
    return each<I>([&](int i) { return x.at[i] < 0 ? s(0u - u(x.at[i])) : x.at[i]; });
  }

  static I bit_and(I x, I y) {
    return each<I>([&](int i) { return x.at[i] & y.at[i]; });
  }

  static I bit_or(I x, I y) {
    return each<I>([&](int i) { return x.at[i] | y.at[i]; });
  }

  static I bit_xor(I x, I y) {
    return each<I>([&](int i) { return x.at[i] ^ y.at[i]; });
  }

  static I bit_and_not(I mask, I x) {
    return each<I>([&](int i) { return ~mask.at[i] & x.at[i]; });
  }

  template <int kCount>
  static I sll(I x) {
    return sll_uniform(x, kCount);
  }

  template <int kCount>
  static I srl(I x) {
    return each<I>([&](int i) { return s(u(x.at[i]) >> kCount); });
  }

  template <int kCount>
  static I sra(I x) {
    return each<I>([&](int i) { return x.at[i] >> kCount; });
  }

  static I sll_uniform(I x, int count) {
    return each<I>([&](int i) { return s(u(x.at[i]) << count); });
  }

  static I srl_uniform(I x, int count) {
    return each<I>([&](int i) { return s(u(x.at[i]) >> count); });
  }

  static I srl_variable(I x, I count) {
    return each<I>([&](int i) { return u(count.at[i]) > 31 ? 0 : s(u(x.at[i]) >> count.at[i]); });
  }

  /// Only lanes that go to the scalar reference can be out of range.
  static I truncate(F x) {
    return each<I>([&](int i) {
      const bool inside = x.at[i] > -2147483648.0f && x.at[i] < 2147483648.0f;
      return inside ? static_cast<std::int32_t>(x.at[i]) : INT32_MIN;
    });
  }

  static F to_float(I x) {
    return each<F>([&](int i) { return static_cast<float>(x.at[i]); });
  }

  static F as_float(I x) {
    return each<F>([&](int i) { return __builtin_bit_cast(float, x.at[i]); });
  }

  static I as_int(F x) {
    return each<I>([&](int i) { return __builtin_bit_cast(std::int32_t, x.at[i]); });
  }

  static I to_half(F x) {
    using namespace tirx::num::dot;
    return each<I>([&](int i) {
      const auto bits = __builtin_bit_cast(std::uint32_t, x.at[i]);
      const Number n = decode(kF32, bits);
      const std::uint32_t sign = n.negative ? 0x8000u : 0;
      if (n.kind == Class::nan) return s(0x7FFFu);
      if (n.kind == Class::infinite) return s(sign | 0x7C00u);
      return s(sign | round_nearest(kF16, n.significand, n.exponent - 23));
    });
  }

  static F from_half(I x) {
    using namespace tirx::num::dot;
    return each<F>([&](int i) {
      const Number n = decode(kF16, u(x.at[i]));
      const std::uint32_t sign = n.negative ? 0x80000000u : 0;
      if (n.kind == Class::nan) return __builtin_bit_cast(float, 0x7FFFFFFFu);
      if (n.kind == Class::infinite) return __builtin_bit_cast(float, sign | 0x7F800000u);
      const std::uint32_t magnitude = round_nearest(kF32, n.significand, n.exponent - 10);
      return __builtin_bit_cast(float, sign | magnitude);
    });
  }

  static M none() { return {}; }

  static M greater(I x, I y) {
    return each<M>([&](int i) { return x.at[i] > y.at[i]; });
  }

  static M equal(I x, I y) {
    return each<M>([&](int i) { return x.at[i] == y.at[i]; });
  }

  static M negative(I x) {
    return each<M>([&](int i) { return x.at[i] < 0; });
  }

  static M both(M x, M y) {
    return each<M>([&](int i) { return x.at[i] && y.at[i]; });
  }

  static M either(M x, M y) {
    return each<M>([&](int i) { return x.at[i] || y.at[i]; });
  }

  static I select(M mask, I yes, I no) {
    return each<I>([&](int i) { return mask.at[i] ? yes.at[i] : no.at[i]; });
  }

  static bool any(M mask) { return bits(mask) != 0; }

  static std::uint32_t bits(M mask) {
    std::uint32_t r = 0;
    for (int i = 0; i < kWidth; ++i) r |= mask.at[i] ? 1u << i : 0;
    return r;
  }

  static M add_overflows(I x, I y, I sum) {
    return each<M>([&](int i) { return ((x.at[i] ^ sum.at[i]) & (y.at[i] ^ sum.at[i])) < 0; });
  }

  static E load16(const std::int16_t* p) {
    return each<E>([=](int i) { return p[i]; });
  }

  static void store16(std::int16_t* p, E x) {
    for (int i = 0; i < 2 * kWidth; ++i) p[i] = x.at[i];
  }

  static E narrow(I x, I y) {
    return each<E>([&](int i) { return s16(i < kWidth ? x.at[i] : y.at[i - kWidth]); });
  }

  static E pair16(std::int32_t pair) {
    return each<E>([=](int) { return static_cast<std::int16_t>(pair & 0xFFFF); });
  }

  static E all16(int x) {
    return each<E>([=](int) { return s16(x); });
  }

  static E add16(E x, E y) {
    return each<E>([&](int i) { return s16(x.at[i] + y.at[i]); });
  }

  static E max16(E x, E y) {
    return each<E>([&](int i) { return x.at[i] > y.at[i] ? x.at[i] : y.at[i]; });
  }

  static I low(E x) {
    return each<I>([&](int i) { return std::int32_t{x.at[i]}; });
  }

  static I high(E x) {
    return each<I>([&](int i) { return std::int32_t{x.at[kWidth + i]}; });
  }

  static double fma64(double a, double b, double c) {
    using Bits = std::uint64_t;
    return __builtin_bit_cast(
        double, tirx::num::dot::fma64(__builtin_bit_cast(Bits, a), __builtin_bit_cast(Bits, b),
                                      __builtin_bit_cast(Bits, c)));
  }
};

}  // namespace

#include "numerics/mma/tile_kernel.inl"

namespace tirx::num::tile {

const Kernels* portable_kernels() {
  return &kKernels;
}

}  // namespace tirx::num::tile
