// Instructions called by their PTX names: exchanges in a warp, loads and stores with hints, fences,
// fragments, mma, barriers that reduce, and mbarriers by hand.
#include <array>

#include "fuzz/generate/expression.hpp"
#include "fuzz/generate/instruction.hpp"
#include "fuzz/generate/phase.hpp"

namespace tirx::fuzz {

namespace {

using num::DType;

void in_the_warp(Draft& draft) {
  static constexpr const char* kMask = "T.uint32(0xFFFFFFFF)";
  const std::string value = expression(draft, DType::i32, 2);
  switch (draft.dice.below(6)) {
    case 0: {
      const std::string to = result(draft, DType::i32), inside = result(draft, DType::boolean);
      draft.line("T.ptx.shfl.sync.{}.b32({}, {}, {}, {}, {}, {})",
                 draft.dice.chance(50) ? "up" : "down", to, inside, value, draft.dice.between(1, 9),
                 draft.dice.one_of<const char*>({"0x1800", "0x1000"}), kMask);
      keep(draft, to, DType::i32);
      keep(draft, inside, DType::boolean);
      return;
    }
    case 1: {
      const std::string to = result(draft, DType::i32);
      draft.line("T.ptx.shfl.sync.bfly.b32({}, {}, {}, 0x1F, {})", to, value,
                 draft.dice.between(1, 31), kMask);
      return keep(draft, to, DType::i32);
    }
    case 2: {
      const std::string to = result(draft, DType::u32);
      draft.line("T.ptx.vote.sync.ballot.b32({}, {}, {})", to, condition(draft, 2), kMask);
      return keep(draft, to, DType::u32);
    }
    case 3: {
      const std::string to = result(draft, DType::boolean);
      draft.line("T.ptx.vote.sync.{}.pred({}, {}, {})",
                 draft.dice.one_of<const char*>({"any", "all", "uni"}), to, condition(draft, 2),
                 kMask);
      return keep(draft, to, DType::boolean);
    }
    case 4: {
      const std::string to = result(draft, DType::u32);
      draft.line("T.ptx.match.any.sync.b32({}, {} & 3, {})", to, value, kMask);
      return keep(draft, to, DType::u32);
    }
    default: {
      const std::string to = result(draft, DType::i32);
      draft.line("T.ptx.redux.sync.{}.s32({}, {}, {})",
                 draft.dice.one_of<const char*>({"add", "min", "max"}), to, value, kMask);
      draft.line("T.ptx.bar.warp.sync({})", kMask);
      return keep(draft, to, DType::i32);
    }
  }
}

void memory(Draft& draft) {
  const DType dtype = draft.dice.one_of({DType::f32, DType::i32, DType::u32});
  const std::string in = draft.tile_input(fmt::format("{}, 4", draft.threads), dtype, "bits"),
                    out = draft.tile_output(fmt::format("{}, 4", draft.threads), dtype);
  const std::string regs = draft.fresh("regs");
  const char* suffix = dtype == DType::f32 ? "f32" : dtype == DType::i32 ? "s32" : "u32";
  draft.line("{} = T.alloc_local((4,), \"{}\")", regs, type_name(dtype));
  if (draft.dice.chance(30)) draft.line("T.ptx.prefetch.global_.L2({}.ptr_to([bx, tx, 0]))", in);
  switch (draft.dice.below(4)) {
    case 0:
      draft.line("T.ptx.ld.global_.v4.{0}({1}[0], {1}[1], {1}[2], {1}[3], {2}.ptr_to([bx, tx, 0]))",
                 suffix, regs, in);
      break;
    case 1:
      for (int i = 0; i < 4; ++i)
        draft.line("{}[{}] = T.cuda.ldg({}.ptr_to([bx, tx, {}]))", regs, i, in, 3 - i);
      break;
    case 2:
      for (int i = 0; i < 4; i += 2)
        draft.line("T.ptx.ld.global_.nc.v2.{0}({1}[{2}], {1}[{3}], {4}.ptr_to([bx, tx, {2}]))",
                   suffix, regs, i, i + 1, in);
      break;
    default:
      for (int i = 0; i < 4; ++i)
        draft.line("T.ptx.ld.volatile.global_.{}({}[{}], {}.ptr_to([bx, tx, {}]))", suffix, regs, i,
                   in, i);
  }
  if (draft.dice.chance(50)) {
    draft.line(
        "T.ptx.st.global_.cs.v4.{0}({1}.ptr_to([bx, tx, 0]), {2}[3], {2}[2], {2}[1], {2}[0])",
        suffix, out, regs);
  } else {
    const std::string flag = draft.fresh("m");
    draft.line("{}[bx, tx, 0] = {}[1]", out, regs);
    draft.line("{}: T.{} = 0", flag, type_name(dtype));
    if (draft.dice.chance(50)) {
      draft.line("T.ptx.st.release.gpu.global_.{}({}.ptr_to([bx, tx, 1]), {}[0])", suffix, out,
                 regs);
      draft.line("T.ptx.ld.acquire.gpu.global_.{}({}, {}.ptr_to([bx, tx, 1]))", suffix, flag, out);
    } else {
      draft.line("T.ptx.st.release({}.ptr_to([bx, tx, 1]), {}[0])", out, regs);
      draft.line("{} = T.ptx.ld.acquire({}.ptr_to([bx, tx, 1]))", flag, out);
    }
    draft.line("{}[bx, tx, 2] = {}", out, flag);
  }
  draft.line("{}",
             draft.dice.one_of<const char*>({"T.ptx.fence.acq_rel.gpu()", "T.ptx.fence.sc.cta()",
                                             "T.ptx.membar.gl()", "T.cuda.thread_fence()"}));
}

/// Results that do not depend on the order, and returned values of addresses with one user.
void atomics_by_name(Draft& draft) {
  const std::string s = draft.fresh("S"), own = draft.fresh("S"), v = draft.fresh("v");
  draft.line("{} = T.alloc_shared((2,), \"int32\")", s);
  draft.line("{} = T.alloc_shared(({},), \"int32\")", own, draft.threads);
  draft.line("if tx < 2:");
  {
    const Draft::Block block(draft);
    draft.line("{}[tx] = {}", s, draft.dice.below(100));
  }
  draft.line("{}[tx] = tx", own);
  cta_barrier(draft);
  const std::string old = result(draft, DType::i32);
  draft.line("T.ptx.red.shared.{}.s32({}.ptr_to([0]), {})",
             draft.dice.one_of<const char*>({"add", "min", "max"}), s,
             expression(draft, DType::i32, 1));
  draft.line("T.ptx[\"atom.shared.{}.b32\"](T.ptx.SINK, {}.ptr_to([1]), {})",
             draft.dice.one_of<const char*>({"and", "or", "xor"}), s,
             expression(draft, DType::i32, 1));
  if (draft.dice.chance(50)) {
    draft.line("T.ptx.atom.shared.cas.b32({}, {}.ptr_to([tx]), {}, 5)", old, own,
               draft.dice.below(64));
  } else {
    draft.line("{} = T.cuda.atomic_{}", old,
               draft.dice.chance(50)
                   ? fmt::format("exch({}.ptr_to([tx]), 7)", own)
                   : fmt::format("cas({}.ptr_to([tx]), {}, 9)", own, draft.dice.below(64)));
  }
  cta_barrier(draft);
  draft.line("{}: T.let = {}[0] + {}[1] * 3 + {}[tx]", v, s, s, own);
  keep(draft, v, DType::i32);
  keep(draft, old, DType::i32);
  cta_barrier(draft);
}

/// One matrix instruction on whatever bits the words have, and fragments through shared memory.
void matrices(Draft& draft) {
  struct Form {
    const char* text;
    int a, b, c;
    bool words;  // the sums are pairs of float16
  };

  static constexpr auto kForms = std::to_array<Form>({
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, false},
      {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, false},
      {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, true},
      {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, false},
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, false},
      {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, false},
  });
  const Form& form = draft.dice.pick(kForms);
  const bool integers = std::string_view(form.text).find("s32") != std::string_view::npos;
  const DType sums = form.words ? DType::u32 : integers ? DType::i32 : DType::f32;
  const std::string in = draft.tile_input("8, 32", DType::u32, "bits"),
                    c = draft.tile_input(fmt::format("32, {}", form.c), sums,
                                         sums == DType::f32 ? "normal" : "bits"),
                    out = draft.tile_output(fmt::format("32, {}", form.c), sums);
  const std::string words = draft.fresh("S"), a = draft.fresh("regs"), b = draft.fresh("regs"),
                    d = draft.fresh("regs"), i = draft.fresh("i");
  draft.line("{} = T.alloc_shared((32, 8), \"uint16\")", words);
  draft.line("if tx < 32:");
  {
    const Draft::Block block(draft);
    draft.line("for {} in range(8):", i);
    const Draft::Block inner(draft);
    draft.line("{}[tx, {}] = T.cast({}[bx, {}, tx], \"uint16\")", words, i, in, i);
  }
  cta_barrier(draft);
  draft.line("if {}:", one_warp(draft));
  {
    const Draft::Block block(draft);
    draft.line("{} = T.alloc_local(({},), \"uint32\")", a, 4);
    draft.line("{} = T.alloc_local(({},), \"uint32\")", b, 2);
    draft.line("{} = T.alloc_local(({},), \"{}\")", d, form.c, type_name(sums));
    if (draft.dice.chance(60)) {
      draft.line(
          "T.ptx.ldmatrix.sync.aligned.m8n8.x4{2}.shared.b16({0}[0], {0}[1], {0}[2], {0}[3], "
          "{1}.ptr_to([lane, 0]))",
          a, words, draft.dice.chance(50) ? ".trans" : "");
    } else {
      draft.line("for {} in range(4):", i);
      const Draft::Block inner(draft);
      draft.line("{}[{}] = {}[bx, {}, lane]", a, i, in, i);
    }
    draft.line("for {} in range(2):", i);
    {
      const Draft::Block inner(draft);
      draft.line("{}[{}] = {}[bx, {} + 4, lane]", b, i, in, i);
    }
    std::string operands;
    for (int n = 0; n < form.c; ++n) operands += fmt::format("{}[{}], ", d, n);
    for (int n = 0; n < form.a; ++n) operands += fmt::format("{}[{}], ", a, n);
    for (int n = 0; n < form.b; ++n) operands += fmt::format("{}[{}], ", b, n);
    for (int n = 0; n < form.c; ++n)
      operands += fmt::format("{}[bx, lane, {}]{}", c, n, n + 1 < form.c ? ", " : "");
    draft.line("T.ptx[\"{}\"]({})", form.text, operands);
    draft.line("for {} in range({}):", i, form.c);
    const Draft::Block inner(draft);
    draft.line("{}[bx, lane, {}] = {}[{}]", out, i, d, i);
  }
  cta_barrier(draft);
}

