// Shared memory with barriers of the CTA, of a warp, and named ones.
#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/phase.hpp"
#include "fuzz/generate/statement.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

/// A shared array of one element or more per thread, and how a flat index is written on it.
struct SharedArray {
  std::string name;
  DType dtype;
  int size = 0, columns = 0;
  bool flat = true;

  [[nodiscard]] std::string at(const std::string& index) const {
    if (flat) return fmt::format("{}[{}]", name, index);
    return fmt::format("{0}[({1}) // {2}, ({1}) % {2}]", name, index, columns);
  }
};

SharedArray shared_array(Draft& draft, int per_thread) {
  SharedArray array;
  array.name = draft.fresh("S");
  array.dtype = draft.dice.pick(draft.types);
  array.size = draft.threads * per_thread;
  array.flat = draft.dice.chance(40);
  if (array.flat) {
    draft.line("{} = T.alloc_shared(({},), \"{}\")", array.name, array.size,
               type_name(array.dtype));
  } else {
    array.columns = draft.dice.one_of({8, 16, 32});
    const int rows = array.size / array.columns;
    const std::string layout = random_layout(draft, rows, array.columns);
    draft.line("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\", layout={})", array.name,
               rows, array.columns, type_name(array.dtype), layout);
  }
  return array;
}

/// A place that some other thread wrote; `base` + what is read stays inside.
std::string elsewhere(Draft& draft, int size, int per_thread) {
  return fmt::format("((tx * {} + {}) % {})", draft.dice.one_of({1, 3, 5, per_thread}),
                     draft.dice.below(size), size);
}

void read_back(Draft& draft, const SharedArray& array, int per_thread) {
  const std::string name = draft.fresh("v");
  if (array.flat && draft.dice.chance(35)) {
    // Through a view of two dimensions, perhaps the other way round.
    const std::string view = draft.fresh("x"), at = elsewhere(draft, array.size, per_thread);
    const int columns = draft.dice.one_of({4, 8, 32});
    const bool across = draft.dice.chance(50);
    draft.line("{} = {}.view({}, {}){}", view, array.name, array.size / columns, columns,
               across ? ".permute(1, 0)" : "");
    const std::string row = fmt::format("{} // {}", at, columns),
                      column = fmt::format("{} % {}", at, columns);
    draft.line("{}: T.let = {}[{}, {}]", name, view, across ? column : row, across ? row : column);
    draft.mark("view");
  } else {
    draft.line("{}: T.let = {}", name, array.at(elsewhere(draft, array.size, per_thread)));
  }
  draft.values.push_back({name, array.dtype});
  if (draft.dice.chance(60)) straight(draft, 1, draft.dice.between(1, 2));
  // Others may read it later: whoever assigns last keeps a use of what came through memory.
  for (const Name& variable : draft.variables) {
    if (variable.dtype != array.dtype) continue;
    draft.line("{} = {}", variable.text, name);
    break;
  }
}

void write_own(Draft& draft, const SharedArray& array, int per_thread) {
  const std::string j = draft.fresh("i");
  if (per_thread == 1) {
    draft.line("{} = {}", array.at("tx"), expression(draft, array.dtype, 3));
    return;
  }
  const bool strided = draft.dice.chance(50);
  draft.line("for {} in range({}):", j, per_thread);
  const Draft::Block block(draft);
  draft.values.push_back({j, DType::i32});
  const std::string place = strided ? fmt::format("{} * {} + tx", j, draft.threads)
                                    : fmt::format("tx * {} + {}", per_thread, j);
  draft.line("{} = {}", array.at(place), expression(draft, array.dtype, 2));
}

}  // namespace

void cta_barrier(Draft& draft) {
  switch (draft.dice.below(8)) {
    case 0: {
      // Not the numbers of producers and consumers: who arrives there twice could be counted at
      // once.
      draft.line("T.ptx.bar.sync({}, {})", draft.dice.between(1, 3), draft.threads);
      draft.mark("barrier named, whole CTA");
      break;
    }
    case 1:
      draft.line("T.tvm_storage_sync(\"shared\")");
      break;
    default:
      draft.line("T.cuda.cta_sync()");
      break;
  }
  draft.mark("barrier");
}

