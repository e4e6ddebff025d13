// Instructions on uniform registers.
#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"
#include "sim/exec/handlers.hpp"
#include "sim/exec/report.hpp"

namespace tirx::sim::exec {

namespace {

using num::DType;
using num::ScalarOp;

std::uint64_t to_raw(std::uint64_t value, DType dtype) {
  return num::is_int(dtype) ? num::from_int64(static_cast<std::int64_t>(value), dtype) : value;
}

std::uint64_t from_raw(std::uint64_t bits, DType dtype) {
  return num::is_int(dtype) ? static_cast<std::uint64_t>(num::to_int64(bits, dtype)) : bits;
}

std::uint64_t evaluate(const Instr* pc, const Warp& w) {
  const auto imm = static_cast<std::uint64_t>(pc->data.imm);
  const auto op = static_cast<ScalarOp>(imm & 0xff);
  const auto from = static_cast<DType>(imm >> 8 & 0xff);
  const auto to = static_cast<DType>(imm >> 16 & 0xff);
  const num::Evaluated e =
      num::evaluate(op, from, to_raw(w.uniform[pc->a], from), to_raw(w.uniform[pc->b], from),
                    to_raw(w.uniform[pc->c], from));
  return from_raw(e.value, to);
}

std::uint64_t convert(const Instr* pc, const Warp& w) {
  const auto imm = static_cast<std::uint64_t>(pc->data.imm);
  const auto from = static_cast<DType>(imm & 0xff);
  const auto to = static_cast<DType>(imm >> 8 & 0xff);
  const std::uint64_t bits = to_raw(w.uniform[pc->a], from);
  return from_raw((imm >> 16 & 1) != 0 ? bits : num::convert(bits, from, to), to);
}

/// U[d] becomes poisoned if U[from] is.
void copy_poison(const Instr* pc, Warp& w, std::uint32_t from) {
  w.uniform_poison[pc->d] = w.uniform_poison[from];
  w.uniform_origin[pc->d] = w.uniform_origin[from];
}

/// The first poisoned operand, or any.
std::uint32_t culprit(const Instr* pc, const Warp& w) {
  return w.uniform_poison[pc->a] != 0 ? pc->a : w.uniform_poison[pc->b] != 0 ? pc->b : pc->c;
}

template <typename T>
struct As {
  static T get(std::uint64_t v) { return static_cast<T>(v); }

  static std::uint64_t put(T v) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)); }
};

template <typename T, typename F>
const Instr* fast(const Instr* pc, Warp& w, F&& f) {
  w.uniform[pc->d] = As<T>::put(f(As<T>::get(w.uniform[pc->a]), As<T>::get(w.uniform[pc->b])));
  return pc + 1;
}

// Wrapping arithmetic on the unsigned type of the same width.
template <typename T>
using Bits = std::make_unsigned_t<T>;

template <typename T>
const Instr* add(const Instr* pc, Warp& w) {
  return fast<T>(pc, w, [](T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
  });
}

template <typename T>
const Instr* sub(const Instr* pc, Warp& w) {
  return fast<T>(pc, w, [](T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
  });
}

template <typename T>
const Instr* mul(const Instr* pc, Warp& w) {
  return fast<T>(pc, w, [](T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
  });
}

template <typename T, typename F>
const Instr* compare(const Instr* pc, Warp& w, F&& f) {
  w.uniform[pc->d] = f(As<T>::get(w.uniform[pc->a]), As<T>::get(w.uniform[pc->b])) ? 1 : 0;
  return pc + 1;
}

template <typename T>
const Instr* lt(const Instr* pc, Warp& w) {
  return compare<T>(pc, w, [](T a, T b) { return a < b; });
}

template <typename T>
const Instr* ge(const Instr* pc, Warp& w) {
  return compare<T>(pc, w, [](T a, T b) { return a >= b; });
}

template <typename T>
const Instr* gt(const Instr* pc, Warp& w) {
  return compare<T>(pc, w, [](T a, T b) { return a > b; });
}

