// What does a warp execute?  Bytecode for one launch: symbols, scalar arguments and grid are
// constants in it, so most bounds and overflow checks are settled while it is made.
//
// Registers: vector registers hold 32 lanes of 4 or 8 bytes (raw bits, zero-extended) and are named
// by their byte offset in the warp's register file; uniform registers hold one 64-bit value for the
// whole warp and are named by index.  Local arrays are rows of vector registers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/buffer.hpp"
#include "ir/expr.hpp"
#include "ir/launch.hpp"
#include "ir/ptx/instruction.hpp"
#include "numerics/lanes.hpp"
#include "numerics/mma/rows.hpp"
#include "sim/program/ptx_form.hpp"
#include "sim/program/race_site.hpp"
#include "sim/program/value.hpp"

namespace tirx::sim {

inline constexpr int kLanes = 32;
inline constexpr std::uint32_t kFullMask = 0xffffffffU;

struct Warp;
struct Instr;

/// Executes one instruction and returns the next, or nullptr when the strand stops here.
using Handler = const Instr* (*)(const Instr* pc, Warp& warp);

struct MemSite;
struct CopySite;
struct LocalSite;
struct CallSite;
struct CheckSite;
struct LinearSite;
struct BranchSite;

union InstrData {
  const void* any = nullptr;
  std::int64_t imm;
  num::LaneFunction lane;
  num::LaneConversion convert;
  const MemSite* mem;
  const CopySite* copy;
  const LocalSite* local;
  const CallSite* call;
  const CheckSite* check;
  const LinearSite* linear;
  const BranchSite* branch;
  const RaceSite* race;
  const std::uint64_t* table;
};

struct Instr {
  Handler run = nullptr;
  InstrData data;
  std::uint32_t d = 0, a = 0, b = 0, c = 0;
  const Instr* target = nullptr;
};

/// A byte offset per lane that is the same in every warp: the part of an address that depends on
/// the lane alone.
struct LanePattern {
  enum class Kind : std::uint8_t { broadcast, run, halves, any };
  alignas(64) std::array<std::int32_t, kLanes> offset{};
  std::int64_t min = 0, max = 0;
  std::int32_t step = 0;  // run, halves: between neighbouring lanes
  std::int32_t half = 0;  // halves: from lane 0 to lane 16
  Kind kind = Kind::any;
};

/// Where in the script something happens, and how to name it in a report.
struct Place {
  Span span;
  std::uint32_t id = 0;    // unique per site: faults are counted per (site, kind)
  Span role;               // the condition on the warp's number that holds here, if any
  bool otherwise = false;  // … or does not hold
};

/// One access to global or shared memory: `count` elements of `size` bytes, `stride` bytes apart,
/// per lane.  The address of a lane is
///   imm + U[u0] + U[u1] * k1 + (pattern ? pattern->offset[lane] : V[v])
struct MemSite {
  const LanePattern* pattern = nullptr;
  std::int64_t imm = 0, k1 = 0;
  std::uint32_t u0 = 0, u1 = 0, v = 0;
  std::uint16_t region = 0;
  std::uint16_t count = 1;
  std::uint8_t size = 4;  // bytes of an element; 4-bit types: 1
  bool v_wide = false;    // V holds 64-bit offsets
  bool checked = false;   // earlier checks may have set Warp::skip
  bool nibble = false;    // 4-bit elements: addresses count elements, not bytes
  bool boolean = false;
  bool aligned =
      false;  // several neighbours: lanes that take part begin at a multiple of their size
  std::int64_t stride = 0;
  std::int64_t lo = 0, hi = 0;  // legal byte addresses [lo, hi)
  // pattern: the access covers base + [low, high); inside iff base - begin, unsigned, is at most
  // room
  std::int64_t low = 0, high = 0;
  std::int64_t begin = 0;
  std::uint64_t room = 0;
  std::int32_t half = 0;  // LanePattern::half
  bool fits = false;      // pattern, and room is not negative
  bool owned = false;     // a tensor that is written: CTAs on several host threads may meet here
  const RaceSite* race = nullptr;  // the access is watched for races
  // reports only
  Place place;
  const CallSite* call = nullptr;  // the operation that it is a pointer of; null: a load or a store
  bool is_write = false;
  ir::Buffer buffer;
  std::vector<ValueId> index;
  std::vector<std::vector<ValueId>> lane_indices;  // as ir::Access has them
  std::vector<std::int64_t> shape;
};

/// A move of `bytes` per lane between two accesses that need no test.
struct CopySite {
  const MemSite* from = nullptr;
  const MemSite* to = nullptr;
  int bytes = 4;
};

/// An access to a local array that is not a plain register: `count` elements, `stride` apart, from
/// element imm + U[u] or imm + V[v].
struct LocalSite {
  std::uint32_t base = 0;  // first row
  std::int64_t rows = 0;
  std::int64_t elements = 0;  // of `size` bytes
  std::int64_t imm = 0, stride = 1;
  std::uint32_t u = 0, v = 0;
  bool varying = false;  // V[v] (32-bit lanes) instead of U[u]
  bool v_wide = false;
  std::uint16_t count = 1;
  std::uint8_t each = 1;  // elements of the buffer in one of `count`: 2 of 4 bits in a byte
  std::uint8_t size = 4, granule = 4, lane_bytes = 4;
  bool mixed = false;  // elements of several widths: poison is kept per byte
  bool checked = false;
  bool wide_value = false;  // the value registers have 8-byte lanes
  Place place;
  bool is_write = false;
  ir::Buffer buffer;
  std::vector<ValueId> index;
  std::vector<std::vector<ValueId>> lane_indices;  // as ir::Access has them
  std::vector<std::int64_t> shape;
};

/// A test that the bytecode compiler could not settle.
struct CheckSite {
  enum class Kind : std::uint8_t { index, overflow, align, poison, division };
  Kind kind = Kind::index;
  Place place;
  const MemSite* mem = nullptr;  // the access it guards
  const LocalSite* local = nullptr;
  std::int64_t lo = 0, hi = 0;  // index: legal values [lo, hi)
  std::int64_t imm = 0;         // index: value = imm + U/V
  std::vector<ValueId> index;   // index: of the one element that is tested; empty: of all
  const LanePattern* pattern = nullptr;
  num::DType dtype = num::DType::i32;
  num::ScalarOp op = num::ScalarOp::add;
  ValueId value = 0;
  std::string what;                   // poison: "the index of As", "the condition"
  std::uint32_t lanes = kFullMask;    // the others' values do not matter (ldmatrix)
  std::uint32_t guard = kNoRegister;  // lanes with 0 there neither (cp.async that reads nothing)
};

/// U[d] = imm + sum of U[term.reg] * term.scale.
struct LinearSite {
  struct Term {
    std::uint32_t reg;
    std::int64_t scale;
  };

