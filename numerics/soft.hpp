// Correctly rounded add, mul, fma, div and sqrt on the bits of any floating type that has
// arithmetic, in integers only and under every rounding mode.  The lane forms use the host's IEEE
// operations instead and are tested against these.  NaN results are canonical (numerics 2.3).
#pragma once

#include "numerics/codec.hpp"

namespace tirx::num::soft {

[[nodiscard]] Bits add(DType dtype, Bits a, Bits b, Round round = Round::rn);
[[nodiscard]] Bits sub(DType dtype, Bits a, Bits b, Round round = Round::rn);
[[nodiscard]] Bits mul(DType dtype, Bits a, Bits b, Round round = Round::rn);
[[nodiscard]] Bits fma(DType dtype, Bits a, Bits b, Bits c, Round round = Round::rn);
[[nodiscard]] Bits div(DType dtype, Bits a, Bits b, Round round = Round::rn);
[[nodiscard]] Bits sqrt(DType dtype, Bits a, Round round = Round::rn);
/// Rounds to an integral value; the sign of a zero result is the operand's.
[[nodiscard]] Bits to_integral(DType dtype, Bits a, Round round);
/// Less than, with -0 equal to +0; false if one is a NaN.
[[nodiscard]] bool less(DType dtype, Bits a, Bits b);
[[nodiscard]] bool equal(DType dtype, Bits a, Bits b);
/// PTX .ftz of a float32 operation (add_ftz ... rcp_ftz): subnormal operands and results become
/// zeros of the same sign; a result is subnormal if the exact value, rounded to 24 bits, is below
/// the smallest normal number (tininess after rounding) [H200].
[[nodiscard]] Bits flushed(ScalarOp op, Bits a, Bits b, Bits c);

}  // namespace tirx::num::soft
