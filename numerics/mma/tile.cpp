// The tile driver: cuts (m, n, k) into blocks, gathers raw operands, runs the kernel of the
// machine's instruction set and sends special elements to the scalar reference.
#include "numerics/mma/tile.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "numerics/mma/dot.hpp"
#include "numerics/mma/tile_kernel.hpp"

namespace tirx::num {

namespace {

using tile::Form;
using tile::Kernels;
using tile::kLanes;
using tile::kRows;
using tile::kTerms;

/// The problem with lanes across its columns; transposed where m offers more lanes than n.
struct Problem {
  const MmaRow& row;
  int m, n, k, step;
  DType a_type, b_type;
  MatrixView a, b, c;
  MutableMatrixView d;
  std::uint64_t a_flip, b_flip;
  bool swapped;  // a is the instruction's B
  int a_bytes, b_bytes, c_bytes;
};

MatrixView transposed(MatrixView v) {
  return {v.data, v.column_stride, v.row_stride};
}

std::uint64_t sign_bit(DType type) {
  return 1ull << (8 * container_bytes(type) - 1);
}

Problem arrange(const MmaRow& row,
                int m,
                int n,
                int k,
                MatrixView a,
                MatrixView b,
                MatrixView c,
                MutableMatrixView d,
                const TileOptions& options) {
  Problem p{row,
            m,
            n,
            k,
            options.step != 0 ? options.step : largest_k(row),
            row.a,
            row.b,
            a,
            b,
            c,
            d,
            options.negate_a ? sign_bit(row.a) : 0,
            options.negate_b ? sign_bit(row.b) : 0,
            false,
            container_bytes(row.a),
            container_bytes(row.b),
            container_bytes(row.c)};
  if (n >= 16 || n >= m) return p;
  std::swap(p.m, p.n);
  std::swap(p.a_type, p.b_type);
  p.a = transposed(b);
  p.b = transposed(a);
  p.c = transposed(c);
  p.d = {d.data, d.column_stride, d.row_stride};
  std::swap(p.a_flip, p.b_flip);
  std::swap(p.a_bytes, p.b_bytes);
  p.swapped = true;
  return p;
}

template <class Word>
Word load(const void* base, std::ptrdiff_t index) {
  Word w;
  std::memcpy(&w, static_cast<const unsigned char*>(base) + index * std::ptrdiff_t{sizeof w},
              sizeof w);
  return w;
}

std::uint64_t load_bits(const void* base, std::ptrdiff_t index, int bytes) {
  switch (bytes) {
    case 1:
      return load<std::uint8_t>(base, index);
    case 2:
      return load<std::uint16_t>(base, index);
    case 4:
      return load<std::uint32_t>(base, index);
    default:
      return load<std::uint64_t>(base, index);
  }
}

void store_bits(void* base, std::ptrdiff_t index, int bytes, std::uint64_t bits) {
  std::memcpy(static_cast<unsigned char*>(base) + index * bytes, &bits,
              static_cast<std::size_t>(bytes));
}

template <class From, class To>
void copy_strided(
    const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, int count, To* to) {
  const auto* from = static_cast<const unsigned char*>(base) + first * std::ptrdiff_t{sizeof(From)};
  if (stride == 1) {
    for (int i = 0; i < count; ++i) {
      From w;
      std::memcpy(&w, from + i * std::ptrdiff_t{sizeof w}, sizeof w);
      to[i] = w;
    }
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = load<From>(from, i * stride);
}

/// `count` elements `stride` apart, zero-extended.
template <class To>
void gather(
    const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, int count, int bytes, To* to) {
  switch (bytes) {
    case 1:
      return copy_strided<std::uint8_t>(base, first, stride, count, to);
    case 2:
      return copy_strided<std::uint16_t>(base, first, stride, count, to);
    case 4:
      return copy_strided<std::uint32_t>(base, first, stride, count, to);
    default:
      if constexpr (sizeof(To) == 8) copy_strided<std::uint64_t>(base, first, stride, count, to);
  }
}

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

// ---- one element by the reference ----

/// D of element (i, j) for k in [first, last) and the given C.
std::uint64_t reference(const Problem& p, int i, int j, int first, int last, std::uint64_t c) {
  const int a_bytes = p.a_bytes, b_bytes = p.b_bytes;
  std::array<std::uint64_t, kTerms> x, y;  // raw elements, copied where a sign has to be flipped
  const auto fetch = [&](const MatrixView& v, std::ptrdiff_t at, std::ptrdiff_t stride, int bytes,
                         std::uint64_t flip, std::uint64_t* copy) -> MmaVector {
    const auto* from = static_cast<const unsigned char*>(v.data) + at * bytes;
    if (flip == 0) return {from, stride};
    for (int k = 0; k < last - first; ++k) {
      store_bits(copy, k, bytes, load_bits(from, k * stride, bytes) ^ flip);
    }
    return {copy, 1};
  };
  const MmaVector a = fetch(p.a, i * p.a.row_stride + first * p.a.column_stride, p.a.column_stride,
                            a_bytes, p.a_flip, x.data());
  const MmaVector b = fetch(p.b, first * p.b.row_stride + j * p.b.column_stride, p.b.row_stride,
                            b_bytes, p.b_flip, y.data());
  return p.swapped ? mma_dot(p.row, last - first, p.step, b, a, c)
                   : mma_dot(p.row, last - first, p.step, a, b, c);
}

/// C before k = first: the caller's C, and D once it holds partial results.
std::uint64_t c_before(const Problem& p, int first, int i, int j) {
  const int bytes = p.c_bytes;
  if (first > 0) {
    return load_bits(p.d.data, i * p.d.row_stride + j * p.d.column_stride, bytes);
  }
  if (p.c.data == nullptr) return 0;
  return load_bits(p.c.data, i * p.c.row_stride + j * p.c.column_stride, bytes);
}

template <class Word>
void load_c(const Problem& p, int first, int i, int j, int count, Word* to) {
  const int bytes = p.c_bytes;
  if (first > 0) {
    gather(p.d.data, i * p.d.row_stride + j * p.d.column_stride, p.d.column_stride, count, bytes,
           to);
  } else if (p.c.data == nullptr) {
    std::fill(to, to + count, Word{0});
  } else {
    gather(p.c.data, i * p.c.row_stride + j * p.c.column_stride, p.c.column_stride, count, bytes,
           to);
  }
}

template <class To, class Word>
void scatter(void* base, std::ptrdiff_t first, std::ptrdiff_t stride, int count, const Word* from) {
  auto* to = static_cast<unsigned char*>(base) + first * std::ptrdiff_t{sizeof(To)};
  for (int i = 0; i < count; ++i) {
    const auto w = static_cast<To>(from[i]);
    // A known stride lets the compiler vectorise.
    std::memcpy(to + (stride == 1 ? i : i * stride) * std::ptrdiff_t{sizeof w}, &w, sizeof w);
  }
}

template <class Word>
void store_d(const Problem& p, int i, int j, int count, const Word* from) {
  const std::ptrdiff_t at = i * p.d.row_stride + j * p.d.column_stride;
  switch (p.c_bytes) {
    case 2:
      return scatter<std::uint16_t>(p.d.data, at, p.d.column_stride, count, from);
    case 4:
      return scatter<std::uint32_t>(p.d.data, at, p.d.column_stride, count, from);
    default:
      return scatter<std::uint64_t>(p.d.data, at, p.d.column_stride, count, from);
  }
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
    const bool wide = std::max(reach, a_reach_) > tile::kNarrowExponent;
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

// ---- f64 and integer rows ----

void f64_tile(const Problem& p, const Kernels& kernels) {
  const int width = kernels.lanes;
  std::array<double, kTerms> a;
  std::array<double, kLanes * kTerms> b;
  std::array<double, kLanes> acc;
  std::array<std::uint64_t, kLanes> bits, before;
  const int chunk = chunk_k(p);
  for (int first = 0; first < p.k; first += chunk) {
    const int last = std::min(p.k, first + chunk), count = last - first;
    for (int j = 0; j < p.n; j += width) {
      const int lanes = std::min(width, p.n - j);
      for (int k = 0; k < count; ++k) {
        for (int lane = 0; lane < width; ++lane) {
          b[static_cast<std::size_t>(k * width + lane)] =
              lane < lanes ? load<double>(p.b.data, (first + k) * p.b.row_stride +
                                                        (j + lane) * p.b.column_stride)
                           : 0.0;
        }
      }
      for (int i = 0; i < p.m; ++i) {
        for (int k = 0; k < count; ++k) {
          a[static_cast<std::size_t>(k)] =
              load<double>(p.a.data, i * p.a.row_stride + (first + k) * p.a.column_stride);
        }
        before.fill(0);
        load_c(p, first, i, j, lanes, before.data());
        std::memcpy(acc.data(), before.data(), sizeof acc);
        kernels.doubles(a.data(), b.data(), count, acc.data());
        std::memcpy(bits.data(), acc.data(), sizeof acc);
        for (int lane = 0; lane < lanes; ++lane) {
          const auto at = static_cast<std::size_t>(lane);
          if ((bits[at] & ~(1ull << 63)) > 0x7FFull << 52) {
            bits[at] = reference(p, i, j + lane, first, last, before[at]);
          }
        }
        store_d(p, i, j, lanes, bits.data());
      }
    }
  }
}

void integer_tile(const Problem& p, const Kernels& kernels) {
  const int width = kernels.lanes;
  std::array<std::uint32_t, kTerms> raw_a;
  std::array<std::int32_t, kTerms> a;
  std::array<std::uint32_t, kLanes> raw_b, acc;
  std::array<std::int32_t, kLanes * kTerms> b;
  const auto value = [](DType type, std::uint32_t bits) {
    return type == DType::i8 ? std::int32_t{static_cast<std::int8_t>(bits)}
                             : static_cast<std::int32_t>(bits);
  };
  for (int first = 0; first < p.k; first += p.step) {
    const int count = std::min(p.k - first, p.step);
    for (int j = 0; j < p.n; j += width) {
      const int lanes = std::min(width, p.n - j);
      for (int k = 0; k < count; ++k) {
        raw_b.fill(0);
        gather(p.b.data, (first + k) * p.b.row_stride + j * p.b.column_stride, p.b.column_stride,
               lanes, 1, raw_b.data());
        for (int lane = 0; lane < width; ++lane) {
          b[static_cast<std::size_t>(k * width + lane)] =
              value(p.b_type, raw_b[static_cast<std::size_t>(lane)]);
        }
      }
      for (int i = 0; i < p.m; ++i) {
        gather(p.a.data, i * p.a.row_stride + first * p.a.column_stride, p.a.column_stride, count,
               1, raw_a.data());
        for (int k = 0; k < count; ++k) {
          a[static_cast<std::size_t>(k)] = value(p.a_type, raw_a[static_cast<std::size_t>(k)]);
        }
        acc.fill(0);
        load_c(p, first, i, j, lanes, acc.data());
        kernels.integers(a.data(), b.data(), count, p.row.saturate, acc.data());
        store_d(p, i, j, lanes, acc.data());
      }
    }
  }
}

/// Zero k: D = C, no instruction runs.
void copy_c(const Problem& p) {
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      const std::uint64_t c = c_before(p, 0, i, j);
      store_d(p, i, j, 1, &c);
    }
  }
}

void reference_tile(const Problem& p) {
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      for (int first = 0; first < p.k; first += p.step) {
        const std::uint64_t d =
            reference(p, i, j, first, std::min(p.k, first + p.step), c_before(p, first, i, j));
        store_d(p, i, j, 1, &d);
      }
    }
  }
}

