// tirx as a library: a script from memory, launched on this program's arrays; the results, and what
// the checks say about a kernel that lacks a barrier.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <tirx/tirx.hpp>

namespace {

/// Reverses 128 numbers through shared memory and scales them, with or without the barrier.
std::string script(bool barrier) {
  return std::string(R"(
@T.prim_func
def reverse(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32"), factor: T.float32):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([128])
    s = T.alloc_shared((128,), "float32")
    s[tx] = A[tx] * factor
)") + (barrier ? "    T.cuda.cta_sync()\n" : "") +
         "    B[tx] = s[127 - tx]\n";
}

bool check(bool holds, const char* what) {
  if (!holds) std::cerr << "wrong: " << what << '\n';
  return holds;
}

/// A fault as the values it is made of: what an IDE or a report of one's own would show.
void show(const tirx::embed::Fault& fault) {
  std::cout << fault.kind << " on " << fault.element << " in " << fault.space << " memory\n";
  const auto side = [](const tirx::embed::Access& access) {
    std::cout << "  line " << access.place.line << ": " << access.what << " by warp " << access.warp
              << ", lane " << access.lane << '\n';
  };
  side(fault.first);
  if (fault.second) side(*fault.second);
  for (const std::string& help : fault.help) std::cout << "  " << help << '\n';
}

}  // namespace

int main() {
  using tirx::embed::Array;
  using tirx::embed::Script;
  std::vector<float> a(128), b(128);
  for (int i = 0; i < 128; ++i) a[static_cast<std::size_t>(i)] = static_cast<float>(i);
  const Array in = Array::read(a.data(), "float32", {128});
  const Array out = Array::write(b.data(), "float32", {128});
  std::cout << "tirx " << tirx::embed::version() << '\n';

  const Script healthy = Script::parse(script(true));
  for (const auto& message : healthy.messages()) std::cerr << message.report;
  if (!healthy.ok()) return EXIT_FAILURE;
  const auto outcome = healthy.launch("reverse", {in, out, 2.0});
  for (const auto& message : outcome.messages) std::cerr << message.report;
  bool good = check(outcome.clean(), "the healthy kernel is clean");
  good = check(outcome.unwritten.empty(), "it writes all of B") && good;
  for (std::size_t i = 0; i < 128; ++i) good = check(b[i] == 2 * a[127 - i], "its result") && good;
  std::cout << "reversed: b[0] = " << b[0] << ", " << outcome.warp_instructions
            << " warp instructions\n";

  const auto broken = Script::parse(script(false)).launch("reverse", {in, out, 2.0});
  good = check(!broken.faults.empty(), "the missing barrier is found") && good;
  for (const auto& fault : broken.faults) {
    show(fault);
    std::cout << fault.report;
  }

  const std::string cuda = healthy.cuda("reverse");
  good = check(cuda.find("__global__") != std::string::npos, "CUDA is emitted") && good;
  const Script mistaken = Script::parse("x = (1 +\n");
  good = check(!mistaken.ok() && !mistaken.messages().empty(), "a mistake is a message") && good;
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
