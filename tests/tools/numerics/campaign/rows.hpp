// Which functions are compared with the GPU, over all their inputs or (two and three operands) over
// 2^30 samples, and how both sides spell them.  The device writes one digest per block of 2^20
// inputs (tests/device/numerics_device.cpp); the host recomputes any of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "numerics/convert.hpp"
#include "numerics/cuda_math.hpp"
#include "numerics/lanes.hpp"
#include "numerics/scalar.hpp"
#include "tests/tools/numerics/campaign/host_samples.hpp"

namespace tirx::num::campaign {

struct Row {
  std::string name;
  std::string device;  // statements that set `out` (unsigned long long) from `x`, `y`, `z`
  DType from;          // of the operands; its width says how many inputs one operand has
  DType to;
  ScalarOp op;  // what the host computes, unless it is a conversion
  bool is_conversion = false;
  Conversion form{};
  int samples = -1;  // TirxSamples, for more than one operand
  bool quotient = false;
};

inline constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;

[[nodiscard]] inline int operand_count(const Row& row) {
  return row.is_conversion ? 1 : num::row(row.op).arity;
}

[[nodiscard]] inline std::uint64_t input_count(const Row& row) {
  if (row.samples == kTirxAllPairs) return std::uint64_t{1} << 32;
  return row.samples >= 0 ? std::uint64_t{1} << 30 : std::uint64_t{1} << bits(row.from);
}

[[nodiscard]] inline std::uint64_t block_size(const Row& row) {
  return std::min(kBlock, input_count(row));
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

/// One PTX instruction whose operands and result live in registers of the given kinds.
inline std::string instruction(const std::string& ptx, const std::string& in, char out) {
  const std::string kind = out == 'h'   ? "unsigned short"
                           : out == 'l' ? "unsigned long long"
                                        : "unsigned int";
  return kind + " r; asm(\"" + ptx + "\" : \"=" + out + "\"(r) : " + in + "); out = r;";
}

/// `ptx` on as many operands as the operation has; 'h' registers for the 16-bit types.
inline std::string operation(const std::string& ptx, int arity, bool half) {
  const char* const names[] = {"x", "y", "z"};
  std::string text = ptx + " %0", in;
  for (int i = 0; i < arity; ++i) {
    text += ", %" + std::to_string(i + 1);
    in += i == 0 ? "" : ", ";
    in += half ? std::string("\"h\"((unsigned short)") + names[i] + ")"
               : std::string("\"r\"(") + names[i] + ")";
  }
  return instruction(text + ";", in, half ? 'h' : 'r');
}

inline void add_math(std::vector<Row>& rows) {
  for (const ScalarOpRow& r : scalar_op_rows()) {
    const std::string function(cuda_math_name(r.op));
    if (function.empty()) continue;
    const bool pair = r.arity == 2;
    const std::string y = pair ? ", tirx_float(y)" : "";
    rows.push_back({.name = std::string(r.name),
                    .device = "out = tirx_bits(" + function + "(tirx_float(x)" + y + "));",
                    .from = DType::f32,
                    .to = DType::f32,
                    .op = r.op,
                    .samples = pair ? int{kTirxPow} : -1});
  }
}

inline void add_instructions(std::vector<Row>& rows) {
  struct Spelling {
    ScalarOp op;
    const char* ptx;
  };

  const Spelling unary[] = {
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
      {ScalarOp::sqrt_approx, "sqrt.approx.f32"},
      {ScalarOp::sqrt_approx_ftz, "sqrt.approx.ftz.f32"},
      {ScalarOp::lg2_approx, "lg2.approx.f32"},
      {ScalarOp::lg2_approx_ftz, "lg2.approx.ftz.f32"},
      {ScalarOp::tanh_approx, "tanh.approx.f32"},
      {ScalarOp::sin_approx, "sin.approx.f32"},
      {ScalarOp::sin_approx_ftz, "sin.approx.ftz.f32"},
      {ScalarOp::cos_approx, "cos.approx.f32"},
      {ScalarOp::cos_approx_ftz, "cos.approx.ftz.f32"},
  };
  for (const auto& [op, ptx] : unary) {
    rows.push_back({.name = std::string(name(op)),
                    .device = operation(ptx, 1, false),
                    .from = DType::f32,
                    .to = DType::f32,
                    .op = op});
  }
  const Spelling integers[] = {
      {ScalarOp::popc, "popc.b32"}, {ScalarOp::clz, "clz.b32"}, {ScalarOp::brev, "brev.b32"}};
  for (const auto& [op, ptx] : integers) {
    rows.push_back({.name = std::string(name(op)),
                    .device = operation(ptx, 1, false),
                    .from = DType::u32,
                    .to = result_dtype(op, DType::u32),
                    .op = op});
  }
  const Spelling several[] = {
      {ScalarOp::add, "add.rn.f32"},
      {ScalarOp::sub, "sub.rn.f32"},
      {ScalarOp::mul, "mul.rn.f32"},
      {ScalarOp::div, "div.rn.f32"},
      {ScalarOp::fma, "fma.rn.f32"},
      {ScalarOp::min, "min.f32"},
      {ScalarOp::max, "max.f32"},
      {ScalarOp::min_nan, "min.NaN.f32"},
      {ScalarOp::max_nan, "max.NaN.f32"},
      {ScalarOp::add_ftz, "add.rn.ftz.f32"},
      {ScalarOp::sub_ftz, "sub.rn.ftz.f32"},
      {ScalarOp::mul_ftz, "mul.rn.ftz.f32"},
      {ScalarOp::div_ftz, "div.rn.ftz.f32"},
      {ScalarOp::fma_ftz, "fma.rn.ftz.f32"},
      {ScalarOp::min_ftz, "min.ftz.f32"},
      {ScalarOp::max_ftz, "max.ftz.f32"},
  };
  for (const auto& [op, ptx] : several) {
    rows.push_back({.name = std::string(name(op)),
                    .device = operation(ptx, num::row(op).arity, false),
                    .from = DType::f32,
                    .to = DType::f32,
                    .op = op,
                    .samples = kTirxTiny,
                    .quotient = op == ScalarOp::div || op == ScalarOp::div_ftz});
  }
  const Spelling halves[] = {{ScalarOp::add, "add.rn."},
                             {ScalarOp::mul, "mul.rn."},
                             {ScalarOp::fma, "fma.rn."},
                             {ScalarOp::min, "min."},
                             {ScalarOp::max_nan, "max.NaN."}};
  for (const auto& [op, ptx] : halves) {
    for (const auto& [type, dtype] : {std::pair{"f16", DType::f16}, {"bf16", DType::bf16}}) {
      const bool pairs = op == ScalarOp::add || op == ScalarOp::mul;
      rows.push_back({.name = std::string(name(op)) + "." + type,
                      .device = operation(std::string(ptx) + type, num::row(op).arity, true),
                      .from = dtype,
                      .to = dtype,
                      .op = op,
                      .samples = pairs ? kTirxAllPairs : kTirxAnyBits});
    }
  }
}

void add_conversions(std::vector<Row>& rows);

[[nodiscard]] inline std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_math(rows);
  add_instructions(rows);
  add_conversions(rows);
  return rows;
}

/// Whether the host has the function: a table may not have been recorded.
[[nodiscard]] inline bool host_has(const Row& row) {
  return row.is_conversion || find_lane_function(row.op, row.from) != nullptr;
}

/// The host's outputs for up to 32 inputs from `first` on.
class HostRow {
 public:
  explicit HostRow(const Row& row) : row_(row), wide_(bits(row.to) == 64) {
    const Conversion cast = cast_rule(row.from, row.to);
    const Conversion& f = row.form;
    const bool is_cast = row.is_conversion && f.round == cast.round &&
                         f.satfinite == cast.satfinite && !f.sat && !f.relu && !f.ftz;
    if (!row.is_conversion) function_ = find_lane_function(row.op, row.from);
    if (is_cast) cast_ = find_lane_conversion(row.from, row.to);
  }

