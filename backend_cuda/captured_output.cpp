#include "backend_cuda/captured_output.hpp"

#include <array>
#include <cstdio>

#include <sys/mman.h>
#include <unistd.h>

namespace tirx::cuda {

CapturedOutput::CapturedOutput(bool wanted) {
  if (!wanted) return;
  file_ = memfd_create("tirx-output", MFD_CLOEXEC);
  if (file_ < 0) return;
  std::fflush(stdout);
  saved_ = dup(STDOUT_FILENO);
  if (saved_ >= 0) dup2(file_, STDOUT_FILENO);
}

CapturedOutput::~CapturedOutput() {
  restore();
  if (file_ >= 0) close(file_);
}

void CapturedOutput::restore() {
  if (saved_ < 0) return;
  std::fflush(stdout);
  dup2(saved_, STDOUT_FILENO);
  close(saved_);
  saved_ = -1;
}

std::string CapturedOutput::take() {
  restore();
  std::string text;
  if (file_ < 0) return text;
  lseek(file_, 0, SEEK_SET);
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = read(file_, piece.data(), piece.size());
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(file_);
  file_ = -1;
  return text;
}

}  // namespace tirx::cuda
