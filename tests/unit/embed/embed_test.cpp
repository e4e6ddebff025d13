// The public header as a program uses it: errors as values, structured faults, arrays that are not
// touched, outputs that were not written, many threads on one script.
#include <algorithm>
#include <cfenv>
#include <cstring>
#include <thread>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <doctest/doctest.h>

#include "embed/tirx.hpp"

namespace tirx::embed {

namespace {

constexpr const char* kScale =
    "n = tirx.param(\"n\", 64)\n"
    "@T.prim_func\n"
    "def scale(A: T.Buffer((n,), \"float32\"), B: T.Buffer((n,), \"float32\"), f: T.float32):\n"
    "    T.device_entry()\n"
    "    T.cta_id([1])\n"
    "    tx = T.thread_id([n])\n"
    "    s = T.alloc_shared((n,), \"float32\")\n"
    "    s[tx] = A[tx] * f\n"
    "    T.cuda.cta_sync()\n"
    "    if tx != 5:\n"
    "        B[tx] = s[n - 1 - tx]\n";

std::vector<float> ramp(std::size_t n) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(i);
  return out;
}

std::string without(std::string text, const std::string& what) {
  return text.erase(text.find(what), what.size());
}

/// The one error of an outcome that is not to launch.
std::string refusal(const Script& script,
                    const std::vector<Argument>& arguments,
                    const Options& options = {}) {
  const Outcome outcome = script.launch("scale", arguments, options);
  CHECK(outcome.status == Status::refused);
  CHECK_FALSE(outcome.clean());
  REQUIRE(outcome.messages.size() == 1);
  CHECK(outcome.messages[0].error);
  return outcome.messages[0].text;
}

}  // namespace

TEST_CASE("embed: a launch, its result, and what it left unwritten") {
  std::vector<float> a = ramp(64), b(64, -1.0F);
  const std::vector<float> before = a;
  const Script script = Script::parse(kScale);
  REQUIRE(script.ok());
  CHECK(script.kernels() == std::vector<std::string>{"scale"});
  const Outcome outcome = script.launch("scale", {Array::read(a.data(), "float32", {64}),
                                                  Array::write(b.data(), "float32", {64}), 2.0});
  CHECK(outcome.clean());
  CHECK(outcome.warp_instructions > 0);
  CHECK(a == before);
  for (std::size_t i = 0; i < 64; ++i)
    CHECK(b[i] == (i == 5 ? -1.0F : 2 * static_cast<float>(63 - i)));
  REQUIRE(outcome.unwritten.size() == 1);
  CHECK(outcome.unwritten[0].argument == 1);
  CHECK(outcome.unwritten[0].elements == 1);
  CHECK(outcome.unwritten[0].first == std::vector<std::int64_t>{5});
  CHECK_FALSE(version().empty());
}

TEST_CASE("embed: a parameter of the script is set") {
  std::vector<float> a = ramp(32), b(32);
  ParseOptions options;
  options.set["n"] = "32";
  const Script script = Script::parse(kScale, options);
  REQUIRE(script.ok());
  CHECK(script
            .launch("scale", {Array::read(a.data(), "float32", {32}),
                              Array::update(b.data(), "float32", {32}), 1.0})
            .clean());
  CHECK(b[0] == 31.0F);
}

TEST_CASE("embed: a fault as values: kind, element, both threads and lines") {
  std::vector<float> a = ramp(64), b(64);
  const Script script = Script::parse(without(kScale, "    T.cuda.cta_sync()\n"));
  REQUIRE(script.ok());
  const Outcome outcome = script.launch("scale", {Array::read(a.data(), "float32", {64}),
                                                  Array::write(b.data(), "float32", {64}), 2.0});
  CHECK(outcome.status == Status::ok);
  CHECK_FALSE(outcome.clean());
  REQUIRE_FALSE(outcome.faults.empty());
  const Fault& fault = outcome.faults[0];
  CHECK(fault.kind == "race");
  CHECK(fault.element.rfind("s[", 0) == 0);
  CHECK(fault.space == "shared");
  REQUIRE(fault.second);
  // One side is the store of line 8, the other the load of line 10.
  CHECK(std::min(fault.first.place.line, fault.second->place.line) == 8);
  CHECK(std::max(fault.first.place.line, fault.second->place.line) == 10);
  CHECK(fault.first.warp != fault.second->warp);
  CHECK(fault.first.warp + fault.second->warp == 1);
  CHECK(fault.first.what != fault.second->what);
  CHECK_FALSE(fault.help.empty());
  CHECK(fault.report.find("script.tx:8") != std::string::npos);
}

