// One line that is written over itself, and gone at the launch's end.
#include "cli/progress.hpp"

#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace tirx::cli {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// 1,048,576
std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

std::string progress_text(std::string_view kernel, const sim::Progress& progress, double seconds) {
  return fmt::format("kernel {}: {} of {} CTAs, {} warp instructions, {:.0f} s", kernel,
                     grouped(static_cast<std::uint64_t>(progress.ended)),
                     grouped(static_cast<std::uint64_t>(progress.ctas)), grouped(progress.steps),
                     seconds);
}

ProgressLine::ProgressLine(const Options& options, std::string kernel)
    : kernel_(std::move(kernel)),
      limit_(options.max_seconds),
      terminal_(options.progress && isatty(STDERR_FILENO) == 1),
      begun_(now()),
      told_(begun_) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

std::function<bool(const sim::Progress&)> ProgressLine::watch() {
  if (limit_ <= 0 && !terminal_) return nullptr;
  return [this](const sim::Progress& progress) { return tell(progress); };
}

bool ProgressLine::tell(const sim::Progress& progress) {
  constexpr double kSilent = 2, kStep = 0.5;  // seconds
  const double at = now();
  if (terminal_ && at - begun_ > kSilent && at - told_ > kStep) {
    told_ = at;
    shown_ = true;
    std::fputs(("\r\033[K" + progress_text(kernel_, progress, at - begun_)).c_str(), stderr);
    std::fflush(stderr);
  }
  return limit_ <= 0 || at - begun_ < limit_;
}

}  // namespace tirx::cli
