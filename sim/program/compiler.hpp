// Thread IR to bytecode, for one launch.
//
// Pure expressions become nodes of the value table and are turned into instructions where they are
// first needed: in front of the outermost loop in which they do not change.  Nothing is assumed
// about the program that a check could contradict: what the table cannot prove is tested at run
// time, at the access as it is written.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/base/result.hpp"
#include "sim/bind.hpp"
#include "sim/exec/handlers.hpp"
#include "sim/program/analysis.hpp"
#include "sim/program/bytecode.hpp"
#include "sim/program/registers.hpp"
#include "sim/program/value.hpp"
#include "sim/simulate.hpp"

namespace tirx::sim {

class Compiler {
 public:
  Compiler(const lower::LoweredKernel& kernel, const Binding& binding, const SimOptions& options);

  /// The error says what cannot be simulated.
  Result<std::unique_ptr<Program>> run();

 private:
  using Values = std::vector<ValueId>;
  using Label = std::uint32_t;

  // A mutable scalar: one register for its whole life.
  struct ScalarHome {
    Reg reg = 0;
    bool uniform = false;
    bool poison = false;
    ValueId current = kNoValue;  // leaf for its present value; kNoValue after an assignment
    ValueId fixed = kNoValue;    // Analysis::constants: its only value
  };

  struct LocalArray {
    Reg reg = 0;  // first row
    std::int64_t bytes = 0;
    int granule = 4;
    bool mixed = false;
  };

  struct LoopFrame {
    const void* node = nullptr;
    Code preheader, body;
    Code* outer = nullptr;
    std::size_t scope = 0;  // of the preheader
    std::uint32_t first_place = 0;
    Label break_label = 0, continue_label = 0;
    std::uint32_t break_join = kNoJoin, continue_join = kNoJoin;
  };

  struct CachedReg {
    Reg reg = kNoRegister;
    std::size_t scope = 0;
    std::uint64_t serial = 0;
  };

  struct Cached {
    CachedReg vector, uniform;
  };

  // compiler.cpp: threads, statements
  void thread_variables();
  void declare_shared();
  void local_arrays();
  void finish();
  void assemble(const Code& drafts, std::vector<Instr>& code);
  static void classify(LanePattern& known);
  void entry();
  void statements(const ir::Body& body);
  void statement(const ir::Stmt& stmt);
  [[nodiscard]] ValueId named(ValueId id);
  void let(const ir::Let& node);
  void allocate(const ir::Allocate& node);
  void for_loop(const ir::For& node, Span span);
  void uniform_for(const ir::For& node, ValueId begin, ValueId end, ValueId step, Span span);
  ValueId next_value(ValueId counter, ValueId end, ValueId step, Interval by, num::DType dtype);
  void varying_for(const ir::For& node, ValueId begin, ValueId end, ValueId step, Span span);
  void while_loop(const ir::While& node, Span span);
  void if_statement(const ir::If& node);
  void break_loop();
  void continue_loop();
  void assertion(const ir::Assert& node, Span span);
  void loop_body(const ir::Body& body, LoopFrame& frame);
  void enter_join(std::uint32_t id, Label label);
  void loop_test(ValueId condition, LoopFrame& frame);
  void spin_check(const ir::While& node, Span span);
  void open_loop(const void* node);
  void close_loop();
  void forget_assigned(const void* node);
  void branch(ValueId condition,
              Span span,
              const std::function<void()>& on_true,
              const std::function<void()>& on_false);
  void assume(ValueId condition, bool holds);
  [[nodiscard]] Interval range(ValueId value) const;

  // expression.cpp
  ValueId value(const ir::Expr& expr);
  Values values(const ir::Expr& expr);
  Values scalar_op(const ir::ExprNode& node, const ir::Scalar& op);
  ValueId integer_division(num::ScalarOp op, num::DType dtype, ValueId a, ValueId b, Span span);
  Values regrouped(const Values& given, num::DType from, ir::Type to);
  Values conditional(const ir::Expr& condition,
                     const ir::Expr& when_true,
                     const ir::Expr& when_false,
                     ir::Type type,
                     Span span);
  ValueId logical(const ir::Expr& left, const ir::Expr& right, bool is_and, Span span);
  [[nodiscard]] bool is_pure(const ir::Expr& expr) const;
  ValueId read_scalar(const ir::BufferNode& buffer);
  [[nodiscard]] bool mentions_alias(ValueId id) const;

  // emit.cpp
  Reg vector_reg(ValueId id);
  Reg uniform_reg(ValueId id);
  void emit_vector(Code& code, ValueId id, Reg into);
  void emit_uniform(Code& code, ValueId id, Reg into);
  void assign(ValueId id, Reg into, bool uniform, bool tracks_poison);
  ValueId fresh_leaf(num::DType dtype, bool uniform, bool poison, Reg& reg);
  Reg new_vector(num::DType dtype);                   // for a variable
  Reg new_temporary(num::DType dtype, bool tracked);  // for a value
  Reg new_uniform();
  Draft& emit(Handler handler);
  void place_label(Label label);

  Label new_label() { return next_label_++; }

  void check_poison(
      ValueId id, Span span, std::string what, const MemSite* mem, const LocalSite* local);

  [[nodiscard]] bool wide(num::DType dtype) const { return num::bits(dtype) == 64; }

  // access.cpp
  struct Linear {
    std::int64_t constant = 0;
    std::vector<std::pair<ValueId, std::int64_t>> terms;
    int visits = 0;  // shared subexpressions are visited again: bounded
  };

