#include "fuzz/campaign/isolated.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tirx::fuzz {

namespace {

constexpr double kStart = 60;  // seconds in which a child is ready: a GPU may have to be opened

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
}

/// Messages travel as a length and that many bytes.  False where nobody takes it any more.
bool write_message(int socket, const std::string& message) {
  const auto length = static_cast<std::uint32_t>(message.size());
  std::string packet(sizeof length, '\0');
  std::memcpy(packet.data(), &length, sizeof length);
  packet += message;
  for (std::size_t sent = 0; sent < packet.size();) {
    const ssize_t n = send(socket, packet.data() + sent, packet.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

enum class Got : std::uint8_t { bytes, end, nothing };

/// Fills `data` by `until`; nothing where it takes longer.
Got read_bytes(int socket, char* data, std::size_t size, Clock::time_point until) {
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd waiting{socket, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Got::nothing;
    const ssize_t n = read(socket, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Got::end;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return Got::bytes;
}

Got read_message(int socket, std::string& message, Clock::time_point until) {
  std::uint32_t length = 0;
  std::array<char, sizeof length> head{};
  const Got got = read_bytes(socket, head.data(), head.size(), until);
  if (got != Got::bytes) return got;
  std::memcpy(&length, head.data(), sizeof length);
  message.resize(length);
  return read_bytes(socket, message.data(), length, until);
}

/// A child with a socket to it, in which `be` runs; no child where that is below 0.
std::pair<pid_t, int> start_child(const std::function<void(int socket)>& be) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {-1, -1};
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // One that hangs would survive whoever waits for it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) std::_Exit(1);
    close(ends[0]);
    be(ends[1]);
    // No destructors: a lost GPU would hang in the driver's.
    std::_Exit(0);
  }
  close(ends[1]);
  if (child < 0) close(ends[0]);
  return {child, ends[0]};
}

ChildEnd end_of(pid_t child, bool timed_out) {
  if (timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (timed_out) return {false, "timeout"};
  if (WIFSIGNALED(status)) return {false, fmt::format("crash: signal {}", WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0) return {false, fmt::format("exit {}", WEXITSTATUS(status))};
  return {true, "ok"};
}

}  // namespace

ChildEnd run_isolated(const std::function<void(const Send&)>& work,
                      const std::function<void(const std::string&)>& receive,
                      int silence_seconds) {
  const auto [child, socket] = start_child([&](int to) {
    work([to](const std::string& message) {
      if (!write_message(to, message)) std::_Exit(1);
    });
  });
  if (child < 0) return {false, "no process"};
  Got got = Got::bytes;
  for (std::string message; got == Got::bytes;) {
    got = read_message(socket, message, after(silence_seconds));
    if (got == Got::bytes) receive(message);
  }
  close(socket);
  return end_of(child, got == Got::nothing);
}

ChildEnd Respondent::start() {
  std::tie(child_, socket_) = start_child([&](int to) {
    const Answer answer = prepare_();
    write_message(to, {});
    for (std::string question; read_message(to, question, after(24.0 * 3600)) == Got::bytes &&
                               write_message(to, answer(question));) {
    }
  });
  if (child_ < 0) return {false, "no process"};
  std::string ready;
  return receive(kStart, ready);
}

ChildEnd Respondent::receive(double seconds, std::string& message) {
  const Got got = read_message(socket_, message, after(seconds));
  if (got == Got::bytes) return {true, "ok"};
  close(socket_);
  ChildEnd how = end_of(std::exchange(child_, -1), got == Got::nothing);
  // It should have answered.
  how.finished = false;
  return how;
}

ChildEnd Respondent::ask(const std::string& question, double seconds, std::string& answer) {
  if (child_ < 0) {
    if (ChildEnd started = start(); !started.finished) return started;
  }
  write_message(socket_, question);
  return receive(seconds, answer);
}

void Respondent::end() {
  if (child_ < 0) return;
  close(socket_);
  (void)end_of(std::exchange(child_, -1), true);
}

}  // namespace tirx::fuzz
