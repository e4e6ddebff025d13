// Every scalar operation for every type that has it, and every conversion, compiles for every
// architecture.
#include <map>

#include "numerics/scalar_op.hpp"
#include "tests/unit/backend_cuda/support.hpp"

namespace tirx::testing {

namespace {

using num::DType;
using num::ScalarOp;

const std::vector<DType> kArithmetic{DType::boolean, DType::i8,  DType::i16, DType::i32, DType::i64,
                                     DType::u8,      DType::u16, DType::u32, DType::u64, DType::f16,
                                     DType::bf16,    DType::f32, DType::f64};

Expr apply(const num::ScalarOpRow& row, DType dtype, const std::vector<Expr>& operands) {
  const Type type{num::result_dtype(row.op, dtype), 1};
  return make_expr(type, {}, Scalar{row.op, {operands.begin(), operands.begin() + row.arity}});
}

/// One statement an operation of the type, on three elements that each thread loads.
KernelBuilder all_operations(DType dtype) {
  KernelBuilder k("operations_" + std::string(num::name(dtype)));
  const Buffer in = k.param("In", dtype, {96});
  std::map<DType, Buffer> out;
  for (const DType result : {dtype, DType::boolean, DType::i32}) {
    if (!out.contains(result)) {
      out[result] = k.param("Out_" + std::string(num::name(result)), result, {128 * 32});
    }
  }
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  Body body;
  std::vector<Expr> operands;
  for (int i = 0; i < 3; ++i) {
    const Var value = make_variable(std::string(1, "abc"[i]), {dtype, 1});
    body.push_back({{}, Let{value, load(in, {E(tx) + 32 * i})}});
    operands.push_back(make_var(value));
  }
  int slot = 0;
  for (const num::ScalarOpRow& row : num::scalar_op_rows()) {
    if (!num::is_legal(row.op, dtype)) continue;
    const Expr value = apply(row, dtype, operands);
    body.push_back(store(out.at(value->type.dtype), {E(tx) + 32 * slot++}, value));
  }
  k.body(std::move(body));
  return k;
}

}  // namespace

TEST_CASE("every scalar operation compiles for every type") {
  for (const DType dtype : kArithmetic) {
    CAPTURE(num::name(dtype));
    KernelBuilder k = all_operations(dtype);
    compiles(k);
  }
}

TEST_CASE("every conversion compiles") {
  for (const num::DTypeRow& from : num::dtype_rows()) {
    if (from.kind == num::Kind::handle) continue;
    CAPTURE(from.name);
    KernelBuilder k("from_" + std::string(from.name));
    const Buffer in = k.param("In", from.dtype, {32});
    k.cta_id(1);
    std::vector<std::pair<DType, Buffer>> out;
    for (const num::DTypeRow& to : num::dtype_rows()) {
      if (to.kind == num::Kind::handle || to.bits == 4) continue;
      out.emplace_back(to.dtype, k.param("Out_" + std::string(to.name), to.dtype, {32}));
    }
    const Var tx = k.thread_id(32);
    Body body;
    for (const auto& [to, buffer] : out) {
      body.push_back(store(buffer, {tx}, make_expr({to, 1}, {}, Cast{load(in, {tx})})));
    }
    k.body(std::move(body));
    compiles(k, {"sm_80", "sm_90a"});
  }
}

TEST_CASE("user-visible integers wrap, offsets do not need to") {
  KernelBuilder k("wrap");
  const Buffer a = k.param("A", DType::i32, {1024});
  k.cta_id(8);
  const Var tx = k.thread_id(128);
  const Var x = make_variable("x");
  k.body({{{}, Let{x, load(a, {tx})}},
          store(a, {E(tx) + 128}, E(x) * 3 + 7),
          store(a, {E(tx) * 2 + 1}, E(x) * x - E(tx) * 4),
          store(a, {tx}, E(tx) * 4 + 1)});
  CHECK(kernel_text(lowered(k)) ==
        "extern \"C\" __global__ void __launch_bounds__(128)\n"
        "wrap(int* A_ptr) {\n"
        "  const int tx = threadIdx.x;\n"
        "  const int x = A_ptr[tx];\n"
        "  A_ptr[tx + 128] = (int)(x * 3u + 7);\n"
        "  A_ptr[tx * 2 + 1] = (int)((unsigned)x * x - tx * 4);\n"
        "  A_ptr[tx] = tx * 4 + 1;\n"
        "}\n");
  compiles(k, {"sm_90a"});
}

TEST_CASE("floor division is plain where the sign is known") {
  KernelBuilder k("divide");
  const Buffer a = k.param("A", DType::i32, {128});
  k.cta_id(1);
  const Var tx = k.thread_id(128);
  const Var x = make_variable("x");
  k.body({{{}, Let{x, load(a, {tx})}},
          store(a, {tx}, E(x) / 8),
          store(a, {tx}, E(x) % 8),
          store(a, {tx}, E(x) / 10),
          store(a, {tx}, E(tx) / 8 * (E(tx) % 8))});
  CHECK(kernel_text(lowered(k)) ==
        "extern \"C\" __global__ void __launch_bounds__(128)\n"
        "divide(int* A_ptr) {\n"
        "  const int tx = threadIdx.x;\n"
        "  const int x = A_ptr[tx];\n"
        "  A_ptr[tx] = x >> 3;\n"
        "  A_ptr[tx] = x & 7;\n"
        "  A_ptr[tx] = tirx_floordiv_i32(x, 10);\n"
        "  A_ptr[tx] = tx / 8 * (tx % 8);\n"
        "}\n");
}

TEST_CASE("float arithmetic is helpers, each with its rounding") {
  KernelBuilder k("axpy");
  const Buffer x = k.param("X", DType::f32, {256});
  const Buffer y = k.param("Y", DType::f32, {256});
  const Var alpha = k.scalar_param("alpha", {DType::f32, 1});
  k.cta_id(2);
  const Var tx = k.thread_id(128);
  k.body({store(y, {tx}, E(alpha) * load(x, {tx}) + load(y, {tx}))});
  CHECK(kernel_text(lowered(k)) ==
        "extern \"C\" __global__ void __launch_bounds__(128)\n"
        "axpy(const float* __restrict__ X_ptr, float* Y_ptr, float alpha) {\n"
        "  const int tx = threadIdx.x;\n"
        "  Y_ptr[tx] = tirx_add_f32(tirx_mul_f32(alpha, X_ptr[tx]), Y_ptr[tx]);\n"
        "}\n");
}

}  // namespace tirx::testing
