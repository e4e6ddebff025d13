#include "fuzz/generate/second.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/statement.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// Legal here, and in CUDA C++ a keyword, a macro, a function or a reserved name.  None begins with
/// i: such names are loop variables, which expressions take to be small.
constexpr auto kNames = std::to_array<const char*>(
    {"char",      "double",   "signed",   "short",         "long",        "auto",      "asm",
     "volatile",  "static",   "struct",   "union",         "void",        "goto",      "default",
     "switch",    "template", "this",     "new",           "delete",      "threadIdx", "blockIdx",
     "blockDim",  "warpSize", "printf",   "expf",          "fabs",        "M_PI",      "NULL",
     "CHAR_BIT",  "memcpy",   "tirx_x",   "TirxVector",    "_under",      "__twice",   "x__y",
     "uint32_t",  "assert_",  "register", "cudaSuccess",   "make_float4", "CUDART_PI", "half",
     "constexpr", "operator", "nullptr",  "gridDim",       "namespace",   "extern",    "friend",
     "typedef",   "typename", "sizeof",   "dynamic_shared"});

/// How many CTAs along one dimension, as the kernel says it; and which size of an argument's
/// dimension makes it so.
struct Extent {
  std::string text;
  int size = 1;   // of the argument, for as many CTAs as there are
  int lower = 1;  // for fewer, or as many
};

Extent extent(Draft& draft, const std::string& n, int ctas) {
  const int k = draft.dice.between(2, 5), fewer = draft.dice.between(1, ctas);
  switch (draft.dice.below(11)) {
    case 8:
      // Worked out in another type.
      draft.mark("grid with a cast");
      return {fmt::format("T.cast((T.cast({}, \"int64\") + T.int64({})) // T.int64({}), \"int32\")",
                          n, k - 1, k),
              ctas * k - draft.dice.below(k), fewer * k - draft.dice.below(k)};
    case 9:
      draft.mark("grid with a cast");
      return {fmt::format("T.max(T.cast(T.cast({} + {}, \"uint8\"), \"int32\"), 1)", n, 256 - k),
              ctas + k, fewer + k};
    case 10:
      draft.mark("grid with a cast");
      return {fmt::format("T.if_then_else(T.cast({}, \"bool\"), {}, 1)", n, ctas), k, 1};
    case 0:
      return {fmt::format("({} + {}) // {}", n, k - 1, k), ctas * k - draft.dice.below(k),
              fewer * k - draft.dice.below(k)};
    case 1:
      return {fmt::format("T.ceildiv({}, {})", n, k), ctas * k - draft.dice.below(k),
              fewer * k - draft.dice.below(k)};
    case 2:
      return {fmt::format("T.max({} - {}, 1)", n, k), ctas + k, fewer + draft.dice.below(k + 1)};
    case 3:
      return {fmt::format("T.min({}, {})", n, ctas), ctas + draft.dice.below(4), fewer};
    case 4: {
      const bool more = draft.dice.chance(50);
      return {
          fmt::format("T.if_then_else({} > {}, {}, {})", n, k, more ? ctas : 1, more ? 1 : ctas),
          more ? k + 1 : k, draft.dice.between(1, 9)};
    }
    case 5:
      return {fmt::format("T.if_then_else({0} > {1} and {0} < {2}, {3}, 1)", n, k, k + 3, ctas),
              k + 1 + draft.dice.below(2), draft.dice.between(1, 9)};
    case 6:
      return {fmt::format("T.if_then_else({0} < {1} or {0} % 2 == 1, {2}, 1)", n, k, ctas),
              draft.dice.chance(50) ? 1 : 2 * k + 1, draft.dice.between(1, 9)};
    default:
      return {n, ctas, fewer};
  }
}

