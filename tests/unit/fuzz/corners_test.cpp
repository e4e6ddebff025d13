// Every corner runs without a finding, with every opinion there is, and is drawn often enough.
#include "fuzz/generate/corners.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "fuzz/check/oracle.hpp"
#include "fuzz/generate/program.hpp"
#include "fuzz/generate/second.hpp"
#include "tests/unit/sanitized.hpp"

namespace tirx::fuzz {

TEST_CASE("corners: alone in a program, each runs without a finding, and does what it is called") {
  std::set<std::string_view> names;
  for (std::size_t corner = 0; corner < corners(); ++corner) {
    const std::string name(corner_of(corner).name);
    names.insert(corner_of(corner).name);
    for (std::uint64_t seed = 1; seed <= (testing::kSanitized ? 2U : 12U); ++seed) {
      CAPTURE(name);
      CAPTURE(seed);
      const Program program = generate(seed, {.corner = corner});
      CAPTURE(program.text);
      CHECK(program.features.contains(name));
      const auto finding = check_script(program.text, {}).finding;
      CHECK((finding ? finding->text : "") == "");
    }
  }
  CHECK(names.size() == corners());
}

TEST_CASE("second kernel: behind another one, each runs without a finding") {
  int drawn = 0;
  std::set<std::string> features;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    drawn += has_second_kernel(seed) ? 1 : 0;
    const Program program = generate(seed, {.corner = 0, .second = true});
    features.insert(program.features.begin(), program.features.end());
    if (seed > 25) continue;
    CAPTURE(program.text);
    CHECK(program.features.contains("second kernel"));
    const auto finding = check_script(program.text, {}).finding;
    CHECK((finding ? finding->text : "") == "");
  }
  CHECK(drawn > 50);
  CHECK(drawn < 110);
  for (const char* feature :
       {"block of 1 dimensions", "block of 2 dimensions", "block of 3 dimensions", "part of a warp",
        "cluster of several dimensions", "grid that is computed", "assertions before the launch",
        "launch bounds", "names that CUDA has", "scalar parameter bool",
        "scalar parameter float16"})
    CHECK_MESSAGE(features.contains(feature), feature);
}

TEST_CASE("corners: each is in about one of a hundred programs, and most programs have room") {
  constexpr int kPrograms = 2000;
  std::map<std::string_view, int> drawn;
  int some = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const Program program = generate(seed);
    for (std::size_t corner = 0; corner < corners(); ++corner) {
      const std::string_view name = corner_of(corner).name;
      drawn[name] += program.features.contains(std::string(name)) ? 1 : 0;
    }
    some += corners_in(seed) > 0 ? 1 : 0;
  }
  for (const auto& [name, count] : drawn) {
    CAPTURE(name);
    // Warpgroups and clusters are in some of the programs only.
    CHECK(count >= (name.substr(0, 4) == "ids " ? 3 : kPrograms / 200));
  }
  CHECK(some > kPrograms / 2);
  CHECK(some < kPrograms * 3 / 5);
}

TEST_CASE("corners: a size that only the launch tells is a symbol in the signature") {
  for (std::size_t corner = 0; corner < corners(); ++corner) {
    if (corner_of(corner).name.substr(0, 8) != "symbolic") continue;
    const std::string text = generate(3, {.corner = corner}).text;
    CHECK(text.find("n0 = T.int32()") != std::string::npos);
    CHECK(text.find("T.match_buffer(Sym0_ptr, (n0, ") != std::string::npos);
    CHECK(text.find("Sym0_ptr: T.handle") != std::string::npos);
  }
}

}  // namespace tirx::fuzz