const Kernels* kernels_of(TilePath path, int lanes) {
  switch (path) {
    case TilePath::portable:
      return tile::portable_kernels();
    case TilePath::avx2:
      return tile::avx2_kernels();
    case TilePath::avx512:
      return tile::avx512_kernels();
    default:
      break;
  }
  const Kernels* avx2 = tile::avx2_kernels();
  const Kernels* avx512 = tile::avx512_kernels();
  if (avx512 != nullptr && (lanes > 16 || avx2 == nullptr)) return avx512;
  return avx2 != nullptr ? avx2 : tile::portable_kernels();
}

}  // namespace

bool available(TilePath path) {
  if (path == TilePath::automatic || path == TilePath::reference) return true;
  return kernels_of(path, 0) != nullptr;
}

void mma_tile(const MmaRow& row,
              int m,
              int n,
              int k,
              MatrixView a,
              MatrixView b,
              MatrixView c,
              MutableMatrixView d,
              const TileOptions& options) {
  const Problem p = arrange(row, m, n, k, a, b, c, d, options);
  if (k == 0) return copy_c(p);
  const Kernels* kernels = kernels_of(options.path, p.n);
  if (options.path == TilePath::reference || kernels == nullptr) return reference_tile(p);
  switch (row.arithmetic) {
    case MmaArithmetic::integer:
      return integer_tile(p, *kernels);
    case MmaArithmetic::fma_chain:
      // The vector loop reads doubles as they are; a flipped sign is rare enough for the reference.
      return p.a_flip != 0 || p.b_flip != 0 ? reference_tile(p) : f64_tile(p, *kernels);
    default:
      FloatTile{p, *kernels}.run();
  }
}

void mma_tile_scaled(const MmaRow& row,
                     int m,
                     int n,
                     int k,
                     MatrixView a,
                     MatrixView b,
                     MatrixView scale_a,
                     MatrixView scale_b,
                     MatrixView c,
                     MutableMatrixView d,
                     const TileOptions& options) {
  const auto byte_at = [](const MatrixView& v, std::ptrdiff_t index, int bytes) {
    return static_cast<const unsigned char*>(v.data) + index * bytes;
  };
  const int a_bytes = container_bytes(row.a), b_bytes = container_bytes(row.b);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto before = c.data == nullptr
                              ? 0u
                              : load<std::uint32_t>(c.data, i * c.row_stride + j * c.column_stride);
      const std::uint32_t after = mma_dot_scaled(
          row, k, options.step, {byte_at(a, i * a.row_stride, a_bytes), a.column_stride},
          {byte_at(b, j * b.column_stride, b_bytes), b.row_stride},
          {byte_at(scale_a, i * scale_a.row_stride, 1), scale_a.column_stride},
          {byte_at(scale_b, j * scale_b.column_stride, 1), scale_b.row_stride}, before);
      store_bits(d.data, i * d.row_stride + j * d.column_stride, 4, after);
    }
  }
}

}  // namespace tirx::num