  std::int64_t imm = 0;
  std::vector<Term> terms;
};

struct BranchSite {
  Place place;
  std::uint32_t join = 0;  // static id of the join where the two sides meet
  std::uint32_t join_label = 0;
  bool direct = false;  // the target is the join itself: those lanes wait there at once
  const Instr* join_pc = nullptr;
};

/// An operand of a machine operation.
struct CallOperand {
  enum class Kind : std::uint8_t { absent, uniform, vector, pointer, local };
  Kind kind = Kind::absent;
  std::uint32_t reg = 0;
  std::vector<std::uint32_t> group;  // vector of several lanes: a register for each
  ir::Type type;
  bool poison = false;
  MemSite* pointer = nullptr;  // address and limits
  LocalSite* local = nullptr;  // a whole local array (print_buffer)
};

struct CallSite {
  ir::OpId op{};
  Place place;
  std::array<CallOperand, 6> args;
  ir::Type result;
  bool result_poison = false;
  std::string text;
  std::uint32_t serial = 0;   // static number: seeds of elect
  std::uint32_t barrier = 0;  // into Program::barrier_sites, if it is one of them
  std::shared_ptr<const ir::ptx::Instruction> instruction;  // of an operation called by name
  PtxForm form;                                             // … and what it does
  const num::MmaRow* mma = nullptr;                         // the row of a matrix instruction
};

/// What the report writer needs to recompute a value for one lane.
struct ReportValues {
  std::vector<ValueNode> nodes;
  std::vector<std::vector<std::uint64_t>> tables;
};

/// Memory that accesses name by number: a tensor argument, or a shared storage.
struct Region {
  std::byte* data = nullptr;
  std::uint64_t* valid = nullptr;
  std::int64_t invalid = 0;  // bytes that were never written; 0: nothing to check
  bool counted = false;      // stores keep `invalid` exact; else it is 0 or 1 for the whole launch
  /// Who (Cta::owner) has touched each line of kOwnerLine bytes; null where CTAs run one
  /// after the other, and for tensors that nobody writes.
  std::uint32_t* owner = nullptr;
};

inline constexpr std::int64_t kOwnerLine = 32;

/// What is counted where an instruction is executed.
struct CountedInstr {
  const MemSite* access = nullptr;  // a load or a store
  const CallSite* call = nullptr;
  bool check = false;  // does no work of the kernel's
};

/// The places (Place::id) of a loop's condition and body: they are numbered in program order.
struct LoopPlaces {
  std::uint32_t begin = 0, end = 0;
};

struct SharedRegion {
  std::int64_t lo = 0, hi = 0;
};

/// Everything the machine needs for one launch.
struct Program {
  /// The statement that an instruction of `code` belongs to.
  [[nodiscard]] Span span_of(const Instr* pc) const {
    for (auto at = static_cast<std::size_t>(pc - code.data()) + 1; at-- > 0;) {
      if (!spans[at].empty()) return spans[at];
    }
    return {};
  }

