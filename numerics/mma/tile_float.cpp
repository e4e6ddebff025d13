// The tile driver of the aligned sums: cuts (m, n, k) into blocks, decodes each operand once a
// block, and sends special elements to the scalar reference.
#include <array>

#include "numerics/mma/tile_problem.hpp"

namespace tirx::num::tile {

namespace {

// ---- which k sits in which term slot ----

/// A chunk of k from `first`: `groups` sums of `terms` slots.  Slot s holds k = first + k_of[s], or
/// padding (-1).
struct Slots {
  int groups = 0, terms = 0, count = 0;
  bool contiguous = true;  // k_of[s] = s
  std::array<int, kTerms> k_of;
};

int group_length(const Problem& p) {
  return p.row.rule.f16_emulation ? p.step / 2 : std::min(p.row.rule.group, p.step);
}

/// Slots of one sum: whole vectors of terms; the padding is zeros.
int group_slots(const Problem& p) {
  return (group_length(p) + 7) / 8 * 8;
}

void fill_slots(const Problem& p, int first, int last, Slots& s) {
  s.groups = s.count = 0;
  s.contiguous = true;
  s.terms = group_slots(p);
  const int group = group_length(p), length = last - first;
  const auto add_group = [&](auto k_of_term) {
    for (int i = 0; i < s.terms; ++i, ++s.count) {
      int k = i < group ? k_of_term(i) : -1;
      if (k >= length) k = -1;
      s.contiguous &= k == s.count;
      s.k_of[static_cast<std::size_t>(s.count)] = k;
    }
    ++s.groups;
  };
  for (int at = 0; at < length; at += p.step) {
    if (p.row.rule.f16_emulation) {
      for (int half : {0, 1}) add_group([&](int i) { return at + dot::emulated_k(half, i); });
      continue;
    }
    for (int from = 0; from < p.step; from += group) {
      add_group([&](int i) { return from + i < p.step ? at + from + i : -1; });
    }
  }
}

/// k per chunk: whole instructions whose slots fit.
int chunk_k(const Problem& p) {
  const int sums = p.row.rule.f16_emulation ? 2 : (p.step + group_length(p) - 1) / group_length(p);
  return std::max(1, kTerms / (sums * group_slots(p))) * p.step;
}

// ---- the f16 emulation works on f16 bits ----

std::array<std::uint16_t, 256> f16_table(dot::Format format) {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const auto fetch = [&](int) { return bits; };
    table[bits] =
        static_cast<std::uint16_t>(dot::ConvertedHalf<decltype(fetch)>{fetch, format, 0}(0));
  }
  return table;
}

const std::array<std::uint16_t, 256>& f16_of(DType type) {
  static const auto kE4m3 = f16_table(dot::kE4m3), kE5m2 = f16_table(dot::kE5m2);
  return type == DType::e4m3 ? kE4m3 : kE5m2;
}

struct Operand {
  int bytes;
  dot::Format format;
  std::uint32_t flip;
  const std::array<std::uint16_t, 256>* to_f16;
};

Operand operand(const Problem& p, DType type, dot::Format format, std::uint64_t flip) {
  if (!p.row.rule.f16_emulation) {
    return {container_bytes(type), format, static_cast<std::uint32_t>(flip), nullptr};
  }
  return {container_bytes(type), dot::kF16, static_cast<std::uint32_t>(flip), &f16_of(type)};
}

void convert(const Operand& o, std::uint32_t* raw, int count) {
  if (o.flip != 0) {
    for (int i = 0; i < count; ++i) raw[i] ^= o.flip;
  }
  if (o.to_f16 == nullptr) return;
  for (int i = 0; i < count; ++i) raw[i] = (*o.to_f16)[raw[i]];
}

// ---- floating rows ----

struct FloatScratch {
  alignas(64) std::array<std::uint32_t, kRows * kTerms> a_raw;
  alignas(64) std::array<float, kRows * kTerms> a_value, a_significand;
  alignas(64) std::array<std::int32_t, kRows * kTerms> a_exponent;
  alignas(64) std::array<std::uint32_t, kLanes * kTerms> b_raw;
  alignas(64) std::array<float, kLanes * kTerms> b_value;
  alignas(64) std::array<std::int16_t, kLanes * kTerms> b_exponent;
  alignas(64) std::array<std::uint32_t, kRows * kLanes> c, d;
  std::array<std::uint32_t, kRows> redo;
  std::array<bool, kRows> row_special;
};

class FloatTile {
 public:
  FloatTile(const Problem& problem, const Kernels& kernels)
      : p_{problem},
        kernels_{kernels},
        a_{operand(problem,
                   problem.a_type,
                   problem.swapped ? problem.row.rule.b : problem.row.rule.a,
                   problem.a_flip)},
        b_{operand(problem,
                   problem.b_type,
                   problem.swapped ? problem.row.rule.a : problem.row.rule.b,
                   problem.b_flip)} {}

