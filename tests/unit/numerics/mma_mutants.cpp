// Does a deliberately broken row make the replay fail?  Every mutant names a set of vectors that
// catches it: "recorded" is the H200's outputs in tests/vectors/mma, "targeted" is
// mma_targeted.cpp.
#include <algorithm>

#include <doctest/doctest.h>

#include "numerics/mma/dot.hpp"
#include "tests/unit/numerics/mma_targeted.hpp"
#include "tests/unit/numerics/mma_vectors.hpp"

namespace tirx::num {

namespace {

struct Mutant {
  const char* name;
  const char* caught_by;    // a recording's name, or the rule of a targeted vector
  bool (*change)(MmaRow&);  // false: does not concern this row
  unsigned deviation = 0;   // dot::Break
};

bool floating(MmaRow& row) {
  return row.arithmetic == MmaArithmetic::fused_sum ||
         row.arithmetic == MmaArithmetic::f16_emulation;
}

template <int kBy>
bool fraction(MmaRow& row) {
  row.rule.fraction += kBy;
  return floating(row);
}

template <int kBy>
bool floor_by(MmaRow& row) {
  row.rule.floor += kBy;
  return floating(row);
}

bool no_floor(MmaRow& row) {
  row.rule.floor = dot::kNoFloor;
  return floating(row);
}

bool tf32_low_bits(MmaRow& row) {
  if (row.a != DType::tf32) return false;
  row.rule.a = row.rule.b = dot::kF32;
  return true;
}

bool whole_result(MmaRow& row) {
  if (row.rule.out != dot::Out::e8m13_rz) return false;
  row.rule.out = dot::Out::f32_rz;
  return true;
}

bool short_result(MmaRow& row) {
  if (row.rule.out != dot::Out::f32_rz || !floating(row)) return false;
  row.rule.out = dot::Out::e8m13_rz;
  return true;
}

bool half_groups(MmaRow& row) {
  row.rule.group /= 2;
  return row.arithmetic == MmaArithmetic::fused_sum;
}

bool native_fp8(MmaRow& row) {
  if (row.arithmetic != MmaArithmetic::f16_emulation) return false;
  row = *find_mma_row(90, MmaFamily::wgmma, row.a, row.b, row.c);
  return true;
}

bool emulated_wgmma(MmaRow& row) {
  if (row.family != MmaFamily::wgmma || !floating(row) || container_bytes(row.a) != 1) return false;
  row = *find_mma_row(90, MmaFamily::mma_sync, row.a, row.b, row.c);
  return true;
}

bool wraps(MmaRow& row) {
  if (!row.saturate) return false;
  row.saturate = false;
  return true;
}

bool clamps(MmaRow& row) {
  if (row.arithmetic != MmaArithmetic::integer || row.saturate) return false;
  row.saturate = true;
  return true;
}

bool unsigned_operands(MmaRow& row) {
  if (row.a != DType::i8) return false;
  row.a = row.b = DType::u8;
  return true;
}

bool f64_only(MmaRow& row) {
  return row.arithmetic == MmaArithmetic::fma_chain;
}

const Mutant kMutants[] = {
    {"F one less", "mma.m16n8k16.f32.f16", fraction<-1>},
    {"F one more", "mma.m16n8k16.f32.bf16", fraction<1>},
    {"F one less, tf32", "mma.m16n8k8.f32.tf32", fraction<-1>},
    {"F one less, fp8 wgmma", "wgmma.m64n8k32.f32.e4m3", fraction<-1>},
    {"F one more, fp8 wgmma to f16", "wgmma.m64n8k32.f16.e5m2", fraction<1>},
    {"F one less, fp8 emulation", "mma.m16n8k32.f32.e4m3.e5m2", fraction<-1>},
    {"floor removed, f32", "floor f32: bit 2^-161 is lost", no_floor},
    {"floor one higher, f32", "floor f32: bit 2^-158 is kept", floor_by<1>},
    {"floor one lower, f32", "floor f32: bit 2^-159 is lost", floor_by<-1>},
    {"floor removed, f16", "floor f16: 2^-47 is lost", no_floor},
    {"floor one higher, f16", "floor f16: 2^-46 survives", floor_by<1>},
    {"floor one lower, f16", "floor f16: 2^-47 is lost", floor_by<-1>},
    {"zero terms kept", "0 * 2^127 is dropped", floating, dot::kBreakKeepZeroTerms},
    {"zero terms kept, wgmma", "0 * 2^127 is dropped, wgmma", floating, dot::kBreakKeepZeroTerms},
    {"zero terms kept, fp8", "0 * 2^15 is dropped, fp8", floating, dot::kBreakKeepZeroTerms},
    {"groups in the other order", "mma.m16n8k32.f32.e4m3", floating, dot::kBreakReverseGroups},
    {"groups half as long", "wgmma.m64n8k16.f32.f16", half_groups},
    {"groups half as long, fp8", "wgmma.m64n8k32.f32.e5m2", half_groups},
    {"result rounded to nearest", "mma.m16n8k16.f32.f16", floating, dot::kBreakRoundOut},
    {"result rounded to nearest, 14 bits", "wgmma.m64n8k32.f32.e4m3", floating,
     dot::kBreakRoundOut},
    {"fp8 wgmma result with 24 bits", "wgmma.m64n8k32.f32.e4m3", whole_result},
    {"f32 result with 14 bits", "wgmma.m64n8k16.f32.bf16", short_result},
    {"terms rounded", "wgmma.m64n8k16.f32.f16", floating, dot::kBreakRoundTerms},
    {"terms truncated downwards", "mma.m16n8k16.f32.f16", floating, dot::kBreakFloorTerms},
    {"exponent of the normalised product", "mma.m16n8k8.f32.tf32", floating, dot::kBreakNormalise},
    {"tf32 low bits kept", "mma.m16n8k8.f32.tf32", tf32_low_bits},
    {"NaN payload kept", "mma.m16n8k16.f16.f16", floating, dot::kBreakKeepPayload},
    {"minus zero kept", "-0 * 1 + -0 is +0", floating, dot::kBreakMinusZero},
    {"minus zero kept, fp8", "wgmma.m64n8k32.f32.e5m2", floating, dot::kBreakMinusZero},
    {"overflow to the largest finite", "mma.m16n8k16.f32.bf16", floating, dot::kBreakOverflowToMax},
    {"subnormal C flushed", "subnormal C is read", floating, dot::kBreakFlushC},
    {"fp8 mma.sync as if native", "mma.m16n8k32.f32.e4m3", native_fp8},
    {"fp8 wgmma as if emulated", "wgmma.m64n8k32.f32.e4m3", emulated_wgmma},
    {"f64 descending", "f64 ascends", f64_only, dot::kBreakReverseGroups},
    {"satfinite wraps", "satfinite clamps", wraps},
    {"no satfinite clamps", "s32 wraps", clamps},
    {"s8 read as u8", "mma.m16n8k32.s32.s8.sat", unsigned_operands},
};

long recorded_differences(const Mutant& mutant, const test::Recording& r) {
  MmaRow row = *r.row;
  if (!mutant.change(row)) return 0;
  const int in = container_bytes(row.a), out = container_bytes(row.c);
  long count = 0;
  for (int t = 0; t < r.tiles; ++t) {
    for (int i = 0; i < r.m; ++i) {
      for (int j = 0; j < r.n; ++j) {
        const std::uint64_t d = mma_dot_broken(
            mutant.deviation, row, r.k, r.step, {r.a_tile(t) + i * r.k * in, 1},
            {r.b_tile(t) + j * in, r.n}, test::element(r.c_tile(t), i * r.n + j, out));
        count += d != test::element(r.d_tile(t), i * r.n + j, out);
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("matrix instructions: every mutant is caught by the vectors it names") {
  for (const Mutant& mutant : kMutants) {
    CAPTURE(mutant.name);
    CAPTURE(mutant.caught_by);
    long found = 0, differences = 0;
    for (const test::Recording& r : test::recordings()) {
      if (r.name != mutant.caught_by) continue;
      ++found;
      differences += recorded_differences(mutant, r);
    }
    for (const test::Targeted& t : test::targeted()) {
      if (std::string_view(t.rule) != mutant.caught_by) continue;
      ++found;
      MmaRow row = *find_mma_row(90, t.family, t.a_type, t.b_type, t.c_type, t.k, t.saturate);
      if (mutant.change(row)) differences += test::run_targeted(t, row, mutant.deviation) != t.d;
    }
    CHECK(found >= 1);
    CHECK(differences > 0);
  }
}

}  // namespace tirx::num
