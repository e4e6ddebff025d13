// What if the compiler itself crashes?  CUDA 13.0's does on some kernels (docs/fidelity.md).  So it
// runs in a child, which touches neither the driver nor anything of its parent, and leaves its
// answer in a file in memory.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend_cuda/nvrtc.hpp"

namespace tirx::cuda {

namespace {

/// Closes the file on every way out.
struct Descriptor {
  int number = -1;

  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string read_all(int file) {
  std::string bytes;
  lseek(file, 0, SEEK_SET);
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t n = read(file, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(n));
  }
}

// The answer: 'c' or 'e', the length of the text in 16 digits, the text (the log, or the error),
// and the cubin.
constexpr std::size_t kHead = 17;

std::string pack(const Result<Cubin>& result) {
  const std::string& text = result ? result->log : result.error().text;
  return fmt::format("{}{:016}", result ? 'c' : 'e', text.size()) + text +
         (result ? result->image : std::string());
}

}  // namespace

Result<Cubin> compile_apart(const std::string& text,
                            std::string_view arch,
                            const std::vector<std::string>& flags) {
  const Result<NvrtcInfo> info = find_nvrtc();  // loaded here: children need not do it again
  if (!info) return info.error();
  const Descriptor file{memfd_create("tirx-cubin", MFD_CLOEXEC)};
  const pid_t child = file.number < 0 ? -1 : fork();
  if (child < 0) return compile(text, arch, flags);
  if (child == 0) {
    // A crash of the compiler is told by the parent, and leaves no core file.
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
      std::signal(signal, SIG_DFL);
    }
    _exit(write_all(file.number, pack(compile(text, arch, flags))) ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string answer = read_all(file.number);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && answer.size() >= kHead) {
    const std::size_t length = std::stoull(answer.substr(1, kHead - 1));
    std::string told = answer.substr(kHead, length);
    if (answer[0] == 'e') return Diagnostic{{}, std::move(told), {}};
    return Cubin{answer.substr(kHead + length), std::move(told)};
  }
  const std::string how = WIFSIGNALED(status) ? fmt::format("with signal {} ({})", WTERMSIG(status),
                                                            strsignal(WTERMSIG(status)))
                                              : std::string("without an answer");
  return Diagnostic{{},
                    fmt::format("NVRTC {}.{} ended {} while it compiled this for {}", info->major,
                                info->minor, how, arch),
                    {{{},
                      "that is a fault of the compiler: write the statement that it does not bear "
                      "in another way, or use another version (TIRX_NVRTC names its library)"}}};
}

}  // namespace tirx::cuda
