// Matrix instructions of a warp.  Fragments (PTX ISA 9.7.14.5, "Matrix Fragments"): with lane =
// 4 g + t and e elements in a register, register r of A holds row g + 8 (r % 2), columns
// e t + 4 e (r / 2) …, register r of B rows e t + 4 e r … of column g, and C and D hold row
// g + 8 (i / 2), column 2 t + i % 2 at element i.
#include <bit>

#include <fmt/format.h>

#include "numerics/mma/tile.hpp"
#include "sim/exec/race.hpp"
#include "sim/ops/pointer.hpp"
#include "sim/ops/rendezvous.hpp"

namespace tirx::sim::ops {

namespace {

/// All lanes execute a matrix instruction together.
void check_whole_warp(const Context& c) {
  const std::uint32_t missing = kFullMask & ~c.lanes;
  if (missing == 0) return;
  c.fault(ir::FaultKind::divergence, std::countr_zero(c.lanes),
          fmt::format("lanes {:#010x} of warp {} are missing at {}", missing, c.warp.index,
                      c.site.instruction->family->opcode),
          "all 32 lanes of a warp execute a matrix instruction together");
}

std::uint32_t read32(const std::byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, 4);
  return bits;
}

std::uint32_t read16(const std::byte* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  return bits;
}

/// Rows of 16 bytes, eight to a matrix: lane 8 j + i has the address of row i of matrix j.
struct Rows {
  Target target;
  int matrices = 0;

  [[nodiscard]] bool has(int row) const { return (target.lanes >> row & 1) != 0; }
};

Rows rows_of(Context& c, int arg) {
  Rows rows;
  const ir::ptx::Operand& operand = c.site.instruction->argument(static_cast<std::size_t>(arg));
  rows.matrices = operand.lanes / 8;
  const std::uint32_t named = operand.lanes == kLanes ? kFullMask : (1U << operand.lanes) - 1;
  rows.target = pointer_target(c, arg, 16, c.lanes & named);
  c.warp.skip = 0;
  return rows;
}

/// Bytes that a lane's register of a matrix comes from: two pairs of bytes, in two rows if it is
/// transposed.
struct Piece {
  int row[2];
  int byte[2];
};

Piece piece(int lane, bool transposed) {
  const int g = lane / 4, t = lane % 4;
  if (transposed) return {{2 * t, 2 * t + 1}, {2 * g, 2 * g}};
  return {{g, g}, {4 * t, 4 * t + 2}};
}

/// Tells the race detector which lanes read a row.
void watch_loads(Context& c, const Rows& rows, bool transposed) {
  if (rows.target.site->race == nullptr) return;
  for (int row = 0; row < 8 * rows.matrices; ++row) {
    if (!rows.has(row)) continue;
    const std::uint32_t lanes = transposed ? 0x11111111U << row % 8 / 2 : 0xfU << 4 * (row % 8);
    exec::race_access(*rows.target.site->race, c.warp, lanes & c.lanes, rows.target.address[row],
                      16, exec::kNoValueRegister);
  }
}

/// … and that a lane writes its pieces.
void watch_store(Context& c, const Rows& rows, int matrix, int lane, bool transposed) {
  if (rows.target.site->race == nullptr) return;
  const Piece to = piece(lane, transposed);
  for (int half = 0; half < (transposed ? 2 : 1); ++half) {
    const int row = 8 * matrix + to.row[half];
    if (!rows.has(row)) continue;
    exec::race_access(*rows.target.site->race, c.warp, 1U << lane,
                      rows.target.address[row] + to.byte[half], transposed ? 2 : 4,
                      exec::kNoValueRegister);
  }
}

}  // namespace

