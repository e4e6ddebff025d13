// Filling and searching the tables of built-ins; the list of who fills them.
#include "dsl/eval/registry.hpp"

#include <algorithm>

#include "dsl/eval/builtins.hpp"
#include "dsl/host/register_host.hpp"
#include "ir/base/check.hpp"

namespace tirx::dsl {

namespace {

Value call_builtin(Interpreter& interpreter, const Value& self, CallArgs args) {
  const auto* builtin = self.as<Builtin>();
  const Arguments arguments(interpreter, builtin->signature, Value(), std::move(args));
  return builtin->row->function(interpreter, arguments);
}

std::string qualified(std::string_view module, std::string_view name) {
  return module.empty() ? std::string(name) : std::string(module) + "." + std::string(name);
}

}  // namespace

const ObjectType Builtin::kType{
    .name = "builtin function", .call = call_builtin, .repr = [](const Value& self, int) {
      return "<built-in " + self.as<Builtin>()->name + ">";
    }};

Builtin::Builtin(const BuiltinFunction& r, std::string n)
    : Object(kType), row(&r), name(std::move(n)), signature(parse_signature(name, r.signature)) {}

std::shared_ptr<Module> Registry::module(std::string_view name) {
  auto& slot = modules_[std::string(name)];
  if (slot == nullptr) {
    slot = std::make_shared<Module>(std::string(name));
    const std::size_t dot = name.rfind('.');
    if (dot != std::string_view::npos) {
      // Hold on to the pointer: module() of the parent may rehash the map.
      const std::shared_ptr<Module> child = slot;
      module(name.substr(0, dot))->members[std::string(name.substr(dot + 1))] = child;
      return child;
    }
  }
  return slot;
}

void Registry::add(std::string_view module_name, std::span<const BuiltinFunction> table) {
  const std::shared_ptr<Module> target = module(module_name);
  for (const BuiltinFunction& row : table) {
    const bool fresh =
        target->members
            .emplace(std::string(row.name),
                     std::make_shared<Builtin>(row, qualified(module_name, row.name)))
            .second;
    TIRX_CHECK(fresh);
  }
}

void Registry::add(std::string_view module_name, std::string_view name, Value value) {
  module(module_name)->members.insert_or_assign(std::string(name), std::move(value));
}

void Registry::alias(std::string_view path, std::string_view module_name) {
  aliases_[std::string(path)] = std::string(module_name);
}

void Registry::add_methods(std::string_view kind, std::span<const BuiltinFunction> table) {
  MemberTable& members = kinds_[std::string(kind)];
  for (const BuiltinFunction& row : table) {
    const bool fresh =
        members.methods.emplace(row.name, std::make_shared<Builtin>(row, qualified(kind, row.name)))
            .second;
    TIRX_CHECK(fresh);
  }
}

void Registry::add_properties(std::string_view kind, std::span<const Property> table) {
  MemberTable& members = kinds_[std::string(kind)];
  for (const Property& row : table) members.properties[row.name] = &row;
}

std::shared_ptr<Module> Registry::find_import(std::string_view path) const {
  std::string name(path);
  if (const auto found = aliases_.find(name); found != aliases_.end()) name = found->second;
  const auto found = modules_.find(name);
  return found != modules_.end() ? found->second : nullptr;
}

std::vector<std::string> Registry::import_paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, module] : aliases_) paths.push_back(path);
  for (const auto& [path, module] : modules_) {
    if (!path.empty()) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

const Value* Registry::find_builtin(const std::string& name) const {
  const auto python = modules_.find("");
  if (python == modules_.end()) return nullptr;
  const auto found = python->second->members.find(name);
  return found != python->second->members.end() ? &found->second : nullptr;
}

const MemberTable* Registry::members(std::string_view kind) const {
  const auto found = kinds_.find(std::string(kind));
  return found != kinds_.end() ? &found->second : nullptr;
}

std::vector<std::string> Registry::member_names(std::string_view kind) const {
  std::vector<std::string> names;
  if (const MemberTable* table = members(kind)) {
    for (const auto& [name, value] : table->methods) names.emplace_back(name);
    for (const auto& [name, value] : table->properties) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Registry::clear() {
  for (auto& [name, entry] : modules_) entry->clear();
  modules_.clear();
}

void register_all(Registry& registry) {
  register_python(registry);
  register_python_containers(registry);
  register_math(registry);
  register_functions(registry);
  register_types(registry);
  register_scalars(registry);
  register_buffers(registry);
  register_loops(registry);
  register_scopes(registry);
  register_machine(registry);
  register_ptx(registry);
  register_pipeline(registry);
  register_tile_ops(registry);
  register_layouts(registry);
  register_imports(registry);
  register_host(registry);
}

}  // namespace tirx::dsl
