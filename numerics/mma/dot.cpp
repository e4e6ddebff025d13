// The scalar reference: fetches raw operands and runs one instruction after another.
#include "numerics/mma/dot.hpp"

#include <cstring>

#include "numerics/mma/block_scaled.inl"
#include "numerics/mma/fma_chain.inl"

namespace tirx::num {

namespace {

/// Raw bits of element `first + i`; zero beyond `count`, as padding.
template <class Word>
struct Fetch {
  MmaVector vector;
  int bytes, first, count;

  Word operator()(int i) const {
    if (first + i >= count) return 0;
    const auto* from = static_cast<const unsigned char*>(vector.data) +
                       (first + i) * vector.stride * static_cast<std::ptrdiff_t>(bytes);
    Word word = 0;
    std::memcpy(&word, from, static_cast<std::size_t>(bytes));
    return word;
  }
};

template <unsigned kBreak>
std::uint64_t chain(const MmaRow& row, int k, int step, MmaVector a, MmaVector b, std::uint64_t c) {
  if (step == 0) step = largest_k(row);
  const int bytes = container_bytes(row.a);
  for (int first = 0; first < k; first += step) {
    const Fetch<std::uint32_t> x{a, bytes, first, k}, y{b, bytes, first, k};
    const auto c32 = static_cast<std::uint32_t>(c);
    switch (row.arithmetic) {
      case MmaArithmetic::fma_chain: {
        const int n = k - first < step ? k - first : step;  // a padding fma could turn -0 into +0
        c = dot::fma_chain(n, Fetch<std::uint64_t>{a, bytes, first, k},
                           Fetch<std::uint64_t>{b, bytes, first, k}, c,
                           (kBreak & dot::kBreakReverseGroups) != 0);
        break;
      }
      case MmaArithmetic::integer:
        c = dot::integer_instruction(step, x, row.a == DType::i8, y, row.b == DType::i8, c32,
                                     row.saturate);
        break;
      default:
        c = dot::fused_instruction<kBreak>(row.rule, step, x, y, c32);
    }
  }
  return c;
}

}  // namespace

std::uint64_t mma_dot(
    const MmaRow& row, int k, int step, MmaVector a, MmaVector b, std::uint64_t c) {
  return chain<0>(row, k, step, a, b, c);
}

std::uint32_t mma_dot_scaled(const MmaRow& row,
                             int k,
                             int step,
                             MmaVector a,
                             MmaVector b,
                             MmaVector scale_a,
                             MmaVector scale_b,
                             std::uint32_t c) {
  if (step == 0) step = largest_k(row);
  const int bytes = container_bytes(row.a), block = row.scaling.block;
  const int terms = row.a == DType::e2m1 && row.shape.k[0] == 64 ? 16 : 1;
  for (int first = 0; first < k; first += step) {
    const int n = k - first < step ? k - first : step;
    const int scales = (k + block - 1) / block;
    c = dot::scaled_instruction(row.rule, n, terms, block, row.scaling.scale == DType::e8m0,
                                Fetch<std::uint32_t>{a, bytes, first, k},
                                Fetch<std::uint32_t>{b, bytes, first, k},
                                Fetch<std::uint32_t>{scale_a, 1, first / block, scales},
                                Fetch<std::uint32_t>{scale_b, 1, first / block, scales}, c);
  }
  return c;
}

std::uint64_t mma_dot_broken(unsigned deviation,
                             const MmaRow& row,
                             int k,
                             int step,
                             MmaVector a,
                             MmaVector b,
                             std::uint64_t c) {
  switch (deviation) {
    case dot::kBreakKeepZeroTerms:
      return chain<dot::kBreakKeepZeroTerms>(row, k, step, a, b, c);
    case dot::kBreakReverseGroups:
      return chain<dot::kBreakReverseGroups>(row, k, step, a, b, c);
    case dot::kBreakRoundOut:
      return chain<dot::kBreakRoundOut>(row, k, step, a, b, c);
    case dot::kBreakRoundTerms:
      return chain<dot::kBreakRoundTerms>(row, k, step, a, b, c);
    case dot::kBreakFloorTerms:
      return chain<dot::kBreakFloorTerms>(row, k, step, a, b, c);
    case dot::kBreakKeepPayload:
      return chain<dot::kBreakKeepPayload>(row, k, step, a, b, c);
    case dot::kBreakMinusZero:
      return chain<dot::kBreakMinusZero>(row, k, step, a, b, c);
    case dot::kBreakOverflowToMax:
      return chain<dot::kBreakOverflowToMax>(row, k, step, a, b, c);
    case dot::kBreakNormalise:
      return chain<dot::kBreakNormalise>(row, k, step, a, b, c);
    case dot::kBreakFlushC:
      return chain<dot::kBreakFlushC>(row, k, step, a, b, c);
    default:
      return chain<0>(row, k, step, a, b, c);
  }
}

}  // namespace tirx::num
