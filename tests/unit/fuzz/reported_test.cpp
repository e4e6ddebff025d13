// What the lines of a script say must come of it: the grammar, and the faults that a run shows,
// each reported where its line says so, while the right lines beside it run clean.
#include "fuzz/check/reported.hpp"

#include <doctest/doctest.h>

#include "fuzz/check/expected.hpp"
#include "fuzz/expect/expectation.hpp"
#include "fuzz/generate/planted.hpp"
#include "fuzz/generate/program.hpp"
#include "tests/unit/sanitized.hpp"

namespace tirx::fuzz {

namespace {

std::string text_of(std::uint64_t seed, std::size_t fault, bool wrong) {
  return generate(seed, {.planted = Planting{fault, wrong, seed != 1}}).text;
}

std::string found(const OracleReport& report) {
  return report.finding ? report.finding->kind + ": " + report.finding->text : "";
}

std::string unknown_in(const std::string& text) {
  return unknown_among(expectations_of(text));
}

}  // namespace

TEST_CASE("expectations: one a line, two, one of the whole script, none") {
  const auto all = expectations_of(
      "a = 1  # no mark\n"
      "# a line that had: b = 2  #! race\n"
      "#! prints 5 7\n"
      "b = 2  #! race? ps[3]; uninit\n"
      "    #! refused it; lowered gmem_smem, vec 4\n");
  REQUIRE(all.size() == 5);
  CHECK((all[0].word == "prints" && all[0].words == "5 7" && all[0].line == 0 && !all[0].may));
  CHECK((all[1].word == "race" && all[1].words == "ps[3]" && all[1].line == 4 && all[1].may));
  CHECK((all[2].word == "uninit" && all[2].words.empty() && all[2].line == 4 && !all[2].may));
  CHECK((all[3].word == "refused" && all[3].words == "it" && all[3].line == 0));
  CHECK((all[4].word == "lowered" && all[4].words == "gmem_smem, vec 4"));
}

TEST_CASE("expectations: what is none of them is named") {
  CHECK(unknown_in("#! trap; beyond tile; incomplete; origin ps[3]; deadlock?") == "");
  for (const char* text : {"refused", "lowered", "prints", "bound ps[3]", "beyond time",
                           "refused? x", "incomplete at last"})
    CHECK(unknown_in(std::string("x = 1  #! trap; ") + text) == text);
}

TEST_CASE("expectations: comments that go leave the lines") {
  const std::string text = "a = 1  #! race a\nb = 2  #! race b\n#! incomplete\nc = 3\n";
  CHECK(without_expectations(text, [](std::string_view line) { return line[0] != 'b'; }) ==
        "a = 1\nb = 2  #! race b\nc = 3\n");
}

TEST_CASE("planted: every fault says what must come of it, and its right lines say nothing") {
  for (std::size_t number = 0; number < planted_faults(); ++number) {
    const PlantedFault& fault = planted_fault(number);
    CAPTURE(fault.name);
    const auto all = expectations_of(fault.wrong);
    CHECK(unknown_among(all) == "");
    CHECK(expects_report(all));
    for (const std::string_view lines : {fault.common, fault.setup, fault.right})
      CHECK(expectations_of(lines).empty());
  }
}

TEST_CASE("reported: each fault is reported as its lines say, and its right twin is clean") {
  const OracleOptions options;
  int faults = 0;
  for (std::size_t fault = 0; fault < planted_faults(); fault += testing::kSanitized ? 7 : 1) {
    if (expects_refusal(expectations_of(planted_fault(fault).wrong))) continue;
    // Bare or at the end of a program, in turn; a campaign draws many more.
    const std::uint64_t seed = 1 + static_cast<std::uint64_t>(faults++ % 2);
    const std::string wrong = text_of(seed, fault, true), right = text_of(seed, fault, false);
    CAPTURE(planted_fault(fault).name);
    CHECK(wrong.find('$') == std::string::npos);
    CHECK(found(check_expected(wrong, options)) == "");
    CHECK(found(check_expected(right, options)) == "");
    // A kernel without the fault that it names is a finding as well.
    CHECK(check_expected(right + "#! bounds\n", options).finding.has_value());
  }
  CHECK(faults > (testing::kSanitized ? 50 : 100));
}

TEST_CASE("reported: an expectation that does not exist is a finding") {
  CHECK(found(check_expected("x = 1  #! bound\n", {})) ==
        "expectation: no such expectation: bound");
}

}  // namespace tirx::fuzz
