// Exchanges between lanes (PTX ISA 9.7.9.6 shfl.sync, 9.7.13.10-13 vote, match, activemask, redux,
// 9.7.13.16 elect, 9.7.13.2 bar.warp.sync).
#include <fmt/format.h>

#include "ir/ops/ptx_warp.hpp"
#include "ir/ptx/instruction.hpp"

namespace tirx::ir::ptx {

namespace {

constexpr Slot kShflSlots[] = {{"sync"}, {"up|down|bfly|idx"}, {"b32"}};
constexpr Slot kVoteSlots[] = {{"sync"}, {"all|any|uni|ballot"}, {"pred|b32"}};
constexpr Slot kMatchSlots[] = {{"any|all"}, {"sync"}, {"b32|b64"}};
constexpr Slot kReduxSlots[] = {{"sync"}, {"add|min|max|and|or|xor"}, {"u32|s32|b32"}};
constexpr Slot kElectSlots[] = {{"sync"}};
constexpr Slot kBarRedSlots[] = {{"popc|and|or"}, {"u32|pred"}};
constexpr Slot kActivemaskSlots[] = {{"b32"}};

/// The optional half of d|p.
void predicate(Instruction& made) {
  Operand& p = made.output("p", kPredicate);
  p.optional = true;
  p.joined = true;
}

std::string shfl(Instruction& made) {
  made.output("d", kB32);
  predicate(made);
  made.input("a", kB32);
  made.input("b", kU32);
  made.input("c", kU32);
  made.input("membermask", kU32);
  return {};
}

std::string vote(Instruction& made) {
  const bool ballot = made.word(1) == "ballot";
  if (ballot != (made.word(2) == "b32")) return "vote.sync.ballot gives .b32, the others .pred";
  made.output("d", ballot ? kU32 : kPredicate);
  made.input("a", kPredicate);
  made.input("membermask", kU32);
  return {};
}

std::string match(Instruction& made) {
  made.output("d", kU32);
  if (made.word(0) == "all") predicate(made);
  made.input("a", made.word(2) == "b64" ? kB64 : kB32);
  made.input("membermask", kU32);
  return {};
}

std::string redux(Instruction& made) {
  const std::string_view op = made.word(1);
  const bool bits = op == "and" || op == "or" || op == "xor";
  if (bits != (made.word(2) == "b32")) {
    return fmt::format("redux.sync.{} has no form for .{}", op, made.word(2));
  }
  const Register element = register_of(made.word(2));
  made.output("d", element);
  made.input("a", element);
  made.input("membermask", kU32);
  return {};
}

std::string elect(Instruction& made) {
  made.output("d", kB32);
  made.output("p", kPredicate).joined = true;
  made.input("membermask", kU32);
  made.min_sm = 90;
  return {};
}

std::string activemask(Instruction& made) {
  made.output("d", kB32);
  return {};
}

std::string barrier_reduction(Instruction& made) {
  const bool counts = made.word(0) == "popc";
  if (counts != (made.word(1) == "u32")) return "bar.red.popc gives .u32, .and and .or give .pred";
  made.output("d", counts ? kU32 : kPredicate);
  made.input("a", kU32);
  made.input("b", kU32).optional = true;
  made.input("c", kPredicate);
  return {};
}

std::string warp_sync(Instruction& made) {
  made.input("membermask", kU32);
  return {};
}

}  // namespace

constinit const Family kShfl{"shfl", kShflSlots, "d, p=, a, b, c, membermask", shfl};
constinit const Family kVote{"vote", kVoteSlots, "d, a, membermask", vote};
constinit const Family kMatch{"match", kMatchSlots, "d, p=, a, membermask", match};
constinit const Family kRedux{"redux", kReduxSlots, "d, a, membermask", redux};
constinit const Family kElect{"elect", kElectSlots, "d, p, membermask", elect};
constinit const Family kActivemask{"activemask", kActivemaskSlots, "d", activemask};
constinit const Family kBarRed{"bar.red", kBarRedSlots, "d, a, b=, c", barrier_reduction};
constinit const Family kBarWarpSync{"bar.warp.sync", {}, "membermask", warp_sync};

}  // namespace tirx::ir::ptx
