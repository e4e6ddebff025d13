#include "fuzz/check/expected.hpp"

#include <utility>

#include "fuzz/check/refused.hpp"
#include "fuzz/check/reported.hpp"
#include "fuzz/expect/expectation.hpp"

namespace tirx::fuzz {

OracleReport check_expected(const std::string& text, const OracleOptions& options) {
  const std::vector<Expectation> expected = expectations_of(text);
  OracleReport report;
  if (std::string unknown = unknown_among(expected); !unknown.empty()) {
    report.finding = Finding{"expectation", "no such expectation: " + std::move(unknown), {}};
  } else if (expects_refusal(expected)) {
    report.finding = check_refused(text, options);
  } else if (expects_report(expected)) {
    report.finding = check_reported(text, options);
  } else {
    report = check_script(text, options);
  }
  return report;
}

}  // namespace tirx::fuzz