TEST_CASE("embed: no number is cut to fit its parameter") {
  const auto script = [](const std::string& dtype) {
    return Script::parse(
        "@T.prim_func\n"
        "def scale(B: T.Buffer((1,), \"float64\"), n: T." +
        dtype +
        "):\n"
        "    T.device_entry()\n"
        "    T.cta_id([1])\n"
        "    T.thread_id([1])\n"
        "    B[0] = T.cast(n, \"float64\")\n");
  };
  std::vector<double> b(1);
  const auto given = [&](const std::string& dtype, const Argument& number) {
    b[0] = -99;
    const Script made = script(dtype);
    REQUIRE(made.ok());
    const Outcome outcome = made.launch("scale", {Array::update(b.data(), "float64", {1}), number});
    CHECK(outcome.clean());
    return b[0];
  };
  const auto why = [&](const std::string& dtype, const Argument& number) {
    return refusal(script(dtype), {Array::update(b.data(), "float64", {1}), number});
  };
  using I = std::int64_t;
  CHECK(given("int32", I{-7}) == -7);
  CHECK(given("uint8", I{255}) == 255);
  CHECK(given("bool", I{1}) == 1);
  CHECK(given("float32", 2.5) == 2.5);
  CHECK(given("float32", I{3}) == 3);
  CHECK(why("int32", 2.0) == "n is int32, and 2 is a float");
  CHECK(why("int32", 2.5) == "n is int32, and 2.5 is a float");
  CHECK(why("bool", 0.5) == "n is bool, and 0.5 is a float");
  CHECK(why("int32", I{1} << 31) == "n is int32, which does not hold 2147483648");
  CHECK(why("uint8", I{256}) == "n is uint8, which does not hold 256");
  CHECK(why("uint64", I{-1}) == "n is uint64, which does not hold -1");
  CHECK(why("bool", I{2}) == "n is bool, which does not hold 2");
}

TEST_CASE("embed: what does not fit is a message") {
  std::vector<float> a = ramp(65), b(64);
  const Script script = Script::parse(kScale);
  const Array in = Array::read(a.data(), "float32", {64});
  const Array out = Array::write(b.data(), "float32", {64});
  CHECK(refusal(script, {in, out}) == "scale takes 3 arguments, not 2");
  CHECK(refusal(script, {in, std::int64_t{3}, 1.0}) == "B is an array parameter");
  CHECK(refusal(script, {in, out, in}) == "f is a scalar parameter");
  CHECK(refusal(script, {Array::read(a.data(), "float33", {64}), out, 1.0}) ==
        "A: there is no dtype 'float33'");
  CHECK(refusal(script, {Array::read(a.data(), "float32", {-1}), out, 1.0}) ==
        "A has a negative extent, -1");
  CHECK(refusal(script, {Array::read(nullptr, "float32", {64}), out, 1.0}) == "A has no data");
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(refusal(script, {Array::read(a.data(), "float32", {huge, huge}), out, 1.0}) ==
        "A has more elements than there can be");
  CHECK(refusal(script, {Array::read(a.data(), "float32", {huge, 1 << 20}), out, 1.0}) ==
        "A has more elements than there can be");
  CHECK(refusal(script, {in, Array{b.data(), "float32", {64}, true, true}, 1.0}) ==
        "B is read only and uninitialised: nothing could use it");
  CHECK(refusal(script, {in, Array::update(a.data() + 1, "float32", {64}), 1.0}) ==
        "arguments A and B overlap in memory");
  CHECK(refusal(script, {in, Array::update(a.data(), "float32", {64}), 1.0})
            .find("arguments A and B overlap in memory, and the kernel writes one of them") == 0);
  Options options;
  options.arch = "sm_91";
  CHECK(refusal(script, {in, out, 1.0}, options) == "unknown architecture 'sm_91'");
  options = {};
  options.schedule = "backwards";
  CHECK(refusal(script, {in, out, 1.0}, options) == "unknown schedule 'backwards'");
  options = {};
  options.async = "never";
  CHECK(refusal(script, {in, out, 1.0}, options) == "unknown async 'never'");
  options = {};
  options.threads = 1025;
  CHECK(refusal(script, {in, out, 1.0}, options) == "threads must be 0 to 1024");
  options = {};
  options.max_faults = 0;
  CHECK(refusal(script, {in, out, 1.0}, options) == "max_faults must be 1 or more");
  CHECK(script.launch("scales", {}).messages.at(0).text == "there is no kernel 'scales'");
  std::string why;
  CHECK(script.cuda("scale", "sm_91", &why).empty());
  CHECK(why == "unknown architecture 'sm_91'");
  CHECK(script.cuda("scale").find("__global__") != std::string::npos);
}