Next eval(ir::PtxLdmatrix, Context& c) {
  check_whole_warp(c);
  const Rows rows = rows_of(c, 0);
  const bool transposed = c.site.instruction->has("trans");
  const bool tracked = c.site.result_poison;
  const bool clean = !tracked || rows.target.region->invalid == 0;
  watch_loads(c, rows, transposed);
  for (int j = 0; j < rows.matrices; ++j) {
    alignas(64) std::uint32_t values[kLanes] = {};
    std::uint32_t poison = 0;
    std::uint32_t origin = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Piece from = piece(lane, transposed);
      for (int half = 0; half < 2; ++half) {
        const int row = 8 * j + from.row[half];
        if (!rows.has(row)) {
          poison |= 1U << lane;
          continue;
        }
        values[lane] |= read16(rows.target.at(row) + from.byte[half]) << 16 * half;
        const std::int64_t byte = rows.target.address[row] + from.byte[half];
        if (!clean && !exec::is_valid(rows.target.region->valid, byte, 2)) {
          poison |= 1U << lane;
          if (origin == 0) origin = exec::load_origin(*rows.target.site, c.warp, row, byte);
        }
      }
    }
    if (c.site.result.is_vector()) {
      c.result_group(j, values, c.lanes, poison, origin);
    } else {
      for_lanes(c.lanes,
                [&](int lane) { c.result(lane, values[lane], (poison >> lane & 1) != 0, origin); });
    }
  }
  return Next::go_on;
}

Next eval(ir::PtxStmatrix, Context& c) {
  check_whole_warp(c);
  const Rows rows = rows_of(c, 0);
  const bool transposed = c.site.instruction->has("trans");
  const Region& region = *rows.target.region;
  for (int j = 0; j < rows.matrices; ++j) {
    const std::uint32_t poison = c.group_poison(1, j);
    for_lanes(c.lanes, [&](int lane) {
      const Piece to = piece(lane, transposed);
      watch_store(c, rows, j, lane, transposed);
      const auto bits = static_cast<std::uint32_t>(
          c.operand(1).group.empty() ? c.bits(1, lane) : c.group32(1, j)[lane]);
      for (int half = 0; half < 2; ++half) {
        const int row = 8 * j + to.row[half];
        if (!rows.has(row)) continue;
        const auto value = static_cast<std::uint16_t>(bits >> 16 * half);
        std::memcpy(rows.target.at(row) + to.byte[half], &value, 2);
        const bool bad = (poison >> lane & 1) != 0;
        if (bad || region.invalid != 0) {
          exec::mark(region, rows.target.address[row] + to.byte[half], 2, !bad);
        }
      }
    });
  }
  ++c.cta().changes;
  return Next::go_on;
}

namespace {

/// The operands of one mma as matrices, and which rows, columns and elements are poisoned.
struct Fragments {
  // A is row-major, B column-major: a register's elements are neighbours in both.
  alignas(64) std::byte a[16 * 32 * 8];
  alignas(64) std::byte b[32 * 8 * 8];
  alignas(64) std::byte c[16 * 8 * 8];
  std::uint32_t bad_rows = 0;
  std::uint32_t bad_columns = 0;
  std::uint32_t bad_sums[16] = {};  // columns of each row
};

/// Puts the registers of operand `arg` in place: register r of lane `lane` begins at byte
/// `place(lane, r)` of `to`.
template <typename Place, typename Bad>
void spread(
    const Context& c, int arg, int count, bool wide, std::byte* to, Place&& place, Bad&& bad) {
  for (int r = 0; r < count; ++r) {
    if (wide) {
      const std::uint64_t* v = c.group64(arg, r);
      for (int lane = 0; lane < kLanes; ++lane) std::memcpy(to + place(lane, r), &v[lane], 8);
    } else {
      const std::uint32_t* v = c.group32(arg, r);
      for (int lane = 0; lane < kLanes; ++lane) std::memcpy(to + place(lane, r), &v[lane], 4);
    }
    for_lanes(c.group_poison(arg, r), [&](int lane) { bad(lane, r); });
  }
}

}  // namespace

