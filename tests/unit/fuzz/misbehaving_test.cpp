// Every fault that a run shows is reported where its mark is, and the right lines beside it run
// clean.
#include "fuzz/check/misbehaving.hpp"

#include <map>
#include <set>

#include <doctest/doctest.h>

#include "fuzz/generate/planted_run.hpp"
#include "fuzz/generate/program.hpp"

namespace tirx::fuzz {

namespace {

std::string text_of(std::uint64_t seed, std::size_t fault, bool wrong) {
  return generate(seed, {.planted = Planting{fault, wrong, seed != 1, true}}).text;
}

std::string found(const std::optional<Finding>& finding) {
  return finding ? finding->kind + ": " + finding->text : "";
}

}  // namespace

TEST_CASE("misbehaving: each fault is reported as its lines say, and its right twin is clean") {
  const OracleOptions options;
  for (std::size_t fault = 0; fault < run_faults(); ++fault) {
    // Bare or at the end of a program, in turn; a campaign draws many more.
    const std::uint64_t seed = 1 + fault % 2;
    const std::string wrong = text_of(seed, fault, true), right = text_of(seed, fault, false);
    CAPTURE(run_fault(fault).name);
    CHECK(wrong.find('$') == std::string::npos);
    CHECK(right.find("#!") == std::string::npos);
    CHECK(found(check_misbehaving(wrong, options)) == "");
    CHECK(found(check_script(right, {}).finding) == "");
    // A kernel without a fault that is marked is a finding as well.
    CHECK(check_misbehaving(right + "#! bounds\n", {}).has_value());
    CHECK(found(check_misbehaving(wrong + "#! bound\n", {})) == "mark: no such mark: bound");
  }
}

}  // namespace tirx::fuzz
