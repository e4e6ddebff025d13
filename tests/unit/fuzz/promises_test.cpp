// What a line promises of its lowering is held against what became of it.
#include "fuzz/check/promises.hpp"

#include <doctest/doctest.h>

#include "dsl/run_script.hpp"
#include "fuzz/check/limits.hpp"
#include "fuzz/check/lowered_facts.hpp"
#include "fuzz/check/oracle.hpp"
#include "fuzz/expect/promise.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

/// What is found where a kernel of 32 threads has this line, with `s` a (16, 16) tile.
std::string found(const std::string& line) {
  const std::string text =
      "from tvm.script import tirx as T\n"
      "from tvm.script.tirx import tile as Tx\n"
      "@T.prim_func\n"
      "def k(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((12, 16), \"float32\")):\n"
      "    T.device_entry()\n"
      "    T.cta_id([1]); T.warp_id([1]); lane = T.lane_id([32]); T.thread_id([32])\n"
      "    s = T.alloc_shared((16, 16), \"float32\")\n"
      "    Tx.cta.fill(s[:, :], 0.0)\n"
      "    " +
      line +
      "\n    T.cuda.cta_sync()\n"
      "k(tirx.zeros((16, 16), \"float32\"), tirx.zeros((12, 16), \"float32\"))\n";
  const auto finding = check_script(text, {}).finding;
  return finding ? finding->kind + ": " + finding->text : "";
}

}  // namespace

TEST_CASE("promises: variant and vector") {
  const std::string copy = "Tx.cta.copy(s[:, :], A[:, :])";
  CHECK(found(copy + promise("gmem_smem", 4)).empty());
  CHECK(found(copy + promise("gmem_smem")).empty());
  CHECK(found(copy + promise("gmem_smem", 2)).find("lowering: lowered as gmem_smem, vec 4") == 0);
  CHECK(found(copy + promise("predicated", 4)).find("lowering: ") == 0);
  CHECK(found("Tx.cta.add(s[:, :], s[:, :], 1.0)" + promise("smem", 4)).empty());
  CHECK(found("Tx.cta.add(s[:, :], s[:, :], 1.0)" + promise("smem", 1)).find("lowering: ") == 0);
}

TEST_CASE("promises: warnings") {
  const std::string over = "Tx.cta.copy(s[:, :], B[0:16, :]",
                    plain = "Tx.cta.copy(s[:, :], A[:, :]";
  CHECK(found(over + ", clip=True)" + promise("predicated", 4)).empty());
  CHECK(found(plain + ")" + promise("gmem_smem") + std::string(kWarns)).find("without a warning") !=
        std::string::npos);
  CHECK(found(plain + ", dispatch=\"fallback\")").empty());
  CHECK(found(plain + ", dispatch=\"fallback\")" + promise("fallback")).find("with a warning") !=
        std::string::npos);
}

TEST_CASE("promises: bank conflicts") {
  const std::string kept(kNoConflicts);
  CHECK(found("s[lane // 16, lane % 16] = 1.0" + promise("store") + kept).empty());
  CHECK(found("s[lane % 16, lane // 16] = 1.0" + promise("store") + kept)
            .find("passes over the banks") != std::string::npos);
}

