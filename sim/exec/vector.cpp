// Instructions on vector registers.  Lanes outside the strand's mask keep what they held.
#include <cstring>

#include "sim/exec/handlers.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

namespace {

template <typename T>
T* lanes(Warp& w, std::uint32_t reg) {
  return reinterpret_cast<T*>(w.vectors + reg);
}

template <typename T>
void fill(const Instr* pc, Warp& w, T value) {
  T* d = lanes<T>(w, pc->d);
  if (w.mask == kFullMask) {
    for (int i = 0; i < kLanes; ++i) d[i] = value;
  } else {
    for (int i = 0; i < kLanes; ++i) d[i] = (w.mask >> i & 1) != 0 ? value : d[i];
  }
}

template <typename T>
void copy(const T* from, T* d, std::uint32_t mask) {
  blend(d, from, mask);
}

template <typename T>
void select(const Instr* pc, Warp& w) {
  const std::uint32_t* c = w.v32(pc->a);
  const T *t = lanes<T>(w, pc->b), *f = lanes<T>(w, pc->c);
  T* d = lanes<T>(w, pc->d);
  if (w.mask == kFullMask) {
    for (int i = 0; i < kLanes; ++i) d[i] = c[i] != 0 ? t[i] : f[i];
  } else {
    for (int i = 0; i < kLanes; ++i) {
      d[i] = (w.mask >> i & 1) != 0 ? (c[i] != 0 ? t[i] : f[i]) : d[i];
    }
  }
}

void select_poison(const Instr* pc, Warp& w) {
  const std::uint32_t chosen = nonzero_lanes(w.v32(pc->a));
  const std::uint32_t a = w.poison_of(pc->a), b = chosen & w.poison_of(pc->b);
  const std::uint32_t c = ~chosen & w.poison_of(pc->c);
  w.set_poison(pc->d, a | b | c, a != 0 ? pc->a : b != 0 ? pc->b : pc->c);
}

void splat_poison(const Instr* pc, Warp& w) {
  const bool poison = w.uniform_poison[pc->a] != 0;
  std::uint32_t& bits = w.poison_of(pc->d);
  bits = poison ? bits | w.mask : bits & ~w.mask;
  if (poison) w.origin_of(pc->d) = w.uniform_origin[pc->a];
}

void apply(const Instr* pc, Warp& w) {
  pc->data.lane(w.vectors + pc->d, w.vectors + pc->a, w.vectors + pc->b, w.vectors + pc->c, w.mask);
}

}  // namespace

const Instr* v_const32(const Instr* pc, Warp& w) {
  fill<std::uint32_t>(pc, w, static_cast<std::uint32_t>(pc->data.imm));
  return pc + 1;
}

const Instr* v_const64(const Instr* pc, Warp& w) {
  fill<std::uint64_t>(pc, w, static_cast<std::uint64_t>(pc->data.imm));
  return pc + 1;
}

const Instr* v_table32(const Instr* pc, Warp& w) {
  const auto* rows = reinterpret_cast<const std::uint32_t*>(pc->data.table);
  copy(rows + static_cast<std::size_t>(w.index) * kLanes, w.v32(pc->d), w.mask);
  return pc + 1;
}

const Instr* v_table64(const Instr* pc, Warp& w) {
  copy(pc->data.table + static_cast<std::size_t>(w.index) * kLanes, w.v64(pc->d), w.mask);
  return pc + 1;
}

const Instr* v_splat32(const Instr* pc, Warp& w) {
  fill<std::uint32_t>(
      pc, w,
      static_cast<std::uint32_t>(w.uniform[pc->a] & static_cast<std::uint64_t>(pc->data.imm)));
  return pc + 1;
}

const Instr* v_splat64(const Instr* pc, Warp& w) {
  fill<std::uint64_t>(pc, w, w.uniform[pc->a]);
  return pc + 1;
}

const Instr* v_splat32_poison(const Instr* pc, Warp& w) {
  splat_poison(pc, w);
  return v_splat32(pc, w);
}

const Instr* v_splat64_poison(const Instr* pc, Warp& w) {
  splat_poison(pc, w);
  return v_splat64(pc, w);
}

const Instr* v_copy32(const Instr* pc, Warp& w) {
  copy(w.v32(pc->a), w.v32(pc->d), w.mask);
  return pc + 1;
}

const Instr* v_copy64(const Instr* pc, Warp& w) {
  copy(w.v64(pc->a), w.v64(pc->d), w.mask);
  return pc + 1;
}

const Instr* v_copy32_poison(const Instr* pc, Warp& w) {
  w.set_poison(pc->d, w.poison_of(pc->a), pc->a);
  return v_copy32(pc, w);
}

const Instr* v_copy64_poison(const Instr* pc, Warp& w) {
  w.set_poison(pc->d, w.poison_of(pc->a), pc->a);
  return v_copy64(pc, w);
}

const Instr* v_op(const Instr* pc, Warp& w) {
  apply(pc, w);
  return pc + 1;
}

const Instr* v_op_poison1(const Instr* pc, Warp& w) {
  w.set_poison(pc->d, w.poison_of(pc->a), pc->a);
  apply(pc, w);
  return pc + 1;
}

const Instr* v_op_poison2(const Instr* pc, Warp& w) {
  const std::uint32_t a = w.poison_of(pc->a), b = w.poison_of(pc->b);
  w.set_poison(pc->d, a | b, a != 0 ? pc->a : pc->b);
  apply(pc, w);
  return pc + 1;
}

const Instr* v_op_poison3(const Instr* pc, Warp& w) {
  const std::uint32_t a = w.poison_of(pc->a), b = w.poison_of(pc->b), c = w.poison_of(pc->c);
  w.set_poison(pc->d, a | b | c, a != 0 ? pc->a : b != 0 ? pc->b : pc->c);
  apply(pc, w);
  return pc + 1;
}

const Instr* v_convert(const Instr* pc, Warp& w) {
  pc->data.convert(w.vectors + pc->d, w.vectors + pc->a, w.mask);
  return pc + 1;
}

const Instr* v_convert_poison(const Instr* pc, Warp& w) {
  w.set_poison(pc->d, w.poison_of(pc->a), pc->a);
  return v_convert(pc, w);
}

const Instr* v_select32(const Instr* pc, Warp& w) {
  select<std::uint32_t>(pc, w);
  return pc + 1;
}

const Instr* v_select64(const Instr* pc, Warp& w) {
  select<std::uint64_t>(pc, w);
  return pc + 1;
}

const Instr* v_select32_poison(const Instr* pc, Warp& w) {
  select_poison(pc, w);
  select<std::uint32_t>(pc, w);
  return pc + 1;
}

const Instr* v_select64_poison(const Instr* pc, Warp& w) {
  select_poison(pc, w);
  select<std::uint64_t>(pc, w);
  return pc + 1;
}

const Instr* v_clear_poison(const Instr* pc, Warp& w) {
  w.poison_of(pc->d) &= ~w.mask;
  return pc + 1;
}

const Instr* v_taint(const Instr* pc, Warp& w) {
  w.poison_of(pc->d) |= w.mask;
  w.origin_of(pc->d) = variable_origin(*pc->data.check, w);
  return pc + 1;
}

}  // namespace tirx::sim::exec