std::vector<int> split(Draft& draft, int count, int dimensions) {
  std::vector<int> parts(static_cast<std::size_t>(dimensions), 1);
  for (int factor = 2; count > 1;) {
    if (count % factor != 0) {
      ++factor;
      continue;
    }
    parts[static_cast<std::size_t>(draft.dice.below(dimensions))] *= factor;
    count /= factor;
  }
  return parts;
}

std::string list(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

/// `x0 + 4 * (x1 + 2 * x2)`.
std::string linear(const std::string& prefix, const std::vector<int>& extents) {
  std::string text;
  for (std::size_t i = extents.size(); i-- > 0;) {
    text = text.empty() ? fmt::format("{}{}", prefix, i)
                        : fmt::format("{}{} + {} * ({})", prefix, i, extents[i], text);
  }
  return text;
}

std::string names(const std::string& prefix, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}{}{}", i > 0 ? ", " : "", prefix, i);
  return text;
}

/// The ids of CTAs: bx counts them.
void declare_ctas(Draft& k) {
  const std::vector<int> grid = split(k, k.ctas, k.dice.between(1, 3));
  const std::string ids = names("b", grid.size());
  const int roll = k.dice.below(100);
  if (roll < 30 && k.ctas % 2 == 0) {
    // Clusters of two or of all.
    std::vector<int> cluster(grid.size(), 1), clusters = grid;
    int ctas = 1;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (grid[i] % 2 != 0 || (ctas > 1 && k.dice.chance(40))) continue;
      cluster[i] = 2;
      clusters[i] /= 2;
      ctas *= 2;
    }
    k.head += fmt::format("    {} = T.cta_id_in_cluster([{}])\n", names("in", grid.size()),
                          list(cluster));
    if (k.dice.chance(50)) {
      k.head +=
          fmt::format("    {} = T.cluster_id([{}])\n", names("cl", grid.size()), list(clusters));
      for (std::size_t i = 0; i < grid.size(); ++i)
        k.head += fmt::format("    b{0}: T.let = cl{0} * {1} + in{0}\n", i, cluster[i]);
    } else {
      k.head += fmt::format("    {} = T.cta_id([{}])\n", ids, list(grid));
    }
    k.mark("cluster of several dimensions");
  } else if (roll < 70) {
    // Sizes that the launch knows.
    std::string extents, shape, smaller, symbols;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      const Extent one = extent(k, fmt::format("Grid.shape[{}]", i), grid[i]);
      extents += (i > 0 ? ", " : "") + one.text;
      symbols += fmt::format("\"c{}\", ", i);
      shape += fmt::format("{}, ", one.size);
      smaller += fmt::format("{}, ", one.lower);
    }
    k.parameter("Grid", fmt::format("({})", symbols), DType::i32,
                fmt::format("tirx.zeros(({}), \"int32\")", shape));
    if (k.dice.chance(50))
      k.again.emplace_back("Grid", fmt::format("tirx.zeros(({}), \"int32\")", smaller));
    k.head += fmt::format("    {} = T.cta_id([{}])\n", ids, extents);
    if (k.dice.chance(40)) {
      k.host_checks +=
          fmt::format("    twice: T.let = Grid.shape[0] * 2\n    assert twice >= {}, \"CTAs\"\n",
                      k.dice.between(1, 2));
      if (k.dice.chance(50))
        k.host_checks +=
            "    if twice > 4:\n        assert Grid.shape[0] > 2\n    else:\n        assert "
            "twice <= 4, \"few\\nCTAs\"\n";
      k.mark("assertions before the launch");
    }
    k.mark("grid that is computed");
  } else {
    k.head += fmt::format("    {} = T.cta_id([{}])\n", ids, list(grid));
  }
  // A region that a bound of the grid shows outside is refused: the remainder says that it is not.
  const bool computed = k.features.contains("grid that is computed");
  k.head += computed ? fmt::format("    bx: T.let = ({}) % {}\n", linear("b", grid), k.ctas)
                     : fmt::format("    bx: T.let = {}\n", linear("b", grid));
}