  void run() {
    const int chunk = chunk_k(p_);
    for (int first = 0; first < p_.k; first += chunk) {
      const int last = std::min(p_.k, first + chunk);
      fill_slots(p_, first, last, slots_);
      length_ = last - first;
      for (int i = 0; i < p_.m; i += kRows) {
        const int rows = std::min(kRows, p_.m - i);
        load_rows(first, i, rows);
        for (int j = 0; j < p_.n; j += kernels_.lanes) {
          block(first, last, i, rows, j, std::min(kernels_.lanes, p_.n - j));
        }
      }
    }
  }

 private:
  void load_rows(int first, int i, int rows) {
    a_reach_ = 0;
    have_significands_ = false;
    for (int r = 0; r < rows; ++r) {
      std::uint32_t* raw = s_.a_raw.data() + r * kTerms;
      gather_slots(p_.a.data, (i + r) * p_.a.row_stride + first * p_.a.column_stride,
                   p_.a.column_stride, a_.bytes, raw);
      convert(a_, raw, slots_.count);
      const int reach = kernels_.decode_row(
          raw, slots_.count, a_.format, Form::narrow, s_.a_value.data() + r * kTerms,
          s_.a_exponent.data() + r * kTerms, &s_.row_special[static_cast<std::size_t>(r)]);
      a_reach_ = std::max(a_reach_, reach);
    }
  }

  /// The chunk's elements of one row or column in slot order; whole vectors of 16, zero-padded.
  void gather_slots(const void* base,
                    std::ptrdiff_t at,
                    std::ptrdiff_t stride,
                    int bytes,
                    std::uint32_t* raw) const {
    const int filled = (slots_.count + 15) / 16 * 16;
    if (slots_.contiguous) {
      gather(base, at, stride, slots_.count, bytes, raw);
      std::fill(raw + slots_.count, raw + filled, 0u);
      return;
    }
    std::array<std::uint32_t, kTerms> in_order;
    gather(base, at, stride, length_, bytes, in_order.data());
    for (int s = 0; s < slots_.count; ++s) {
      const int k = slots_.k_of[static_cast<std::size_t>(s)];
      raw[s] = k < 0 ? 0 : in_order[static_cast<std::size_t>(k)];
    }
    std::fill(raw + slots_.count, raw + filled, 0u);
  }

