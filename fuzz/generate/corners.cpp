#include "fuzz/generate/corners.hpp"

#include <array>

#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void show(Draft& draft, const std::string& value) {
  keep_result(draft, value, DType::i32);
}

/// Loops that count down, by more than one, and from bounds that differ by lane, warp or CTA.
void steps(Draft& draft) {
  const std::string sum = draft.fresh("m"), i = draft.fresh("i");
  draft.line("{}: T.int32 = {}", sum, draft.dice.below(9));
  const int low = draft.dice.below(4), high = low + draft.dice.between(1, 9);
  switch (draft.dice.below(4)) {
    case 0:
      draft.line("for {} in range({}, {}, {}):", i, high, low - 1, -draft.dice.between(1, 3));
      break;
    case 1:
      draft.line("for {} in range((lane & 3) + {}, {}, {}):", i, high, low,
                 -draft.dice.between(1, 3));
      break;
    case 2:
      draft.line("for {} in range({}, (bx & 1) + {}, {}):", i, low, high, draft.dice.between(2, 3));
      break;
    default:
      draft.line("for {} in range((warp & 1) + {}, {}, {}):", i, high, low,
                 -draft.dice.between(1, 3));
  }
  {
    const Draft::Block block(draft);
    draft.line("{} = {} + {} * {}", sum, sum, i, draft.dice.between(1, 7));
  }
  draft.mark("loop with a step");
  show(draft, sum);
}

/// An mbarrier at which one lane of each warp arrives for all of them.
void one_arrival_a_warp(Draft& draft) {
  const std::string bar = draft.fresh("S"), s = draft.fresh("S");
  draft.line("{} = T.alloc_shared((1,), \"uint64\")", bar);
  draft.line("{} = T.alloc_shared(({},), \"int32\")", s, draft.threads);
  draft.line("if tx == {}:", draft.dice.below(draft.threads));
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.mbarrier.init.shared.b64({}.ptr_to([0]), {})", bar, draft.warps());
  }
  cta_barrier(draft);
  draft.line("{}[tx] = {}", s, expression(draft, DType::i32, 1));
  draft.line("T.cuda.warp_sync()");
  draft.line("if lane == {}:", draft.dice.below(32));
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.mbarrier.arrive.shared.b64(T.ptx.SINK, {}.ptr_to([0]))", bar);
  }
  draft.line("T.cuda.mbarrier_wait({}.ptr_to([0]), 0)", bar);
  const std::string v = draft.fresh("v");
  draft.line("{}: T.let = {}[(tx * {} + {}) % {}]", v, s, draft.dice.one_of({1, 3, 5}),
             draft.dice.below(draft.threads), draft.threads);
  draft.values.push_back({v, DType::i32});
  draft.mark("mbarrier, one arrival a warp");
  cta_barrier(draft);
}

/// One warp writes, raises a flag and goes on; the others look at the flag until it is up.
void flag(Draft& draft) {
  const std::string up = draft.fresh("S"), s = draft.fresh("S"), m = draft.fresh("m"),
                    seen = draft.fresh("m");
  const int writer = draft.dice.below(draft.warps());
  draft.line("{} = T.alloc_shared((1,), \"int32\")", up);
  draft.line("{} = T.alloc_shared((32,), \"int32\")", s);
  draft.line("if tx == 0:");
  {
    const Draft::Block block(draft);
    draft.line("{}[0] = 0", up);
  }
  cta_barrier(draft);
  draft.line("{}: T.int32 = 0", m);
  draft.line("{}: T.int32 = 0", seen);
  draft.line("if warp == {}:", writer);
  {
    const Draft::Block block(draft);
    draft.line("{}[lane] = {}", s, expression(draft, DType::i32, 1));
    draft.line("T.cuda.warp_sync()");
    draft.line("if lane == {}:", draft.dice.below(32));
    const Draft::Block inner(draft);
    draft.line("T.ptx.st.release.{}.shared.s32({}.ptr_to([0]), 1)",
               draft.dice.one_of<const char*>({"cta", "gpu"}), up);
  }
  draft.line("else:");
  {
    const Draft::Block block(draft);
    draft.line("while {} == 0:", seen);
    {
      const Draft::Block inner(draft);
      draft.line("T.ptx.ld.acquire.{}.shared.s32({}, {}.ptr_to([0]))",
                 draft.dice.one_of<const char*>({"cta", "gpu"}), seen, up);
    }
    draft.line("{} = {}[(lane * {} + {}) % 32]", m, s, draft.dice.one_of({1, 3, 5}),
               draft.dice.below(32));
  }
  draft.mark("flag by release and acquire");
  show(draft, m);
  cta_barrier(draft);
}

/// Vectors by name along the memory of a tile whose last dimension is not the one that runs.
void vectors_across(Draft& draft) {
  const std::string s = draft.fresh("S"), r = draft.fresh("regs"), i = draft.fresh("i");
  const int wide = draft.dice.one_of({2, 4});
  draft.host("across_{0} = TileLayout(S[({1}, {2}):(1, {1})])", s, wide, draft.threads);
  draft.line("{0} = T.alloc_buffer(({1}, {2}), \"int32\", scope=\"shared\", layout=across_{0})", s,
             wide, draft.threads);
  draft.line("{} = T.alloc_local(({},), \"int32\")", r, wide);
  draft.line("for {} in range({}):", i, wide);
  {
    const Draft::Block block(draft);
    draft.line("{}[{}, tx] = {} + {}", s, i, expression(draft, DType::i32, 1), i);
  }
  cta_barrier(draft);
  std::string registers;
  for (int k = 0; k < wide; ++k) registers += fmt::format("{}[{}], ", r, k);
  draft.line("T.ptx.ld.shared.v{}.s32({}{}.ptr_to([0, {} - tx]))", wide, registers, s,
             draft.threads - 1);
  draft.mark("vector by name across a layout");
  std::string sum;
  for (int k = 0; k < wide; ++k)
    sum += fmt::format("{}{}[{}] * {}", k == 0 ? "" : " + ", r, k, 2 * k + 1);
  show(draft, sum);
  cta_barrier(draft);
}

