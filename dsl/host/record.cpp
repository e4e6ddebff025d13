#include "dsl/host/record.hpp"

#include "dsl/eval/interpreter.hpp"
#include "dsl/host/tensor_value.hpp"

namespace tirx::dsl {

namespace {

std::vector<std::string> names_of(const Record& record) {
  std::vector<std::string> names;
  for (const auto& [name, value] : record.fields) names.push_back(name);
  return names;
}

std::optional<Value> attribute(Interpreter&, const Value& self, std::string_view name, Span) {
  const Value* found = self.as<Record>()->find(name);
  if (found == nullptr) return std::nullopt;
  return *found;
}

/// Tensors by shape and dtype: a record is read for its structure.
std::string field_text(const Value& value, int depth) {
  if (const auto* tensor = value.as<TensorValue>()) {
    return fmt::format("{} {}", num::name(tensor->tensor.dtype),
                       ir::to_string(tensor->tensor.shape));
  }
  return repr(value, depth + 1);
}

std::string repr_hook(const Value& self, int depth) {
  const auto* record = self.as<Record>();
  std::string text = record->title + "(";
  bool first = true;
  for (const auto& [name, value] : record->fields) {
    text += fmt::format("{}{}={}", first ? "" : ", ", name, field_text(value, depth));
    first = false;
  }
  return text + ")";
}

}  // namespace

const ObjectType Record::kType{
    .name = "record",
    .attribute = attribute,
    .repr = repr_hook,
    .names = [](Interpreter&, const Value& self) { return names_of(*self.as<Record>()); }};

const Value* Record::find(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (field == name) return &value;
  }
  return nullptr;
}

}  // namespace tirx::dsl
