// The table of rows.  A fact is written once per class of operand types; pairs are expanded here.
// Sources: own recordings on an H200 (sm_90); Khattak & Mikaitis, arXiv 2512.07004, and their
// recorded vectors (V100, A100, A2, L40S, Ada, H100, H200, B200); MMA-Sim, arXiv 2511.10909.
#include "numerics/mma/rows.hpp"

#include <array>
#include <initializer_list>

namespace tirx::num {

namespace {

using dot::Format;
using dot::kNoFloor;
using dot::Out;

constexpr Format format_of(DType type) {
  switch (type) {
    case DType::f16:
      return dot::kF16;
    case DType::bf16:
      return dot::kBf16;
    case DType::tf32:
      return dot::kTf32;
    case DType::e4m3:
      return dot::kE4m3;
    case DType::e5m2:
      return dot::kE5m2;
    case DType::e2m3:
      return dot::kE2m3;
    case DType::e3m2:
      return dot::kE3m2;
    case DType::e2m1:
      return dot::kE2m1;
    default:
      return dot::kF32;
  }
}

using Types = std::initializer_list<DType>;

constexpr Types kFp8{DType::e4m3, DType::e5m2};
constexpr Types kF8f6f4{DType::e4m3, DType::e5m2, DType::e2m3, DType::e3m2, DType::e2m1};
constexpr Types kInt8{DType::i8, DType::u8};
constexpr MmaScaling kUnscaled{0, DType::e8m0};

/// What the rows of one class share.
struct Class {
  int arch;
  MmaFamily family;
  MmaShape shape;
  Evidence evidence;
  std::string_view on;
};

struct Sum {
  int group, fraction;
  int floor_f32 = kNoFloor, floor_f16 = kNoFloor;
  Out f32_out = Out::f32_rz;
  MmaArithmetic arithmetic = MmaArithmetic::fused_sum;
  MmaScaling scaling = kUnscaled;
};

struct Table {
  std::array<MmaRow, 400> rows{};
  int size = 0;

  constexpr void add(const MmaRow& row) { rows[static_cast<std::size_t>(size++)] = row; }

  constexpr void floating(const Class& c, DType a, DType b, DType acc, const Sum& s) {
    const bool half = acc == DType::f16;
    const bool emulated = s.arithmetic == MmaArithmetic::f16_emulation;
    add({c.arch, c.family, a, b, acc, false, c.shape, s.arithmetic,
         dot::Rule{format_of(a), format_of(b), format_of(acc), s.fraction,
                   half ? s.floor_f16 : s.floor_f32, s.group, half ? Out::f16_rne : s.f32_out,
                   emulated},
         s.scaling, c.evidence, c.on});
  }

  /// Every pair of `types`, every result type of `results`.
  constexpr void pairs(const Class& c, Types types, Types results, const Sum& s) {
    for (DType acc : results) {
      for (DType a : types) {
        for (DType b : types) floating(c, a, b, acc, s);
      }
    }
  }

  /// Both operands of one type.
  constexpr void same(const Class& c, Types types, Types results, const Sum& s) {
    for (DType acc : results) {
      for (DType a : types) floating(c, a, a, acc, s);
    }
  }

  constexpr void plain(
      const Class& c, DType a, DType b, DType acc, bool saturate, MmaArithmetic arithmetic) {
    add({c.arch, c.family, a, b, acc, saturate, c.shape, arithmetic,
         dot::Rule{format_of(a), format_of(b), format_of(acc), 0, kNoFloor, c.shape.k[0],
                   Out::f32_rz, false},
         kUnscaled, c.evidence, c.on});
  }

  constexpr void integers(const Class& c) {
    for (bool saturate : {false, true}) {
      for (DType a : kInt8) {
        for (DType b : kInt8) plain(c, a, b, DType::i32, saturate, MmaArithmetic::integer);
      }
    }
  }

