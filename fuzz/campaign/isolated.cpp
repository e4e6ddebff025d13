#include "fuzz/campaign/isolated.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tirx::fuzz {

namespace {

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// Messages travel as a length and that many bytes.
class Inbox {
 public:
  explicit Inbox(const std::function<void(const std::string&)>& receive) : receive_(receive) {}

  void add(const char* data, std::size_t size) {
    buffer_.append(data, size);
    while (buffer_.size() >= sizeof(std::uint32_t)) {
      std::uint32_t length = 0;
      std::memcpy(&length, buffer_.data(), sizeof length);
      if (buffer_.size() < sizeof length + length) return;
      receive_(buffer_.substr(sizeof length, length));
      buffer_.erase(0, sizeof length + length);
    }
  }

 private:
  const std::function<void(const std::string&)>& receive_;
  std::string buffer_;
};

[[noreturn]] void be_child(int fd, const std::function<void(const Send&)>& work) {
  work([fd](const std::string& message) {
    const auto length = static_cast<std::uint32_t>(message.size());
    std::string packet(sizeof length, '\0');
    std::memcpy(packet.data(), &length, sizeof length);
    packet += message;
    if (!write_all(fd, packet.data(), packet.size())) std::_Exit(1);
  });
  close(fd);
  // No destructors: a lost GPU would hang in the driver's.
  std::_Exit(0);
}

}  // namespace

ChildEnd run_isolated(const std::function<void(const Send&)>& work,
                      const std::function<void(const std::string&)>& receive,
                      int silence_seconds) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {false, "no pipe"};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {false, "no process"};
  }
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work);
  }
  close(ends[1]);
  Inbox inbox(receive);
  bool timed_out = false;
  std::array<char, 65536> buffer{};
  for (;;) {
    pollfd waiting{ends[0], POLLIN, 0};
    const int ready = poll(&waiting, 1, silence_seconds * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      timed_out = true;
      kill(child, SIGKILL);
      break;
    }
    const ssize_t n = read(ends[0], buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    inbox.add(buffer.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (timed_out) return {false, "timeout"};
  if (WIFSIGNALED(status)) return {false, fmt::format("crash: signal {}", WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0) return {false, fmt::format("exit {}", WEXITSTATUS(status))};
  return {true, "ok"};
}

}  // namespace tirx::fuzz
