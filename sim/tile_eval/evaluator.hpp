// The state of the tile-level evaluator: every thread is an interpreter of its own with an explicit
// stack of statements, so that it can stop wherever it waits for others.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/all_ops.hpp"
#include "ir/facts.hpp"
#include "ir/kernel.hpp"
#include "ir/ptx/instruction.hpp"
#include "sim/bind.hpp"
#include "sim/tile_eval/tile_evaluate.hpp"

namespace tirx::sim::tile {

template <typename... Ops>
[[nodiscard]] bool is(ir::OpId op) {
  return ((op == ir::AllOps::id_of<Ops>()) || ...);
}

/// One value of one thread.
struct Cell {
  std::uint64_t bits = 0;
  bool poison = false;
};

using Cells = std::vector<Cell>;

/// A run of statements in progress.
struct Frame {
  const ir::Body* body = nullptr;
  std::size_t at = 0;
  const ir::For* loop = nullptr;
  const ir::While* loop_while = nullptr;
  std::int64_t value = 0, end = 0, step = 1;
};

enum class State : std::uint8_t { runnable, polls, waits, done };

/// What a pointer names.
struct Bytes {
  ir::Memory* memory = nullptr;
  std::size_t begin = 0;
  bool global = false;
};

/// An mbarrier: the arrivals of a phase, those that are missing, and the phases that are complete.
struct PhaseBarrier {
  std::uint64_t expected = 0, pending = 0, phase = 0;
};

struct Thread {
  std::vector<Frame> frames;
  std::vector<Cells> variables;
  std::vector<std::unique_ptr<ir::Memory>> locals;
  State state = State::runnable;
  // What it waits for: a machine operation with its operands, or a tile call.
  const ir::ExprNode* call = nullptr;
  const ir::TileCall* tile = nullptr;
  Span tile_span;
  std::vector<Cell> operands;
  std::optional<Bytes> row;               // of ldmatrix
  const PhaseBarrier* awaited = nullptr;  // until its phase has not the parity of operands[0]
  bool arrived = false;                   // counted at a named barrier or at the cluster's
  std::uint64_t phase = 0;
  // Results of machine operations of the statement in progress, in order of evaluation.
  std::vector<Cell> replies;
  std::size_t next_reply = 0;
};

struct ClusterState {
  std::int64_t arrived = 0, live = 0;
  std::uint64_t phase = 0;
};

struct CtaRun {
  std::int64_t linear = 0;
  std::array<std::int64_t, 3> coordinates{};
  std::vector<Thread> threads;
  std::map<const ir::Storage*, std::unique_ptr<ir::Memory>> shared;
  std::array<std::int64_t, 16> barrier_arrived{};
  std::array<std::set<std::size_t>, 16> barrier_threads;  // who has come since it was complete
  std::map<std::pair<const ir::Memory*, std::size_t>, PhaseBarrier> mbarriers;
  std::shared_ptr<ClusterState> cluster;
};

/// Where an element lies.
struct Place {
  ir::Memory* memory = nullptr;
  std::int64_t element = 0;  // of the buffer's dtype
  std::int64_t base = 0;     // bytes in front of element 0
  std::int64_t limit = 0;    // bytes that belong to the storage, from base
};

/// A barrier with a count takes 32 threads for each warp (PTX ISA 9.7.13.1, bar): how many lanes of
/// the warps of those who came have returned, or never were.
[[nodiscard]] std::int64_t absent_lanes(const CtaRun& cta, const std::set<std::size_t>& came);

class Evaluator {
 public:
  Evaluator(const ir::Kernel& kernel, const TileEvalOptions& options);
  ir::LaunchOutcome run(std::span<const ir::Argument> arguments);

