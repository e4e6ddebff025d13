// Tiles in pieces: each instance of a scope copies its own, at places that are computed, of other
// ranks and layouts on both sides, by a named variant, of symbolic size, or over an edge; and
// elementwise operations and reductions whose operands have other shapes.
#include <algorithm>
#include <array>
#include <bit>

#include "fuzz/expect/promise.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/spread.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

constexpr auto kMoved =
    std::to_array<DType>({DType::f32, DType::f16, DType::i8, DType::i32, DType::i64, DType::e4m3,
                          DType::u16, DType::boolean, DType::e2m1});

/// A tensor in global memory, a piece for each instance and round, one below the other.
struct Tensor {
  std::string name;
  bool across = false;  // column-major
  bool known = true;    // its size
};

Tensor global(Draft& draft, int rows, int columns, DType dtype, bool input) {
  const bool whole = dtype != DType::e2m1;
  Tensor made{draft.fresh(input ? "Tin" : "Tout"), whole && draft.dice.chance(18)};
  if (!made.across && whole && draft.dice.chance(20)) {
    // Rows as long as the launch says.
    const std::string shape = fmt::format("({}, {}, {})", draft.ctas, rows, columns),
                      type = type_name(dtype);
    draft.matched(made.name, fmt::format("({}, {}, {})", draft.ctas, rows, draft.symbol()), dtype,
                  input ? fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"bits\")", shape,
                                      type, draft.dice.below(100000))
                        : fmt::format("tirx.zeros({}, \"{}\")", shape, type));
    made.known = false;
    draft.mark("pieces of a tensor of symbolic size");
    return made;
  }
  const std::string type = type_name(dtype);
  const std::string shape = fmt::format("({}, {}, {})", draft.ctas, rows, columns),
                    stored = made.across ? fmt::format("({}, {}, {})", draft.ctas, columns, rows)
                                         : shape;
  std::string layout;
  if (made.across) {
    layout = draft.fresh("layout");
    draft.host("{0} = TileLayout(S[({1}, {2}, {3}):({4}, 1, {2})])", layout, draft.ctas, rows,
               columns, rows * columns);
    draft.mark("column-major tensor");
  }
  draft.parameter(made.name, shape, dtype,
                  input ? fmt::format("tirx.random({}, \"{}\", seed={}, kind=\"bits\")", stored,
                                      type, draft.dice.below(100000))
                        : fmt::format("tirx.zeros({}, \"{}\")", stored, type),
                  layout);
  return made;
}

bool is_power_of_two(int value) {
  return std::has_single_bit(static_cast<unsigned>(value));
}

}  // namespace

