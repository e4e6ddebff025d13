// A value with named fields that the host functions hand out: a GEMM problem, a preset, the fields
// of a kernel's name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/eval/value.hpp"

namespace tirx::dsl {

struct Record : Object {
  static const ObjectType kType;

  explicit Record(std::string t) : Object(kType), title(std::move(t)) {}

  std::string title;  // "gemm problem"
  std::vector<std::pair<std::string, Value>> fields;

  Record& with(std::string name, Value value) {
    fields.emplace_back(std::move(name), std::move(value));
    return *this;
  }

  [[nodiscard]] const Value* find(std::string_view name) const;

  void clear() override { fields.clear(); }
};

}  // namespace tirx::dsl
