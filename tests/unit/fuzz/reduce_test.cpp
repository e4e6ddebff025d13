// Generated programs are valid and repeatable; the reducer keeps what the predicate asks for.
#include "fuzz/reduce/reduce.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "fuzz/check/expected.hpp"
#include "fuzz/check/oracle.hpp"
#include "fuzz/check/refused.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/planted.hpp"
#include "fuzz/generate/program.hpp"
#include "fuzz/reduce/planted_pair.hpp"
#include "tests/unit/sanitized.hpp"

namespace tirx::fuzz {

namespace {

/// What is left where the script must keep these words.
std::string reduced_to(const std::string& text, const std::vector<std::string>& words) {
  return reduce(text, [&](const std::string& script) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return script.find(word) != std::string::npos;
    });
  });
}

std::ptrdiff_t lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("reduce: what does not matter goes, with headers, parameters and numbers") {
  const std::string text =
      "def f(a, b):\n"
      "    for i in range(100):\n"
      "        if a > i:\n"
      "            keep(a + 7)\n"
      "            other(b)\n"
      "f(1, 2)\n";
  const auto keeps = [](const std::string& script) {
    return script.find("keep(") != std::string::npos && script.find("f(") != std::string::npos;
  };
  const std::string reduced = reduce(text, keeps);
  CHECK(keeps(reduced));
  CHECK(std::count(reduced.begin(), reduced.end(), '\n') == 2);
  for (const char* gone : {"other", "if", "for", "100", "7", "1, 2"}) {
    CHECK(reduced.find(gone) == std::string::npos);
  }
}

TEST_CASE("reduce: a predicate that nothing shorter satisfies leaves the script") {
  const std::string text = "a = 1\n";
  CHECK(reduce(text, [&](const std::string& script) { return script == text; }) == text);
}

TEST_CASE(
    "reduce: a value moves to where it is used, and a parameter of its name is another thing") {
  CHECK(reduced_to("A = make(7)\n"
                   "def k(A):\n"
                   "    use(A[0])\n"
                   "k(A)\n",
                   {"k(make(", "use(A"}) ==
        "def k(A):\n"
        "    use(A)\n"
        "k(make())\n");
}

TEST_CASE("reduce: a name goes with all that hangs on it, in one step") {
  const std::string text =
      "def k():\n"
      "    a = first()\n"
      "    b = a + second()\n"
      "    if b > 1:\n"
      "        c = 2\n"
      "    else:\n"
      "        c = b\n"
      "    keep(3)\n"
      "k()\n";
  int asked = 0;
  // Any of the names without what it is made of is an error.
  const auto valid = [&](const std::string& script) {
    ++asked;
    const auto has = [&](const char* word) { return script.find(word) != std::string::npos; };
    if (!has("keep(") || !has("k()")) return false;
    return has("first(") == has("second(") && has("second(") == has("if b") &&
           has("c = 2") == has("c = b");
  };
  CHECK(reduce(text, valid) == "def k():\n    keep()\n");
  CHECK(asked < 60);
}

TEST_CASE("reduce: a loop becomes its first trip, a call the function's body") {
  const std::string text =
      "def add(x, y):\n"
      "    put(x, y + 1)\n"
      "def k():\n"
      "    for i in range(5, 9):\n"
      "        add(i, 4)\n"
      "k()\n";
  const auto puts = [](const std::string& script) {
    const auto has = [&](const char* word) { return script.find(word) != std::string::npos; };
    const bool called = has("def add(x, y)") && (has("add(i, 4)") || has("add(5, 4)"));
    return has("k()") && (called ? has("put(x, y + 1)") && has("5") : has("put(5, 4 + 1)"));
  };
  CHECK(reduce(text, puts) == "def k():\n    put(5, 4 + 1)\n");
}

TEST_CASE("reduce: imports come together, a launch out of its function, a tile is filled") {
  const std::string text =
      "from lib import a, b\n"
      "import other\n"
      "from lib import c\n"
      "def k():\n"
      "    Tx.cta.copy(x, y)\n"
      "    keep(x, a, b, c)\n"
      "def launch():\n"
      "    k()\n"
      "launch()\n";
  const auto valid = [](const std::string& script) {
    const auto has = [&](const char* word) { return script.find(word) != std::string::npos; };
    const bool launched = has("\nk()") || (has("    k()") && has("\nlaunch()"));
    const bool apart = has("import a, b\n") && has("import c\n");
    return launched && has("keep(x, a, b, c)") && (apart || has("import a, b, c\n")) &&
           (has("Tx.cta.copy(x, y)") || has("Tx.cta.fill(x, 0)"));
  };
  CHECK(reduce(text, valid) ==
        "from lib import a, b, c\n"
        "def k():\n"
        "    Tx.cta.fill(x, 0)\n"
        "    keep(x, a, b, c)\n"
        "k()\n");
}

