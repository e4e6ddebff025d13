#include "dsl/host/reference/instruction.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "numerics/mma/dot.hpp"
#include "numerics/mma/tile.hpp"

namespace tirx::dsl::reference {

namespace {

using num::DType;

std::string model_name(const num::MmaRow& row) {
  std::string family(num::name(row.family));
  std::replace(family.begin(), family.end(), '.', '_');
  return fmt::format("sm_{}.{}", row.arch, family);
}

template <typename Visit>
void for_each_row(DType a, DType b, Visit visit) {
  for (const num::MmaRow& row : num::mma_rows()) {
    if (row.a == a && row.b == b && row.c == DType::f32 && row.scaling.block == 0) visit(row);
  }
}

}  // namespace

const num::MmaRow* find_instruction(std::string_view name, DType a, DType b) {
  std::string wanted(name);
  const std::size_t dot = wanted.find('.');  // sm_90a is sm_90
  if (dot != std::string::npos && dot > 0 && wanted[dot - 1] == 'a') wanted.erase(dot - 1, 1);
  const num::MmaRow* found = nullptr;
  for_each_row(a, b, [&](const num::MmaRow& row) {
    if (model_name(row) != wanted) return;
    if (found == nullptr || num::largest_k(row) > num::largest_k(*found)) found = &row;
  });
  return found;
}

std::vector<std::string> instruction_names(DType a, DType b) {
  std::vector<std::string> names;
  for_each_row(a, b, [&](const num::MmaRow& row) {
    std::string name = model_name(row);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  });
  return names;
}

std::vector<std::uint8_t> containers(const std::vector<std::uint32_t>& values, DType type) {
  const auto bytes = static_cast<std::size_t>(num::container_bytes(type));
  std::vector<std::uint8_t> out(values.size() * bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t byte = 0; byte < bytes; ++byte)
      out[i * bytes + byte] = static_cast<std::uint8_t>(values[i] >> (8 * byte));
  }
  return out;
}

void instruction_tile(const num::MmaRow& row,
                      std::int64_t m,
                      std::int64_t n,
                      std::int64_t count,
                      std::int64_t k,
                      const std::uint8_t* a,
                      const std::uint8_t* b,
                      std::uint32_t* temp) {
  num::mma_tile(row, static_cast<int>(m), static_cast<int>(n), static_cast<int>(count), {a, k, 1},
                {b, 1, k}, {}, {temp, n, 1});
}

std::uint32_t instruction_dot(const num::MmaRow& row,
                              std::int64_t count,
                              const std::uint8_t* a,
                              const std::uint8_t* b,
                              std::uint32_t start) {
  return static_cast<std::uint32_t>(
      num::mma_dot(row, static_cast<int>(count), 0, {a, 1}, {b, 1}, start));
}

}  // namespace tirx::dsl::reference