  struct Address {
    const LanePattern* pattern = nullptr;
    std::int64_t imm = 0, k1 = 1;
    ValueId u0 = kNoValue, u1 = kNoValue;
    ValueId v = kNoValue;
  };

  void linearise(ValueId id, std::int64_t scale, bool exact, Linear& into) const;
  Address split(const Linear& linear);
  ValueId uniform_sum(std::vector<std::pair<ValueId, std::int64_t>> terms);
  const LanePattern* pattern(const std::vector<std::int64_t>& offsets);
  Values load(const ir::Access& access, ir::Type type, Span span);
  void store(const ir::Access& access, const Values& stored, Span span);
  bool copy(const ir::Store& node, Span span);
  /// `bytes`: that one access takes; 0: an element each.
  std::unique_ptr<MemSite> memory_site(
      const ir::Access& access, int count, bool write, Span span, std::int64_t bytes = 0);
  void check_align(MemSite* site, std::int64_t need);
  void check_access(const ir::Access& access,
                    const Values& index,
                    int count,
                    MemSite* mem,
                    LocalSite* local,
                    Span span);
  void check_indices(const Values& index,
                     std::int64_t last_reach,
                     bool one_element,
                     MemSite* mem,
                     LocalSite* local);
  std::vector<Values> lane_values(const ir::Access& access);
  ValueId exact(ValueId id, num::DType dtype, std::map<ValueId, ValueId>& known, Values& leaves);
  void check_unsigned(
      ValueId id, Place at, const MemSite* mem, const LocalSite* local, std::vector<ValueId>& done);
  void check_overflow(ValueId id,
                      Place place,
                      const MemSite* mem,
                      const LocalSite* local,
                      std::vector<ValueId>& done);
  Values local_load(const ir::Access& access, int count, Span span);
  void local_store(const ir::Access& access, const Values& stored, Span span);
  ValueId half_of(ValueId byte, ValueId element, num::DType dtype);
  void place_local(LocalSite& site, const Linear& linear);
  ValueId byte_of_half(ValueId element);
  void check_whole_byte(LocalSite& site, ValueId element);
  std::unique_ptr<LocalSite> local_site(
      const ir::Access& access, ValueId flat, int count, bool write, Span span, int each);
  [[nodiscard]] std::vector<std::int64_t> shape_of(const ir::BufferNode& buffer);
  Values index_values(const ir::Access& access);
  [[nodiscard]] std::uint16_t region_of(const ir::Storage& storage,
                                        std::int64_t& lo,
                                        std::int64_t& hi) const;

  // races.cpp
  void watch(MemSite& mem, const CallSite* call);
  void emit_race(MemSite& mem, Reg value);
  void note_scope(const CallSite& call);
  void finish_races();
  static void lay_out(RaceSite& site, const RaceRegion& region);

  // machine_call.cpp
  Values machine_call(const ir::ExprNode& node, const ir::MachineCall& call);
  [[nodiscard]] static bool polls(const ir::MachineCall& call);
  void decode_instruction(CallSite& site, const ir::MachineCall& call);
  void pointer_operand(CallSite& site,
                       const ir::MachineCall& call,
                       std::size_t at,
                       const ir::AddressOf& pointer,
                       Span span);
  [[nodiscard]] static bool runs_along_last(const ir::BufferNode& buffer);
  Values result_block(ir::Type type, bool poison, Reg& first);
  void local_operand(CallSite& call, CallOperand& operand, const ir::Access& access, Span span);
  [[nodiscard]] bool check_call(const ir::ExprNode& node, const ir::MachineCall& call);

  Place place(Span span) { return {span, next_place_++, role_, role_otherwise_}; }

  [[nodiscard]] bool names_role(ValueId condition, Span span) const;

  void fail(Span span, std::string text, std::string help = {});

  [[nodiscard]] bool checks(ir::FaultKind kind) const { return checks_.has(kind); }

  std::size_t depth() const { return loops_.size(); }

  void push_scope();
  void pop_scope();
  [[nodiscard]] bool usable(const CachedReg& cached) const;
  Code& code_for(const ValueNode& node, std::size_t& scope);

  const lower::LoweredKernel& kernel_;
  const Binding& binding_;
  CheckSet checks_;
  const exec::LaneHandlers& lanes_;
  bool init_;   // uninitialised data is tracked
  bool stats_;  // what is executed is counted
  Analysis analysis_;
  ValueTable table_;
  Registers registers_;
  std::unique_ptr<Program> program_;
  std::vector<Diagnostic> errors_;

  std::unordered_map<const ir::Variable*, Values> variables_;  // one value for each vector lane
  std::unordered_map<const ir::Storage*, ScalarHome> scalars_;
  std::unordered_map<const ir::Storage*, LocalArray> arrays_;
  std::unordered_map<const ir::Storage*, std::size_t> shared_;  // index into shared_regions
  std::unordered_map<ValueId, Cached> cached_;
  std::vector<std::pair<ValueId, Interval>> assumed_;
  std::vector<std::unique_ptr<LoopFrame>> loops_;
  std::vector<std::uint64_t> scopes_;  // serial numbers
  std::uint64_t next_scope_ = 1;
  Code main_;
  Code preload_;  // constants: executed once per warp, before its first CTA
  Code* code_ = &main_;
  Span statement_;  // that is being compiled
  Span role_;       // Place::role
  bool role_otherwise_ = false;
  Label next_label_ = 0;
  std::uint32_t next_place_ = 0;
  Reg zero_ = 0;  // uniform register that is always 0
};

}  // namespace tirx::sim