TEST_CASE("reduce: a tile is filled with ones where zeros do not show it") {
  CHECK(reduce("def k():\n    Tx.cta.copy(x, other)\nk()\n", [](const std::string& script) {
          const auto has = [&](const char* word) { return script.find(word) != std::string::npos; };
          return has("\nk()") && (has("Tx.cta.copy(x, other)") || has("Tx.cta.fill(x, 1)"));
        }) == "def k():\n    Tx.cta.fill(x, 1)\nk()\n");
}

TEST_CASE("reduce: one claim at each of its lines, or at one") {
  const std::string text = "a  #cuda: x\nb  #cuda: y\nc  #cuda: x\n";
  CHECK(with_one_claim(text, "#cuda: x") == "a  #cuda: x\nb\nc  #cuda: x\n");
  CHECK(with_one_claim(text, "#cuda: x", 1) == "a  #cuda: x\nb\nc\n");
  CHECK(with_one_claim(text, "#cuda: x", 2) == "a\nb\nc  #cuda: x\n");
}

TEST_CASE("reduce: of two branches both, in a row, or the second for all") {
  const std::string text =
      "def k():\n"
      "    if one():\n"
      "        put(1)\n"
      "    else:\n"
      "        put(0)\n"
      "k()\n";
  CHECK(reduced_to(text, {"put(1)", "put(0)", "\nk()"}) ==
        "def k():\n    put(1)\n    put(0)\nk()\n");
  CHECK(reduced_to(text, {"if one()", "put(1)", "put(0)", "\nk()"}) ==
        "def k():\n    if one():\n        put(1)\n    put(0)\nk()\n");
}

TEST_CASE("reduce: two names become one, and branches go by themselves") {
  const std::string reduced = reduced_to(
      "def k():\n"
      "    a = one()\n"
      "    b = two()\n"
      "    if cond(a):\n"
      "        put(a, b)\n"
      "    elif other(b):\n"
      "        pass\n"
      "    else:\n"
      "        rest(b)\n"
      "k()\n",
      {"if cond(", "put(", "rest("});
  CHECK(reduced.find("elif") == std::string::npos);
  CHECK(reduced.find("two") == std::string::npos);
}

TEST_CASE("reduce: fewer threads, in all the ids that count them") {
  const std::string text =
      "def k():\n"
      "    w = T.warp_id([4])\n"
      "    t = T.thread_id([128])\n"
      "    if w == 1:\n"
      "        put(t % 128)\n"
      "k()\n";
  const auto agree = [](const std::string& script) {
    const auto has = [&](const char* word) { return script.find(word) != std::string::npos; };
    if (!has("put(t") || !has("k()\n")) return false;
    // The guard's warp exists, and both ids count alike.
    return has("if w == 1") ? has("warp_id([4])") && has("thread_id([128])") && has("% 128")
                            : has("warp_id([1])") && has("thread_id([32])") && !has("128");
  };
  CHECK(reduce(text, agree) ==
        "def k():\n"
        "    T.warp_id([1])\n"
        "    T.thread_id([32])\n"
        "    put(t)\n"
        "k()\n");
}

TEST_CASE("planted pairs: the fault and what its names stand for stay, and the twin is right") {
  const std::string head =
      "from tvm.script import tirx as T\n"
      "size = 4\n"
      "unused = 5\n"
      "@T.prim_func\n"
      "def k(A, B):\n"
      "    T.device_entry()\n"
      "    tx = T.thread_id([64])\n"
      "    s = T.alloc_shared((size,), \"int32\")\n"
      "    r = T.alloc_shared((9,), \"int32\")\n";
  const std::string tail = "    r[tx] = 1\nk(1, 2)\n";
  const std::string wrong = head + "    copy(s, A)\n" + tail;
  const auto pair = PlantedPair::make(wrong, head + "    copy(s, B)\n" + tail);
  REQUIRE(pair.has_value());
  CHECK(pair->holds(wrong));
  const std::string reduced =
      reduce(wrong, [&](const std::string& text) { return pair->holds(text); });
  CHECK(reduced ==
        "size = 4\n"
        "@T.prim_func\n"
        "def k(A):\n"
        "    tx = T.thread_id([64])\n"
        "    s = T.alloc_shared((size,), \"int32\")\n"
        "    copy(s, A)\n");
  CHECK(pair->twin(reduced).find("copy(s, B)") != std::string::npos);
  CHECK_FALSE(pair->holds(pair->twin(reduced)));
  CHECK_FALSE(PlantedPair::make(wrong, wrong).has_value());
}