TEST_CASE("embed: an input that is read only stays as it is") {
  std::vector<float> a = ramp(64);
  const std::vector<float> b(64, 0.0F);
  const Script script = Script::parse(kScale);
  const Outcome outcome = script.launch("scale", {Array::read(a.data(), "float32", {64}),
                                                  Array::read(b.data(), "float32", {64}), 2.0});
  CHECK_FALSE(outcome.clean());
  REQUIRE(outcome.messages.size() == 1);
  CHECK(outcome.messages[0].text == "B is read only, and scale writes it");
  CHECK(b == std::vector<float>(64, 0.0F));
}

TEST_CASE("embed: a mistake of the script is a message with its place") {
  const Script script = Script::parse("x = 1\ny = (1 +\n");
  CHECK_FALSE(script.ok());
  REQUIRE_FALSE(script.messages().empty());
  CHECK(script.messages()[0].place.line >= 2);
  CHECK(script.messages()[0].report.find("script.tx:") == 0);
  CHECK(script.launch("k", {}).status == Status::refused);
  // A script from memory reads no files, unless its folder is named.
  CHECK_FALSE(Script::parse("a = tirx.load(\"x.npy\")\n").ok());
}

TEST_CASE("embed: one script in many threads, with one input") {
  std::vector<float> a = ramp(64);
  const Script script = Script::parse(kScale);
  std::vector<std::vector<float>> results(8, std::vector<float>(64));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto factor = static_cast<double>(t + 1);
      (void)script.launch("scale", {Array::read(a.data(), "float32", {64}),
                                    Array::write(results[t].data(), "float32", {64}), factor});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t)
    CHECK(results[t][0] == 63.0F * static_cast<float>(t + 1));
}

TEST_CASE("embed: the caller's rounding does not reach the simulator, and stays the caller's") {
  std::vector<float> a(64, 0x1.000002p-1F), b(64), subnormal(64, 0x1p-140F), c(64);
  const Script script = Script::parse(kScale);
  const int before = std::fegetround();
  REQUIRE(std::fesetround(FE_UPWARD) == 0);
  const auto launch = [&](std::vector<float>& in, std::vector<float>& out) {
    CHECK(script
              .launch("scale", {Array::read(in.data(), "float32", {64}),
                                Array::write(out.data(), "float32", {64}), 0x1.000002p0})
              .clean());
  };
  launch(a, b);
  CHECK(std::fegetround() == FE_UPWARD);
  REQUIRE(std::fesetround(before) == 0);
  // (1 + 2^-23)^2 / 2: nearest drops the 2^-46, upward would not.
  CHECK(b[0] == 0x1.000004p-1F);
#if defined(__SSE__)
  const unsigned flags = _mm_getcsr();
  _mm_setcsr(flags | 0x8040U);  // flush subnormal results and operands to zero
  launch(subnormal, c);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(flags);
  CHECK((after & 0x8040U) == 0x8040U);
  CHECK(std::memcmp(c.data(), subnormal.data(), sizeof(float)) == 0);
#endif
}

TEST_CASE("embed: a barrier for one CTA too few shows where a CTA that polls goes on at first") {
  const auto faults = [](int arrivals, const char* schedule) {
    const Script script = Script::parse(
        "@T.prim_func\n"
        "def k(count: T.Buffer((1,), \"int32\"), data: T.Buffer((4,), \"int32\"),\n"
        "      B: T.Buffer((4,), \"int32\")):\n"
        "    T.device_entry()\n"
        "    bx = T.cta_id([4])\n"
        "    T.thread_id([1])\n"
        "    data[bx] = bx\n"
        "    T.cuda.atomic_add(count.ptr_to([0]), 1, sem=\"acq_rel\", scope=\"gpu\")\n"
        "    seen: T.int32 = 0\n"
        "    while seen < " +
        std::to_string(arrivals) +
        ":\n"
        "        seen = T.ptx.ld.acquire(count.ptr_to([0]))\n"
        "    B[bx] = data[(bx + 1) % 4]\n");
    std::vector<std::int32_t> count(1), data(4), b(4);
    Options options;
    options.schedule = schedule;
    const Outcome outcome = script.launch(
        "k",
        {Array::update(count.data(), "int32", {1}), Array::write(data.data(), "int32", {4}),
         Array::write(b.data(), "int32", {4})},
        options);
    CHECK(outcome.status == Status::ok);
    return outcome.faults.size();
  };
  for (const char* schedule : {"roundrobin", "reverse", "random"}) CHECK(faults(4, schedule) == 0);
  CHECK(faults(3, "roundrobin") == 0);
  CHECK(faults(3, "reverse") == 1);
}

}  // namespace tirx::embed
