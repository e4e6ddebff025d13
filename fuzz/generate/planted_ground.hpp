// What the lines of a planted fault stand on (Ground in planted.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/generate/planted.hpp"

namespace tirx::fuzz {

/// What is filled in for "$W", "$K", … one after the other: a later one may occur in an earlier
/// one.
using PlantedWords = std::vector<std::pair<std::string_view, std::string>>;

[[nodiscard]] std::string filled_in(std::string text, const PlantedWords& words);

/// `common`, `setup`, and what is wrong or right.
[[nodiscard]] std::string text_of(const PlantedFault& fault, bool wrong);

void plant_on_tile(Draft& draft, const PlantedFault& fault, bool wrong);
void plant_on_threads(Draft& draft, const PlantedFault& fault, bool wrong);

}  // namespace tirx::fuzz