  void load_lanes(int first, int j, int lanes) {
    const int width = kernels_.lanes, count = slots_.count;
    std::uint32_t* raw = s_.b_raw.data();
    const std::ptrdiff_t at = first * p_.b.row_stride + j * p_.b.column_stride;
    if (p_.b.row_stride == 1) {  // k is contiguous: column by column
      std::array<std::uint32_t, kTerms> column;
      for (int lane = 0; lane < width; ++lane) {
        if (lane < lanes) {
          gather_slots(p_.b.data, at + lane * p_.b.column_stride, 1, b_.bytes, column.data());
        } else if (lane == lanes) {
          column.fill(0);
        }
        for (int s = 0; s < count; ++s) {
          raw[s * width + lane] = column[static_cast<std::size_t>(s)];
        }
      }
    } else {
      for (int s = 0; s < slots_.count; ++s, raw += width) {
        const int k = slots_.k_of[static_cast<std::size_t>(s)];
        const int have = k < 0 ? 0 : lanes;
        if (have > 0) {
          gather(p_.b.data, at + k * p_.b.row_stride, p_.b.column_stride, have, b_.bytes, raw);
        }
        if (have < width) std::fill(raw + have, raw + width, 0u);
      }
    }
    convert(b_, s_.b_raw.data(), slots_.count * width);
  }

  void block(int first, int last, int i, int rows, int j, int lanes) {
    const int width = kernels_.lanes;
    load_lanes(first, j, lanes);
    std::uint32_t special_lanes = 0;
    const int reach =
        kernels_.decode_lanes(s_.b_raw.data(), slots_.count, b_.format, Form::narrow,
                              s_.b_value.data(), s_.b_exponent.data(), &special_lanes);
    const bool wide = std::max(reach, a_reach_) > kNarrowExponent;
    if (wide) decode_wide(rows);
    for (int r = 0; r < rows; ++r) {
      std::uint32_t* c = s_.c.data() + r * width;
      load_c(p_, first, i + r, j, lanes, c);
      std::fill(c + lanes, c + width, 0u);
    }
    const dot::Rule& rule = p_.row.rule;
    // Below -200 every result is zero, whatever the floor; this keeps the scaling in range.
    const int floor = std::max(rule.floor, -200);
    kernels_.sums({rows, slots_.groups, slots_.terms, rule.fraction, floor, rule.out,
                   p_.row.c == DType::f16, rule.f16_emulation, wide ? Form::wide : Form::narrow,
                   wide ? s_.a_significand.data() : s_.a_value.data(), s_.a_exponent.data(),
                   s_.b_value.data(), s_.b_exponent.data(), s_.c.data(), s_.d.data(),
                   s_.redo.data()});
    for (int r = 0; r < rows; ++r) {
      const auto at = static_cast<std::size_t>(r);
      std::uint32_t redo = s_.row_special[at] ? ~0u : s_.redo[at] | special_lanes;
      std::uint32_t* d = s_.d.data() + r * width;
      for (int lane = 0; lane < lanes && redo >> lane != 0; ++lane) {
        if ((redo >> lane & 1) == 0) continue;
        d[lane] = static_cast<std::uint32_t>(reference(
            p_, i + r, j + lane, first, last, s_.c[static_cast<std::size_t>(r * width + lane)]));
      }
      store_d(p_, i + r, j, lanes, d);
    }
  }

  void decode_wide(int rows) {
    std::uint32_t special_lanes = 0;
    kernels_.decode_lanes(s_.b_raw.data(), slots_.count, b_.format, Form::wide, s_.b_value.data(),
                          s_.b_exponent.data(), &special_lanes);
    if (have_significands_) return;
    have_significands_ = true;
    for (int r = 0; r < rows; ++r) {
      bool special = false;
      kernels_.decode_row(s_.a_raw.data() + r * kTerms, slots_.count, a_.format, Form::wide,
                          s_.a_significand.data() + r * kTerms, s_.a_exponent.data() + r * kTerms,
                          &special);
    }
  }

  const Problem& p_;
  const Kernels& kernels_;
  Operand a_, b_;
  Slots slots_;
  int length_ = 0;  // of the chunk
  int a_reach_ = 0;
  bool have_significands_ = false;
  FloatScratch s_;
};

}  // namespace

void float_tile(const Problem& p, const Kernels& kernels) {
  FloatTile{p, kernels}.run();
}

}  // namespace tirx::num::tile
