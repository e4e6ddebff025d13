// The instructions of the bytecode.  Variants for checks are separate handlers, chosen when the
// bytecode is made, so that a check that is off costs nothing.
#pragma once

#include "sim/machine/warp.hpp"

namespace tirx::sim::exec {

using H = const Instr*(const Instr*, Warp&);

// Uniform registers hold integers sign- or zero-extended to 64 bits, floats as raw bits.
H u_const;        // U[d] = imm
H u_table;        // U[d] = table[warp * 32]
H u_copy;         // U[d] = U[a]
H u_copy_poison;  // … with its poison
H u_op;           // imm: ScalarOp | dtype << 8 | result dtype << 16
H u_op_poison;
H u_cast;  // imm: from | to << 8
H u_cast_poison;
H u_select;  // U[d] = U[a] ? U[b] : U[c]
H u_select_poison;
H u_clear_poison;                                                     // U[d] is clean
H u_taint;                                                            // U[d] is poisoned
[[nodiscard]] Handler find_u_op(num::ScalarOp op, num::DType dtype);  // fast form, or nullptr

/// Handlers that loop over lanes exist once per instruction set, with the same results.
struct LaneHandlers {
  Handler v_const32;
  Handler v_const64;
  Handler v_table32;
  Handler v_table64;
  Handler v_splat32;
  Handler v_splat64;
  Handler v_splat32_poison;
  Handler v_splat64_poison;
  Handler v_copy32;
  Handler v_copy64;
  Handler v_copy32_poison;
  Handler v_copy64_poison;
  Handler v_op;
  Handler v_op_poison1;
  Handler v_op_poison2;
  Handler v_op_poison3;
  Handler v_convert;
  Handler v_convert_poison;
  Handler v_select32;
  Handler v_select64;
  Handler v_select32_poison;
  Handler v_select64_poison;
  Handler v_clear_poison;
  Handler v_taint;
  /// A form of v_op (or v_op_poisonN) without the call, or nullptr.
  Handler (*find_fast_op)(num::ScalarOp op, num::DType dtype, bool poison);
  /// Loads and stores.  `init`: validity of loaded bytes becomes poison, stored poison makes bytes
  /// invalid.
  Handler (*find_load)(const MemSite& site, bool uniform, bool init);
  Handler (*find_store)(const MemSite& site, bool init, bool poison);
  /// Moves the bytes and skips the load and the store behind it; or does nothing.
  Handler (*find_copy)(const CopySite& site, bool init);
  /// In front of loads and stores that are watched for races (InstrData::race; a: what is stored).
  Handler race_read;
  Handler race_write;
};

[[nodiscard]] const LaneHandlers& lane_handlers(num::LaneIsa isa);

// Checks (CheckSite in data).
H check_index_pattern;  // imm + U[a] + U[b] + pattern in [lo, hi)
H check_index_v32, check_index_v64;
H check_overflow_u, check_overflow_v, check_unsigned_u, check_unsigned_v;
H check_align_pattern;  // the address of the MemSite
H check_poison_u, check_poison_v;
H check_division_u, check_division_v;  // a: divisor; d: result, which becomes poison

// Control.
H jump;
H branch_u;                // U[a] == 0: to target
H branch_v;                // lanes of V[a] == 0 go to target
H join;                    // d: join id
H loop_enter;              // d: join id
H loop_test;               // d: join id; lanes of V[a] == 0 leave to target
H leave;                   // d: join id; the lanes leave inner regions and wait there
H exit_lanes;              // return
H loop_u_up, loop_u_down;  // U[a] += imm; if it is still before U[b]: to target
H loop_u_any;              // step in U[c]
H guard_u_up, guard_u_down, guard_u_any;  // unless U[a] is before U[b]: to target
H loop_u_far, guard_u_far;                // the same of uint64 beyond int64, upwards by U[c]
H assert_u, assert_v;                     // CallSite: place and text
H yield_poll;                             // the strand polls: let the others run

H local_taint;  // a local array comes to life
H local_load, local_load_init, local_store, local_store_init;

/// A machine operation.
[[nodiscard]] Handler find_machine_op(ir::OpId op);

}  // namespace tirx::sim::exec
