// Work in a process of its own: a crash, a hang or a lost GPU costs one program, not the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace tirx::fuzz {

/// What a child process sends: any number of messages, each complete.
using Send = std::function<void(const std::string&)>;

struct ChildEnd {
  bool finished = false;   // returned by itself
  std::string how = "ok";  // "ok", "crash: signal 6", "timeout"
};

/// Runs `work` in a child and hands its messages to `receive` as they come.  The child is killed
/// when it sends nothing for `silence_seconds`.
ChildEnd run_isolated(const std::function<void(const Send&)>& work,
                      const std::function<void(const std::string&)>& receive,
                      int silence_seconds);

/// A child that answers one question after another.  It starts with the first one, and again with
/// the next one after it has ended.
class Respondent {
 public:
  using Answer = std::function<std::string(const std::string&)>;

  /// `prepare` is called in each new child, before its first question.
  explicit Respondent(std::function<Answer()> prepare) : prepare_(std::move(prepare)) {}

  Respondent(const Respondent&) = delete;
  Respondent& operator=(const Respondent&) = delete;

  ~Respondent() { end(); }

  /// Waits `seconds` for the answer; where none comes, how the child ended.
  ChildEnd ask(const std::string& question, double seconds, std::string& answer);

  /// The next question is asked in a new child.
  void end();

 private:
  ChildEnd start();
  /// The child's next message, or how it ended.
  ChildEnd receive(double seconds, std::string& message);

  std::function<Answer()> prepare_;
  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace tirx::fuzz