TEST_CASE("planted pairs: a short program is refused for the fault alone, and says so") {
  OracleOptions options;
  options.all_opinions = false;
  for (std::size_t fault = 2; fault < planted_faults(); fault += 54) {
    if (!expects_refusal(expectations_of(planted_fault(fault).wrong))) continue;
    CAPTURE(planted_fault(fault).name);
    const auto text = [&](bool wrong) {
      return generate(7, {.planted = Planting{fault, wrong, true}}).text;
    };
    const auto pair = PlantedPair::make(text(true), text(false));
    REQUIRE(pair.has_value());
    const auto refused = [&](const std::string& script) {
      return !check_refused(script, options).has_value();
    };
    CHECK(refused(text(true)));
    const std::string reduced =
        reduce(text(true),
               [&](const std::string& script) {
                 return pair->holds(script) && !refused(pair->twin(script)) && refused(script);
               },
               {.expectations = true});
    CHECK(lines(reduced) < 15);
    CHECK(reduced.find("#! refused ") != std::string::npos);
    CHECK_FALSE(check_expected(reduced, options).finding.has_value());
    CHECK_FALSE(refused(pair->twin(reduced)));
  }
}

TEST_CASE("planted pairs: what a run reports stays true of a short program") {
  OracleOptions options;
  options.all_opinions = options.alternative = options.reparse = false;
  options.draw = 0;
  std::vector<std::size_t> lengths;
  for (std::size_t fault = 3; fault < planted_faults(); fault += testing::kSanitized ? 205 : 41) {
    if (!expects_report(expectations_of(planted_fault(fault).wrong)) ||
        expects_refusal(expectations_of(planted_fault(fault).wrong)))
      continue;
    CAPTURE(planted_fault(fault).name);
    const auto text = [&](bool wrong) {
      return generate(7, {.planted = Planting{fault, wrong, true}}).text;
    };
    const auto pair = PlantedPair::make(text(true), text(false), Hangs::on_values);
    REQUIRE(pair.has_value());
    // Nothing asks whether the fault is still there: a build that misses it cannot tell.
    const std::string reduced =
        reduce(text(true),
               [&](const std::string& script) {
                 if (!pair->holds(script) || check_script(pair->twin(script), options).finding)
                   return false;
                 const auto finding = check_expected(script, options).finding;
                 return !finding || finding->text.find("does not report") != std::string::npos;
               },
               {.expectations = true});
    CAPTURE(reduced);
    CHECK_FALSE(check_expected(reduced, options).finding.has_value());
    lengths.push_back(lines(reduced));
  }
  REQUIRE(lengths.size() > (testing::kSanitized ? 0U : 5U));
  if (testing::kSanitized) return;  // there time ends a long one early
  std::sort(lengths.begin(), lengths.end());
  CHECK(lengths[lengths.size() / 3] < 15);
  CHECK(lengths[lengths.size() * 9 / 10] < 30);
}

TEST_CASE("planted pairs: a line that says what comes of it stays, with all that it names") {
  const std::string text =
      "size = 4\n"
      "unused = 5\n"
      "#! incomplete\n"
      "@T.prim_func\n"
      "def k(A, B):\n"
      "    T.device_entry()\n"
      "    tx = T.thread_id([64])\n"
      "    s = T.alloc_shared((size,), \"int32\")\n"
      "    r = T.alloc_shared((9,), \"int32\")\n"
      "    if tx > 3:  #! race s\n"
      "        copy(s, A)  #! race A\n"
      "    r[tx] = 1  # a remark\n"
      "k(1, 2)\n";
  const auto pair = PlantedPair::marked(text);
  REQUIRE(pair.has_value());
  const auto holds = [&](const std::string& script) { return pair->holds(script); };
  CHECK(reduce(text, holds, {.expectations = true}) ==
        "#! incomplete\n"
        "size = 4\n"
        "@T.prim_func\n"
        "def k(A):\n"
        "    tx = T.thread_id([64])\n"
        "    s = T.alloc_shared((size,), \"int32\")\n"
        "    if tx > 3:  #! race s\n"
        "        copy(s, A)  #! race A\n");
  CHECK(pair->twin(text).find("copy(") == std::string::npos);
  CHECK_FALSE(PlantedPair::marked("@T.prim_func\ndef k(A):\n    A[0] = 1\n").has_value());
}

