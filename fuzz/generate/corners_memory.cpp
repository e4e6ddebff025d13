// Accesses at places that other phases do not choose: local arrays at 64-bit indices, runs that
// begin and end inside of 64 bytes (tirx fuzz --negative leaves their last element unwritten),
// pointers that are named or handed on.
#include <array>

#include "fuzz/generate/corners.hpp"
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void wide_indices(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::f32, DType::u8, DType::i64});
  const DType wide = draft.dice.one_of({DType::i64, DType::i64, DType::u64});
  const std::string type = type_name(wide), l = draft.fresh("L"), i = draft.fresh("i");
  const int size = draft.dice.between(2, 9);
  draft.line("{} = T.alloc_local(({},), \"{}\")", l, size, type_name(dtype));
  draft.line("for {} in range({}):", i, size);
  {
    const Draft::Block block(draft);
    draft.values.push_back({i, DType::i32});
    draft.line("{}[T.cast({}, \"{}\")] = {}", l, i, type, expression(draft, dtype, 1));
  }
  const auto place = [&] {
    return fmt::format("T.cast({} * {} + {}, \"{}\") % T.{}({})",
                       draft.dice.one_of<const char*>({"tx", "lane", "bx", "row"}),
                       draft.dice.between(1, 5), draft.dice.below(9), type, type, size);
  };
  draft.line("{}[{}] = {}", l, place(), expression(draft, dtype, 1));
  draft.mark("local array at 64-bit indices");
  keep_result(draft, fmt::format("{}[{}]", l, place()), dtype);
  keep_result(draft,
              fmt::format("{}[{} - T.cast({} % {}, \"{}\")]", l, size - 1,
                          draft.dice.one_of<const char*>({"tx", "bx"}), size, type),
              dtype);
}

/// Threads read a run that begins behind the start of an array and ends with its last element.
void shifted_run(Draft& draft) {
  const DType dtype =
      draft.dice.one_of({DType::u8, DType::f16, DType::i32, DType::f32, DType::i64});
  const std::string type = type_name(dtype), s = draft.fresh("S");
  const int shift = draft.dice.between(1, 15);
  draft.line("{} = T.alloc_shared(({},), \"{}\")", s, draft.threads + shift, type);
  draft.line("{}[tx] = {}", s, expression(draft, dtype, 1));
  if (draft.dice.chance(50)) {
    draft.line("if tx < {}:", shift);
    const Draft::Block block(draft);
    draft.line("{}[{} + tx] = {}", s, draft.threads, expression(draft, dtype, 1));
  } else {
    const std::string i = draft.fresh("i");
    draft.line("if tx == {}:", draft.dice.below(draft.threads));
    const Draft::Block block(draft);
    draft.line("for {} in range({}):", i, shift);
    const Draft::Block inner(draft);
    draft.line("{}[{} + {}] = {}", s, draft.threads, i, expression(draft, dtype, 1));
  }
  cta_barrier(draft);
  keep_result(draft, fmt::format("{}[tx + {}]", s, shift), dtype);
  draft.mark("run that is shifted");
  cta_barrier(draft);
}

/// Pointers with a name, to elements by address_of, to PTX and to calls by their CUDA names.
void addresses(Draft& draft) {
  const std::string s = draft.fresh("S"), m = draft.fresh("m");
  draft.line("{} = T.alloc_shared(({},), \"int32\")", s, draft.threads);
  draft.line("{}[tx] = {}", s, expression(draft, DType::i32, 1));
  cta_barrier(draft);
  draft.line("{}: T.int32 = {}", m, draft.dice.below(99));
  const int turn = draft.dice.below(draft.threads);
  const std::string element =
      fmt::format("T.address_of({}[(tx + {}) % {}])", s, turn, draft.threads);
  switch (draft.dice.below(4)) {
    case 0: {
      const std::string p = draft.fresh("ptr");
      draft.line("{}: T.let = {}", p, element);
      draft.line("T.ptx.ld.shared.s32({}, {})", m, p);
      break;
    }
    case 1:
      draft.line("T.ptx.ld.s32({}, {})", m, element);
      break;
    case 2:
      draft.line("{} = T.cuda.atomic_add({}, {})", m, element, draft.dice.between(1, 9));
      break;
    default:
      draft.line("{} = T.cuda.ldg(T.address_of({}[(tx + bx) % {}]))", m, draft.input(DType::i32),
                 Draft::kInputs);
  }
  draft.mark("address of an element");
  keep_result(draft, m, DType::i32);
  cta_barrier(draft);
}

/// Prints, behind a condition that data decide, and that is never true.
void prints(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::i32, DType::f32, DType::u8, DType::f16});
  const std::string l = draft.fresh("L"), i = draft.fresh("i"), name = draft.fresh("m");
  const int size = draft.dice.between(1, 4);
  draft.line("{}: T.int32 = {}", name, expression(draft, DType::i32, 1));
  draft.line("{} = T.alloc_local(({},), \"{}\")", l, size, type_name(dtype));
  draft.line("for {} in range({}):", i, size);
  {
    const Draft::Block block(draft);
    draft.line("{}[{}] = {}", l, i, expression(draft, dtype, 1));
  }
  draft.line("if ({0} & 1) + (({0} ^ 1) & 1) > 1:", fmt::format("({} & 255)", name));
  {
    const Draft::Block block(draft);
    draft.line("T.print_buffer({})", l);
    if (draft.dice.chance(50))
      draft.line("T.cuda.printf(\"%d %u\\n\", tx, T.cast({}, \"uint32\"))", name);
  }
  draft.mark("print");
  keep_result(draft, fmt::format("{}[{}]", l, draft.dice.below(size)), dtype);
}

constexpr auto kMemoryCorners = std::to_array<Corner>({
    {"local array at 64-bit indices", wide_indices},
    {"run that is shifted", shifted_run},
    {"address of an element", addresses},
    {"print", prints},
});

}  // namespace

std::span<const Corner> memory_corners() {
  return kMemoryCorners;
}

}  // namespace tirx::fuzz
