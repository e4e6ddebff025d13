// Which one-operand functions are compared with the GPU over all their inputs, and how both sides
// spell them.  The device writes one digest per block of 2^20 inputs (numerics_campaign emits the
// program); the host recomputes any of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numerics/convert.hpp"
#include "numerics/cuda_math.hpp"
#include "numerics/lanes.hpp"
#include "numerics/scalar.hpp"

namespace tirx::num::campaign {

struct Row {
  std::string name;
  std::string device;  // statements that set `out` (unsigned long long) from `x` (unsigned)
  DType from;          // its width says how many inputs there are
  DType to;
  ScalarOp op;  // what the host computes, unless it is a conversion
  bool is_conversion;
  Conversion form;
};

inline constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;

[[nodiscard]] inline std::uint64_t input_count(const Row& row) {
  return std::uint64_t{1} << bits(row.from);
}

/// Order does not matter: the digest of a block is the sum of these.
[[nodiscard]] inline std::uint32_t mix(std::uint32_t input, std::uint64_t output) {
  std::uint32_t h = static_cast<std::uint32_t>(output) * 0x9e3779b1U +
                    static_cast<std::uint32_t>(output >> 32) * 0x85ebca77U + input * 0xc2b2ae3dU;
  h ^= h >> 15;
  h *= 0x2c1b3c6dU;
  h ^= h >> 13;
  h *= 0x297a2d39U;
  return h ^ (h >> 16);
}

/// One PTX instruction whose operand and result live in registers of the given kinds.
inline std::string instruction(const std::string& ptx, const std::string& in, char out) {
  const std::string kind = out == 'h'   ? "unsigned short"
                           : out == 'l' ? "unsigned long long"
                                        : "unsigned int";
  return kind + " r; asm(\"" + ptx + "\" : \"=" + out + "\"(r) : " + in + "); out = r;";
}

inline void add_operations(std::vector<Row>& rows) {
  for (const ScalarOpRow& r : scalar_op_rows()) {
    const std::string function(cuda_math_name(r.op));
    if (function.empty() || r.arity != 1) continue;
    rows.push_back({std::string(r.name),
                    "out = tirx_bits(" + function + "(tirx_float(x)));",
                    DType::f32,
                    DType::f32,
                    r.op,
                    false,
                    {}});
  }
  const std::pair<ScalarOp, const char*> instructions[] = {
      {ScalarOp::sqrt, "sqrt.rn.f32"},
      {ScalarOp::rcp, "rcp.rn.f32"},
      {ScalarOp::floor, "cvt.rmi.f32.f32"},
      {ScalarOp::ceil, "cvt.rpi.f32.f32"},
      {ScalarOp::trunc, "cvt.rzi.f32.f32"},
      {ScalarOp::rint, "cvt.rni.f32.f32"},
      {ScalarOp::sqrt_ftz, "sqrt.rn.ftz.f32"},
      {ScalarOp::rcp_ftz, "rcp.rn.ftz.f32"},
      {ScalarOp::ex2_approx, "ex2.approx.f32"},
      {ScalarOp::ex2_approx_ftz, "ex2.approx.ftz.f32"},
      {ScalarOp::rcp_approx, "rcp.approx.f32"},
      {ScalarOp::rcp_approx_ftz, "rcp.approx.ftz.f32"},
      {ScalarOp::rsqrt_approx, "rsqrt.approx.f32"},
      {ScalarOp::rsqrt_approx_ftz, "rsqrt.approx.ftz.f32"},
  };
  for (const auto& [op, ptx] : instructions) {
    rows.push_back({std::string(name(op)),
                    instruction(std::string(ptx) + " %0, %1;", "\"r\"(x)", 'r'),
                    DType::f32,
                    DType::f32,
                    op,
                    false,
                    {}});
  }
  const std::pair<ScalarOp, const char*> integers[] = {
      {ScalarOp::popc, "popc.b32"}, {ScalarOp::clz, "clz.b32"}, {ScalarOp::brev, "brev.b32"}};
  for (const auto& [op, ptx] : integers) {
    rows.push_back({std::string(name(op)),
                    instruction(std::string(ptx) + " %0, %1;", "\"r\"(x)", 'r'),
                    DType::u32,
                    result_dtype(op, DType::u32),
                    op,
                    false,
                    {}});
  }
}

inline void add_conversions(std::vector<Row>& rows) {
  const auto add = [&rows](const std::string& ptx, DType from, DType to, Conversion form) {
    const bool half_in = bits(from) == 16;
    const char out = bits(to) == 64 ? 'l' : (bits(to) == 16 && is_float(to) ? 'h' : 'r');
    const std::string in = half_in ? "\"h\"((unsigned short)x)" : "\"r\"(x)";
    // A narrow integer result is sign-extended in its register.
    const std::string cut = bits(to) < 32 && !is_float(to)
                                ? " out &= " + std::to_string((1U << bits(to)) - 1) + "u;"
                                : "";
    rows.push_back(
        {ptx, instruction(ptx + " %0, %1;", in, out) + cut, from, to, ScalarOp::add, true, form});
  };
  const Conversion rn{};
  const Conversion rz{.round = Round::rz};
  const Conversion rna{.round = Round::rna};
  add("cvt.rn.f16.f32", DType::f32, DType::f16, rn);
  add("cvt.rz.f16.f32", DType::f32, DType::f16, rz);
  add("cvt.rn.relu.f16.f32", DType::f32, DType::f16, {.relu = true});
  add("cvt.rn.bf16.f32", DType::f32, DType::bf16, rn);
  add("cvt.rz.bf16.f32", DType::f32, DType::bf16, rz);
  add("cvt.rn.relu.bf16.f32", DType::f32, DType::bf16, {.relu = true});
  add("cvt.rna.tf32.f32", DType::f32, DType::tf32, rna);
  add("cvt.f64.f32", DType::f32, DType::f64, rn);
  const std::pair<const char*, DType> integers[] = {
      {"s8", DType::i8},   {"u8", DType::u8},   {"s16", DType::i16}, {"u16", DType::u16},
      {"s32", DType::i32}, {"u32", DType::u32}, {"s64", DType::i64}, {"u64", DType::u64}};
  for (const auto& [type, dtype] : integers) {
    const std::string sat = bits(dtype) < 32 ? "sat." : "";
    add("cvt.rzi." + sat + type + ".f32", DType::f32, dtype, rz);
    add("cvt.rni." + sat + type + ".f32", DType::f32, dtype, rn);
    add("cvt.rzi." + sat + type + ".f16", DType::f16, dtype, rz);
  }
  add("cvt.f32.f16", DType::f16, DType::f32, rn);
  add("cvt.f64.f16", DType::f16, DType::f64, rn);
  add("cvt.rn.f32.s32", DType::i32, DType::f32, rn);
  add("cvt.rn.f32.u32", DType::u32, DType::f32, rn);
  add("cvt.rn.f64.s32", DType::i32, DType::f64, rn);
  add("cvt.rn.f64.u32", DType::u32, DType::f64, rn);
  add("cvt.rn.f16.s32", DType::i32, DType::f16, rn);
  add("cvt.rn.f16.u32", DType::u32, DType::f16, rn);
  for (const auto& [type, to] : {std::pair{"e4m3", DType::e4m3}, std::pair{"e5m2", DType::e5m2}}) {
    const std::string fp8 = type;
    const Conversion satfinite{.satfinite = true};
    const std::string from_f32 = "cvt.rn.satfinite." + fp8 + "x2.f32";
    rows.push_back(
        {from_f32,
         instruction(from_f32 + " %0, %2, %1;", "\"r\"(x), \"r\"(0)", 'h') + " out &= 255u;",
         DType::f32, to, ScalarOp::add, true, satfinite});
    const std::string from_f16 = "cvt.rn.satfinite." + fp8 + "x2.f16x2";
    rows.push_back({from_f16, instruction(from_f16 + " %0, %1;", "\"r\"(x)", 'h') + " out &= 255u;",
                    DType::f16, to, ScalarOp::add, true, satfinite});
    const std::string to_f16 = "cvt.rn.f16x2." + fp8 + "x2";
    rows.push_back(
        {to_f16,
         instruction(to_f16 + " %0, %1;", "\"h\"((unsigned short)x)", 'r') + " out &= 65535u;", to,
         DType::f16, ScalarOp::add, true, rn});
  }
}

inline std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_operations(rows);
  add_conversions(rows);
  return rows;
}

/// The digest of one block as the host computes it.
inline std::uint32_t host_digest(const Row& row, std::uint64_t block) {
  const LaneFunction run = row.is_conversion ? nullptr : find_lane_function(row.op, row.from);
  const bool wide = bits(row.to) == 64;
  const std::uint64_t end = std::min((block + 1) * kBlock, input_count(row));
  std::uint32_t digest = 0;
  alignas(64) std::uint32_t in[kLanes];
  alignas(64) std::uint64_t out[kLanes];
  for (std::uint64_t first = block * kBlock; first < end; first += kLanes) {
    for (std::uint64_t i = 0; i < kLanes; ++i) in[i] = static_cast<std::uint32_t>(first + i);
    if (row.is_conversion) {
      convert_lanes(out, in, 0xffffffffU, row.from, row.to, row.form);
    } else {
      run(out, in, nullptr, nullptr, 0xffffffffU);
    }
    const auto* const words = reinterpret_cast<const std::uint32_t*>(out);
    for (int i = 0; i < kLanes; ++i) digest += mix(in[i], wide ? out[i] : words[i]);
  }
  return digest;
}

}  // namespace tirx::num::campaign
