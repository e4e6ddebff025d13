#include "ir/base/file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace tirx {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

using File = std::unique_ptr<std::FILE, Close>;

Diagnostic failed(std::string_view what, std::string_view shown, int reason) {
  return Diagnostic{
      {},
      fmt::format("cannot {} '{}': {}", what, shown, std::generic_category().message(reason)),
      {}};
}

}  // namespace

Result<std::string> read_file(const std::string& path,
                              std::string_view shown,
                              std::size_t largest) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return failed("read", shown, errno);
  std::string bytes;
  char part[1 << 14];
  std::size_t got = 0;
  while ((got = std::fread(part, 1, sizeof part, file.get())) > 0) {
    if (bytes.size() + got > largest) return failed("read", shown, EFBIG);
    bytes.append(part, got);
  }
  if (std::ferror(file.get()) != 0) return failed("read", shown, errno);  // a folder opens, too
  return bytes;
}

std::optional<Diagnostic> write_file(const std::string& path,
                                     std::string_view shown,
                                     std::string_view bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return failed("write", shown, errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  // What is still in the buffer is written here, and a full disk shows only then.
  if (!written || std::fflush(file.get()) != 0) return failed("write", shown, errno);
  if (std::fclose(file.release()) != 0) return failed("write", shown, errno);
  return std::nullopt;
}

}  // namespace tirx
