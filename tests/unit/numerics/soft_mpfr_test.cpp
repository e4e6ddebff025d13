// The integer reference against MPFR, an independent implementation of correct rounding
// (mpfr_subnormalize gives gradual underflow).
#ifdef TIRX_HAVE_MPFR
#include <doctest/doctest.h>
#include <mpfr.h>

#include "numerics/soft.hpp"
#include "tests/unit/numerics/random_bits.hpp"

using namespace tirx::num;
using tirx::num::testing::kArithmeticFloats;
using tirx::num::testing::Random;
using tirx::num::testing::random_bits;

namespace {

/// An MPFR number with the precision and exponent range of a format.
class Number {
 public:
  explicit Number(DType dtype) : dtype_(dtype) { mpfr_init2(value_, row(dtype).fraction + 1); }

  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  ~Number() { mpfr_clear(value_); }

  void set(Bits bits) {
    const Decoded d = decode(dtype_, bits);
    const int sign = d.negative ? -1 : 1;
    switch (d.kind) {
      case NumberClass::nan:
        mpfr_set_nan(value_);
        return;
      case NumberClass::infinite:
        mpfr_set_inf(value_, sign);
        return;
      case NumberClass::zero:
        mpfr_set_zero(value_, sign);
        return;
      case NumberClass::finite:
        break;
    }
    mpfr_set_ui_2exp(value_, d.significand, d.exponent, MPFR_RNDN);
    if (d.negative) mpfr_neg(value_, value_, MPFR_RNDN);
  }

  [[nodiscard]] Bits get() const {
    if (mpfr_nan_p(value_) != 0) return canonical_nan(dtype_);
    const bool negative = mpfr_signbit(value_) != 0;
    if (mpfr_inf_p(value_) != 0) return infinity(dtype_, negative);
    if (mpfr_zero_p(value_) != 0) return signed_zero(dtype_, negative);
    mpz_t whole;
    mpz_init(whole);
    const mpfr_exp_t exponent = mpfr_get_z_2exp(whole, value_);
    Magnitude m{negative, static_cast<int>(exponent), mpz_get_ui(whole), false};
    mpz_clear(whole);
    return encode(dtype_, m, Round::rn, Overflow::ieee);  // exact: it is a value of the format
  }

  mpfr_ptr raw() { return value_; }

 private:
  DType dtype_;
  mpfr_t value_;
};

mpfr_rnd_t mpfr_mode(Round round) {
  switch (round) {
    case Round::rz:
      return MPFR_RNDZ;
    case Round::rm:
      return MPFR_RNDD;
    case Round::rp:
      return MPFR_RNDU;
    default:
      return MPFR_RNDN;
  }
}

struct Tester {
  explicit Tester(DType d) : dtype(d), x(d), y(d), z(d), out(d) {
    const DTypeRow& r = row(d);
    mpfr_set_emin(2 - r.bias - r.fraction);
    mpfr_set_emax(r.bias + 1);
  }

  ~Tester() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }

  template <class Operation>
  Bits run(Round round, const Operation& operation) {
    const mpfr_rnd_t mode = mpfr_mode(round);
    int ternary = operation(mode);
    ternary = mpfr_check_range(out.raw(), ternary, mode);
    mpfr_subnormalize(out.raw(), ternary, mode);
    return out.get();
  }

  DType dtype;
  Number x, y, z, out;
};

}  // namespace

TEST_CASE("add, sub, mul, div, fma, sqrt agree with MPFR in every rounding mode") {
  for (const DType dtype : kArithmeticFloats) {
    CAPTURE(name(dtype));
    Random random(17);
    Tester t(dtype);
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
      const Bits a = random_bits(random, dtype);
      const Bits b = random_bits(random, dtype);
      const Bits c = random_bits(random, dtype);
      t.x.set(a);
      t.y.set(b);
      t.z.set(c);
      const mpfr_ptr x = t.x.raw();
      const mpfr_ptr y = t.y.raw();
      const mpfr_ptr z = t.z.raw();
      const mpfr_ptr o = t.out.raw();
      for (const Round r : {Round::rn, Round::rz, Round::rm, Round::rp}) {
        wrong +=
            soft::add(dtype, a, b, r) != t.run(r, [&](auto m) { return mpfr_add(o, x, y, m); });
        wrong +=
            soft::sub(dtype, a, b, r) != t.run(r, [&](auto m) { return mpfr_sub(o, x, y, m); });
        wrong +=
            soft::mul(dtype, a, b, r) != t.run(r, [&](auto m) { return mpfr_mul(o, x, y, m); });
        wrong +=
            soft::div(dtype, a, b, r) != t.run(r, [&](auto m) { return mpfr_div(o, x, y, m); });
        wrong += soft::fma(dtype, a, b, c, r) !=
                 t.run(r, [&](auto m) { return mpfr_fma(o, x, y, z, m); });
        wrong += soft::sqrt(dtype, a, r) != t.run(r, [&](auto m) { return mpfr_sqrt(o, x, m); });
      }
    }
    CHECK(wrong == 0);
  }
}
#endif