/// The ids of threads: tx counts them, a warp's are neighbours.
void declare_threads(Draft& k, bool whole) {
  std::vector<int> block = split(k, k.threads, k.dice.between(1, 3));
  // At most 64 along z.
  if (block.size() == 3 && block[2] > 64) std::swap(block[0], block[2]);
  k.flat_block = whole && block.size() == 1;
  if (k.flat_block) {
    k.head += fmt::format("    tx = T.thread_id([{}])\n", k.threads);
  } else {
    k.head += fmt::format("    {} = T.thread_id([{}])\n    tx: T.let = {}\n",
                          names("t", block.size()), list(block), linear("t", block));
    k.mark(fmt::format("block of {} dimensions", block.size()));
  }
  if (whole) {
    k.head += k.dice.chance(50) ? "    warp = T.warp_id()\n    lane = T.lane_id()\n"
                                : fmt::format(
                                      "    lane = T.lane_id([32])\n    warp = "
                                      "T.warp_id([{}])\n",
                                      k.warps());
  } else {
    k.head += "    warp: T.let = tx // 32\n    lane: T.let = tx % 32\n";
    k.mark("part of a warp");
  }
  k.head += fmt::format("    row: T.let = bx * {} + tx\n", k.threads);
}

void attributes(Draft& k) {
  switch (k.dice.below(6)) {
    case 0:
      k.head += fmt::format("    T.attr({{\"tirx.launch_bounds_min_blocks_per_sm\": {}}})\n",
                            k.dice.between(1, 2));
      break;
    case 1:
      k.head += "    T.attr({\"tirx.launch_bounds_max_blocks_per_cluster\": 8})\n";
      break;
    case 2:
      k.head += fmt::format("    T.attr({{\"tirx.max_registers\": {}}})\n",
                            k.dice.one_of({64, 96, 128, 255}));
      break;
    case 3:
      if (k.pool) return;
      k.head += fmt::format("    T.attr({{\"tirx.dyn_smem_bytes\": {}}})\n",
                            k.dice.one_of({1024, 20000, 65536}));
      break;
    default:
      return;
  }
  k.mark("launch bounds");
}

void numbers(Draft& k) {
  static constexpr auto kTypes = std::to_array<DType>(
      {DType::boolean, DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16,
       DType::u32, DType::u64, DType::f16, DType::bf16, DType::f32, DType::f64});
  for (int count = k.dice.between(1, 3); count > 0; --count) {
    const DType dtype =
        kTypes[static_cast<std::size_t>(k.dice.below(static_cast<int>(kTypes.size())))];
    const char* value = dtype == DType::boolean ? k.dice.one_of<const char*>({"True", "False"})
                        : num::is_float(dtype)
                            ? k.dice.one_of<const char*>({"0.75", "-2.5", "0.0", "3", "1e4", "0.1"})
                        : num::is_signed(dtype)
                            ? k.dice.one_of<const char*>({"-1", "-128", "127", "0", "5"})
                            : k.dice.one_of<const char*>({"0", "1", "255", "77"});
    const std::string name = k.scalar(dtype, value);
    k.values.push_back({name, dtype});
    k.mark("scalar parameter " + type_name(dtype));
  }
}

void odd_names(Draft& k) {
  for (int count = k.dice.between(1, 4); count > 0; --count) {
    const std::string name =
        kNames[static_cast<std::size_t>(k.dice.below(static_cast<int>(kNames.size())))];
    if (std::any_of(k.values.begin(), k.values.end(),
                    [&](const Name& known) { return known.text == name; }) ||
        name == k.kernel)
      continue;
    const DType dtype = k.dice.pick(k.types);
    if (k.dice.chance(50)) {
      k.line("{}: T.let = {}", name, expression(k, dtype, 2));
    } else {
      k.line("{}: T.{} = {}", name, type_name(dtype), expression(k, dtype, 2));
      k.variables.push_back({name, dtype});
    }
    k.values.push_back({name, dtype});
  }
  k.mark("names that CUDA has");
}

