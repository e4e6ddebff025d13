// Arithmetic on registers by name; rows in ir/ptx/compute.cpp and ir/ptx/convert.cpp.
#pragma once

#include "ir/op.hpp"

namespace tirx::ir {

namespace ptx {
extern const Family kPrmt;
extern const Family kLop3;
extern const Family kBfe;
extern const Family kBfi;
extern const Family kShf;
extern const Family kMul;
extern const Family kMad;
extern const Family kDp4a;
extern const Family kBfind;
extern const Family kCvt;
}  // namespace ptx

struct PtxPrmt {
  static constexpr OpSpec kSpec{
      .name = "ptx.prmt",
      .doc = "Picks four of the eight bytes of a and b (PTX ISA 9.7.9.7).",
      .ptx = &ptx::kPrmt};
};

struct PtxLop3 {
  static constexpr OpSpec kSpec{
      .name = "ptx.lop3",
      .doc = "Any bitwise function of three inputs, by its table (PTX ISA 9.7.8.6).",
      .ptx = &ptx::kLop3};
};

struct PtxBfe {
  static constexpr OpSpec kSpec{.name = "ptx.bfe",
                                .doc = "Extracts c bits from bit b on (PTX ISA 9.7.1.20).",
                                .ptx = &ptx::kBfe};
};

struct PtxBfi {
  static constexpr OpSpec kSpec{.name = "ptx.bfi",
                                .doc = "Puts d bits of a into b at bit c (PTX ISA 9.7.1.21).",
                                .ptx = &ptx::kBfi};
};

struct PtxShf {
  static constexpr OpSpec kSpec{.name = "ptx.shf",
                                .doc = "Shifts the 64 bits b:a and keeps 32 (PTX ISA 9.7.8.7).",
                                .ptx = &ptx::kShf};
};

struct PtxMul {
  static constexpr OpSpec kSpec{
      .name = "ptx.mul",
      .doc = "The low, high or whole product of integers (PTX ISA 9.7.1.3).",
      .ptx = &ptx::kMul};
};

struct PtxMad {
  static constexpr OpSpec kSpec{
      .name = "ptx.mad", .doc = "mul, plus c (PTX ISA 9.7.1.4).", .ptx = &ptx::kMad};
};

struct PtxDp4a {
  static constexpr OpSpec kSpec{
      .name = "ptx.dp4a",
      .doc = "c plus the four products of the bytes of a and b (PTX ISA 9.7.1.23).",
      .ptx = &ptx::kDp4a};
};

struct PtxBfind {
  static constexpr OpSpec kSpec{
      .name = "ptx.bfind",
      .doc = "Position of the highest bit that is not the sign (PTX ISA 9.7.1.16).",
      .ptx = &ptx::kBfind};
};

struct PtxCvt {
  static constexpr OpSpec kSpec{
      .name = "ptx.cvt",
      .doc = "Converts between types, with rounding and saturation by name (PTX ISA 9.7.9.21).",
      .ptx = &ptx::kCvt};
};

}  // namespace tirx::ir