/// One phase of an mbarrier, asked for by its state.
void one_phase_of_an_mbarrier(Draft& draft) {
  const std::string bar = draft.fresh("S"), token = draft.fresh("token"),
                    done = draft.fresh("done"), v = draft.fresh("v");
  draft.line("{} = T.alloc_shared((1,), \"uint64\")", bar);
  draft.line("if tx == 0:");
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.mbarrier.init.shared.b64({}.ptr_to([0]), {})", bar, draft.threads);
  }
  cta_barrier(draft);
  draft.line("{}: T.uint64 = 0", token);
  draft.line("{}: T.bool = False", done);
  const bool drop = draft.dice.chance(35);
  draft.line("T.ptx.mbarrier.{}.shared.b64({}, {}.ptr_to([0]))", drop ? "arrive_drop" : "arrive",
             token, bar);
  cta_barrier(draft);
  if (draft.dice.chance(60)) {
    draft.line("T.ptx.mbarrier.test_wait.shared.b64({}, {}.ptr_to([0]), {})", done, bar, token);
  } else {
    draft.line("T.ptx.mbarrier.{}.parity.shared.b64({}, {}.ptr_to([0]), 0)",
               draft.dice.chance(50) ? "test_wait" : "try_wait", done, bar);
  }
  draft.line("{}: T.let = T.if_then_else({}, 1, 0)", v, done);
  keep(draft, v, DType::i32);
  cta_barrier(draft);
  draft.line("if tx == 0:");
  {
    const Draft::Block block(draft);
    draft.line("T.ptx.mbarrier.inval.shared.b64({}.ptr_to([0]))", bar);
  }
  cta_barrier(draft);
}