template <typename T>
const Instr* le(const Instr* pc, Warp& w) {
  return compare<T>(pc, w, [](T a, T b) { return a <= b; });
}

template <typename T>
const Instr* eq(const Instr* pc, Warp& w) {
  return compare<T>(pc, w, [](T a, T b) { return a == b; });
}

template <typename T>
const Instr* ne(const Instr* pc, Warp& w) {
  return compare<T>(pc, w, [](T a, T b) { return a != b; });
}

template <typename T>
const Instr* bit_xor(const Instr* pc, Warp& w) {
  return fast<T>(pc, w, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <typename T>
const Instr* bit_and(const Instr* pc, Warp& w) {
  return fast<T>(pc, w, [](T a, T b) { return static_cast<T>(a & b); });
}

template <typename T>
Handler find_typed(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
      return add<T>;
    case ScalarOp::sub:
      return sub<T>;
    case ScalarOp::mul:
      return mul<T>;
    case ScalarOp::lt:
      return lt<T>;
    case ScalarOp::ge:
      return ge<T>;
    case ScalarOp::gt:
      return gt<T>;
    case ScalarOp::le:
      return le<T>;
    case ScalarOp::eq:
      return eq<T>;
    case ScalarOp::ne:
      return ne<T>;
    case ScalarOp::bit_xor:
      return bit_xor<T>;
    case ScalarOp::bit_and:
      return bit_and<T>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_u_op(ScalarOp op, DType dtype) {
  switch (dtype) {
    case DType::i32:
      return find_typed<std::int32_t>(op);
    case DType::i64:
      return find_typed<std::int64_t>(op);
    case DType::u32:
      return find_typed<std::uint32_t>(op);
    default:
      return nullptr;
  }
}

const Instr* u_const(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = static_cast<std::uint64_t>(pc->data.imm);
  return pc + 1;
}

const Instr* u_table(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = pc->data.table[static_cast<std::size_t>(w.index) * kLanes];
  return pc + 1;
}

const Instr* u_copy(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = w.uniform[pc->a];
  return pc + 1;
}

const Instr* u_copy_poison(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = w.uniform[pc->a];
  copy_poison(pc, w, pc->a);
  return pc + 1;
}

const Instr* u_op(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = evaluate(pc, w);
  return pc + 1;
}

const Instr* u_op_poison(const Instr* pc, Warp& w) {
  copy_poison(pc, w, culprit(pc, w));
  w.uniform[pc->d] = evaluate(pc, w);
  return pc + 1;
}

const Instr* u_cast(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = convert(pc, w);
  return pc + 1;
}

const Instr* u_cast_poison(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = convert(pc, w);
  copy_poison(pc, w, pc->a);
  return pc + 1;
}

const Instr* u_select(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = w.uniform[w.uniform[pc->a] != 0 ? pc->b : pc->c];
  return pc + 1;
}

const Instr* u_select_poison(const Instr* pc, Warp& w) {
  const std::uint32_t chosen = w.uniform[pc->a] != 0 ? pc->b : pc->c;
  const auto poison = static_cast<std::uint8_t>(w.uniform_poison[pc->a] | w.uniform_poison[chosen]);
  const std::uint32_t origin = w.uniform_origin[w.uniform_poison[pc->a] != 0 ? pc->a : chosen];
  w.uniform[pc->d] = w.uniform[chosen];
  w.uniform_poison[pc->d] = poison;
  w.uniform_origin[pc->d] = origin;
  return pc + 1;
}

const Instr* u_clear_poison(const Instr* pc, Warp& w) {
  w.uniform_poison[pc->d] = 0;
  return pc + 1;
}

// What nobody wrote is 0, and not what another CTA has left there: what comes of it is the same in
// every run.
const Instr* u_taint(const Instr* pc, Warp& w) {
  w.uniform[pc->d] = 0;
  w.uniform_poison[pc->d] = 1;
  w.uniform_origin[pc->d] = variable_origin(*pc->data.check, w);
  return pc + 1;
}

}  // namespace tirx::sim::exec
