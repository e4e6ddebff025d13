// Chooses the lane kernels for this machine.
#include "numerics/lanes.hpp"

#include <utility>

#include "numerics/approx/approx.hpp"
#include "numerics/lane_kernels/lane_table.hpp"

namespace tirx::num {
namespace {

const LaneTable& table_of(LaneIsa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case LaneIsa::avx512:
      return avx512_lane_table();
    case LaneIsa::avx2:
      return avx2_lane_table();
    case LaneIsa::baseline:
      break;
  }
#endif
  static_cast<void>(isa);
  return baseline_lane_table();
}

LaneIsa detect() {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("bmi2") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0;
  if (avx2 && avx512) return LaneIsa::avx512;
  if (avx2) return LaneIsa::avx2;
#endif
  return LaneIsa::baseline;
}

template <class In>
Bits load_lane(const void* src, int lane) {
  return static_cast<const In*>(src)[lane];
}

bool is_wide(DType dtype) {
  return bits(dtype) == 64;
}

Bits read_lane(const void* src, int lane, DType dtype) {
  return is_wide(dtype) ? load_lane<std::uint64_t>(src, lane) : load_lane<std::uint32_t>(src, lane);
}

void write_lane(void* dst, int lane, DType dtype, Bits value) {
  if (is_wide(dtype)) {
    static_cast<std::uint64_t*>(dst)[lane] = value;
  } else {
    static_cast<std::uint32_t*>(dst)[lane] = static_cast<std::uint32_t>(value);
  }
}

template <ScalarOp op>
void approx_lanes(void* dst, const void* a, const void*, const void*, std::uint32_t mask) {
  const ApproxFunction function = find_approx(op);
  const auto* const x = static_cast<const std::uint32_t*>(a);
  auto* const out = static_cast<std::uint32_t*>(dst);
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane & 1U) != 0) out[lane] = function(x[lane]);
  }
}

/// Table look-ups are the same code on every instruction set.
LaneFunction find_approx_lanes(ScalarOp op) {
  if (find_approx(op) == nullptr) return nullptr;
  switch (op) {
    case ScalarOp::ex2_approx:
      return &approx_lanes<ScalarOp::ex2_approx>;
    case ScalarOp::ex2_approx_ftz:
      return &approx_lanes<ScalarOp::ex2_approx_ftz>;
    case ScalarOp::rcp_approx:
      return &approx_lanes<ScalarOp::rcp_approx>;
    case ScalarOp::rcp_approx_ftz:
      return &approx_lanes<ScalarOp::rcp_approx_ftz>;
    case ScalarOp::rsqrt_approx:
      return &approx_lanes<ScalarOp::rsqrt_approx>;
    case ScalarOp::rsqrt_approx_ftz:
      return &approx_lanes<ScalarOp::rsqrt_approx_ftz>;
    case ScalarOp::sqrt_approx:
      return &approx_lanes<ScalarOp::sqrt_approx>;
    case ScalarOp::sqrt_approx_ftz:
      return &approx_lanes<ScalarOp::sqrt_approx_ftz>;
    case ScalarOp::lg2_approx:
      return &approx_lanes<ScalarOp::lg2_approx>;
    case ScalarOp::lg2_approx_ftz:
      return &approx_lanes<ScalarOp::lg2_approx_ftz>;
    case ScalarOp::tanh_approx:
      return &approx_lanes<ScalarOp::tanh_approx>;
    case ScalarOp::sin_approx:
      return &approx_lanes<ScalarOp::sin_approx>;
    case ScalarOp::sin_approx_ftz:
      return &approx_lanes<ScalarOp::sin_approx_ftz>;
    case ScalarOp::cos_approx:
      return &approx_lanes<ScalarOp::cos_approx>;
    case ScalarOp::cos_approx_ftz:
      return &approx_lanes<ScalarOp::cos_approx_ftz>;
    default:
      return nullptr;
  }
}

/// A cast to the same type moves bits, NaN payloads too.
template <class Word>
void copy_lanes(void* dst, const void* src, std::uint32_t mask) {
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane & 1U) != 0) {
      static_cast<Word*>(dst)[lane] = static_cast<const Word*>(src)[lane];
    }
  }
}

using ConversionPair = void (*)(void*, const void*, std::uint32_t);

/// The pairs without a vector form: one instance per pair, since a lane conversion takes no types.
template <int From, int To>
void convert_pair(void* dst, const void* src, std::uint32_t mask) {
  constexpr auto kFrom = static_cast<DType>(From);
  constexpr auto kTo = static_cast<DType>(To);
  Bits result[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    result[lane] = (mask >> lane & 1U) != 0 ? convert(read_lane(src, lane, kFrom), kFrom, kTo) : 0;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane & 1U) != 0) write_lane(dst, lane, kTo, result[lane]);
  }
}

struct PairTable {
  ConversionPair pairs[kDTypeCount][kDTypeCount];
};

template <int From, int... To>
constexpr void fill_row(PairTable& table, std::integer_sequence<int, To...>) {
  ((table.pairs[From][To] = &convert_pair<From, To>), ...);
}

template <int... From>
constexpr PairTable make_pairs(std::integer_sequence<int, From...> all) {
  PairTable table{};
  (fill_row<From>(table, all), ...);
  return table;
}

constexpr PairTable kPairs = make_pairs(std::make_integer_sequence<int, kDTypeCount>{});

}  // namespace

LaneIsa best_lane_isa() {
  static const LaneIsa best = detect();
  return best;
}

LaneFunction find_lane_function(ScalarOp op, DType dtype, LaneIsa isa) {
  const LaneFunction found =
      table_of(isa).entries[static_cast<int>(op)][static_cast<int>(dtype)].lanes;
  if (found != nullptr || !is_legal(op, dtype)) return found;
  return find_approx_lanes(op);
}

LaneFunction find_lane_function(ScalarOp op, DType dtype) {
  return find_lane_function(op, dtype, best_lane_isa());
}

LaneConversion find_lane_conversion(DType from, DType to, LaneIsa isa) {
  if (from == to) return is_wide(to) ? &copy_lanes<std::uint64_t> : &copy_lanes<std::uint32_t>;
  const LaneConversion fast =
      table_of(isa).conversions[static_cast<int>(from)][static_cast<int>(to)];
  return fast != nullptr ? fast : kPairs.pairs[static_cast<int>(from)][static_cast<int>(to)];
}

LaneConversion find_lane_conversion(DType from, DType to) {
  return find_lane_conversion(from, to, best_lane_isa());
}

void convert_lanes(
    void* dst, const void* src, std::uint32_t mask, DType from, DType to, const Conversion& form) {
  Bits result[kLanes] = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane & 1U) != 0) {
      result[lane] = convert(read_lane(src, lane, from), from, to, form);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((mask >> lane & 1U) != 0) write_lane(dst, lane, to, result[lane]);
  }
}

std::uint32_t zero_lanes(const void* operand, DType dtype, std::uint32_t mask) {
  std::uint32_t zeros = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (read_lane(operand, lane, dtype) == 0) zeros |= 1U << lane;
  }
  return zeros & mask;
}

}  // namespace tirx::num
