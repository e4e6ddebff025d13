// Statements: loops, branches, buffers of all scopes, views, vectors, assertions, names.
#include "tests/unit/backend_cuda/support.hpp"

namespace tirx::testing {

namespace {

using num::DType;
using num::ScalarOp;

Stmt stmt(auto node) {
  return {{}, std::move(node)};
}

Buffer scalar_buffer(const std::string& name, DType dtype) {
  const Buffer buffer = make_buffer(name, dtype, {1}, MemoryScope::local);
  auto copy = std::make_shared<BufferNode>(*buffer);
  copy->scalar = true;
  return copy;
}

Buffer view(const Buffer& of, const std::string& name, DType dtype, std::int64_t elements) {
  auto copy = std::make_shared<BufferNode>(*of);
  copy->name = name;
  copy->dtype = dtype;
  copy->shape = {make_int(elements)};
  copy->layout = Layout(TileLayout::row_major(std::vector<std::int64_t>{elements}).value());
  copy->is_view = true;
  return copy;
}

std::string statement_text(KernelBuilder& builder) {
  const std::string text = kernel_text(lowered(builder));
  const std::size_t begin = text.find(" {\n") + 3;
  return text.substr(begin, text.rfind("}\n") - begin);
}

}  // namespace

TEST_CASE("loops keep their kind, and evaluate their bounds once") {
  KernelBuilder k("loops");
  const Buffer a = k.param("A", DType::i32, {64});
  k.cta_id(1);
  k.thread_id(32);
  const auto loop = [&](E begin, E end, int step, LoopKind kind, int unroll) {
    const Var i = make_variable("i");
    return stmt(
        For{i, begin.expr, end.expr, make_int(step), kind, unroll, {store(a, {i}, E(i) + 1)}});
  };
  k.body({loop(0, 8, 1, LoopKind::serial, 0), loop(0, 8, 2, LoopKind::unroll, 0),
          loop(7, -1, -1, LoopKind::serial, 1), loop(0, E(load(a, {0})), 1, LoopKind::serial, 4),
          loop(0, E(load(a, {1})), 1, LoopKind::serial, 0)});
  CHECK(statement_text(k) ==
        "  for (int i = 0; i < 8; ++i) {\n"
        "    A_ptr[i] = i + 1;\n"
        "  }\n"
        "  #pragma unroll\n"
        "  for (int i = 0; i < 8; i += 2) {\n"
        "    A_ptr[i] = i + 1;\n"
        "  }\n"
        "  #pragma unroll 1\n"
        "  for (int i = 7; i > -1; --i) {\n"
        "    A_ptr[i] = i + 1;\n"
        "  }\n"
        "  const int i_end = A_ptr[0];\n"
        "  #pragma unroll 4\n"
        "  for (int i = 0; i < i_end; ++i) {\n"
        "    A_ptr[i] = i + 1;\n"
        "  }\n"
        "  const int i_end_1 = A_ptr[1];\n"
        "  for (int i = 0; i < i_end_1; ++i) {\n"
        "    A_ptr[i] = i + 1;\n"
        "  }\n");
  compiles(k, {"sm_90a"});
}

TEST_CASE("the last increment of a loop cannot overflow") {
  KernelBuilder k("steps");
  const Buffer a = k.param("A", DType::i32, {64});
  const Var n = k.scalar_param("n", ir::kInt32);
  k.cta_id(1);
  k.thread_id(32);
  const auto loop = [&](E begin, E end, int step) {
    const Var i = make_variable("i");
    return stmt(
        For{i, begin.expr, end.expr, make_int(step), LoopKind::serial, 0, {store(a, {0}, E(i))}});
  };
  constexpr int kMax = 2147483647;
  k.body({loop(0, n, 1), loop(0, n, -1), loop(0, n, 5), loop(n, 0, -5), loop(0, n, -5),
          loop(n, kMax - 4, 5), loop(n, kMax - 3, 5), loop(0, E(n) % 64, 5), loop(n, 3 - kMax, -5),
          loop(n, 2 - kMax, -5)});
  const std::string text = statement_text(k);
  std::vector<std::string> loops;
  for (std::size_t at = 0; (at = text.find("for (", at)) != std::string::npos; ++at) {
    loops.push_back(text.substr(at, text.find(" {\n", at) - at));
  }
  REQUIRE(loops.size() == 10);
  CHECK(loops[0] == "for (int i = 0; i < n; ++i)");
  CHECK(loops[1] == "for (int i = 0; i > n; --i)");
  CHECK(loops[2] == "for (unsigned i_trip = 0; i_trip < i_trips; ++i_trip)");
  CHECK(text.find("  const unsigned i_trips = tirx_trips_up<int>(0, n, 5u);\n"
                  "  for (unsigned i_trip = 0; i_trip < i_trips; ++i_trip) {\n"
                  "    const int i = i_trip * 5u;\n") != std::string::npos);
  CHECK(loops[3] == "for (int i = n; i > 0; i -= 5)");
  CHECK(text.find(" = tirx_trips_down<int>(0, n, 5u);\n") != std::string::npos);
  CHECK(text.find("    const int i = 0 - i_trip * 5u;\n") != std::string::npos);
  // The last value is at most end - 1, and end - 1 + step is still an int.
  CHECK(loops[5] == "for (int i = n; i < 2147483643; i += 5)");
  CHECK(text.find(" = tirx_trips_up<int>(n, 2147483644, 5u);\n") != std::string::npos);
  CHECK(text.find("    const int i = n + i_trip * 5u;\n") != std::string::npos);
  CHECK(loops[7].ends_with("; i += 5)"));
  CHECK(loops[8] == "for (int i = n; i > -2147483644; i -= 5)");
  CHECK(text.find(" = tirx_trips_down<int>(n, -2147483645, 5u);\n") != std::string::npos);
  compiles(k, {"sm_90a"});
}

TEST_CASE("mutable scalars are plain locals; names are unique and legal") {
  KernelBuilder k("names");
  const Buffer a = k.param("A", DType::i32, {64});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  const Buffer x = scalar_buffer("int", DType::i32);
  const Buffer again = scalar_buffer("x", DType::f32);
  const Var inner = make_variable("x");
  k.body({stmt(Allocate{x}), store(x, {0}, 5), stmt(Allocate{again}),
          stmt(While{(E(load(x, {0})) < 9).expr,
                     {stmt(Let{inner, (E(load(x, {0})) + 1).expr}), store(x, {0}, E(inner)),
                      if_then(E(tx) == 3, {stmt(Break{})}, {stmt(Continue{})})}}),
          stmt(Assert{(E(load(x, {0})) < 100).expr, "x is small"}),
          if_then(E(tx) == 1, {store(a, {tx}, load(x, {0}))},
                  {if_then(E(tx) == 2, {stmt(Return{})}, {store(a, {tx}, 7)})})});
  CHECK(statement_text(k) ==
        "  const int tx = threadIdx.x;\n"
        "  int int_1 = 5;\n"
        "  float x;\n"
        "  while (int_1 < 9) {\n"
        "    const int x_1 = (int)(int_1 + 1u);\n"
        "    int_1 = x_1;\n"
        "    if (tx == 3) {\n"
        "      break;\n"
        "    } else {\n"
        "      continue;\n"
        "    }\n"
        "  }\n"
        "  if (!(int_1 < 100)) __trap();  // x is small\n"
        "  if (tx == 1) {\n"
        "    A_ptr[tx] = int_1;\n"
        "  } else if (tx == 2) {\n"
        "    return;\n"
        "  } else {\n"
        "    A_ptr[tx] = 7;\n"
        "  }\n");
  compiles(k, {"sm_90a"});
}

TEST_CASE("vectors, registers, views and the dynamic arena") {
  KernelBuilder k("views");
  const Buffer a = k.param("A", DType::f16, {1024});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  const Buffer arena = k.alloc("pool", DType::u8, {4096}, MemoryScope::shared_dynamic);
  const Buffer half = view(arena, "half_tile", DType::f16, 1024);
  const Buffer word = view(arena, "words", DType::u32, 512);
  const Buffer regs = k.alloc("regs", DType::f16, {8}, MemoryScope::local);
  const Type eight{DType::f16, 8};
  const Expr sum =
      make_expr(eight, {}, Scalar{ScalarOp::add, {load(regs, {0}, 8), load(half, {E(tx) * 8}, 8)}});
  k.body({stmt(Declare{half}), stmt(Declare{word}), store(regs, {0}, load(a, {E(tx) * 8}, 8)),
          store(half, {E(tx) * 8}, load(regs, {0}, 8)), store(a, {E(tx) * 8}, sum),
          store(word, {tx}, load(word, {E(tx) + 1}))});
  CHECK(statement_text(k) ==
        "  const int tx = threadIdx.x;\n"
        "  extern __shared__ __align__(1024) unsigned char dynamic_shared[];\n"
        "  unsigned char* const pool = dynamic_shared;\n"
        "  alignas(16) tirx_f16 regs[8];\n"
        "  auto* half_tile = reinterpret_cast<tirx_f16*>(pool);\n"
        "  auto* words = reinterpret_cast<unsigned*>(pool);\n"
        "  tirx_copy_16(&regs[0], &A_ptr[tx * 8]);\n"
        "  tirx_copy_16(&half_tile[tx * 8], &regs[0]);\n"
        "  tirx_store(&A_ptr[tx * 8], tirx_map<tirx_f16>([](tirx_f16 a, tirx_f16 b) { return "
        "tirx_add_f16(a, b); }, tirx_load<8>(&regs[0]), tirx_load<8>(&half_tile[tx * 8])));\n"
        "  words[tx] = words[tx + 1];\n");
  compiles(k);
}

TEST_CASE("vector expressions compile for every width") {
  for (const int lanes : {2, 3, 4, 8, 16}) {
    for (const DType dtype : {DType::u8, DType::f16, DType::f32, DType::i64}) {
      CAPTURE(lanes);
      KernelBuilder k("vectors");
      const Buffer a = k.param("A", dtype, {2048});
      k.cta_id(1);
      const Var tx = k.thread_id(32);
      const Type type{dtype, static_cast<std::uint16_t>(lanes)};
      const Expr value = load(a, {E(tx) * 16}, lanes);
      const Expr one = load(a, {0});
      const Expr same = make_expr(type, {}, Broadcast{one});
      const Expr sum = make_expr(type, {}, Scalar{ScalarOp::add, {value, same}});
      const Expr wide = make_expr({DType::f32, type.lanes}, {}, Cast{sum});
      const Expr back = make_expr(type, {}, Cast{wide});
      const Expr less =
          make_expr({DType::boolean, type.lanes}, {}, Scalar{ScalarOp::lt, {value, same}});
      const Expr chosen = make_expr(type, {}, Select{less, value, back});
      std::vector<Expr> parts;
      for (int i = 0; i < lanes; ++i) {
        parts.push_back(make_expr(type.element(), {}, Extract{chosen, i}));
      }
      const Expr made = make_expr(type, {}, MakeVector{parts});
      Stmt strided = store(a, {E(tx) * 16}, made);
      std::get<Store>(strided.node).to.stride = 2;
      k.body({store(a, {E(tx) * 16}, back), store(a, {E(tx) * 16}, chosen), std::move(strided)});
      compiles(k, {"sm_90a"});
    }
  }
}

TEST_CASE("parameters come as handles, symbols, scalars; the launcher computes the grid") {
  KernelBuilder k("saxpy");
  const Var n = k.symbol("n");
  const Buffer x = k.param_strided("X", DType::f32, {make_var(n)});
  const Var alpha = k.scalar_param("alpha", {DType::f32, 1});
  const Buffer y = k.param_strided("Y", DType::f32, {make_var(n)});
  const Var bx = k.cta_id((E(n) + 255) / 256);
  const Var tx = k.thread_id(256);
  const Var i = make_variable("i");
  k.body({stmt(Let{i, (E(bx) * 256 + tx).expr}),
          if_then(E(i) < n, {store(y, {i}, E(alpha) * load(x, {i}) + load(y, {i}))})});
  const Result<std::string> text = cuda::emit(lowered(k));
  REQUIRE(text);
  CHECK(text->substr(text->find("extern \"C\"")) ==
        "extern \"C\" __global__ void __launch_bounds__(256)\n"
        "saxpy(const float* __restrict__ X_ptr, float* Y_ptr, int n, float alpha) {\n"
        "  const int bx = blockIdx.x;\n"
        "  const int tx = threadIdx.x;\n"
        "  const int i = (int)(bx * 256u + tx);\n"
        "  if (i < n) {\n"
        "    Y_ptr[i] = tirx_add_f32(tirx_mul_f32(alpha, X_ptr[i]), Y_ptr[i]);\n"
        "  }\n"
        "}\n"
        "\n"
        "#ifndef __CUDACC_RTC__\n"
        "\n"
        "// Launches saxpy on the stream.\n"
        "inline cudaError_t launch_saxpy(\n"
        "    const float* X_ptr,\n"
        "    float* Y_ptr,\n"
        "    int n,\n"
        "    float alpha,\n"
        "    cudaStream_t stream = 0) {\n"
        "  const dim3 grid((n + 255) / 256, 1, 1);\n"
        "  const dim3 block(256, 1, 1);\n"
        "  saxpy<<<grid, block, 0, stream>>>(X_ptr, Y_ptr, n, alpha);\n"
        "  return cudaGetLastError();\n"
        "}\n"
        "\n"
        "#endif  // __CUDACC_RTC__\n");
  compiles(k);
}

TEST_CASE("line directives name the script") {
  KernelBuilder k("lines");
  const Buffer a = k.param("A", DType::i32, {64});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  k.kernel().source = std::make_shared<const Source>("a.tx", "first\nsecond\nthird\n");
  Stmt one = store(a, {tx}, 1);
  one.span = {6, 8};
  Stmt two = store(a, {tx}, 2);
  two.span = {9, 11};
  Stmt three = store(a, {tx}, 3);
  three.span = {13, 15};
  k.body({one, two, three});
  const Result<std::string> text =
      cuda::emit(lowered(k), {.line_directives = true, .host_launcher = false});
  REQUIRE(text);
  CHECK(text->substr(text->find("  const int tx")) ==
        "  const int tx = threadIdx.x;\n"
        "  #line 2 \"a.tx\"\n"
        "  A_ptr[tx] = 1;\n"
        "  A_ptr[tx] = 2;\n"
        "  #line 3 \"a.tx\"\n"
        "  A_ptr[tx] = 3;\n"
        "}\n");
}

TEST_CASE("two kernels of one name share a file") {
  KernelBuilder k("twice");
  const Buffer a = k.param("A", DType::f32, {32});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  k.body({store(a, {tx}, E(load(a, {tx})) * load(a, {tx}))});
  const lower::LoweredKernel one = lowered(k);
  const lower::LoweredKernel* const both[] = {&one, &one};
  const Result<std::string> text = cuda::emit(both);
  REQUIRE(text);
  CHECK(text->find("\ntwice(float*") != std::string::npos);
  CHECK(text->find("\ntwice_1(float*") != std::string::npos);
  // The helper is printed once.
  CHECK(text->find("float tirx_mul_f32(") == text->rfind("float tirx_mul_f32("));
}

}  // namespace tirx::testing
