// Scripts that somebody wrote as programs of a campaign: what they record is compared, what they
// launch is judged by every opinion, and none of them stops the others.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "dsl/run_script.hpp"
#include "fuzz/campaign/campaign.hpp"
#include "fuzz/corpus/changed.hpp"
#include "fuzz/corpus/seed.hpp"
#include "fuzz/negative/misbehaviour.hpp"

namespace tirx::fuzz {

namespace {

namespace fs = std::filesystem;

const std::string kKernel = R"(from tvm.script import tirx as T
import tirx

@T.prim_func
def k(A: T.Buffer((32,), "int32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    A[PLACE] = t

A = tirx.zeros((32,), "int32")
)";

std::string kernel(const std::string& place, const std::string& end) {
  std::string text = kKernel;
  return text.replace(text.find("PLACE"), 5, place) + end + '\n';
}

/// A folder of its own that goes with it.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tirx_corpus_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }

  ~Folder() { fs::remove_all(path_); }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name, const std::string& text) const {
    const fs::path path = path_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

 private:
  fs::path path_;
};

/// Says its words, one a line; some it does not survive.
int says(const std::vector<std::string>& args, std::ostream& out, std::ostream&) {
  for (const std::string& word : args) {
    if (word == "hang") sleep(60);
    if (word == "crash") kill(getpid(), SIGKILL);
    out << word << '\n';
  }
  return args.empty() || args[0] != "bad" ? 0 : 2;
}

std::string finding(const std::string& text, const Command& command = says) {
  const Folder folder;
  const SeedReport report = check_seed(folder.file("s.tx", text), text, OracleOptions{}, command);
  const auto& found = report.oracle.finding;
  return found ? found->kind + ": " + found->text : "";
}

CampaignOptions options_of(std::vector<std::string> corpus, std::int64_t count) {
  CampaignOptions options;
  options.corpus = std::move(corpus);
  options.command = says;
  options.count = count;
  options.reduce = false;
  options.max_findings = 100;
  options.refused_percent = options.reported_percent = 0;
  return options;
}

}  // namespace

TEST_CASE("corpus: exactly what a script records must come") {
  CHECK(finding("# run: one %s\n#> one\n#> s.tx\n") == "");
  CHECK(finding("# run: one\n# run: bad\n# exit: 2\n#> one\n#> bad\n") == "");
  CHECK(finding("# run: one two\n#> one\n#> three\n") ==
        "record: line 2 expected: three printed: two");
  CHECK(finding("# run: one two\n#> one\n") == "record: line 2 expected: (nothing) printed: two");
  CHECK(finding("# run: one\n#> one\n#>\n") == "record: line 2 expected: printed: (nothing)");
  CHECK(finding("# run: bad\n#> bad\n") == "record: exit code 2, expected 0");
  CHECK(finding("# run: one\n# exit: none\n#> one\n") == "record: its `# exit:` is no number");
  // No record of a GPU, and none of a corpus.
  CHECK(finding("# run: one\n#> two\n", {}) == "");
  CHECK(finding("# run: fuzz --corpus .\n#> two\n") == "");
}

TEST_CASE("corpus: without a record a script must run clean") {
  CHECK(finding(kernel("t", "k(A)\nassert A[3].item() == 3")) == "");
  CHECK(finding(kernel("t", "k(A)\nassert A[3].item() == 4")).starts_with("assertion: "));
  CHECK(finding(kernel("0", "k(A)")).starts_with("fault race: "));
  CHECK(finding(kernel("0", "tirx.expect_fault(\"race\", k, A)")) == "");
  CHECK(finding(kernel("t", "tirx.expect_fault(\"race\", k, A)")).starts_with("host check: "));
  CHECK(finding(kernel("t", "k(B)")).starts_with("refused: "));
  // The record says that it is not.
  const std::string recorded = "# run: one\n#> one\n";
  CHECK(finding(recorded + kernel("0", "k(A)")) == "");
  CHECK(finding(recorded + kernel("t", "k(B)")) == "");
}

TEST_CASE("corpus: of changed copies of a kernel everybody says the same, and of many something") {
  const std::string text =
      "from tvm.script import tirx as T\nimport tirx\n\n@T.prim_func\n"
      "def k(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\")):\n"
      "    T.device_entry()\n    T.cta_id([1])\n    t = T.thread_id([64])\n"
      "    s = T.alloc_shared((64,), \"int32\")\n    s[t] = A[t] // 3\n    T.cuda.cta_sync()\n"
      "    if t < 63:\n        B[t] = s[t + 1]\nk(A)\n";
  const dsl::ScriptResult script =
      dsl::collect_kernels(std::make_shared<const Source>("s.tx", text));
  REQUIRE(script.kernels.size() == 1);
  const ir::Kernel& kernel = *script.kernels[0];
  const std::vector<ir::Argument> before = {ir::make_tensor(num::DType::i32, {64}, true),
                                            ir::make_tensor(num::DType::i32, {64}, false)};
  for (std::uint64_t number = 0; number < 60; ++number) {
    const auto wrong = check_changed(kernel, before, 20, number, OracleOptions{});
    CHECK((wrong ? wrong->text : "") == "");
  }
  // The changes are real ones.
  std::string kinds;
  for (const Mutation& mutation : fault_mutations(kernel)) {
    kinds +=
        judge_changed(mutation.apply(kernel), before, {}, ir::default_target(), 100'000).kinds +
        ' ';
  }
  INFO(kinds);
  for (const char* kind : {"bounds", "arith"}) CHECK(kinds.find(kind) != std::string::npos);
}

TEST_CASE("corpus: a loop polls that looks at memory, not one beside which somebody does") {
  const auto waits = [](const std::string& lines) {
    const std::string text =
        "from tvm.script import tirx as T\nimport tirx\n\n@T.prim_func\n"
        "def k(A: T.Buffer((8,), \"int32\")):\n"
        "    T.device_entry()\n    T.cta_id([1])\n    t = T.thread_id([8])\n"
        "    v: T.int32 = 0\n" +
        lines;
    const dsl::ScriptResult script =
        dsl::collect_kernels(std::make_shared<const Source>("s.tx", text));
    REQUIRE(script.kernels.size() == 1);
    return polls(*script.kernels[0]);
  };
  const std::string look = "v = T.ptx.ld.acquire(A.ptr_to([0]))\n";
  CHECK(waits("    while v == 0:\n        " + look));
  CHECK(waits("    while T.cuda.atomic_add(A.ptr_to([0]), 1) < 5:\n        v += 1\n"));
  CHECK(
      waits("    for i in range(9):\n        " + look + "        if v > 0:\n            break\n"));
  CHECK_FALSE(waits("    while v < 5:\n        v += 1\n    " + look));
  CHECK_FALSE(waits("    for i in range(9):\n        " + look));
  CHECK_FALSE(waits("    for i in range(9):\n        if v == i:\n            break\n    " + look));
}

TEST_CASE("corpus: the scripts come first and count; one that hangs or crashes is a finding") {
  const Folder folder;
  CampaignOptions options = options_of(
      {folder.file("right.tx", "# run: one\n#> one\n"), folder.file("hang.tx", "# run: hang\n"),
       folder.file("crash.tx", "# run: crash\n"), folder.file("wrong.tx", "# run: one\n#> two\n")},
      5);
  options.silence_seconds = 4;  // under sanitizers the random program takes most of a second
  std::ostringstream log;
  const CampaignResult result = run_campaign(options, log);
  CHECK(result.programs == 5);
  CHECK(result.scripts == 4);
  CHECK(result.replayed == 2);
  CHECK(result.launches > 0);  // of the random program
  REQUIRE(result.found.size() == 3);
  const char* const kinds[] = {"timeout", "crash: signal 9", "record"};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(result.found[i].finding.kind == kinds[i]);
    CHECK(result.found[i].path == options.corpus[i + 1]);
    const bool ended = i < 2;
    CHECK((result.found[i].finding.text.find("the process ended at `# run: ") == 0) == ended);
    CHECK(log.str().find(options.corpus[i + 1] + ": " + kinds[i]) != std::string::npos);
  }
}

TEST_CASE("corpus: shards are disjoint and together all; fewer programs are the first ones") {
  const Folder folder;
  std::vector<std::string> corpus;
  for (const char* name : {"a.tx", "b.tx", "c.tx", "d.tx", "e.tx"})
    corpus.push_back(folder.file(name, "# run: one\n#> two\n"));
  const auto names = [&](std::int64_t count, std::int64_t shard, std::int64_t shards) {
    CampaignOptions options = options_of(corpus, count);
    options.shard = shard;
    options.shards = shards;
    std::ostringstream log;
    std::multiset<std::string> found;
    for (const Found& one : run_campaign(options, log).found) found.insert(one.path);
    return found;
  };
  std::multiset<std::string> all = names(5, 0, 2);
  CHECK(all.size() == 3);
  all.merge(names(5, 1, 2));
  CHECK(all == std::multiset<std::string>(corpus.begin(), corpus.end()));
  CHECK(names(2, 0, 1) == std::multiset<std::string>(corpus.begin(), corpus.begin() + 2));
}

}  // namespace tirx::fuzz