namespace {

/// A kernel with a copy into dynamic memory, behind a static tile.
const ir::Kernel& some_kernel() {
  static const dsl::ScriptResult script = dsl::collect_kernels(std::make_shared<const Source>(
      "k.tx",
      "@T.prim_func\n"
      "def k(A: T.Buffer((8, 64), \"float32\")):\n"
      "    T.device_entry()\n"
      "    T.cta_id([2])\n"
      "    tx = T.thread_id([64])\n"
      "    x = T.alloc_shared((3,), \"uint8\")\n"
      "    x[0] = T.uint8(1)\n"
      "    y = T.alloc_shared((4,), \"float32\")\n"
      "    y[tx % 4] = 1.0\n"
      "    s = T.alloc_buffer((8, 64), \"float32\", scope=\"shared.dyn\")\n"
      "    Tx.cta.copy(s[:, :], A[:, :])\n"));
  return *script.kernels.at(0);
}

lower::LoweredKernel lowered() {
  return lower::lower(some_kernel(), ir::default_target()).value();
}

/// The first load of the copy, with another index or another offset.
ir::Body with_another_load(const ir::Body& body, bool index) {
  ir::Body changed = body;
  for (ir::Stmt& stmt : changed) {
    if (auto* group = std::get_if<ir::Group>(&stmt.node)) {
      group->body = with_another_load(group->body, index);
    } else if (auto* loop = std::get_if<ir::For>(&stmt.node)) {
      loop->body = with_another_load(loop->body, index);
    } else if (auto* store = std::get_if<ir::Store>(&stmt.node)) {
      const auto* load = ir::as<ir::Load>(store->value);
      if (load == nullptr) continue;
      ir::Access from = load->from;
      if (index) {
        from.indices[0] = ir::make_int(0);
      } else {
        from.flat = ir::make_int(5);
      }
      store->value = ir::make_expr(store->value->type, {}, ir::Load{from});
    }
  }
  return changed;
}

}  // namespace

TEST_CASE("facts: indices, offsets, rounds, threads and places belong together") {
  const auto wrong = [&](auto&& change) {
    lower::LoweredKernel kernel = lowered();
    change(kernel);
    return wrong_facts(some_kernel(), kernel).value_or("");
  };
  CHECK(wrong([](lower::LoweredKernel&) {}) == "");
  CHECK(wrong([](auto& kernel) {
          kernel.body = with_another_load(kernel.body, true);
        }).find("and 508 is accessed") != std::string::npos);
  CHECK(wrong([](auto& kernel) {
          kernel.body = with_another_load(kernel.body, false);
        }).find("and 5 is accessed") != std::string::npos);
  CHECK(wrong([](auto& kernel) { ++kernel.dispatch[0].rounds; }).find("gmem_smem, 3 rounds") == 0);
  CHECK(wrong([](auto& kernel) { kernel.dispatch[0].vector = 2; }).find("gmem_smem, 2 rounds") ==
        0);
  CHECK(wrong([](auto& kernel) { kernel.dispatch[0].threads = 32; }).find("by 32 threads") !=
        std::string::npos);
  CHECK(wrong([](auto& kernel) { kernel.shared[1].offset = 128; }).find("lies at byte 128") !=
        std::string::npos);
  CHECK(wrong([](auto& kernel) { kernel.static_shared_bytes = 96; }).find("96 and 2048 bytes") ==
        0);
  CHECK(wrong([](auto& kernel) {
          kernel.thread_vars.push_back(kernel.thread_vars[0]);
          kernel.thread_vars.back().var =
              std::make_shared<const ir::Variable>(ir::Variable{"lane", ir::kInt32, {}});
        }).find("nobody reads the id lane") == 0);
}

TEST_CASE("limits: an architecture that allows less than is needed, or more than was said") {
  const auto wrong = [&](auto&& change) {
    lower::LoweredKernel kernel = lowered();
    change(kernel);
    return wrong_limits(some_kernel(), kernel).value_or("");
  };
  CHECK(wrong([](lower::LoweredKernel&) {}) == "");
  CHECK(wrong([](auto& kernel) {
          kernel.launch.block = {96, 1, 1};
        }).find("a thread too many") == 0);
  CHECK(wrong([](auto& kernel) {
          kernel.launch.block = {32, 1, 1};
        }).find("an architecture that allows just as much") == 0);
  CHECK(wrong([](auto& kernel) { ++kernel.static_shared_bytes; }).find("a byte too much") == 0);
}

TEST_CASE("promises: the widest vector that divides") {
  CHECK(widest_vector(32, 8, 8) == 4);
  CHECK(widest_vector(32, 8, 2) == 2);
  CHECK(widest_vector(8, 24, 48) == 8);
  CHECK(widest_vector(64, 7, 2) == 1);
}

}  // namespace tirx::fuzz