  /// No vector form: slow.
  [[nodiscard]] bool one_by_one() const { return row_.is_conversion && cast_ == nullptr; }

  std::uint32_t digest(std::uint64_t first) {
    const int operands = operand_count(row_);
    for (int o = 0; o < operands; ++o) {
      for (std::uint64_t i = 0; i < kLanes; ++i) in_[o][i] = operand(first + i, o);
    }
    if (function_ != nullptr) {
      function_(out_, in_[0], in_[1], in_[2], ~0U);
    } else if (cast_ != nullptr) {
      cast_(out_, in_[0], ~0U);
    } else {
      convert_lanes(out_, in_[0], ~0U, row_.from, row_.to, row_.form);
    }
    const auto* const words = reinterpret_cast<const std::uint32_t*>(out_);
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < kLanes; ++i) {
      sum += mix(static_cast<std::uint32_t>(first + i), wide_ ? out_[i] : words[i]);
    }
    return sum;
  }

 private:
  [[nodiscard]] std::uint32_t operand(std::uint64_t index, int o) const {
    if (row_.samples < 0) return static_cast<std::uint32_t>(index);
    const std::uint32_t word = tirx_sample(row_.samples, index, o, row_.quotient);
    return bits(row_.from) == 16 ? word & 0xffffU : word;
  }

  const Row& row_;
  bool wide_;
  LaneFunction function_ = nullptr;
  LaneConversion cast_ = nullptr;
  alignas(64) std::uint32_t in_[3][kLanes] = {};
  alignas(64) std::uint64_t out_[kLanes] = {};
};

/// The digest of one block as the host computes it.
[[nodiscard]] inline std::uint32_t host_digest(const Row& row, std::uint64_t block) {
  HostRow host(row);
  const std::uint64_t begin = block * block_size(row), end = begin + block_size(row);
  std::uint32_t digest = 0;
  for (std::uint64_t first = begin; first < end; first += kLanes) digest += host.digest(first);
  return digest;
}

}  // namespace tirx::num::campaign
