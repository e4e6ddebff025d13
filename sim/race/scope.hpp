// How far does a synchronising operation reach (PTX ISA 8.5)?
#pragma once

#include <cstdint>

namespace tirx::sim::race {

enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

}  // namespace tirx::sim::race
