// How do the tile driver (tile.cpp) and its inner loops, compiled once per instruction set, talk?
// The driver gathers raw operands of one block; a kernel decodes them and computes the block.
#pragma once

#include <cstdint>

#include "numerics/mma/fused_dot.inl"

namespace tirx::num::tile {

inline constexpr int kRows = 64;    // rows of a block, at most
inline constexpr int kLanes = 32;   // lanes of a block, at most
inline constexpr int kTerms = 128;  // term slots of a block, at most

/// Exponents beyond this make products leave the range of binary32: such blocks take the wide form.
inline constexpr int kNarrowExponent = 50;

/// How values are decoded.  Narrow: the value itself.  Wide: significand only, in (-2, 2).
enum class Form : std::uint8_t { narrow, wide };

/// Sums of one block: rows x lanes outputs, `groups` aligned sums of `terms` slots each, chained.
/// Unused slots hold zeros.  Lane arrays have a stride of Kernels::lanes.
struct Sums {
  int rows, groups, terms;
  int fraction, floor;
  dot::Out out;
  bool half_c;     // C and D are binary16
  bool emulation;  // pairs of groups from zero, then a rounded add of C
  Form form;
  const float* a_value;            // [rows][kTerms]
  const std::int32_t* a_exponent;  // [rows][kTerms], the 16-bit exponent in both halves
  const float* b_value;            // [slots][lanes]
  const std::int16_t* b_exponent;  // [slots][lanes]
  const std::uint32_t* c;          // [rows][lanes]
  std::uint32_t* d;                // [rows][lanes]
  std::uint32_t* redo;             // [rows]: lanes whose D must come from the scalar reference
};

struct Kernels {
  int lanes;
  /// Decodes one row of A, reading and writing whole vectors of up to 16 slots.  Returns the
  /// largest magnitude of an exponent; sets *special.
  int (*decode_row)(const std::uint32_t* raw,
                    int count,
                    dot::Format format,
                    Form form,
                    float* value,
                    std::int32_t* exponent,
                    bool* special);
  /// Decodes `count` slots of all lanes; sets bit `lane` of *special.
  int (*decode_lanes)(const std::uint32_t* raw,
                      int count,
                      dot::Format format,
                      Form form,
                      float* value,
                      std::int16_t* exponent,
                      std::uint32_t* special);
  void (*sums)(const Sums& block);
  /// acc[lane] += sum of a[i] * b[i][lane], modulo 2^32 or clamped once.
  void (*integers)(
      const std::int32_t* a, const std::int32_t* b, int count, bool saturate, std::uint32_t* acc);
  /// acc[lane] = fma(a[i], b[i][lane], acc[lane]) for ascending i.  NaN payloads are the host's.
  void (*doubles)(const double* a, const double* b, int count, double* acc);
};

/// Null where the machine (or the build's architecture) lacks the instructions.
[[nodiscard]] const Kernels* portable_kernels();
[[nodiscard]] const Kernels* avx2_kernels();
[[nodiscard]] const Kernels* avx512_kernels();

}  // namespace tirx::num::tile