 private:
  // evaluator.cpp: launch and scheduling
  std::optional<Diagnostic> prepare(std::span<const ir::Argument> arguments);
  void number_variables(const ir::Body& body);
  void start(CtaRun& cta);
  void run_grid();
  bool advance(CtaRun& cta);   // false: nothing moved
  bool resolve(CtaRun& cta);   // lets waiting threads go on
  bool narrowed(CtaRun& cta);  // a tile call that only some threads of its scope reach
  void deadlock(const CtaRun& cta);
  [[nodiscard]] std::int64_t id_of(const ir::ScopeIdDef& def,
                                   std::size_t dim,
                                   const CtaRun& cta,
                                   std::int64_t thread) const;

  // statement.cpp
  void run_thread(CtaRun& cta, std::size_t thread);
  void step(CtaRun& cta, std::size_t thread);
  void loop_control(Thread& t, bool leave);

  // expression.cpp
  Cells eval(const ir::Expr& expr);
  Cell eval_one(const ir::Expr& expr);
  void decide(Cell condition, bool is_pure, Span span, Cells& result);
  [[nodiscard]] bool pure(const ir::Expr& expr) const;
  std::optional<std::int64_t> eval_int(const ir::Expr& expr);
  Cells load(const ir::Access& access, int lanes, Span span);
  void store(const ir::Access& access, const Cells& values, Span span);
  [[nodiscard]] std::optional<std::vector<std::int64_t>> coordinates(const ir::Access& access,
                                                                     Span span);
  void trace_access(const Place& place, std::size_t begin, std::size_t end, bool write) const;

  /// Barrier `id` of the CTA: 0 … 15 by name, then one for each warp.
  [[nodiscard]] static std::uint64_t barrier_key(const CtaRun& cta, std::uint64_t id) {
    return static_cast<std::uint64_t>(cta.linear) << 16U | id;
  }

  [[nodiscard]] std::size_t traced(const CtaRun& cta, std::size_t thread) const;
  void trace_meeting(const CtaRun& cta,
                     std::span<const std::size_t> threads,
                     std::uint64_t barrier);
  Cell read(const Place& place, num::DType dtype);
  void write(const Place& place, num::DType dtype, Cell value);

  // place.cpp
  [[nodiscard]] std::optional<std::int64_t> offset_of(const ir::BufferNode& buffer,
                                                      std::span<const std::int64_t> coordinates);
  /// The buffer's layout prepared for its shape (constant shapes); null if it does not fit it.
  [[nodiscard]] const ir::Placement* placement_of(const ir::BufferNode& buffer);
  [[nodiscard]] Place place_of(const ir::BufferNode& buffer,
                               std::int64_t element,
                               std::size_t thread);
  [[nodiscard]] std::vector<std::int64_t> shape_of(const ir::BufferNode& buffer);
  [[nodiscard]] bool inside(const Place& place, num::DType dtype) const;
  void outside(const ir::BufferNode& buffer,
               std::span<const std::int64_t> at,
               Span span,
               bool write);

  // calls.cpp
  Cell machine_call(const ir::Expr& expr, const ir::MachineCall& call);
  Cell instruction(Span span, const ir::MachineCall& call);
  void print_buffer(const ir::MachineCall& call, const std::vector<Cell>& operands, Span span);
  Cell memory_call(const ir::Expr& expr,
                   const ir::MachineCall& call,
                   const std::optional<std::vector<std::int64_t>>& at,
                   const std::vector<Cell>& operands);
  bool finish_warp_call(CtaRun& cta, std::size_t warp);
  void reply(Thread& t, Cell value);

  // by_name.cpp: PTX instructions that reach memory
  [[nodiscard]] bool known_by_name(const ir::MachineCall& call) const;
  Cells by_name(const ir::Expr& expr, const ir::MachineCall& call);
  Cells act_by_name(const ir::Expr& expr,
                    const ir::MachineCall& call,
                    const std::vector<Cells>& operands);
  std::optional<Bytes> bytes_at(const ir::Expr& pointer, std::int64_t size, Span span, bool write);
  [[nodiscard]] static Cell read_bytes(const Bytes& from, std::size_t offset, std::size_t size);
  void write_bytes(const Bytes& to, std::size_t offset, std::size_t size, Cell value);
  PhaseBarrier* mbarrier_at(const Bytes& at, Span span);
  std::optional<std::uint64_t> mbarrier_count(const Cell& count, Span span);
  bool is_phase(const Cell& asked, Span span);
  bool is_parity(const Cell& asked, Span span);
  Cells mbarrier_by_name(const ir::MachineCall& call,
                         const ir::ptx::Instruction& made,
                         const std::vector<Cells>& operands,
                         Span span);
  bool finish_mbarrier_waits(CtaRun& cta);
  // exchange_by_name.cpp: those that reach other threads
  [[nodiscard]] static bool exchanges_by_name(ir::OpId op);
  bool finish_exchange(CtaRun& cta, std::size_t thread);
  bool finish_bar_red(CtaRun& cta);

