// Which elements does a lane access, as the script names them?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/warp.hpp"

namespace tirx::sim::exec {

/// "As[3, 40]": by the values that its indices have now.
[[nodiscard]] std::string element_text(const Warp& w,
                                       const ir::BufferNode& buffer,
                                       const std::vector<ValueId>& index,
                                       int lane);

/// All elements of a lane's access: "As[3, 40:44]", "As[5:9, 0]", "As[0, 6] to As[1, 1]".
[[nodiscard]] std::string element_text(const Warp& w, const MemSite& site, int lane);
[[nodiscard]] std::string element_text(const Warp& w, const LocalSite& site, int lane);

/// The element of a lane's access that holds this byte.
[[nodiscard]] std::string element_at(const Warp& w,
                                     const MemSite& site,
                                     int lane,
                                     std::int64_t byte);

/// … its indices.
[[nodiscard]] std::vector<std::int64_t> index_at(const Warp& w,
                                                 const MemSite& site,
                                                 int lane,
                                                 std::int64_t byte);

/// Whether a thread of the CTA would access the element with these indices, were it where `w` is,
/// with the values that its variables have.
[[nodiscard]] bool would_access(const Warp& w,
                                const MemSite& site,
                                std::uint32_t warp,
                                int lane,
                                const std::vector<std::int64_t>& index);

}  // namespace tirx::sim::exec
