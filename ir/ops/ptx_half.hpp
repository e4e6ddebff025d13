// Arithmetic on 16-bit floats by name; rows in ir/ptx/half.cpp.  The forms for bfloat16 belong to
// the same rows.
#pragma once

#include "ir/op.hpp"

namespace tirx::ir {

namespace ptx {
extern const Family kAddPair;
extern const Family kSubPair;
extern const Family kMulPair;
extern const Family kFmaPair;
extern const Family kMinPair;
extern const Family kMaxPair;
extern const Family kEx2Half;
extern const Family kTanhHalf;
}  // namespace ptx

struct PtxAddPair {
  static constexpr OpSpec kSpec{
      .name = "ptx.add.f16x2",
      .doc = "Adds both halves, each rounded to nearest even (PTX ISA 9.7.4.1).",
      .ptx = &ptx::kAddPair};
};

struct PtxSubPair {
  static constexpr OpSpec kSpec{
      .name = "ptx.sub.f16x2",
      .doc = "Subtracts both halves, each rounded to nearest even (PTX ISA 9.7.4.2).",
      .ptx = &ptx::kSubPair};
};

struct PtxMulPair {
  static constexpr OpSpec kSpec{
      .name = "ptx.mul.f16x2",
      .doc = "Multiplies both halves, each rounded to nearest even (PTX ISA 9.7.4.3).",
      .ptx = &ptx::kMulPair};
};

struct PtxFmaPair {
  static constexpr OpSpec kSpec{
      .name = "ptx.fma.f16x2",
      .doc = "a * b + c of both halves, each rounded once (PTX ISA 9.7.4.4).",
      .ptx = &ptx::kFmaPair};
};

struct PtxMinPair {
  static constexpr OpSpec kSpec{
      .name = "ptx.min.f16x2",
      .doc = "The smaller of both halves; .NaN: a NaN wins (PTX ISA 9.7.4.7).",
      .ptx = &ptx::kMinPair};
};

struct PtxMaxPair {
  static constexpr OpSpec kSpec{
      .name = "ptx.max.f16x2",
      .doc = "The larger of both halves; .NaN: a NaN wins (PTX ISA 9.7.4.8).",
      .ptx = &ptx::kMaxPair};
};

struct PtxEx2Half {
  static constexpr OpSpec kSpec{
      .name = "ptx.ex2.f16",
      .doc = "2^a of 16-bit floats; emitted only, its bits are not recorded (PTX ISA 9.7.4.10).",
      .ptx = &ptx::kEx2Half};
};

struct PtxTanhHalf {
  static constexpr OpSpec kSpec{
      .name = "ptx.tanh.f16",
      .doc = "tanh(a) of 16-bit floats; emitted only, its bits are not recorded (PTX ISA 9.7.4.9).",
      .ptx = &ptx::kTanhHalf};
};

}  // namespace tirx::ir
