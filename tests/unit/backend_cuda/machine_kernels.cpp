// Machine operations: the text of each family, and that it compiles where it is legal.
#include "tests/unit/backend_cuda/support.hpp"

namespace tirx::testing {

namespace {

using num::DType;

template <typename Op>
Expr machine_call(Type type, std::vector<Expr> args = {}, std::string text = {}) {
  return make_expr(type, {}, MachineCall{AllOps::id_of<Op>(), std::move(args), std::move(text)});
}

template <typename Op>
Stmt perform(std::vector<Expr> args = {}, std::string text = {}) {
  return {{}, Evaluate{machine_call<Op>(kVoid, std::move(args), std::move(text))}};
}

constexpr Type kUint32{DType::u32, 1};

Expr full_mask() {
  return make_int(-1, kUint32);
}

Expr address(const Buffer& buffer, std::initializer_list<E> indices) {
  return make_expr(kHandle, {}, AddressOf{access(buffer, indices)});
}

/// The statements of the kernel's body, without head and end.
std::string body_text(KernelBuilder& builder, std::string_view arch = "sm_90a") {
  const std::string text = kernel_text(lowered(builder, arch));
  const std::size_t begin = text.find(" {\n") + 3;
  return text.substr(begin, text.rfind("}\n") - begin);
}

}  // namespace

TEST_CASE("barriers and fences") {
  KernelBuilder k("barriers");
  k.cta_id(1);
  k.thread_id(128);
  k.body({perform<CtaSync>(), perform<WarpSync>(), perform<WarpSync>({full_mask()}),
          perform<NamedBarrierSync>({make_int(1), make_int(64)}),
          perform<NamedBarrierArrive>({make_int(2), make_int(64)}), perform<ThreadFence>({}, "cta"),
          perform<ThreadFence>({}, "gpu"), perform<ThreadFence>({}, "sys")});
  CHECK(body_text(k) ==
        "  __syncthreads();\n"
        "  __syncwarp();\n"
        "  __syncwarp(0xffffffffu);\n"
        "  tirx_bar_sync(1, 64);\n"
        "  tirx_bar_arrive(2, 64);\n"
        "  __threadfence_block();\n"
        "  __threadfence();\n"
        "  __threadfence_system();\n");
  compiles(k);
}

TEST_CASE("cluster operations need sm_90, and the error lists who has them") {
  KernelBuilder k("cluster");
  const Buffer out = k.param("Out", DType::i32, {8});
  const Var bx = k.cta_id(4);
  const Var rank = k.scope_id(ScopeIdKind::cta_id_in_cluster, "rank", 2);
  k.thread_id(32);
  k.body({perform<ClusterArrive>(), perform<ClusterWait>(), perform<ThreadFence>({}, "cluster"),
          if_then(machine_call<ElectSync>(kBool), {store(out, {bx}, rank)})});
  const std::string text = kernel_text(lowered(k));
  CHECK(text.find("__cluster_dims__(2, 1, 1)") != std::string::npos);
  CHECK(text.find("const int rank = tirx_cta_in_cluster_x();") != std::string::npos);
  CHECK(text.find("if (tirx_elect_sync(0xffffffffu)) {") != std::string::npos);
  compiles(k, {"sm_90a", "sm_100a"});
  const Result<lower::LoweredKernel> refused = lower::lower(k.kernel(), target("sm_80"));
  REQUIRE(!refused);
  CHECK(refused.error().text == "ptx.barrier.cluster.arrive does not exist on sm_80");
  REQUIRE(refused.error().notes.size() == 1);
  CHECK(refused.error().notes[0].text ==
        "it is there on sm_90a, sm_100a, sm_120a; choose one with --arch");
}

TEST_CASE("exchanges between lanes") {
  for (const DType dtype : {DType::i8, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64,
                            DType::f16, DType::bf16, DType::f32, DType::f64}) {
    CAPTURE(num::name(dtype));
    KernelBuilder k("shuffles");
    const Buffer a = k.param("A", dtype, {32});
    k.cta_id(1);
    const Var tx = k.thread_id(32);
    const Type type{dtype, 1};
    const Expr value = load(a, {tx});
    k.body(
        {store(a, {tx}, machine_call<ShuffleIdx>(type, {full_mask(), value, make_int(3)})),
         store(a, {tx}, machine_call<ShuffleUp>(type, {full_mask(), value, make_int(1)})),
         store(a, {tx}, machine_call<ShuffleDown>(type, {full_mask(), value, make_int(1)})),
         store(a, {tx},
               machine_call<ShuffleXor>(type, {full_mask(), value, make_int(16), make_int(32)}))});
    compiles(k, {"sm_80", "sm_90a"});
  }
}

TEST_CASE("votes, matches and integer reductions") {
  KernelBuilder k("votes");
  const Buffer u = k.param("U", DType::u32, {32});
  const Buffer i = k.param("I", DType::i32, {32});
  const Buffer f = k.param("F", DType::f32, {32});
  const Buffer b = k.param("B", DType::boolean, {32});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  const Expr odd = (E(tx) % 2 == 1).expr;
  const Expr uv = load(u, {tx});
  const Expr iv = load(i, {tx});
  k.body({store(b, {tx}, machine_call<VoteAll>(kBool, {full_mask(), odd})),
          store(b, {tx}, machine_call<VoteAny>(kBool, {full_mask(), odd})),
          store(u, {tx}, machine_call<VoteBallot>(kUint32, {full_mask(), odd})),
          store(u, {tx}, machine_call<MatchAny>(kUint32, {full_mask(), iv})),
          store(u, {tx}, machine_call<MatchAny>(kUint32, {full_mask(), load(f, {tx})})),
          store(u, {tx}, machine_call<ActiveMask>(kUint32)),
          store(i, {tx}, machine_call<ReduxAdd>(kInt32, {full_mask(), iv})),
          store(u, {tx}, machine_call<ReduxMin>(kUint32, {full_mask(), uv})),
          store(i, {tx}, machine_call<ReduxMax>(kInt32, {full_mask(), iv})),
          store(i, {tx}, machine_call<ReduxAnd>(kInt32, {full_mask(), iv})),
          store(u, {tx}, machine_call<ReduxOr>(kUint32, {full_mask(), uv})),
          store(u, {tx}, machine_call<ReduxXor>(kUint32, {full_mask(), uv}))});
  compiles(k);
}

TEST_CASE("atomics spell order, scope and space") {
  KernelBuilder k("atomics");
  const Buffer f = k.param("F", DType::f32, {32});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  const Buffer s = k.alloc("S", DType::f32, {32}, MemoryScope::shared);
  const Expr one = load(f, {tx});
  k.body({perform<AtomicAdd>({address(f, {0}), one}, "relaxed.gpu"),
          perform<AtomicAdd>({address(s, {0}), one}, "acq_rel.cta")});
  const Result<std::string> text = cuda::emit(lowered(k));
  REQUIRE(text);
  CHECK(text->find("atom.relaxed.gpu.global.add.f32") != std::string::npos);
  CHECK(text->find("atom.acq_rel.cta.shared.add.f32") != std::string::npos);
  CHECK(body_text(k) ==
        "  const int tx = threadIdx.x;\n"
        "  __shared__ alignas(64) float S[32];\n"
        "  tirx_atomic_add_global_f32(&F_ptr[0], F_ptr[tx]);\n"
        "  tirx_atomic_add_acq_rel_cta_shared_f32(&S[0], F_ptr[tx]);\n");
  compiles(k);
}

TEST_CASE("every atomic compiles for every type that it has") {
  for (const DType dtype :
       {DType::i32, DType::u32, DType::i64, DType::u64, DType::f16, DType::f32, DType::f64}) {
    for (const MemoryScope scope : {MemoryScope::global, MemoryScope::shared}) {
      CAPTURE(num::name(dtype));
      KernelBuilder k("atomics");
      const Buffer a = k.param("A", dtype, {32});
      k.cta_id(1);
      const Var tx = k.thread_id(32);
      const Buffer s = scope == MemoryScope::shared ? k.alloc("S", dtype, {32}, scope) : a;
      const Type type{dtype, 1};
      const Expr p = address(s, {tx});
      const Expr v = load(a, {tx});
      Body body{store(a, {tx}, machine_call<AtomicAdd>(type, {p, v})),
                store(a, {tx}, machine_call<LoadAcquire>(type, {p}, "acquire.gpu")),
                perform<StoreRelease>({p, v}, "release.gpu")};
      if (num::bits(dtype) >= 32) {
        body.push_back(store(a, {tx}, machine_call<AtomicExchange>(type, {p, v})));
        body.push_back(store(a, {tx}, machine_call<AtomicCas>(type, {p, v, v})));
      }
      if (num::is_int(dtype)) {
        body.push_back(store(a, {tx}, machine_call<AtomicMin>(type, {p, v})));
        body.push_back(store(a, {tx}, machine_call<AtomicMax>(type, {p, v})));
        body.push_back(store(a, {tx}, machine_call<AtomicAnd>(type, {p, v})));
        body.push_back(store(a, {tx}, machine_call<AtomicOr>(type, {p, v})));
        body.push_back(store(a, {tx}, machine_call<AtomicXor>(type, {p, v})));
      }
      k.body(std::move(body));
      compiles(k, {"sm_80", "sm_90a"});
    }
  }
}

TEST_CASE("an atomic on a thread's own memory is refused") {
  KernelBuilder k("local_atomic");
  k.cta_id(1);
  k.thread_id(32);
  const Buffer x = k.alloc("x", DType::i32, {4}, MemoryScope::local);
  k.body({perform<AtomicAdd>({address(x, {0}), make_int(1)})});
  const Result<lower::LoweredKernel> refused = lower::lower(k.kernel(), target("sm_90a"));
  REQUIRE(!refused);
  CHECK(refused.error().text ==
        "cuda.atomic_add needs shared or global memory, and x is local to a thread");
}

TEST_CASE("output, delays, raw CUDA") {
  KernelBuilder k("control");
  const Buffer a = k.param("A", DType::f16, {32});
  const Buffer n = k.param("N", DType::u8, {32});
  k.cta_id(1);
  const Var tx = k.thread_id(32);
  k.body({perform<Printf>({make_var(tx), load(a, {tx})}, "lane %d: %f \"x\"\n"),
          perform<PrintBuffer>({address(a, {0}), make_int(4)}, "A"),
          perform<PrintBuffer>({address(n, {0}), make_int(4)}, "N"),
          perform<NanoSleep>({make_int(100)}),
          perform<RawCudaCall>({address(a, {tx})},
                               "twice\n__device__ void twice(unsigned short* p) { *p *= 2; }\n"),
          if_then(E(tx) == 40, {perform<Trap>()})});
  const std::string text = body_text(k);
  CHECK(text.find("printf(\"lane %d: %f \\\"x\\\"\\n\", tx, "
                  "tirx_f32_to_f64(tirx_f16_to_f32(A_ptr[tx])));") != std::string::npos);
  CHECK(text.find("  twice(&A_ptr[tx]);\n") != std::string::npos);
  compiles(k);
}

TEST_CASE("printf's conversions follow the arguments' types") {
  KernelBuilder k("print");
  const Buffer a = k.param("A", DType::i64, {32});
  const Buffer u = k.param("U", DType::u32, {32});
  const Buffer b = k.param("B", DType::i8, {32});
  const Buffer f = k.param("F", DType::f32, {32});
  k.cta_id(1);
  k.thread_id(32);
  k.body({perform<Printf>({load(a, {0}), load(u, {0}), load(b, {0}), load(f, {0})},
                          "%5d %d %x %d 100%%\n"),
          perform<Printf>({load(b, {0}), load(f, {0}), load(u, {0})}, "%.2f %-8.3f %lu\n")});
  CHECK(body_text(k) ==
        "  printf(\"%5lld %lld %x %lld 100%%\\n\", (long long)A_ptr[0], (long long)U_ptr[0], "
        "(int)(unsigned char)B_ptr[0], tirx_f32_to_i64(F_ptr[0]));\n"
        "  printf(\"%.2f %-8.3f %u\\n\", tirx_i32_to_f64(B_ptr[0]), tirx_f32_to_f64(F_ptr[0]), "
        "U_ptr[0]);\n");
  compiles(k, {"sm_90a"});
}

}  // namespace tirx::testing