/// Of any number of threads.
void exchange(Draft& k) {
  const std::string s = k.fresh("S"), v = k.fresh("v");
  const DType dtype = k.dice.pick(k.types);
  k.line("{} = T.alloc_shared(({},), \"{}\")", s, k.threads, type_name(dtype));
  k.line("{}[tx] = {}", s, expression(k, dtype, 2));
  k.line("T.cuda.cta_sync()");
  k.line("{}: T.let = {}[(tx * {} + {}) % {}]", v, s, k.dice.one_of({1, 5, 7}),
         k.dice.below(k.threads), k.threads);
  k.values.push_back({v, dtype});
  k.line("T.cuda.cta_sync()");
}

void piece(Draft& k, bool whole) {
  if (!whole) {
    if (k.dice.chance(50)) return exchange(k);
    return straight(k, 2, k.dice.between(2, 3));
  }
  switch (k.dice.below(12)) {
    case 0:
      return shared_exchange(k);
    case 1:
      return warp_private_exchange(k);
    case 2:
      return producer_consumer(k);
    case 3:
      return warp_exchange(k);
    case 4:
      return atomics(k);
    case 5:
      return elementwise(k);
    case 6:
      return tile_reductions(k);
    case 7:
      return permutations(k);
    case 8:
    case 9:
      return tile_copies(k);
    case 10:
      return inlined(k);
    default:
      return straight(k, 2, k.dice.between(2, 3));
  }
}

/// Stores that end the kernel.
void finish_second(Draft& k) {
  int slot = 0;
  for (std::size_t i = k.values.size(); i-- > 3 && slot < Draft::kSlots;) {
    const Name value = k.values[i];
    const bool flag = value.dtype == DType::boolean;
    k.line("{}[row, {}] = {}", k.output(flag ? DType::i32 : value.dtype), slot++,
           flag ? fmt::format("T.cast({}, \"int32\")", value.text) : value.text);
  }
}

}  // namespace

bool has_second_kernel(std::uint64_t seed) {
  constexpr std::uint64_t kOwnStream = 0x7365636f6e64216bU;
  return Dice(seed ^ kOwnStream).chance(20);
}

void second_kernel(Draft& draft, std::uint64_t seed) {
  constexpr std::uint64_t kOwnStream = 0x6b65726e656c2032U;
  Draft k(seed ^ kOwnStream);
  k.kernel = k.dice.chance(50)
                 ? "k2"
                 : kNames[static_cast<std::size_t>(k.dice.below(static_cast<int>(kNames.size())))];
  const bool whole = k.dice.chance(75);
  k.ctas = k.dice.one_of({1, 2, 3, 4, 4, 6});
  k.threads =
      whole ? 32 * k.dice.one_of({1, 2, 3, 4, 4, 6}) : k.dice.one_of({6, 12, 20, 40, 48, 72});
  const std::vector<DType> all(arithmetic_types().begin(), arithmetic_types().end());
  k.types = {DType::i32};
  if (const DType other = k.dice.pick(all); other != DType::i32) k.types.push_back(other);
  declare_ctas(k);
  declare_threads(k, whole);
  attributes(k);
  k.values = {{"tx", DType::i32}, {"lane", DType::i32}, {"bx", DType::i32}};
  numbers(k);
  declare_variable(k, DType::i32);
  odd_names(k);
  for (int count = k.dice.between(1, 2); count > 0; --count) piece(k, whole);
  finish_second(k);
  draft.append("\n\n" + k.function_text());
  draft.has_alternative = draft.has_alternative || k.has_alternative;
  draft.pool = draft.pool || k.pool;
  for (const std::string& feature : k.features) draft.mark(feature);
  draft.mark("second kernel");
}

}  // namespace tirx::fuzz