/// bar.red: all threads of the CTA bring a condition, and it orders what they wrote before it.
void a_barrier_that_reduces(Draft& draft) {
  const std::string shared = draft.fresh("S"), v = draft.fresh("v");
  draft.line("{} = T.alloc_shared(({},), \"int32\")", shared, draft.threads);
  draft.line("{}[tx] = {}", shared, expression(draft, DType::i32, 1));
  std::string barrier = fmt::format("{}", draft.dice.between(0, 3));
  if (draft.dice.chance(50)) barrier += fmt::format(", {}", draft.threads);
  const std::string holds = condition(draft, 2);
  const int form = draft.dice.below(3);
  const DType dtype = form == 0 ? DType::u32 : DType::boolean;
  const std::string to = result(draft, dtype);
  draft.line("T.ptx.bar.red.{}({}, {}, {})",
             form == 0   ? "popc.u32"
             : form == 1 ? "and_.pred"
                         : "or_.pred",
             to, barrier, holds);
  keep(draft, to, dtype);
  draft.line("{}: T.let = {}[(tx * {} + {}) % {}]", v, shared, draft.dice.one_of({1, 3, 5}),
             draft.dice.below(draft.threads), draft.threads);
  keep(draft, v, DType::i32);
  draft.mark("barrier");
  cta_barrier(draft);
}

}  // namespace

std::string result(Draft& draft, DType dtype) {
  std::string name = draft.fresh("m");
  const char* zero = dtype == DType::boolean ? "False" : num::is_float(dtype) ? "0.0" : "0";
  draft.line("{}: T.{} = {}", name, type_name(dtype), zero);
  return name;
}

void keep(Draft& draft, const std::string& name, DType dtype) {
  draft.values.push_back({name, dtype});
}

void instructions(Draft& draft) {
  const int count = draft.dice.between(2, draft.by_name ? 6 : 4);
  for (int i = 0; i < count; ++i) {
    const int roll = draft.dice.below(100);
    if (roll < 35 || !draft.by_name) {
      arithmetic_by_name(draft);
    } else if (roll < 56) {
      in_the_warp(draft);
    } else if (roll < 69) {
      memory(draft);
    } else if (roll < 79) {
      atomics_by_name(draft);
    } else if (roll < 86) {
      matrices(draft);
    } else if (roll < 91) {
      a_barrier_that_reduces(draft);
    } else {
      one_phase_of_an_mbarrier(draft);
    }
  }
}

}  // namespace tirx::fuzz
