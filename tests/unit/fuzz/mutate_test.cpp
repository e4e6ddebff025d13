// Mutations are places of one kernel, applied to the same kernel of another run.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "dsl/run_script.hpp"
#include "fuzz/mutate/mutations.hpp"
#include "ir/print.hpp"
#include "lower/lower.hpp"

namespace tirx::fuzz {

namespace {

constexpr const char* kMutated =
    "@T.prim_func\n"
    "def k(A: T.Buffer((64, 4), \"float32\"), scale: T.Buffer((2, 4), \"float32\"),\n"
    "      B: T.Buffer((64, 4), \"float32\")):\n"
    "    T.device_entry()\n"
    "    bx = T.cta_id([2])\n"
    "    tx = T.thread_id([32])\n"
    "    s = T.alloc_shared((32,), \"float32\")\n"
    "    for i in range(4):\n"
    "        s[tx] = A[bx * 32 + tx, i] * scale[bx, i]\n"
    "        T.cuda.cta_sync()\n"
    "        B[bx * 32 + tx, i] = s[31 - tx]\n"
    "        T.cuda.cta_sync()\n";

dsl::ScriptResult fresh() {
  return dsl::collect_kernels(std::make_shared<const Source>("k.tx", kMutated));
}

std::int64_t count(const std::vector<Mutation>& mutations, std::string_view kind) {
  return std::count_if(mutations.begin(), mutations.end(),
                       [kind](const Mutation& mutation) { return mutation.kind == kind; });
}

}  // namespace

TEST_CASE("mutate: the places are found") {
  const dsl::ScriptResult script = fresh();
  REQUIRE(script.kernels.size() == 1);
  const std::vector<Mutation> found = all_mutations(*script.kernels[0]);
  CHECK(count(found, "barrier removed") == 2);
  CHECK(count(found, "scale index shifted") == 2);
  CHECK(count(found, "scale transposed") == 1);
  CHECK(count(found, "scaled twice") == 1);
  CHECK(count(found, "not scaled") == 1);
  CHECK(count(found, "tile missing") == 1);
  CHECK(count(found, "last row unwritten") == 1);
  CHECK(count(found, "last trip of a loop missing") == 1);
  CHECK(count(found, "scale of the block before") == 2);
  CHECK(count(found, "barrier under a condition") == 2);
  CHECK(count(found, "row and column exchanged") == 1);
  CHECK(synchronisation_mutations(*script.kernels[0]).size() == 2);
  for (const Mutation& mutation : found) {
    CAPTURE(mutation.kind);
    CHECK(mutation.before != mutation.after);
  }
}

TEST_CASE("mutate: the names of the table are different, and each occurs in some script") {
  std::set<std::string> due;
  for (const MutationKind& kind : mutation_kinds()) {
    CHECK(due.insert(std::string(kind.name)).second);
    CHECK_FALSE(kind.doc.empty());
  }
  for (const char* folder : {"examples", "tests/golden/mutate", "tests/golden/run"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TIRX_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".tx" || due.empty()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::ostringstream text;
      text << in.rdbuf();
      const dsl::ScriptResult script =
          dsl::collect_kernels(std::make_shared<const Source>("k.tx", text.str()));
      for (const auto& kernel : script.kernels) {
        for (const Mutation& mutation : possible_mutations(*kernel)) due.erase(mutation.kind);
      }
    }
  }
  for (const std::string& kind : due) FAIL_CHECK("no script has: " << kind);
}

TEST_CASE("mutate: the same place in another instance of a kernel") {
  const auto source = std::make_shared<const Source>(
      "k.tx",
      "def make(n):\n"
      "    @T.prim_func\n"
      "    def k(A: T.Buffer((n,), \"int32\"), B: T.Buffer((n,), \"int32\")):\n"
      "        T.device_entry()\n"
      "        T.cta_id([1])\n"
      "        tx = T.thread_id([n])\n"
      "        B[tx] = A[tx]\n"
      "    return k\n"
      "a = make(32)\n"
      "b = make(64)\n");
  const dsl::ScriptResult script = dsl::collect_kernels(source);
  REQUIRE(script.kernels.size() == 2);
  const std::vector<Mutation> a = all_mutations(*script.kernels[0]);
  const std::vector<Mutation> b = all_mutations(*script.kernels[1]);
  REQUIRE(a.size() == b.size());
  REQUIRE_FALSE(a.empty());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].place() == b[i].place());
}

TEST_CASE("mutate: each changes the kernel of another run, and the result still lowers") {
  const dsl::ScriptResult script = fresh(), other = fresh();
  REQUIRE(other.kernels.size() == 1);
  const std::string before = ir::to_string(*other.kernels[0]);
  for (const Mutation& mutation : all_mutations(*script.kernels[0])) {
    CAPTURE(mutation.kind);
    const ir::Kernel changed = mutation.apply(*other.kernels[0]);
    CHECK(ir::to_string(changed) != before);
    CHECK(lower::lower(changed, ir::default_target()).ok());
    CHECK(ir::to_string(*other.kernels[0]) == before);
  }
}

}  // namespace tirx::fuzz