  // tile_call.cpp
  struct Owner {
    std::size_t thread = 0;
    std::int64_t element = 0;
  };

  void execute(CtaRun& cta,
               const ir::TileCall& call,
               const std::vector<std::size_t>& threads,
               Span span);
  enum class Filling : std::uint8_t { none, outside, all, skip };
  Filling filling_of(const ir::TileCall& call, const std::vector<std::size_t>& threads, Span span);

  // gemm.cpp
  void gemm(const ir::TileCall& call, const std::vector<std::size_t>& threads, Span span);
  std::vector<Owner> owners(const ir::BufferNode& buffer,
                            std::span<const std::int64_t> at,
                            const std::vector<std::size_t>& threads,
                            Span span,
                            bool first_only = false);

  struct Box {
    ir::Buffer buffer;
    std::vector<std::int64_t> begin, extent;
  };

  std::optional<Box> box_of(const ir::Region& region,
                            const std::vector<std::size_t>& threads,
                            Span span);
  Cell read_element(const Box& box,
                    std::span<const std::int64_t> at,
                    const std::vector<std::size_t>& threads,
                    Span span);
  void write_element(const Box& box,
                     std::span<const std::int64_t> at,
                     Cell value,
                     const std::vector<std::size_t>& threads,
                     Span span);

  // known_range.cpp
  void find_facts();
  [[nodiscard]] ir::Interval known_range(const ir::Expr& expr);

  bool edge_copy(const ir::TileCall& call,
                 const Box& dst,
                 const Box& src,
                 const std::vector<std::size_t>& threads,
                 Span span);

  // elementwise.cpp
  void elementwise(const ir::TileCall& call,
                   const Box& dst,
                   const std::vector<std::size_t>& threads,
                   Span span);
  // reduction.cpp
  void reduce(const ir::TileCall& call,
              const Box& dst,
              const std::vector<std::size_t>& threads,
              Span span);
  /// Evaluates in every thread; false where they disagree.
  bool same_in_all(const ir::Expr& expr, const std::vector<std::size_t>& threads, Cell& value);

  void fault(ir::FaultKind kind, Span span, std::string text, std::string element = {});
  void unsupported(Span span, std::string text);

  const ir::Kernel& kernel_;
  TileEvalOptions options_;
  const ir::Target& target_;
  Binding binding_;
  ir::LaunchOutcome outcome_;
  std::map<std::pair<std::uint64_t, int>, std::size_t> seen_;
  std::unordered_map<const ir::Variable*, std::size_t> slots_;
  std::unordered_map<const ir::Storage*, std::size_t> local_slots_;
  std::unordered_map<const ir::BufferNode*, std::optional<ir::Placement>> placements_;
  std::optional<std::set<const ir::TileCall*>> conditional_;  // under a condition
  std::optional<ir::Facts> facts_;                            // about the kernel's variables
  CtaRun* cta_ = nullptr;                                     // whose thread is running
  std::size_t thread_ = 0;
  std::uint64_t rounds_ = 0;
  bool blocked_ = false;  // the expression in progress waits for others
  bool stopped_ = false;
  bool atomic_ = false;  // the access in progress is one
  std::uint64_t steps_ = 0;
  std::uint64_t changes_ = 0;  // writes to memory: polling threads may see something new
};

}  // namespace tirx::sim::tile
