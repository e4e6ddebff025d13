// Which import paths name which modules, and the names that are there without an import.
#include <array>
#include <utility>

#include "dsl/eval/builtins.hpp"
#include "dsl/eval/registry.hpp"

namespace tirx::dsl {

void register_imports(Registry& registry) {
  constexpr auto kAliases = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"tvm.script.tirx", "T"},
      {"tvm.script.tirx.tile", "Tx"},
      {"tvm.tirx.layout", "tvm.tirx.layout"},
      {"tvm.tirx.cuda.tile_primitive.tma_utils", "tvm.tirx.layout"},
      {"tvm.tirx.lang.pipeline", "tvm.tirx.lang.pipeline"},
      {"tirx.pipeline", "tvm.tirx.lang.pipeline"},
      {"tirx.script", "T"},
      {"tirx.tile", "Tx"},
      {"tirx.layout", "tvm.tirx.layout"},
  });
  for (const auto& [path, module] : kAliases) registry.alias(path, module);
  // `from tvm.script import tirx as T`
  registry.add("tvm.script", "tirx", registry.module("T"));
  registry.add("T", "tile", registry.module("Tx"));
  for (const std::string_view name : {"T", "Tx", "tirx"}) {
    registry.add("", name, registry.module(name));
  }
}

}  // namespace tirx::dsl
