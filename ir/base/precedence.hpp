// How tightly do operators bind?  The table of section 6.17 of the Python reference, for the parser
// that builds trees and the printers that set brackets.
#pragma once

namespace tirx {

/// From loose to tight.
enum Precedence : int {
  kAny,  // lambda, conditional expression
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kSign,
  kPower,  // binds its right operand's sign: 2 ** -1
  kAtom
};

}  // namespace tirx
