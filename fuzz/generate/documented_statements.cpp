// Statements and declarations in a kernel that says what becomes of it.
#include <algorithm>
#include <array>

#include "fuzz/generate/documented_kernel.hpp"

namespace tirx::fuzz {

void KnownKernel::loop() {
  const std::string i = fresh("i");
  const int step = dice_.between(2, 9), begin = dice_.below(4);
  const std::string first = std::to_string(begin);
  switch (dice_.below(9)) {
    case 0:
      line("for {} in range({}, 30, {}): {}", i, begin, step,
           has(fmt::format("for (int {0} = {1}; {0} < 30; {0} += {2}) {{", i, begin, step)) +
               has_not("#pragma"));
      break;
    case 1:
      line("for {} in range(20, {}, {}): {}", i, begin, -step,
           has(fmt::format("for (int {0} = 20; {0} > {1}; {0} -= {2}) {{", i, begin, step)));
      break;
    case 2:
      line("for {} in range({}, s, {}): {}", i, begin, step,
           has(fmt::format("tirx_trips_up<int>({}, s, {}u);", begin, step)) +
               has(fmt::format("const int {0} = {1}{0}_trip * {2}u;", i,
                               begin == 0 ? "" : first + " + ", step)));
      break;
    case 3:
      if (dice_.chance(50)) {
        line("for {} in range(s, {}, {}): {}", i, begin, -step,
             has(fmt::format("for (int {0} = s; {0} > {1}; {0} -= {2}) {{", i, begin, step)));
      } else {
        line("for {} in range(20, s, {}): {}", i, -step,
             has(fmt::format("tirx_trips_down<int>(20, s, {}u);", step)) +
                 has(fmt::format("const int {0} = 20 - {0}_trip * {1}u;", i, step)));
      }
      break;
    case 4:
      line("for {} in range({}, s): {}", i, begin,
           has(fmt::format("for (int {0} = {1}; {0} < s; ++{0}) {{", i, begin)));
      break;
    case 5:
      line("for {} in T.unroll({}): {}", i, step, has("#pragma unroll\\n"));
      break;
    case 6:
      line("for {} in T.serial({}, unroll={}): {}", i, step + 1, step,
           has(fmt::format("#pragma unroll {}\\n", step)));
      break;
    case 7:
      line("for {} in T.serial({}, unroll={}): {}", i, step,
           dice_.one_of<const char*>({"False", "1"}), has("#pragma unroll 1\\n"));
      break;
    default:
      // Read once.
      line("for {} in range({}, B[t, 0] & 15): {}", i, begin,
           has(fmt::format("const int {}_end = ", i)) +
               has(fmt::format("{0} < {0}_end; ++{0}) {{", i)));
  }
  ++indent_;
  line("W[t, {}] = W[t, 0] * T.int64(3) + T.cast({}, \"int64\")", dice_.below(2), i);
  --indent_;
}

/// Names stay what they are where C++ and the headers leave them.
void KnownKernel::names() {
  static constexpr auto kTaken =
      std::to_array<const char*>({"double", "char", "NAN", "INT_MAX", "threadIdx", "template",
                                  "signed", "xor", "uint4", "min", "warpSize", "M_PI"});
  static constexpr auto kFree = std::to_array<const char*>(
      {"value", "stage", "mins", "sum", "row", "tx", "kernel", "exponent", "xors"});
  const std::string text = dice_.chance(50)
                               ? kTaken[static_cast<std::size_t>(dice_.below(kTaken.size()))]
                               : kFree[static_cast<std::size_t>(dice_.below(kFree.size()))];
  const bool taken = std::find(kTaken.begin(), kTaken.end(), text) != kTaken.end();
  if (std::find(used_.begin(), used_.end(), text) != used_.end()) return;
  used_.push_back(text);
  const std::string cuda = taken ? text + "_1" : text;
  // In blocks beside each other it is free again.
  for (const char* condition : {"t > 3", "t > 5"}) {
    line("if {}:", condition);
    ++indent_;
    line("{}: T.let = t + {} {}", text, dice_.between(1, 9),
         has(fmt::format("const int {} = t + ", cuda)));
    line("{} = {} {}", place(), text, has(fmt::format(" = {};", cuda)));
    --indent_;
  }
}

/// A local that is called as its kernel: the kernel's name is taken everywhere.
void KnownKernel::own_name() {
  if (std::find(used_.begin(), used_.end(), name_) != used_.end()) return;
  if (std::find(used_.begin(), used_.end(), in_cuda_) != used_.end()) return;
  used_.push_back(name_);
  const std::string cuda = in_cuda_ == name_ + "_1" ? name_ : in_cuda_ + "_1";
  if (dice_.chance(50)) {
    line("{}: T.let = t + {} {}", name_, dice_.between(1, 9),
         has(fmt::format("const int {} = t + ", cuda)));
  } else {
    line("{}: T.int32 = x {}", name_, has(fmt::format("const int {} = x;", cuda)));
  }
  line("{} = {} {}", place(), name_, has(fmt::format(" = {};", cuda)));
}

/// Tensors are const as long as nothing writes them, in whatever way.
void KnownKernel::written() {
  const std::string name = fresh("Known");
  const std::string element = fmt::format("{}.ptr_to([t])", name);
  bool writes = true;
  switch (dice_.below(8)) {
    case 0:
      line("{}[t] = x", name);
      break;
    case 1:
      line("{} = T.cuda.atomic_{}({}, {})", place(), dice_.one_of<const char*>({"add", "exch"}),
           element, dice_.below(9));
      break;
    case 2:
      line("T.ptx.st.global_.s32({}, x)", element);
      break;
    case 3: {
      const std::string p = fresh("p");
      line("{}: T.let = {}", p, element);
      line("T.ptx.st.global_.s32({}, x)", p);
      break;
    }
    case 4:
      line("T.ptx.st.release({}, x)", element);
      break;
    case 5: {
      const std::string r = fresh("m");
      line("{}: T.int32 = 0", r);
      line("T.ptx.ld.global_.s32({}, {})", r, element);
      line("{} = {}", place(), r);
      writes = false;
      break;
    }
    case 6:
      line("{} = T.cuda.ldg({})", place(), element);
      writes = false;
      break;
    default:
      line("{} = {}[t]", place(), name);
      writes = false;
  }
  tensors_.push_back({name, writes});
}

void KnownKernel::assertion() {
  const int c = dice_.between(1, 9);
  line("assert t >= 0, \"number {}\" {}", c, has(fmt::format("__trap();  // number {}\\n", c)));
}

/// A tile operation stands under a comment that names it.
void KnownKernel::copy() {
  const std::string s = fresh("S");
  line("{} = T.alloc_shared(({},), \"float32\")", s, threads_);
  line("Tx.cta.copy({}[:], A[0:{}]) {}", s, threads_,
       has(fmt::format("// Tx.cta.copy({}, A", s)) + has(": gmem_smem, vec "));
  line("T.cuda.cta_sync()");
  line("{} = {}[t] {}", float_place(), s, has(fmt::format(" = {}[t];", s)));
}

/// Constant where nothing is assigned to it again.
void KnownKernel::variable() {
  const std::string m = fresh("m");
  const bool again = dice_.chance(50);
  line("{}: T.int32 = x {}", m,
       again ? has(fmt::format("  int {} = x;", m)) : has(fmt::format("const int {} = x;", m)));
  if (again) line("{0} = {0} & 7 {1}", m, has(fmt::format("{0} = {0} & 7;", m)));
  line("{} = {} {}", place(), m, has(fmt::format(" = {};", m)));
}

/// Aligned where a vector moves elements of it.
void KnownKernel::array() {
  const std::string l = fresh("L");
  const bool vectors = dice_.chance(50);
  line("{} = T.alloc_local((4,), \"float32\") {}", l,
       has(fmt::format("{}float {}[4];", vectors ? "alignas(16) " : "  ", l)));
  for (int i = 0; i < 4; ++i) line("{}[{}] = A[t + {}]", l, i, i);
  if (vectors) {
    line("F.vstore([t, 4], {}.vload([0], \"float32x4\")) {}", l,
         has(fmt::format("tirx_copy_16(&F[t * 8 + 4], &{}[0]);", l)));
  } else {
    line("{} = {}[t & 3]", float_place(), l);
  }
}

/// Two elements of four bits a byte, one more where they are odd.
void KnownKernel::half_bytes() {
  const std::string l = fresh("L"), a = fresh("v");
  const int elements = dice_.between(2, 9), at = dice_.below(elements);
  line("{} = T.alloc_local(({},), \"float4_e2m1fn\") {}", l, elements,
       has(fmt::format("unsigned char {}[{}];", l, (elements + 1) / 2)));
  const std::string view = "A.view(\"float4_e2m1fn\")";
  line("{} = {}", a, view);
  for (int i = 0; i + 1 < elements; i += 2)
    line("{}.vstore([{}], {}.vload([t * 8 + {}], \"float4_e2m1fnx2\")) {}", l, i, a, i,
         has("tirx_copy_1(&" + l + "["));
  if (at == elements - 1 && elements % 2 != 0) return;  // nothing is there
  line("{} = T.cast({}[{}], \"float32\") {}", float_place(), l, at,
       has(fmt::format("tirx_load_e2m1({}, {})", l, at)));
}

/// What is hidden of a vector's lanes, and what not: data of the arguments is not.
void KnownKernel::hidden_lanes() {
  const std::string m = fresh("m");
  line("{}: T.float32 = T.float32({}.5)", m, dice_.between(1, 9));
  if (dice_.chance(50)) line("{} = {} + T.float32(1.0)", m, m);
  for (int count = dice_.between(2, 4); count > 0; --count) {
    const bool data = dice_.chance(50);
    const std::string v = fresh("v");
    line("{} = {}", v,
         data ? "A.vload([t * 2], \"float32x2\")" : fmt::format("T.Broadcast({}, 2)", m));
    line("F.vstore([t, {}], T.ex2_approx({})) {}", 2 * dice_.below(4), v,
         data ? has_not("opaque") : has("tirx_opaque_f32("));
  }
}

/// A size is at most 2,147,418,112: 65,535 more still are an int.
void KnownKernel::size() {
  const std::string i = fresh("i");
  switch (dice_.below(5)) {
    case 0:
      return line("{} = Sized.shape[0] + {} {}", place(), dice_.one_of({1, 32, 65535}),
                  has_not("unsigned") + has_not("(int)("));
    case 1:
      return line("{} = Sized.shape[0] + {} {}", place(), dice_.one_of({65536, 100000}),
                  has("(int)("));
    case 2:
      return line("{} = (Sized.shape[0] + 31) // 32 {}", place(), has(" / 32;"));
    default: {
      const int step = dice_.one_of({1, 32, 1000, 65536, 65537});
      if (step == 65537) {
        line("for {} in range(0, Sized.shape[0], {}): {}", i, step,
             has(fmt::format("tirx_trips_up<int>(0, n, {}u);", step)));
      } else {
        line("for {} in range(0, Sized.shape[0], {}): {}", i, step,
             has(fmt::format("for (int {0} = 0; {0} < n; {1}) {{", i,
                             step == 1 ? "++" + i : fmt::format("{} += {}", i, step))));
      }
      ++indent_;
      line("W[t, 1] = W[t, 1] * T.int64(3) + T.cast({}, \"int64\")", i);
      --indent_;
    }
  }
}

/// Another name for memory under another type.
void KnownKernel::view() {
  const std::string v = fresh("V");
  const bool constant = dice_.chance(50);
  line("{} = {}.view(\"{}\") {}", v, constant ? "A" : "B", constant ? "int32" : "uint32",
       has(fmt::format("auto* {} = reinterpret_cast<{}*>(", v,
                       constant ? "const int" : "unsigned")));
  if (constant) {
    line("{} = {}[t] {}", place(), v, has(fmt::format(" = {}[t];", v)));
  } else {
    line("{}[t, {}] = T.uint32(7) {}", v, dice_.below(7), has(fmt::format("{}[", v)));
  }
}

/// As far as it says, which no run shows.
void KnownKernel::fence() {
  struct Form {
    const char *argument, *cuda;
  };

  static constexpr auto kForms = std::to_array<Form>({{"", "  __threadfence();"},
                                                      {"\"gpu\"", "  __threadfence();"},
                                                      {"\"cta\"", "  __threadfence_block();"},
                                                      {"\"sys\"", "  __threadfence_system();"},
                                                      {"\"cluster\"", "  tirx_fence_cluster();"}});
  const Form& form = dice_.pick(kForms);
  line("T.cuda.thread_fence({}) {}", form.argument, has(form.cuda));
}

/// Atomics and ordered accesses of the order and scope that they ask for.
void KnownKernel::ordered() {
  const std::string name = fresh("Known"), element = fmt::format("{}.ptr_to([t])", name);
  tensors_.push_back({name, true});
  const char* scope = dice_.one_of<const char*>({"cta", "gpu", "sys", "cluster"});
  switch (dice_.below(4)) {
    case 0:
      line("T.ptx.st.release({}, x, scope=\"{}\") {}", element, scope,
           in_file(fmt::format("st.release.{}.global.b32 [", scope)));
      return;
    case 1:
      line("{} = T.ptx.ld.acquire({}, scope=\"{}\") {}", place(), element, scope,
           in_file(fmt::format("ld.acquire.{}.global.b32 %0, [", scope)));
      line("{}[t] = 1", name);
      return;
    default: {
      struct Form {
        const char *op, *ptx;
      };

      static constexpr auto kForms = std::to_array<Form>({{"add", "add.u32"},
                                                          {"min", "min.s32"},
                                                          {"max", "max.s32"},
                                                          {"xor", "xor.b32"},
                                                          {"exch", "exch.b32"}});
      const Form& form = dice_.pick(kForms);
      const char* order = dice_.one_of<const char*>({"relaxed", "acquire", "release", "acq_rel"});
      line("{} = T.cuda.atomic_{}({}, {}, sem=\"{}\", scope=\"{}\") {}", place(), form.op, element,
           dice_.between(1, 9), order, scope,
           in_file(fmt::format("atom.{}.{}.global.{} %0, [%1], %2;", order, scope, form.ptx)));
    }
  }
}

/// Inline assembly of the same text; volatile unless it computes from registers alone.
void KnownKernel::by_name() {
  const std::string m = fresh("m");
  line("{}: T.uint32 = 0", m);
  switch (dice_.below(5)) {
    case 0:
      line("T.ptx.prmt.b32({}, T.cast(x, \"uint32\"), {}, T.uint32(0x3210)) {}", m, m,
           in_file("  asm(\"prmt.b32 %0, %1, %2, %3;\""));
      break;
    case 1:
      line("T.ptx.bfe.u32({0}, {0}, 5, 9) {1}", m, in_file("  asm(\"bfe.u32 %0, %1, "));
      break;
    case 2:
      line("T.ptx.fence.acq_rel.gpu() {}", in_file("  asm volatile(\"fence.acq_rel.gpu;\""));
      break;
    case 3:
      line("T.ptx.vote.sync.ballot.b32({}, x > 0, T.uint32(0xFFFFFFFF)) {}", m,
           in_file("vote.sync.ballot.b32 %0, p0, ") +
               in_file("asm volatile(\"{ .reg .pred p0; setp.ne.u32 p0, "));
      break;
    default:
      line("T.ptx.shfl.sync.bfly.b32({}, {}, 1, 0x1F, T.uint32(0xFFFFFFFF)) {}", m, m,
           in_file("  asm volatile(\"shfl.sync.bfly.b32 %0, %1, "));
  }
  line("{} = T.cast({}, \"int32\")", place(), m);
}

}  // namespace tirx::fuzz