void pieces(Draft& draft) {
  const Team team = any_team(draft, false);
  const DType dtype = draft.dice.pick(kMoved);
  const bool whole = dtype != DType::e2m1;  // bytes
  const int height = draft.dice.one_of({1, 2, 3, 4, 8}),
            width = draft.dice.one_of({4, whole ? 5 : 6, 8, 16, 32}),
            rounds = draft.dice.between(1, 3);
  const int count = team.instances * rounds, rows = count * height;
  if (rows * width * num::bytes(dtype) > 8192) return pieces(draft);
  const bool edge = whole && draft.dice.chance(30);
  const int missing = edge ? draft.dice.below(std::min(rows, 5)) : 0,
            narrow = edge ? draft.dice.below(std::min(width, 4)) : 0;
  const int before = edge && draft.dice.chance(40) ? draft.dice.between(1, 2) : 0;
  const int right = edge ? 0 : draft.dice.one_of({0, 0, whole ? 1 : 4, 2, 8});
  const Tensor in = global(draft, rows - missing, width + right - narrow, dtype, true),
               out = global(draft, rows, width, dtype, false);
  const std::string s = draft.fresh("S"), i = draft.fresh("i"),
                    number = team.instances == 1 ? "0" : team.mine;
  const bool deep = draft.dice.chance(40);
  const bool plain = deep || !whole || draft.dice.chance(50);
  // A buffer that starts inside of another.
  const int further =
      whole && plain && !deep && draft.dice.chance(30) ? draft.dice.one_of({1, 4, 16}) : 0;
  int align = 64;
  if (deep) {
    draft.line("{} = T.alloc_shared(({}, {}, {}), \"{}\")", s, count, height, width,
               type_name(dtype));
  } else if (further > 0) {
    const std::string owner = draft.fresh("S");
    draft.line("{} = T.alloc_shared(({},), \"{}\")", owner, rows * width + further,
               type_name(dtype));
    draft.line(
        "{} = T.decl_buffer(({}, {}), \"{}\", data={}.data, elem_offset={}, scope=\"shared\")", s,
        rows, width, type_name(dtype), owner, further);
    draft.mark("pieces of a buffer inside of another");
  } else if (plain && whole && draft.dice.chance(25)) {
    // Not at a multiple of 64 bytes, behind bytes that nobody needs.
    align = num::bytes(dtype) * draft.dice.one_of({1, 2, 4});
    draft.line("{} = T.alloc_shared(({},), \"uint8\", align=1)", draft.fresh("S"),
               draft.dice.between(1, 9));
    draft.line("{} = T.alloc_shared(({}, {}), \"{}\", align={})", s, rows, width, type_name(dtype),
               align);
    draft.mark("pieces of a buffer of little alignment");
  } else if (plain) {
    draft.line("{} = T.alloc_shared(({}, {}), \"{}\")", s, rows, width, type_name(dtype));
  } else {
    draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", s, rows, width,
               type_name(dtype), random_layout(draft, rows, width));
  }
  const auto piece = [&](const std::string& which) {
    if (deep) return fmt::format("{}[{}, :, :]", s, which);
    return fmt::format("{0}[({1}) * {2}:({1}) * {2} + {2}, :]", s, which, height);
  };
  const bool wide = draft.dice.chance(25);  // places of 64 bits
  if (wide) draft.mark("pieces at 64-bit places");
  // Rows that have a name, or that begin where memory says (at 0, which only the host knows).
  const bool named = !wide && draft.dice.chance(20), from_memory = !edge && draft.dice.chance(12);
  std::string nowhere;
  if (from_memory) {
    nowhere = draft.fresh("Zero");
    draft.parameter(nowhere, "(4,)", DType::i32, "tirx.zeros((4,), \"int32\")");
    draft.mark("pieces where memory says");
  }
  /// Writes a line where the first row gets a name.
  const auto place = [&](const Tensor& tensor, std::string number_of, int shift, int aside) {
    if (from_memory) number_of += fmt::format(" + {}[{}]", nowhere, draft.dice.below(4));
    const std::string which =
        wide ? fmt::format("T.cast({}, \"int64\")", number_of) : "(" + number_of + ")";
    const std::string back = shift == 0 ? "" : fmt::format(" - {}", shift);
    std::string first = fmt::format("{} * {}{}", which, height, back);
    if (named) {
      const std::string name = draft.fresh("r");
      draft.line("{}: T.let = {}", name, first);
      first = name;
      draft.mark("pieces at a row with a name");
    }
    return fmt::format("{0}[bx, {1}:{1} + {2}, {3}:{4}]", tensor.name, first, height, aside,
                       aside + width);
  };
  const bool exact = plain && whole && !in.across && !out.across && !edge &&
                     is_power_of_two(height) && is_power_of_two(width) &&
                     height * width % team.threads() == 0 && is_power_of_two(team.threads());
  const auto variant = [&]() -> std::string {
    const int roll = draft.dice.below(100);
    if (exact && roll < 35) return ", dispatch=\"gmem_smem\"";
    if (exact && roll < 45) return ", dispatch=\"vec_auto\"";
    if (roll < 55) return {};
    if (roll < 65 && whole) return ", dispatch=\"predicated\"";
    return !edge && roll < 76 ? ", dispatch=\"fallback\"" : "";
  };
  /// The widest vector between a tensor with rows so long and the tile; `alone`: rows are not
  /// joined, and threads may have nothing to do.
  const auto vector = [&](const Tensor& tensor, int pitch, int aside, bool alone) {
    const bool joined = pitch == width && !alone;
    const int run = joined ? width * height : width;
    for (const int bits : {128, 64, 32, 16, 8}) {
      const int lanes = bits / (8 * num::bytes(dtype));
      if (lanes > 1 && lanes * num::bytes(dtype) > align) continue;
      if (lanes < 1 || run % lanes != 0 || (joined ? run : pitch) % lanes != 0) continue;
      if (aside % lanes != 0 || further % lanes != 0) continue;
      if (alone || width * height % (team.threads() * lanes) == 0) return lanes;
    }
    return tensor.known ? 1 : 0;
  };
  // What certainly becomes of the first copy; for the second one, of a whole tile into a tensor.
  std::string from_lowered, to_lowered;
  const bool rest = whole && !edge && height * width % team.threads() != 0;
  if (exact) {
    if (in.known) from_lowered = promise("gmem_smem", vector(in, width + right, right, false));
    if (out.known) to_lowered = promise("gmem_smem", vector(out, width, 0, false));
    // Threads side by side, at multiples of a sector.
    if (!team.scope.empty() && height * width * num::bytes(dtype) % 128 == 0 && !wide &&
        draft.dice.chance(35)) {
      if (in.known && right == 0) from_lowered += kCoalesced;
      if (out.known) to_lowered += kCoalesced;
      draft.mark("pieces that are moved sector by sector");
    }
  } else if ((edge || rest) && plain && !in.across && in.known) {
    from_lowered = promise("predicated", vector(in, width + right - narrow, right, true));
  }
  std::string asked;
  if (edge) asked = draft.dice.chance(60) ? ", fill=1" : ", clip=True";
  if (edge && dtype == DType::boolean && asked == ", fill=1") asked = ", fill=True";
  if (edge && dtype == DType::e4m3 && asked == ", fill=1") asked = ", fill=0";
  // Nobody asks: what may leave the tensor is seen in the ranges of loops and ids, and warned
  // about; of one trip it would be certain, which is refused.
  if (edge && rounds > 1 && narrow == 0 && in.known && !wide && !in.across && team.guard.empty() &&
      draft.dice.chance(35)) {
    asked.clear();
    const bool leaves = missing > 0 || narrow > 0 || before > 0;
    if (leaves && !from_lowered.empty()) from_lowered += kWarns;
    if (!leaves) from_lowered.clear();
    draft.mark("copy over an edge that nobody asked for");
  }
  if (edge && asked != ", fill=1" && asked != ", fill=True" && asked != ", fill=0") {
    draft.line("Tx.cta.fill({}{}, {})", s, deep ? "[:, :, :]" : "[:, :]",
               dtype == DType::boolean ? "False" : "0");
    cta_barrier(draft);
  }
  const std::string from_how = variant(), to_how = variant();
  {
    std::optional<Draft::Block> block;
    enter(draft, team, block);
    draft.line("for {} in range({}):", i, rounds);
    const Draft::Block inner(draft);
    const std::string which = fmt::format("{} * {} + {}", number, rounds, i);
    const std::string from = place(in, which, before, right);
    draft.line("Tx.{}copy({}, {}{}{}){}", team.scope, piece(which), from, asked, from_how,
               from_how.find("fallback") == std::string::npos &&
                       (!exact || from_how.find("predicated") == std::string::npos)
                   ? from_lowered
                   : "");
  }
  cta_barrier(draft);
  {
    std::optional<Draft::Block> block;
    enter(draft, team, block);
    draft.line("for {} in range({}):", i, rounds);
    const Draft::Block inner(draft);
    // Another instance's piece, perhaps one that data names.
    std::string turn = fmt::format("{}", draft.dice.below(count));
    if (draft.dice.chance(25)) {
      turn = fmt::format("({}[{}] & 7)", draft.input(DType::i32), draft.dice.below(Draft::kInputs));
      draft.mark("piece that data names");
    }
    const std::string to = place(out, fmt::format("{} * {} + {}", number, rounds, i), 0, 0);
    draft.line("Tx.{}copy({}, {}{}){}", team.scope, to,
               piece(fmt::format("({} * {} + {} + {}) % {}", number, rounds, i, turn, count)),
               out.across || edge ? "" : to_how,
               to_how.find("fallback") == std::string::npos &&
                       to_how.find("predicated") == std::string::npos
                   ? to_lowered
                   : "");
  }
  cta_barrier(draft);
  draft.mark(fmt::format("pieces by a {}", team.scope.empty()
                                               ? "thread"
                                               : team.scope.substr(0, team.scope.size() - 1)));
  if (whole && draft.dice.chance(30)) {
    // As many rows as a number says that is known when it runs.
    const std::string rows_now = draft.fresh("m"),
                      part = draft.tile_output(fmt::format("{}, {}", height, width), dtype);
    draft.line("{}: T.{} = {} + bx % {}", rows_now,
               draft.dice.one_of<const char*>({"int32", "int64"}),
               draft.dice.between(0, height - 1), 1);
    draft.line("Tx.cta.copy({0}[bx, 0:{1}, :], {2}{3}0:{1}, 0:{4}])", part, rows_now, s,
               deep ? fmt::format("[{}, ", draft.dice.below(count)) : "[", width);
    cta_barrier(draft);
    draft.mark("copy of symbolic extent");
  }
}

