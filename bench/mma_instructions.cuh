// Inline PTX of the matrix instructions of sm_90 that the campaign runs.
// mma.sync: one struct per (types, k) with run(c, a, b) on one warp's fragments.
// wgmma: one struct per types with
// run<N, kShared, kScaleA, kScaleB>(d, a, descriptors, scale_d) for a warpgroup.
// Fragment layouts: PTX ISA, "Matrix fragments for mma.m16n8k16" and "wgmma.mma_async".
#pragma once

#include <cstdint>

namespace tirx::num::campaign {

// ---- mma.sync: k is 32 or 16 bytes long; a has four or two registers, b two or one ----

#define TIRX_MMA_FULL(NAME, OP, ACC, REG)                                                     \
  struct NAME {                                                                               \
    static constexpr int kBytes = 32, kRegisters = 4;                                         \
    using Acc = ACC;                                                                          \
    __device__ static void run(ACC* c, const std::uint32_t* a, const std::uint32_t* b) {      \
      asm volatile("mma.sync.aligned." OP                                                     \
                   " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"                      \
                   : "+" REG(c[0]), "+" REG(c[1]), "+" REG(c[2]), "+" REG(c[3])               \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));       \
    }                                                                                         \
  };
#define TIRX_MMA_SHORT(NAME, OP, ACC, REG)                                                    \
  struct NAME {                                                                               \
    static constexpr int kBytes = 16, kRegisters = 4;                                         \
    using Acc = ACC;                                                                          \
    __device__ static void run(ACC* c, const std::uint32_t* a, const std::uint32_t* b) {      \
      asm volatile("mma.sync.aligned." OP " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"        \
                   : "+" REG(c[0]), "+" REG(c[1]), "+" REG(c[2]), "+" REG(c[3])               \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                        \
    }                                                                                         \
  };
#define TIRX_MMA_FULL_HALF(NAME, OP)                                                          \
  struct NAME {                                                                               \
    static constexpr int kBytes = 32, kRegisters = 2;                                         \
    using Acc = std::uint32_t;                                                                \
    __device__ static void run(Acc* c, const std::uint32_t* a, const std::uint32_t* b) {      \
      asm volatile("mma.sync.aligned." OP " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"           \
                   : "+r"(c[0]), "+r"(c[1])                                                   \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));       \
    }                                                                                         \
  };
