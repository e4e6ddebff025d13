// CUDA C++ text to a cubin, without a GPU: NVRTC, loaded when it is needed
// (NVRTC documentation, "User Interface").  The binary does not depend on a CUDA installation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.hpp"

namespace tirx::cuda {

struct Cubin {
  std::string image;  // an ELF file
  std::string log;    // warnings
};

/// Where NVRTC was found and its version ("13.0"); the error says where it was looked for.
struct NvrtcInfo {
  std::string library;
  int major = 0;
  int minor = 0;
};

[[nodiscard]] Result<NvrtcInfo> find_nvrtc();

/// Compiles for an architecture as tirx spells it ("sm_90a").  `flags` are appended to the default
/// ones.  The error holds the compiler's log.
[[nodiscard]] Result<Cubin> compile(const std::string& text,
                                    std::string_view arch,
                                    const std::vector<std::string>& flags = {});

/// The same in a process of its own, so that a crash of the compiler is an error like others.
[[nodiscard]] Result<Cubin> compile_apart(const std::string& text,
                                          std::string_view arch,
                                          const std::vector<std::string>& flags = {});

/// The latter through a cache of files, by default $TIRX_CACHE_DIR, $XDG_CACHE_HOME/tirx,
/// $HOME/.cache/tirx or $TMPDIR/tirx, keyed by text, architecture, flags and NVRTC's version.  A
/// directory that cannot be written to only means that nothing is kept.
[[nodiscard]] Result<Cubin> compile_cached(const std::string& text,
                                           std::string_view arch,
                                           const std::vector<std::string>& flags = {},
                                           const std::string& directory = {});

}  // namespace tirx::cuda
