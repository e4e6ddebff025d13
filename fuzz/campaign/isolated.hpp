// Work in a process of its own: a crash, a hang or a lost GPU costs one program, not the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

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

}  // namespace tirx::fuzz