/// The warps of one residue copy a row each.
void every_other_warp(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::u8});
  const std::string shape = fmt::format("{}, 64", draft.warps());
  const std::string in = draft.tile_input(shape, dtype, "bits"),
                    out = draft.tile_output(shape, dtype);
  const int chosen = draft.dice.below(2);
  draft.line("if {}:",
             draft.dice.one_of<std::string>(
                 {fmt::format("warp % 2 == {}", chosen), fmt::format("warp % 2 != {}", chosen),
                  fmt::format("warp // 2 == {}", chosen), fmt::format("warp % 3 < {}", chosen + 1),
                  fmt::format("warp % 3 > {}", chosen), fmt::format("(tx // 32) % 2 == {}", chosen),
                  fmt::format("warp >= {}", chosen + 1)}));
  {
    const Draft::Block block(draft);
    draft.line("Tx.warp.copy({}[bx, warp, :], {}[bx, warp, :])", out, in);
  }
  draft.mark("tile operation of some warps");
}

/// shfl by its PTX name with a lane that is computed, in segments, with and without its predicate.
void shuffle_by_index(Draft& draft) {
  const std::string d = draft.fresh("m"), p = draft.fresh("p");
  const int log = draft.dice.between(1, 5);  // lanes of a segment
  const int segments = 32 - (1 << log);
  draft.line("{}: T.int32 = 0", d);
  draft.line("{}: T.bool = False", p);
  const std::string from = draft.dice.chance(50)
                               ? fmt::format("{}", draft.dice.below(32))
                               : fmt::format("(lane * {} + {}) & 31", draft.dice.one_of({1, 3, 5}),
                                             draft.dice.below(32));
  const int clamp = draft.dice.chance(60) ? 31 : draft.dice.below(32);
  draft.line("T.ptx.shfl.sync.idx.b32({}, {}, {}, {}, {}, T.uint32(0xFFFFFFFF))", d, p,
             expression(draft, DType::i32, 1), from, segments << 8 | clamp);
  draft.mark("shfl.idx by name");
  show(draft, fmt::format("{} + T.if_then_else({}, 1000, 0)", d, p));
}

constexpr auto kCorners = std::to_array<Corner>({
    {"loop with a step", steps},
    {"mbarrier, one arrival a warp", one_arrival_a_warp},
    {"flag by release and acquire", flag, 2},
    {"vector by name across a layout", vectors_across},
    {"shfl.idx by name", shuffle_by_index},
    {"tile operation of some warps", every_other_warp, 2},
});

constexpr auto kLists = std::to_array<std::span<const Corner> (*)()>(
    {symbolic_corners, packed_corners, id_corners, memory_corners, operand_corners, machine_corners,
     transfer_corners, text_corners, vector_corners, sequence_corners, place_corners, known_corners,
     range_corners, hidden_corners, form_corners, tile_corners, lane_corners, promised_corners,
     loop_corners});

}  // namespace

void keep_result(Draft& draft, const std::string& value, DType dtype) {
  const std::string v = draft.fresh("v");
  draft.line("{}: T.let = {}", v, value);
  draft.values.push_back({v, dtype});
}

std::size_t corners() {
  std::size_t count = kCorners.size();
  for (const auto list : kLists) count += list().size();
  return count;
}

const Corner& corner_of(std::size_t number) {
  if (number < kCorners.size()) return kCorners[number];
  number -= kCorners.size();
  for (const auto list : kLists) {
    if (number < list().size()) return list()[number];
    number -= list().size();
  }
  return kCorners[0];
}

void make_room(Draft& draft, const Corner& corner) {
  if (draft.warps() < corner.warps) draft.threads = 32 * corner.warps;
  if (corner.pairs) draft.ctas = 2;
  draft.cluster = draft.cluster || corner.pairs;
}

int corners_in(std::uint64_t seed) {
  constexpr std::uint64_t kOwnStream = 0x636f726e65727321U;
  Dice dice(seed ^ kOwnStream);
  return dice.chance(57) ? dice.between(1, 3) : 0;
}

void any_corner(Draft& draft) {
  const auto drawn = [&]() -> const Corner& {
    return corner_of(static_cast<std::size_t>(draft.dice.below(static_cast<int>(corners()))));
  };
  // Clusters are few: there, those that need one come first.
  const Corner* at = &drawn();
  for (int more = draft.cluster && draft.dice.chance(50) ? 60 : 0; more > 0 && !at->pairs; --more)
    at = &drawn();
  const auto has_room = [&] { return draft.warps() >= at->warps && (draft.cluster || !at->pairs); };
  while (!has_room()) at = &drawn();
  at->write(draft);
}

}  // namespace tirx::fuzz