TEST_CASE("planted pairs: a claim about CUDA stays with what it is about, and no other claim") {
  const std::string text =
      "@T.prim_func\n"
      "def k(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), n: T.int32):  #cuda: "
      "const "
      "int* __restrict__ A #cuda: int n\n"
      "    T.device_entry()\n"
      "    T.cta_id([1])\n"
      "    t = T.thread_id([64])\n"
      "    x: T.let = A[t]\n"
      "    y: T.int32 = 3\n"
      "    if t > 3:\n"
      "        y = x & 7  #! lowered something\n"
      "    z: T.let = 9\n"
      "    B[t] = y % 4  #cuda:  & 3;\n"
      "    B[0] = z\n";
  const auto shortest = [&](const char* claim, Hangs hangs) {
    const std::string one =
        with_one_claim(without_expectations(text, [](std::string_view) { return true; }), claim);
    const auto pair = PlantedPair::marked(one, hangs);
    REQUIRE(pair.has_value());
    return reduce(one, [&](const std::string& script) { return pair->holds(script); },
                  {.expectations = true});
  };
  // What else is stored where the line stores is not what it reads.
  CHECK(shortest("#cuda:  & 3;", Hangs::on_read_values).find("B[0] = z") == std::string::npos);
  CHECK(shortest("#cuda:  & 3;", Hangs::on_values).find("B[0] = z") != std::string::npos);
  // Whether A is read decides about its type.
  CHECK(shortest("#cuda: const int* __restrict__ A", Hangs::on_values) ==
        "@T.prim_func\n"
        "def k(A: T.Buffer((64,), \"int32\")):  #cuda: const int* __restrict__ A\n"
        "    T.device_entry()\n"
        "    T.cta_id([1])\n"
        "    t = T.thread_id([64])\n"
        "    x: T.let = A[t]\n");
  CHECK(shortest("#cuda: int n", Hangs::on_values) ==
        "@T.prim_func\n"
        "def k(n: T.int32):  #cuda: int n\n"
        "    T.device_entry()\n"
        "    T.cta_id([1])\n"
        "    t = T.thread_id([64])\n");
  // What is known of y comes from all that it may be; another store to B may be its neighbour.
  CHECK(shortest("#cuda:  & 3;", Hangs::on_values) ==
        "@T.prim_func\n"
        "def k(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\")):\n"
        "    T.device_entry()\n"
        "    T.cta_id([1])\n"
        "    t = T.thread_id([64])\n"
        "    x: T.let = A[t]\n"
        "    y: T.int32 = 3\n"
        "    if t > 3:\n"
        "        y = x & 7\n"
        "    z: T.let = 9\n"
        "    B[t] = y % 4  #cuda:  & 3;\n"
        "    B[0] = z\n");
  // Of a block the line stays, with the block's first line.
  const auto pair = PlantedPair::marked(with_one_claim(text, {}));
  REQUIRE(pair.has_value());
  CHECK(
      pair->holds("@T.prim_func\n"
                  "def k(A: T.Buffer((64,), \"int32\")):\n"
                  "    t = T.thread_id([64])\n"
                  "    x: T.let = A[t]\n"
                  "    y: T.int32 = 3\n"
                  "    if t > 3:\n"
                  "        pass\n"
                  "        y = x & 7\n"));
  CHECK_FALSE(
      pair->holds("@T.prim_func\n"
                  "def k(A: T.Buffer((64,), \"int32\")):\n"
                  "    t = T.thread_id([64])\n"
                  "    x: T.let = A[t]\n"
                  "    y: T.int32 = 3\n"
                  "    y = x & 7\n"));
}

TEST_CASE("generate: the same seed gives the same program") {
  CHECK(generate(5).text == generate(5).text);
  CHECK(generate(5).text != generate(6).text);
}

TEST_CASE("oracle: a refusal, a fault and a dependence on the schedule are findings") {
  const std::string head =
      "@T.prim_func\n"
      "def k(B: T.Buffer((64,), \"int32\")):\n"
      "    T.device_entry()\n"
      "    T.cta_id([1])\n"
      "    tx = T.thread_id([64])\n";
  const std::string tail = "k(tirx.zeros((64,), \"int32\"))\n";
  OracleOptions options;
  CHECK_FALSE(check_script(head + "    B[tx] = tx\n" + tail, options).finding.has_value());
  const auto refused = check_script(head + "    B[tx] = tx / 2\n" + tail, options).finding;
  REQUIRE(refused.has_value());
  CHECK(refused->kind == "refused");
  const auto fault = check_script(head + "    B[tx + 1] = tx\n" + tail, options).finding;
  REQUIRE(fault.has_value());
  CHECK(fault->kind == "fault bounds");
  options.sim.checks = sim::CheckSet::mem();
  const auto depends = check_script(head + "    B[tx % 32] = tx\n" + tail, options).finding;
  REQUIRE(depends.has_value());
  CHECK((depends->kind == "tile" || depends->kind == "reverse"));
}

}  // namespace tirx::fuzz