  constexpr void f64(const Class& c) {
    plain(c, DType::f64, DType::f64, DType::f64, false, MmaArithmetic::fma_chain);
  }
};

constexpr MmaShape warp(int k0, int k1 = 0) {
  return {16, 8, 8, 8, {k0, k1, 0}};
}

constexpr MmaShape wg(int k) {
  return {64, 8, 256, 8, {k, 0, 0}};
}

constexpr MmaShape cta(int k) {
  return {128, 16, 256, 16, {k, 0, 0}};
}

constexpr std::string_view kPtx = "PTX ISA: integers are exact";
constexpr std::string_view kSim = "MMA-Sim's model";

constexpr void before_hopper(Table& t) {
  const auto mma = MmaFamily::mma_sync;
  const Types both{DType::f32, DType::f16}, f32{DType::f32};
  t.same({70, mma, {8, 8, 8, 8, {4, 0, 0}}, Evidence::published, "V100, 10,000 vectors"},
         {DType::f16}, both, {.group = 4, .fraction = 23, .floor_f16 = -19});
  t.same({75, mma, warp(8), Evidence::modelled, kSim}, {DType::f16}, both,
         {.group = 8, .fraction = 24});
  t.integers({75, mma, {8, 8, 8, 8, {16, 0, 0}}, Evidence::published, kPtx});
  for (int arch : {80, 86, 89}) {
    const std::string_view on = arch == 80 ? "A100, 5,000 vectors a type; k split: MMA-Sim"
                                : arch == 86
                                    ? "A2, 5,000 vectors a type; k split: MMA-Sim"
                                    : "L40S and Ada, 5,000 vectors a type; k split: MMA-Sim";
    t.same({arch, mma, warp(8, 16), Evidence::published, on}, {DType::f16}, both,
           {.group = 8, .fraction = 24, .floor_f32 = -132, .floor_f16 = -20});
    t.same({arch, mma, warp(8, 16), Evidence::published, on}, {DType::bf16}, f32,
           {.group = 8, .fraction = 24, .floor_f32 = -132});
    t.same({arch, mma, warp(4, 8), Evidence::published, on}, {DType::tf32}, f32,
           {.group = 4, .fraction = 24, .floor_f32 = -132});
    t.integers({arch, mma, warp(16, 32), Evidence::published, kPtx});
    t.f64({arch, mma, {8, 8, 8, 8, {4, 0, 0}}, Evidence::modelled, kSim});
  }
  t.pairs({89, mma, warp(16, 32), Evidence::published, "L40S and Ada, 30,000 vectors"}, kFp8, both,
          {.group = 16, .fraction = 13, .f32_out = Out::e8m13_rz});
}

/// Every row was compared with an H200 by bench/campaign_mma.cu; a test ties the evidence to its
/// record.
constexpr void hopper(Table& t) {
  const Types both{DType::f32, DType::f16}, f32{DType::f32};
  const std::string_view on = "H200, 2^30 outputs";
  const auto witnessed = Evidence::witnessed;
  for (MmaFamily family : {MmaFamily::mma_sync, MmaFamily::wgmma}) {
    const bool sync = family == MmaFamily::mma_sync;
    const Class k16{90, family, sync ? warp(8, 16) : wg(16), witnessed, on};
    const Class k8{90, family, sync ? warp(4, 8) : wg(8), witnessed, on};
    t.same(k16, {DType::f16}, both,
           {.group = 16, .fraction = 25, .floor_f32 = -133, .floor_f16 = -21});
    t.same(k16, {DType::bf16}, f32, {.group = 16, .fraction = 25, .floor_f32 = -133});
    t.same(k8, {DType::tf32}, f32, {.group = 8, .fraction = 25, .floor_f32 = -133});
  }
  t.pairs({90, MmaFamily::mma_sync, warp(16, 32), witnessed, on}, kFp8, both,
          {.group = 16,
           .fraction = 25,
           .floor_f32 = -133,
           .floor_f16 = -21,
           .arithmetic = MmaArithmetic::f16_emulation});
  t.pairs({90, MmaFamily::wgmma, wg(32), witnessed, on}, kFp8, both,
          {.group = 32, .fraction = 13, .f32_out = Out::e8m13_rz});
  t.integers({90, MmaFamily::mma_sync, warp(16, 32), witnessed, on});
  t.integers({90, MmaFamily::wgmma, wg(32), witnessed, on});
  t.f64({90, MmaFamily::mma_sync, {16, 8, 8, 8, {4, 8, 16}}, witnessed, on});
}

constexpr void blackwell(Table& t) {
  const Types both{DType::f32, DType::f16}, f32{DType::f32};
  const auto sync = MmaFamily::mma_sync, tc = MmaFamily::tcgen05;
  for (int arch : {100, 120}) {
    const Evidence evidence = arch == 100 ? Evidence::published : Evidence::modelled;
    const std::string_view on = arch == 100 ? "B200, 5,000 vectors a type" : "as B200; MMA-Sim";
    t.same({arch, sync, warp(8, 16), evidence, on}, {DType::f16}, both,
           {.group = 16, .fraction = 25, .floor_f32 = -133, .floor_f16 = -21});
    t.same({arch, sync, warp(8, 16), evidence, on}, {DType::bf16}, f32,
           {.group = 16, .fraction = 25, .floor_f32 = -133});
    t.same({arch, sync, warp(4, 8), evidence, on}, {DType::tf32}, f32,
           {.group = 8, .fraction = 25, .floor_f32 = -133});
    t.integers({arch, sync, warp(16, 32), Evidence::published, kPtx});
    t.f64({arch, sync, {16, 8, 8, 8, {4, 8, 16}}, Evidence::modelled, kSim});
  }
  t.pairs(
      {100, sync, warp(16, 32), Evidence::published, "ptxas output; B200, 5,000 vectors a type"},
      kFp8, both,
      {.group = 16,
       .fraction = 25,
       .floor_f32 = -133,
       .floor_f16 = -21,
       .arithmetic = MmaArithmetic::f16_emulation});
  t.pairs({120, sync, warp(16, 32), Evidence::modelled, kSim}, kF8f6f4, both,
          {.group = 32, .fraction = 25, .floor_f32 = -133, .floor_f16 = -21});

  t.same({100, tc, cta(16), Evidence::modelled, kSim}, {DType::f16}, both,
         {.group = 16, .fraction = 25});
  t.same({100, tc, cta(16), Evidence::modelled, kSim}, {DType::bf16}, f32,
         {.group = 16, .fraction = 25});
  t.same({100, tc, cta(8), Evidence::modelled, kSim}, {DType::tf32}, f32,
         {.group = 8, .fraction = 25});
  t.pairs({100, tc, cta(32), Evidence::modelled, kSim}, kF8f6f4, both,
          {.group = 32, .fraction = 25});
  t.integers({100, tc, cta(32), Evidence::published, kPtx});

  for (int arch : {100, 120}) {
    const auto family = arch == 100 ? tc : sync;
    const auto scaled = MmaArithmetic::block_scaled;
    t.pairs({arch, family, arch == 100 ? cta(32) : warp(32), Evidence::modelled, kSim}, kF8f6f4,
            f32, {.group = 32, .fraction = 25, .arithmetic = scaled, .scaling = {32, DType::e8m0}});
    const Class k64{arch, family, arch == 100 ? cta(64) : warp(64), Evidence::modelled, kSim};
    for (MmaScaling s : {MmaScaling{32, DType::e8m0}, MmaScaling{16, DType::e4m3}}) {
      t.same(k64, {DType::e2m1}, f32,
             {.group = 64, .fraction = 35, .arithmetic = scaled, .scaling = s});
    }
  }
}

constexpr Table build() {
  Table t;
  before_hopper(t);
  hopper(t);
  blackwell(t);
  return t;
}

constexpr Table kTable = build();

}  // namespace

std::span<const MmaRow> mma_rows() {
  static const Table table = [] {
    Table out = kTable;
    for (MmaRow& row : out.rows) {
      if (row.evidence != Evidence::witnessed) continue;
      row.evidence = standing(row.evidence, recorded_fingerprint(describe(row)), fingerprint(row));
    }
    return out;
  }();
  return {table.rows.data(), static_cast<std::size_t>(table.size)};
}

const MmaRow* find_mma_row(
    int arch, MmaFamily family, DType a, DType b, DType c, int k, bool saturate, int block) {
  for (const MmaRow& row : mma_rows()) {
    if (row.arch != arch || row.family != family || row.a != a || row.b != b || row.c != c)
      continue;
    if (row.saturate != saturate || row.scaling.block != block) continue;
    if (k == 0 || row.shape.k[0] == k || row.shape.k[1] == k || row.shape.k[2] == k) return &row;
  }
  return nullptr;
}

int largest_k(const MmaRow& row) {
  for (int i : {2, 1}) {
    if (row.shape.k[i] != 0) return row.shape.k[i];
  }
  return row.shape.k[0];
}

int container_bytes(DType type) {
  switch (type) {
    case DType::f64:
      return 8;
    case DType::f32:
    case DType::tf32:
    case DType::i32:
      return 4;
    case DType::f16:
    case DType::bf16:
      return 2;
    default:
      return 1;
  }
}

}  // namespace tirx::num
