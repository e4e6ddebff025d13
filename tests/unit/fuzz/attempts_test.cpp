// An attempt that ends its process, or that does not end, has an answer, and so has the next one.
#include "fuzz/campaign/attempts.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>

namespace tirx::fuzz {

namespace {

/// Does what its script says; else says how many scripts its process has been asked about.
std::optional<Finding> obey(const std::string& script, int asked) {
  if (script == "exit") std::_Exit(3);
  if (script == "hang") std::this_thread::sleep_for(std::chrono::minutes(5));
  if (script == "right") return std::nullopt;
  if (script == "lost") return Finding{"gpu", "the launch failed", {}};
  return Finding{std::to_string(asked), "said of " + script, "trait"};
}

Judge make_obedient() {
  return [asked = std::make_shared<int>(0)](const std::string& script) {
    return obey(script, ++*asked);
  };
}

std::string kind_of(Attempts& attempts, const std::string& script) {
  const std::optional<Finding> finding = attempts.ask(script, script == "hang" ? 0.05 : 60);
  return finding ? finding->kind : "none";
}

}  // namespace

TEST_CASE(
    "attempts: one that ends its process is a finding, and the next one is asked in a new one") {
  Attempts attempts(make_obedient);
  CHECK(kind_of(attempts, "a") == "1");
  CHECK(kind_of(attempts, "right") == "none");
  CHECK(kind_of(attempts, "b") == "3");
  CHECK(kind_of(attempts, "exit") == "exit 3");
  CHECK(kind_of(attempts, "c") == "1");
  CHECK(kind_of(attempts, "hang") == "timeout");
  CHECK(kind_of(attempts, "d") == "1");
  // What a GPU answers after a launch that failed says nothing about the next script.
  CHECK(kind_of(attempts, "lost") == "gpu");
  CHECK(kind_of(attempts, "e") == "1");
}

TEST_CASE("attempts: each in a process of its own where that is asked for") {
  Attempts attempts(make_obedient, Attempts::Children::once);
  CHECK(kind_of(attempts, "a") == "1");
  CHECK(kind_of(attempts, "b") == "1");
}

TEST_CASE("attempts: a finding comes back as it was, whatever bytes and however many") {
  Attempts attempts(make_obedient);
  const std::string script = "\n\"\xc3\xa9\\", more(300'000, 'x');
  const std::optional<Finding> finding = attempts.ask(script + more, 60);
  REQUIRE(finding);
  CHECK(finding->text == "said of " + script + more);
  CHECK(finding->trait == "trait");
}

TEST_CASE("attempts: a judge that cannot be made ends every attempt") {
  Attempts attempts([]() -> Judge { std::_Exit(7); });
  CHECK(kind_of(attempts, "a") == "exit 7");
  CHECK(kind_of(attempts, "b") == "exit 7");
}

}  // namespace tirx::fuzz
