// Compiled kernels on disk.  A file's name is a hash of everything its content depends on; it is
// written under another name first, so that nobody reads half a file.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "backend_cuda/library.hpp"
#include "backend_cuda/nvrtc.hpp"

namespace tirx::cuda {

namespace {

namespace fs = std::filesystem;

/// FNV-1a, twice with different offsets: 128 bits, for names and not against forgery.
std::string hash_of(std::string_view text) {
  std::uint64_t low = 0xcbf29ce484222325U, high = 0x84222325cbf29ce4U;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    low = (low ^ byte) * 0x100000001b3U;
    high = (high ^ static_cast<unsigned char>(byte + 0x5bU)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}{:016x}", low, high);
}

fs::path default_directory() {
  if (const std::string chosen = environment("TIRX_CACHE_DIR"); !chosen.empty()) return chosen;
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) {
    return fs::path(xdg) / "tirx";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return fs::path(home) / ".cache" / "tirx";
  }
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return error ? fs::path() : temporary / "tirx";
}

bool read_file(const fs::path& path, std::string& content) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  content.assign(std::istreambuf_iterator<char>(in), {});
  // A cubin is an ELF file; anything else is not ours.
  return !in.bad() && content.rfind(
                          "\x7f"
                          "ELF",
                          0) == 0;
}

void write_file(const fs::path& path, const std::string& content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path partial = path.string() + fmt::format(".{}.part", ::getpid());
  {
    std::ofstream out(partial, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!out.flush()) {
      out.close();
      fs::remove(partial, error);
      return;
    }
  }
  fs::rename(partial, path, error);
  if (error) fs::remove(partial, error);
}

}  // namespace

Result<Cubin> compile_cached(const std::string& text,
                             std::string_view arch,
                             const std::vector<std::string>& flags,
                             const std::string& directory) {
  const Result<NvrtcInfo> info = find_nvrtc();
  if (!info) return info.error();
  std::string key = fmt::format("{} {}.{}\n", arch, info->major, info->minor);
  for (const std::string& flag : flags) key += flag + "\n";
  const fs::path folder = directory.empty() ? default_directory() : fs::path(directory);
  if (folder.empty()) return compile_apart(text, arch, flags);
  const fs::path path = folder / (hash_of(key + text) + ".cubin");
  Cubin cubin;
  if (read_file(path, cubin.image)) return cubin;
  Result<Cubin> fresh = compile_apart(text, arch, flags);
  if (fresh) write_file(path, fresh->image);
  return fresh;
}

}  // namespace tirx::cuda
