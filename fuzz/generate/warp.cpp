// Values between the lanes of a warp, and atomics.
#include <array>

#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/statement.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// Keeps a value for what comes later.
void keep(Draft& draft, const std::string& value, DType dtype) {
  const std::string name = draft.fresh("v");
  draft.line("{}: T.let = {}", name, value);
  draft.values.push_back({name, dtype});
}

void one_exchange(Draft& draft, std::string_view mask, int lanes) {
  static constexpr auto kShuffled =
      std::to_array<DType>({DType::i32, DType::u32, DType::f32, DType::i64, DType::u64, DType::f64,
                            DType::f16, DType::bf16});
  const DType any =
      kShuffled[static_cast<std::size_t>(draft.dice.below(static_cast<int>(kShuffled.size())))];
  const std::string value = expression(draft, any, 2);
  const int width = draft.dice.chance(60) ? 32 : draft.dice.one_of({8, 16});
  const std::string tail = width == 32 ? ")" : fmt::format(", {})", width);
  switch (draft.dice.below(10)) {
    case 0:
      draft.mark("shuffle idx");
      return keep(draft,
                  fmt::format("T.cuda.__shfl_sync({}, {}, {}{}", mask, value,
                              draft.dice.chance(50) ? fmt::format("{}", draft.dice.below(lanes))
                                                    : fmt::format("((lane * 3 + {}) % {})",
                                                                  draft.dice.below(8), lanes),
                              tail),
                  any);
    case 1:
      draft.mark("shuffle up");
      return keep(draft,
                  fmt::format("T.cuda.__shfl_up_sync({}, {}, {}{}", mask, value,
                              draft.dice.between(1, 7), tail),
                  any);
    case 2:
      if (lanes < 32)
        return keep(draft, fmt::format("T.cuda.__shfl_xor_sync({}, {}, 1)", mask, value), any);
      draft.mark("shuffle down");
      return keep(draft,
                  fmt::format("T.cuda.__shfl_down_sync({}, {}, {}{}", mask, value,
                              draft.dice.between(1, 7), tail),
                  any);
    case 3:
      draft.mark("shuffle xor");
      return keep(draft,
                  fmt::format("T.cuda.__shfl_xor_sync({}, {}, {}{}", mask, value,
                              draft.dice.between(1, lanes / 2 - 1), tail),
                  any);
    case 4:
      draft.mark("vote any");
      return keep(draft, fmt::format("T.cuda.__any_sync({}, {})", mask, condition(draft, 2)),
                  DType::boolean);
    case 5:
      draft.mark("vote all");
      return keep(draft, fmt::format("T.cuda.__all_sync({}, {})", mask, condition(draft, 2)),
                  DType::boolean);
    case 6:
      draft.mark("vote ballot");
      return keep(draft, fmt::format("T.cuda.__ballot_sync({}, {})", mask, condition(draft, 2)),
                  DType::u32);
    case 7: {
      const DType dtype = draft.dice.one_of({DType::i32, DType::u32, DType::i64, DType::u64});
      draft.mark("match any");
      return keep(draft,
                  fmt::format("T.cuda.__match_any_sync({}, {} & T.{}(3))", mask,
                              expression(draft, dtype, 1), type_name(dtype)),
                  DType::u32);
    }
    default: {
      const char* op = draft.dice.one_of<const char*>({"add", "min", "max", "and", "or", "xor"});
      const bool bits = op[0] == 'a' ? op[1] == 'n' : op[0] == 'o' || op[0] == 'x';
      const DType dtype = bits || draft.dice.chance(50) ? DType::u32 : DType::i32;
      draft.mark(fmt::format("redux {} {}", op, type_name(dtype)));
      return keep(
          draft,
          fmt::format("T.cuda.__reduce_{}_sync({}, {})", op, mask, expression(draft, dtype, 2)),
          dtype);
    }
  }
}

}  // namespace

void warp_exchange(Draft& draft) {
  const int style = draft.dice.below(4);
  if (style == 0) {
    // Half of the warp, by the mask.
    const int lanes = draft.dice.one_of({8, 16});
    draft.line("if lane < {}:", lanes);
    const Draft::Block block(draft);
    one_exchange(draft, fmt::format("T.uint32({})", (1U << static_cast<unsigned>(lanes)) - 1),
                 lanes);
    straight(draft, 0, 2);
    draft.mark("exchange in a part of the warp");
    return;
  }
  if (style == 1 && draft.warps() > 1) {
    draft.line("if {}:", one_warp(draft));
    const Draft::Block block(draft);
    one_exchange(draft, "T.uint32(0xFFFFFFFF)", 32);
    straight(draft, 0, 2);
    return;
  }
  const int count = draft.dice.between(1, 3);
  for (int i = 0; i < count; ++i) one_exchange(draft, "T.uint32(0xFFFFFFFF)", 32);
  straight(draft, 1, 2);
}

void atomics(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::u32, DType::u64});
  const std::string type = type_name(dtype);
  const char* op = draft.dice.one_of<const char*>({"add", "min", "max", "and", "or", "xor"});
  const bool shared = draft.dice.chance(60);
  const int size = draft.dice.between(1, 8);
  draft.mark(fmt::format("atomic {} {} {}", op, type, shared ? "shared" : "global"));
  std::string array;
  if (shared) {
    array = draft.fresh("S");
    draft.line("{} = T.alloc_shared(({},), \"{}\")", array, size, type);
    draft.line("if tx < {}:", size);
    {
      const Draft::Block block(draft);
      draft.line("{}[tx] = {}", array, literal(draft, dtype));
    }
    cta_barrier(draft);
  } else {
    array = draft.fresh("Sum");
    draft.parameter(array, fmt::format("({},)", size), dtype,
                    fmt::format("tirx.full(({},), {}, \"{}\")", size, draft.dice.below(100), type));
  }
  const auto update = [&] {
    draft.line("T.cuda.atomic_{}({}.ptr_to([{}]), {})", op, array, index(draft, size),
               expression(draft, dtype, 2));
  };
  if (draft.dice.chance(40)) {
    draft.line("if {}:", condition(draft, 1));
    const Draft::Block block(draft);
    update();
  } else {
    update();
  }
  if (!shared) return;
  cta_barrier(draft);
  keep(draft, fmt::format("{}[{}]", array, index(draft, size)), dtype);
  cta_barrier(draft);
  straight(draft, 1, 1);
}

}  // namespace tirx::fuzz