void shapes_and_scalars(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::f16, DType::i32, DType::bf16});
  const std::string type = type_name(dtype);
  const int deep = draft.dice.between(2, 3), rows = draft.dice.one_of({1, 2, 4, 5}),
            columns = draft.dice.one_of({4, 6, 8, 16});
  const std::string shape = fmt::format("{}, {}, {}", deep, rows, columns);
  const char* kind = num::is_float(dtype) ? "normal" : "int";
  const std::string in = draft.tile_input(shape, dtype, kind), s = draft.fresh("S"),
                    t = draft.fresh("S");
  const bool global = draft.dice.chance(25);
  draft.line("{} = T.alloc_shared(({}), \"{}\")", s, shape, type);
  draft.line("Tx.cta.copy({}[:, :, :], {}[bx, :, :, :])", s, in);
  // An operand with fewer elements.
  const std::string small = draft.dice.one_of<std::string>(
      {fmt::format("1, {}, {}", rows, columns), fmt::format("{}, 1, {}", deep, columns),
       fmt::format("{}, {}, 1", deep, rows), fmt::format("{}", columns),
       fmt::format("{}, {}", rows, columns), fmt::format("1, 1, {}", columns),
       fmt::format("1, 1, {}, {}", rows, columns), "1",
       fmt::format("{}, {}, {}, 1", deep, rows, columns)});
  std::string other = draft.tile_input(small, dtype, kind);
  const int commas = static_cast<int>(std::count(small.begin(), small.end(), ','));
  std::string full = ":";
  for (int k = 0; k < commas; ++k) full += ", :";
  other += fmt::format("[bx, {}]", full);
  if (!global) {
    draft.line("{} = T.alloc_shared(({}{}), \"{}\")", t, small, commas == 0 ? "," : "", type);
    draft.line("Tx.cta.copy({}[{}], {})", t, full, other);
    other = fmt::format("{}[{}]", t, full);
  }
  cta_barrier(draft);
  const char* op = draft.dice.one_of<const char*>({"add", "mul", "maximum", "minimum", "sub"});
  const bool left = op[0] != 's' && draft.dice.chance(40);
  const std::string tile = s + "[:, :, :]";
  draft.line("Tx.cta.{}({}, {}, {})", op, tile, left ? other : tile, left ? tile : other);
  // A scalar that is computed, the same in all threads.
  const std::string scalar =
      num::is_float(dtype)
          ? draft.dice.one_of<std::string>(
                {fmt::format("T.cast(bx, \"{}\") + T.{}({})", type, type, draft.dice.between(1, 3)),
                 draft.scalar(dtype, "1.5"),
                 fmt::format("{0}[bx, 0, 0, 0] * T.{1}(0.5)", in, type)})
          : draft.dice.one_of<std::string>(
                {"bx * 3 + 1", draft.scalar(dtype, "7"), fmt::format("{}[bx, 0, 0, 0] - 1", in)});
  draft.line("Tx.cta.{}({}, {}, {})", draft.dice.one_of<const char*>({"mul", "add", "minimum"}),
             tile, tile, scalar);
  if (num::is_float(dtype) && draft.dice.chance(50)) {
    // In place, with a bias that is a tile.
    draft.line("Tx.cta.{}({}, {}, {}, {})",
               draft.dice.one_of<const char*>({"exp2", "sqrt", "log2"}), tile, tile,
               draft.dice.chance(50) ? other : "0.25", draft.dice.chance(50) ? "0.5" : "2.0");
  } else if (num::is_float(dtype)) {
    draft.line("Tx.cta.{}({})", draft.dice.one_of<const char*>({"sqrt", "reciprocal", "exp"}),
               tile);
  }
  draft.mark("elementwise of several shapes");
  // Tiles of one grid: the same or apart, whichever the loop says.
  const std::string i = draft.fresh("i");
  draft.line("for {} in range({}):", i, deep);
  {
    const Draft::Block block(draft);
    draft.line("Tx.cta.{0}({1}[{2}, :, :], {1}[({2} + {3}) % {4}, :, :], {1}[{2}, :, :])",
               draft.dice.one_of<const char*>({"add", "maximum", "sub"}), s, i,
               draft.dice.between(0, deep), deep);
  }
  const std::string out = draft.tile_output(shape, dtype);
  draft.line("Tx.cta.copy({}[bx, :, :, :], {})", out, tile);
  // Sums over some of the axes, in a type that is wide enough.
  const DType sum = dtype == DType::i32 || draft.dice.chance(50) ? dtype : DType::f32;

  struct Axes {
    const char* axes;
    std::string left;
  };

  const Axes some = draft.dice.one_of<Axes>({{"(0, 2)", fmt::format("{}", rows)},
                                             {"(0, 1)", fmt::format("{}", columns)},
                                             {"(1, -1)", fmt::format("{}, 1, 1", deep)},
                                             {"0", fmt::format("{}, {}", rows, columns)},
                                             {"1", fmt::format("{}, 1, {}", deep, columns)},
                                             {"-1", fmt::format("{}, {}", deep, rows)},
                                             {"(0, 1, 2)", "1"}});
  const std::string r = draft.fresh("S"), total = draft.tile_output(some.left, sum);
  const bool several = some.left.find(',') != std::string::npos;
  std::string all = ":";
  for (const char c : some.left) all += c == ',' ? ", :" : "";
  draft.line("{} = T.alloc_shared(({}{}), \"{}\")", r, some.left, several ? "" : ",",
             type_name(sum));
  draft.line("Tx.cta.fill({}[{}], {})", r, all, draft.dice.below(3));
  draft.line("Tx.cta.{}({}[{}], {}, axes={}{})",
             draft.dice.one_of<const char*>({"sum", "max", "min"}), r, all, tile, some.axes,
             draft.dice.chance(40) ? ", accum=True" : "");
  draft.line("Tx.cta.copy({}[bx, {}], {}[{}])", total, all, r, all);
  cta_barrier(draft);
  draft.mark("reduction over several axes");
}

}  // namespace tirx::fuzz
