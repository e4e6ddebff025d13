// Does a row lose its witness when its code changes?
#include "numerics/evidence.hpp"

#include <string>

#include <doctest/doctest.h>

#include "numerics/cuda_math.hpp"
#include "numerics/fingerprint.hpp"
#include "numerics/mma/rows.hpp"
#include "numerics/scalar_op.hpp"

using namespace tirx::num;

TEST_CASE("only a witnessed row can lose its witness") {
  CHECK(standing(Evidence::witnessed, "0123abcd", "0123abcd") == Evidence::witnessed);
  CHECK(standing(Evidence::witnessed, "0123abcd", "0123abce") == Evidence::published);
  CHECK(standing(Evidence::witnessed, "", "0123abcd") == Evidence::witnessed);
  CHECK(standing(Evidence::defined, "0123abcd", "0123abce") == Evidence::defined);
  CHECK(standing(Evidence::modelled, "0123abcd", "0123abce") == Evidence::modelled);
}

TEST_CASE("a fingerprint sees code, not comments and blanks") {
  const std::string code = "y = a * b;  // product\nreturn y;\n";
  CHECK(text_fingerprint(code) == text_fingerprint("y=a*b;\n\n  // another word\n return y;"));
  CHECK(text_fingerprint(code) != text_fingerprint("y = a + b;\nreturn y;\n"));
  CHECK(text_fingerprint("") != text_fingerprint("0"));
}

TEST_CASE("every recorded scalar operation still stands on the code of its recording") {
  int recorded = 0;
  for (const ScalarOpRow& r : scalar_op_rows()) {
    const std::string_view digits = recorded_fingerprint(r.name);
    if (digits.empty()) continue;
    ++recorded;
    CAPTURE(r.name);
    CAPTURE("compare again (docs/numerics.md, Evidence), or leave the row published");
    CHECK(digits == fingerprint(r.op));
    CHECK(r.evidence == declared_row(r.op).evidence);
  }
  CHECK(recorded >= 50);
  CHECK(recorded_fingerprint("conversions") == conversion_fingerprint());
  CHECK(recorded_fingerprint("no such operation").empty());
}

TEST_CASE("one coefficient of a math function takes its witness away") {
  std::string sequence = cuda_source_of(ScalarOp::exp);
  const std::string_view recorded = recorded_fingerprint("exp");
  CHECK(standing(Evidence::witnessed, recorded, text_fingerprint(sequence)) == Evidence::witnessed);
  const std::size_t digit = sequence.find("0x1.");
  REQUIRE(digit != std::string::npos);
  sequence[digit + 4] = sequence[digit + 4] == '0' ? '1' : '0';
  CHECK(standing(Evidence::witnessed, recorded, text_fingerprint(sequence)) == Evidence::published);
}

TEST_CASE("one number of a matrix row takes its witness away") {
  MmaRow row = *find_mma_row(90, MmaFamily::wgmma, DType::e4m3, DType::e4m3, DType::f32);
  const std::string_view recorded = recorded_fingerprint(describe(row));
  REQUIRE(!recorded.empty());
  CHECK(row.evidence == Evidence::witnessed);
  ++row.rule.fraction;
  CHECK(standing(Evidence::witnessed, recorded, fingerprint(row)) == Evidence::published);
  --row.rule.fraction;
  row.rule.group /= 2;
  CHECK(standing(Evidence::witnessed, recorded, fingerprint(row)) == Evidence::published);
}