#define TIRX_MMA_SHORT_HALF(NAME, OP)                                                         \
  struct NAME {                                                                               \
    static constexpr int kBytes = 16, kRegisters = 2;                                         \
    using Acc = std::uint32_t;                                                                \
    __device__ static void run(Acc* c, const std::uint32_t* a, const std::uint32_t* b) {      \
      asm volatile("mma.sync.aligned." OP " {%0,%1},{%2,%3},{%4},{%0,%1};"                    \
                   : "+r"(c[0]), "+r"(c[1])                                                   \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                        \
    }                                                                                         \
  };
// NAME##Full and NAME##Short: the two k of one operand pair.
#define TIRX_MMA_F32(NAME, FULL, SHORT, TYPES)                                                \
  TIRX_MMA_FULL(NAME##Full, FULL ".row.col.f32." TYPES ".f32", float, "f")                    \
  TIRX_MMA_SHORT(NAME##Short, SHORT ".row.col.f32." TYPES ".f32", float, "f")
#define TIRX_MMA_F16(NAME, FULL, SHORT, TYPES)                                                \
  TIRX_MMA_FULL_HALF(NAME##Full, FULL ".row.col.f16." TYPES ".f16")                           \
  TIRX_MMA_SHORT_HALF(NAME##Short, SHORT ".row.col.f16." TYPES ".f16")
#define TIRX_MMA_S32(NAME, SATURATE, TYPES)                                                   \
  TIRX_MMA_FULL(NAME##Full, "m16n8k32.row.col" SATURATE ".s32." TYPES ".s32", std::uint32_t,  \
                "r")                                                                          \
  TIRX_MMA_SHORT(NAME##Short, "m16n8k16.row.col" SATURATE ".s32." TYPES ".s32",               \
                 std::uint32_t, "r")

TIRX_MMA_F32(MmaF16, "m16n8k16", "m16n8k8", "f16.f16")
TIRX_MMA_F16(MmaF16Half, "m16n8k16", "m16n8k8", "f16.f16")
TIRX_MMA_F32(MmaBf16, "m16n8k16", "m16n8k8", "bf16.bf16")
TIRX_MMA_F32(MmaTf32, "m16n8k8", "m16n8k4", "tf32.tf32")
TIRX_MMA_F32(MmaE4m3E4m3, "m16n8k32", "m16n8k16", "e4m3.e4m3")
TIRX_MMA_F16(MmaE4m3E4m3Half, "m16n8k32", "m16n8k16", "e4m3.e4m3")
TIRX_MMA_F32(MmaE4m3E5m2, "m16n8k32", "m16n8k16", "e4m3.e5m2")
TIRX_MMA_F16(MmaE4m3E5m2Half, "m16n8k32", "m16n8k16", "e4m3.e5m2")
TIRX_MMA_F32(MmaE5m2E4m3, "m16n8k32", "m16n8k16", "e5m2.e4m3")
TIRX_MMA_F16(MmaE5m2E4m3Half, "m16n8k32", "m16n8k16", "e5m2.e4m3")
TIRX_MMA_F32(MmaE5m2E5m2, "m16n8k32", "m16n8k16", "e5m2.e5m2")
TIRX_MMA_F16(MmaE5m2E5m2Half, "m16n8k32", "m16n8k16", "e5m2.e5m2")
TIRX_MMA_S32(MmaS8S8, "", "s8.s8")
TIRX_MMA_S32(MmaS8S8Sat, ".satfinite", "s8.s8")
TIRX_MMA_S32(MmaS8U8, "", "s8.u8")
TIRX_MMA_S32(MmaS8U8Sat, ".satfinite", "s8.u8")
TIRX_MMA_S32(MmaU8S8, "", "u8.s8")
TIRX_MMA_S32(MmaU8S8Sat, ".satfinite", "u8.s8")
TIRX_MMA_S32(MmaU8U8, "", "u8.u8")
TIRX_MMA_S32(MmaU8U8Sat, ".satfinite", "u8.u8")

/// m16n8k{4, 8, 16} f64.
template <int kK>
struct MmaF64 {
  __device__ static void run(double* c, const double* a, const double* b) {
    if constexpr (kK == 4) {
      asm volatile(
          "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64"
          " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
          : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
          : "d"(a[0]), "d"(a[1]), "d"(b[0]));
    } else if constexpr (kK == 8) {
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"
          " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
          : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
          : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    } else {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"
          " {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"
          : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
          : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
            "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    }
  }
};

// ---- wgmma: the accumulator lists are long; these macros only count ----

#define TIRX_R2 "%0,%1"
#define TIRX_R4 TIRX_R2 ",%2,%3"
#define TIRX_R8 TIRX_R4 ",%4,%5,%6,%7"
#define TIRX_R16 \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define TIRX_R16_32 \
  ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define TIRX_R32 TIRX_R16 TIRX_R16_32
#define TIRX_R32_64 \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" \
  ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define TIRX_R64 TIRX_R32 TIRX_R32_64
#define TIRX_R64_128 \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79" \
  ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95" \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111" \
  ",%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define TIRX_R128 TIRX_R64 TIRX_R64_128
#define TIRX_L2(C, i) C(d[i]), C(d[i + 1])
#define TIRX_L4(C, i) TIRX_L2(C, i), TIRX_L2(C, i + 2)
#define TIRX_L8(C, i) TIRX_L4(C, i), TIRX_L4(C, i + 4)
#define TIRX_L16(C, i) TIRX_L8(C, i), TIRX_L8(C, i + 8)
#define TIRX_L32(C, i) TIRX_L16(C, i), TIRX_L16(C, i + 16)
#define TIRX_L64(C, i) TIRX_L32(C, i), TIRX_L32(C, i + 32)
#define TIRX_L128(C, i) TIRX_L64(C, i), TIRX_L64(C, i + 64)

// P0...: numbers of the operands behind the accumulators. SCALES: whether imm-scale-a and -b exist.
#define TIRX_SCALES_1(PA, PB) ",%" #PA ",%" #PB
#define TIRX_SCALES_0(PA, PB) ""
#define TIRX_WGMMA_CASE(N, OP, REG, R, SCALES, TAIL_R, TAIL_S, P0, P1, P2, P3, P4, P5, P6, P7)   \
  if constexpr (kN == N && kShared) {                                                           \
    asm volatile("{.reg .pred p; setp.ne.b32 p,%" #P2 ",0; "                                    \
                 "wgmma.mma_async.sync.aligned.m64n" #N OP " {" TIRX_R##R "},%" #P0 ",%" #P1    \
                 ",p" TIRX_SCALES_##SCALES(P3, P4) TAIL_S ";}"                                  \
                 : TIRX_L##R("+" REG, 0)                                                        \
                 : "l"(a_descriptor), "l"(b_descriptor), "r"(scale_d), "n"(kScaleA),            \
                   "n"(kScaleB));                                                               \
  }                                                                                             \
  if constexpr (kN == N && !kShared) {                                                          \
    asm volatile("{.reg .pred p; setp.ne.b32 p,%" #P5 ",0; "                                    \
                 "wgmma.mma_async.sync.aligned.m64n" #N OP " {" TIRX_R##R "},{%" #P0 ",%" #P1   \
                 ",%" #P2 ",%" #P3 "},%" #P4 ",p" TIRX_SCALES_##SCALES(P6, P7) TAIL_R ";}"      \
                 : TIRX_L##R("+" REG, 0)                                                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b_descriptor), "r"(scale_d), \
                   "n"(kScaleA), "n"(kScaleB));                                                 \
  }
#define TIRX_WGMMA(NAME, OP, ACC, REG, HALF, SCALES, TAIL_R, TAIL_S, CASES)                     \
  struct NAME {                                                                                 \
    using Acc = ACC;                                                                            \
    static constexpr bool kHalf = HALF;                                                         \
    static constexpr bool kScales = SCALES;                                                     \
    template <int kN, bool kShared, int kScaleA, int kScaleB>                                   \
    __device__ static void run(ACC* d, const std::uint32_t* a, std::uint64_t a_descriptor,      \
                               std::uint64_t b_descriptor, int scale_d) {                       \
      CASES(OP, REG, SCALES, TAIL_R, TAIL_S)                                                    \
    }                                                                                           \
  };
#define TIRX_WORD_CASES(OP, REG, SCALES, TAIL_R, TAIL_S)                                        \
  TIRX_WGMMA_CASE(8, OP, REG, 4, SCALES, TAIL_R, TAIL_S, 4, 5, 6, 7, 8, 9, 10, 11)              \
  TIRX_WGMMA_CASE(16, OP, REG, 8, SCALES, TAIL_R, TAIL_S, 8, 9, 10, 11, 12, 13, 14, 15)         \
  TIRX_WGMMA_CASE(32, OP, REG, 16, SCALES, TAIL_R, TAIL_S, 16, 17, 18, 19, 20, 21, 22, 23)      \
  TIRX_WGMMA_CASE(64, OP, REG, 32, SCALES, TAIL_R, TAIL_S, 32, 33, 34, 35, 36, 37, 38, 39)      \
  TIRX_WGMMA_CASE(128, OP, REG, 64, SCALES, TAIL_R, TAIL_S, 64, 65, 66, 67, 68, 69, 70, 71)     \
  TIRX_WGMMA_CASE(256, OP, REG, 128, SCALES, TAIL_R, TAIL_S, 128, 129, 130, 131, 132, 133, 134, 135)
#define TIRX_HALF_CASES(OP, REG, SCALES, TAIL_R, TAIL_S)                                        \
  TIRX_WGMMA_CASE(8, OP, REG, 2, SCALES, TAIL_R, TAIL_S, 2, 3, 4, 5, 6, 7, 8, 9)                \
  TIRX_WGMMA_CASE(16, OP, REG, 4, SCALES, TAIL_R, TAIL_S, 4, 5, 6, 7, 8, 9, 10, 11)             \
  TIRX_WGMMA_CASE(32, OP, REG, 8, SCALES, TAIL_R, TAIL_S, 8, 9, 10, 11, 12, 13, 14, 15)         \
  TIRX_WGMMA_CASE(64, OP, REG, 16, SCALES, TAIL_R, TAIL_S, 16, 17, 18, 19, 20, 21, 22, 23)      \
  TIRX_WGMMA_CASE(128, OP, REG, 32, SCALES, TAIL_R, TAIL_S, 32, 33, 34, 35, 36, 37, 38, 39)     \
  TIRX_WGMMA_CASE(256, OP, REG, 64, SCALES, TAIL_R, TAIL_S, 64, 65, 66, 67, 68, 69, 70, 71)
#define TIRX_WGMMA_F32(NAME, OP, TAIL_R, TAIL_S) \
  TIRX_WGMMA(NAME, OP, float, "f", false, 1, TAIL_R, TAIL_S, TIRX_WORD_CASES)
#define TIRX_WGMMA_F16(NAME, OP, TAIL_R, TAIL_S) \
  TIRX_WGMMA(NAME, OP, std::uint32_t, "r", true, 1, TAIL_R, TAIL_S, TIRX_HALF_CASES)
#define TIRX_WGMMA_S32(NAME, OP) \
  TIRX_WGMMA(NAME, OP, std::uint32_t, "r", false, 0, "", "", TIRX_WORD_CASES)

TIRX_WGMMA_F32(WgF16, "k16.f32.f16.f16", ",0", ",0,0")
TIRX_WGMMA_F16(WgF16Half, "k16.f16.f16.f16", ",0", ",0,0")
TIRX_WGMMA_F32(WgBf16, "k16.f32.bf16.bf16", ",0", ",0,0")
TIRX_WGMMA_F32(WgTf32, "k8.f32.tf32.tf32", "", "")
TIRX_WGMMA_F32(WgE4m3E4m3, "k32.f32.e4m3.e4m3", "", "")
TIRX_WGMMA_F16(WgE4m3E4m3Half, "k32.f16.e4m3.e4m3", "", "")
TIRX_WGMMA_F32(WgE4m3E5m2, "k32.f32.e4m3.e5m2", "", "")
TIRX_WGMMA_F16(WgE4m3E5m2Half, "k32.f16.e4m3.e5m2", "", "")
TIRX_WGMMA_F32(WgE5m2E4m3, "k32.f32.e5m2.e4m3", "", "")
TIRX_WGMMA_F16(WgE5m2E4m3Half, "k32.f16.e5m2.e4m3", "", "")
TIRX_WGMMA_F32(WgE5m2E5m2, "k32.f32.e5m2.e5m2", "", "")
TIRX_WGMMA_F16(WgE5m2E5m2Half, "k32.f16.e5m2.e5m2", "", "")
TIRX_WGMMA_S32(WgS8S8, "k32.s32.s8.s8")
TIRX_WGMMA_S32(WgS8S8Sat, "k32.s32.s8.s8.satfinite")
TIRX_WGMMA_S32(WgS8U8, "k32.s32.s8.u8")
TIRX_WGMMA_S32(WgS8U8Sat, "k32.s32.s8.u8.satfinite")
TIRX_WGMMA_S32(WgU8S8, "k32.s32.u8.s8")
TIRX_WGMMA_S32(WgU8S8Sat, "k32.s32.u8.s8.satfinite")
TIRX_WGMMA_S32(WgU8U8, "k32.s32.u8.u8")
TIRX_WGMMA_S32(WgU8U8Sat, "k32.s32.u8.u8.satfinite")

}  // namespace tirx::num::campaign