  std::vector<Instr> preload;  // constants of a warp: executed once, with all lanes
  std::vector<Instr> code;
  std::vector<Span> spans;  // of the statement behind each instruction; empty: as before it
  std::vector<CountedInstr> counted;  // beside code, where statistics are asked for
  std::vector<std::unique_ptr<MemSite>> mem_sites;
  std::vector<std::unique_ptr<CopySite>> copy_sites;
  std::vector<std::unique_ptr<LocalSite>> local_sites;
  std::vector<std::unique_ptr<CallSite>> call_sites;
  std::vector<const CallSite*> barrier_sites;  // where threads arrive at barriers of the CTA
  std::vector<std::unique_ptr<CheckSite>> check_sites;
  std::vector<std::unique_ptr<LinearSite>> linear_sites;
  std::vector<std::unique_ptr<BranchSite>> branch_sites;
  std::vector<std::unique_ptr<LanePattern>> patterns;
  std::vector<std::unique_ptr<RaceSite>> race_sites;
  std::vector<RaceRegion> race_regions;  // by region; shift < 0: nothing watched
  /// Tables of per-warp constants in register form, [warp][lane], addressed by InstrData::table.
  std::vector<std::unique_ptr<std::vector<std::uint64_t>>> tables;
  ReportValues values;

  std::size_t vector_bytes = 0;  // register file of one warp
  std::size_t uniform_count = 0;
  std::size_t join_count = 0;
  std::uint32_t place_count = 0;

  // CTA coordinates in uniform registers, set at entry: cta x, y, z
  std::array<std::uint32_t, 3> cta_register{};

  std::int64_t shared_bytes = 0;
  std::int64_t dynamic_base = 0;             // where the dynamic arena begins
  std::size_t global_regions = 0;            // regions [0, global_regions) are the arguments
  std::vector<SharedRegion> shared_regions;  // the regions after them
  std::vector<LoopPlaces> loops;
  bool ordered = false;    // CTAs must run on one host thread, in order: global atomics
  bool races = false;      // races are looked for
  bool narrow = false;     // some fence or atomic has a scope below gpu
  bool resumable = false;  // CTAs may wait for each other: several are resident at a time
};

}  // namespace tirx::sim