std::string one_warp(Draft& draft) {
  const int warp = draft.dice.below(draft.warps());
  if (!draft.flat_block) return fmt::format("warp == {}", warp);
  switch (draft.dice.below(8)) {
    case 0:
      return fmt::format("tx // 32 == {}", warp);
    case 1:
      return fmt::format("tx >= {} and tx < {}", warp * 32, warp * 32 + 32);
    case 2:
      return fmt::format("warp % {} == {}", draft.warps(), warp);
    case 3:
      return fmt::format("(tx // 32) % {} == {}", draft.warps(), warp);
    default:
      return fmt::format("warp == {}", warp);
  }
}

void shared_exchange(Draft& draft) {
  const int per_thread = draft.dice.one_of({1, 1, 2, 4});
  const SharedArray array = shared_array(draft, per_thread);
  const int style = draft.dice.below(3);
  draft.mark(style == 0   ? "shared exchange"
             : style == 1 ? "shared exchange, loop"
                          : "shared exchange, two buffers");
  if (style == 0) {
    write_own(draft, array, per_thread);
    cta_barrier(draft);
    read_back(draft, array, per_thread);
    cta_barrier(draft);
    return;
  }
  const std::string step = draft.fresh("i");
  if (style == 1) {
    draft.line("for {} in range({}):", step, uniform_count(draft, 3));
    const Draft::Block block(draft);
    draft.values.push_back({step, DType::i32});
    write_own(draft, array, per_thread);
    cta_barrier(draft);
    read_back(draft, array, per_thread);
    cta_barrier(draft);
    return;
  }
  // Two halves by turns: one barrier an iteration is enough.
  const std::string name = draft.fresh("S");
  draft.line("{} = T.alloc_shared((2, {}), \"{}\")", name, draft.threads, type_name(array.dtype));
  draft.line("for {} in range({}):", step, draft.dice.between(2, 4));
  {
    const Draft::Block block(draft);
    draft.values.push_back({step, DType::i32});
    draft.line("{}[{} % 2, tx] = {}", name, step, expression(draft, array.dtype, 3));
    cta_barrier(draft);
    const std::string value = draft.fresh("v");
    draft.line("{}: T.let = {}[{} % 2, {}]", value, name, step, elsewhere(draft, draft.threads, 1));
    draft.values.push_back({value, array.dtype});
    straight(draft, 1, 2);
    for (const Name& variable : draft.variables) {
      if (variable.dtype == array.dtype) draft.line("{} = {}", variable.text, value);
    }
  }
  cta_barrier(draft);
}

void warp_private_exchange(Draft& draft) {
  const DType dtype = draft.dice.pick(draft.types);
  const std::string name = draft.fresh("S");
  draft.line("{} = T.alloc_shared(({},), \"{}\")", name, draft.threads, type_name(dtype));
  const std::string step = draft.fresh("i");
  draft.line("for {} in range({}):", step, draft.dice.between(1, 3));
  {
    const Draft::Block block(draft);
    draft.values.push_back({step, DType::i32});
    draft.line("{}[tx] = {}", name, expression(draft, dtype, 2));
    draft.line("T.cuda.warp_sync()");
    const std::string value = draft.fresh("v");
    draft.line("{}: T.let = {}[warp * 32 + (lane * {} + {}) % 32]", value, name,
               draft.dice.one_of({1, 3, 5, 31}), draft.dice.below(32));
    draft.values.push_back({value, dtype});
    for (const Name& variable : draft.variables) {
      if (variable.dtype == dtype) draft.line("{} = {}", variable.text, value);
    }
    draft.line("T.cuda.warp_sync()");
  }
  cta_barrier(draft);
  draft.mark("barrier warp");
}

void producer_consumer(Draft& draft) {
  if (draft.warps() < 2) return shared_exchange(draft);
  const DType dtype = draft.dice.pick(draft.types);
  const std::string name = draft.fresh("S");
  const int producers = draft.dice.between(1, draft.warps() - 1);
  const int size = producers * 32, id = draft.dice.between(4, 7);
  draft.line("{} = T.alloc_shared(({},), \"{}\")", name, size, type_name(dtype));
  draft.line("if warp < {}:", producers);
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = {}", name, expression(draft, dtype, 2));
    draft.line("T.ptx.bar.arrive({}, {})", id, draft.threads);
  }
  draft.line("else:");
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.bar.sync({}, {})", id, draft.threads);
    draft.line("{}[row, {}] = {}[(tx * {} + {}) % {}]", draft.output(dtype),
               draft.dice.below(Draft::kSlots), name, draft.dice.one_of({1, 3, 7}),
               draft.dice.below(size), size);
  }
  cta_barrier(draft);
  draft.mark("barrier named, producers and consumers");
}

}  // namespace tirx::fuzz
