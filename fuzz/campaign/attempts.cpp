#include "fuzz/campaign/attempts.hpp"

#include <nlohmann/json.hpp>

namespace tirx::fuzz {

namespace {

using nlohmann::json;

std::string answer_of(const std::optional<Finding>& finding) {
  if (!finding) return {};
  const json answer = {{"kind", finding->kind}, {"text", finding->text}, {"trait", finding->trait}};
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

bool crashed(const std::string& kind) {
  return kind.starts_with("crash") || kind.starts_with("exit");
}

Attempts::Attempts(const std::function<Judge()>& make_judge, Children children)
    : respondent_([make_judge]() -> Respondent::Answer {
        return
            [judge = make_judge()](const std::string& script) { return answer_of(judge(script)); };
      }),
      children_(children) {}

std::optional<Finding> Attempts::ask(const std::string& script, double seconds) {
  std::string answer;
  const ChildEnd end = respondent_.ask(script, seconds, answer);
  if (!end.finished) return Finding{end.how, "the process ended", {}};
  std::optional<Finding> finding;
  if (!answer.empty()) {
    const json said = json::parse(answer);
    finding = Finding{said["kind"], said["text"], said["trait"]};
  }
  // The GPU may be lost after a launch that failed.
  const bool lost = finding && finding->kind == "gpu" && finding->trait.empty();
  if (lost || children_ == Children::once) respondent_.end();
  return finding;
}

}  // namespace tirx::fuzz