Next eval(ir::PtxMma, Context& c) {
  check_whole_warp(c);
  const ir::ptx::MatrixShape& shape = c.site.form.matrix;
  const bool wide = shape.a == num::DType::f64;
  const int element = num::container_bytes(shape.a);  // of A and B
  const int e = wide ? 1 : 4 / element;               // elements in a register
  const int sum = num::container_bytes(shape.c);
  const int a_count = shape.m * shape.k / kLanes / e;
  const int b_count = shape.n * shape.k / kLanes / e;
  const int packed = sum == 2 ? 2 : 1;  // sums in a register
  const int c_count = shape.m * shape.n / kLanes / packed;
  Fragments f;
  spread(
      c, 0, a_count, wide, f.a,
      [&](int lane, int r) {
        return ((lane / 4 + 8 * (r % 2)) * shape.k + e * (lane % 4) + 4 * e * (r / 2)) * element;
      },
      [&](int lane, int r) { f.bad_rows |= 1U << (lane / 4 + 8 * (r % 2)); });
  spread(
      c, 1, b_count, wide, f.b,
      [&](int lane, int r) { return (lane / 4 * shape.k + e * (lane % 4) + 4 * e * r) * element; },
      [&](int lane, int) { f.bad_columns |= 1U << lane / 4; });
  // Element i of C: a register holds one, or two neighbours of 16 bits.
  const auto row_of = [&](int lane, int r) { return lane / 4 + 8 * (r * packed / 2); };
  const auto column_of = [&](int lane, int r) { return 2 * (lane % 4) + r * packed % 2; };
  const auto sum_place = [&](int lane, int r) {
    return (row_of(lane, r) * shape.n + column_of(lane, r)) * sum;
  };
  spread(c, 2, c_count, wide, f.c, sum_place, [&](int lane, int r) {
    f.bad_sums[row_of(lane, r)] |= (packed == 2 ? 3U : 1U) << column_of(lane, r);
  });
  num::TileOptions options;
  options.step = shape.k;
  num::mma_tile(*c.site.mma, shape.m, shape.n, shape.k, {f.a, shape.k, 1}, {f.b, 1, shape.k},
                {f.c, shape.n, 1}, {f.c, shape.n, 1}, options);
  const auto poisoned = [&](int lane, int r) {
    const int row = row_of(lane, r), column = column_of(lane, r);
    const std::uint32_t columns =
        f.bad_columns | f.bad_sums[row] | ((f.bad_rows >> row & 1) != 0 ? 0xffU : 0U);
    return (columns >> column & (packed == 2 ? 3U : 1U)) != 0;
  };
  bool any = f.bad_rows != 0 || f.bad_columns != 0;
  for (const std::uint32_t columns : f.bad_sums) any = any || columns != 0;
  std::uint32_t origin = 0;
  for (int arg = 0; arg < 3 && any && origin == 0; ++arg) {
    const int count = arg == 0 ? a_count : arg == 1 ? b_count : c_count;
    for (int r = 0; r < count && origin == 0; ++r) {
      const std::uint32_t bad = c.group_poison(arg, r);
      if (bad != 0) origin = c.group_origin(arg, r, std::countr_zero(bad));
    }
  }
  for (int r = 0; r < c_count; ++r) {
    std::uint32_t poison = 0;
    for (int lane = 0; any && lane < kLanes; ++lane) {
      poison |= static_cast<std::uint32_t>(poisoned(lane, r)) << lane;
    }
    if (wide) {
      std::uint64_t* d = c.warp.v64(c.result_register(r));
      for_lanes(c.lanes, [&](int lane) { std::memcpy(&d[lane], f.c + sum_place(lane, r), 8); });
      c.result_poison(c.result_register(r), c.lanes, poison, origin);
    } else {
      alignas(64) std::uint32_t values[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) values[lane] = read32(f.c + sum_place(lane, r));
      c.result_group(r, values, c.lanes, poison, origin);
    }
  }
  return Next::go_on;
}

}  // namespace tirx::sim::ops
