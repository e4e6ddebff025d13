// Outputs recorded on an H200, bit for bit (tests/vectors/scalar/README.md).
// TIRX_RECORDS=FOLDER adds the whole recording to the subset that the repository carries.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <zlib.h>

#include "numerics/convert.hpp"
#include "numerics/scalar.hpp"

using namespace tirx::num;

namespace {

struct Recording {
  std::vector<std::uint32_t> inputs;
  std::map<std::string, std::vector<std::uint32_t>> outputs;
};

/// "NAME key=NUMBER" from a 64-byte header.
std::pair<std::string, int> parse_header(const char* header) {
  const std::string text(header, strnlen(header, 64));
  return {text.substr(0, text.find(' ')), std::stoi(text.substr(text.find('=') + 1))};
}

Recording load(const std::string& path) {
  Recording out;
  const gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE_MESSAGE(file != nullptr, path);
  char header[64];
  REQUIRE(gzread(file, header, 64) == 64);
  const int count = parse_header(header).second;
  out.inputs.resize(static_cast<std::size_t>(count));
  REQUIRE(gzread(file, out.inputs.data(), static_cast<unsigned>(count) * 4) == count * 4);
  while (gzread(file, header, 64) == 64) {
    const auto [name, width] = parse_header(header);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count * width));
    REQUIRE(gzread(file, bytes.data(), static_cast<unsigned>(bytes.size())) == count * width);
    std::vector<std::uint32_t>& values = out.outputs[name];
    for (int i = 0; i < count; ++i) {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + i * width, static_cast<std::size_t>(width));
      values.push_back(value);
    }
  }
  gzclose(file);
  return out;
}

int differences(const Recording& r,
                const std::string& name,
                const std::function<Bits(Bits)>& function) {
  const std::vector<std::uint32_t>& expected = r.outputs.at(name);
  int wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += function(r.inputs[i]) != expected[i];
  return wrong;
}

}  // namespace

namespace {

/// How many outputs were compared.
std::size_t replay(const Recording& r) {
  std::size_t instructions = 0;
  const std::pair<const char*, ScalarOp> operations[] = {{"k_ex2f", ScalarOp::ex2_approx_ftz},
                                                         {"k_ex2", ScalarOp::ex2_approx},
                                                         {"k_rcpf", ScalarOp::rcp_approx_ftz},
                                                         {"k_rcp", ScalarOp::rcp_approx},
                                                         {"k_rsqf", ScalarOp::rsqrt_approx_ftz},
                                                         {"k_rsq", ScalarOp::rsqrt_approx},
                                                         {"k_sqf", ScalarOp::sqrt_approx_ftz},
                                                         {"k_sq", ScalarOp::sqrt_approx},
                                                         {"k_lg2f", ScalarOp::lg2_approx_ftz},
                                                         {"k_lg2", ScalarOp::lg2_approx},
                                                         {"k_sin", ScalarOp::sin_approx},
                                                         {"k_cos", ScalarOp::cos_approx},
                                                         {"k_tanh", ScalarOp::tanh_approx},
                                                         {"k_sqrtrn", ScalarOp::sqrt},
                                                         {"k_rcprn", ScalarOp::rcp}};
  for (const auto& pair : operations) {
    const std::string recorded = pair.first;
    const ScalarOp operation = pair.second;
    CAPTURE(recorded);
    ++instructions;
    CHECK(differences(r, recorded, [operation](Bits x) {
            return evaluate(operation, DType::f32, x).value;
          }) == 0);
  }
  const Conversion nearest{};

  struct Cast {
    const char* name;
    DType to;
    bool nearest_integer;
  };

  const Cast casts[] = {{"c_f16", DType::f16, false},   {"c_bf16", DType::bf16, false},
                        {"c_tf32", DType::tf32, false}, {"c_e4m3", DType::e4m3, false},
                        {"c_e5m2", DType::e5m2, false}, {"c_s32", DType::i32, false},
                        {"c_s32n", DType::i32, true},   {"c_u8", DType::u8, true},
                        {"c_s8", DType::i8, true}};
  for (const Cast& cast : casts) {
    CAPTURE(cast.name);
    CHECK(differences(r, cast.name, [&](Bits x) {
            return cast.nearest_integer ? convert(x, DType::f32, cast.to, nearest)
                                        : convert(x, DType::f32, cast.to);
          }) == 0);
    ++instructions;
  }
  return instructions * r.inputs.size();
}

}  // namespace

TEST_CASE("recorded outputs of an H200") {
  const Recording subset = load(TIRX_SOURCE_DIR "/tests/vectors/scalar/scalar.bin.gz");
  CHECK(subset.outputs.size() == 24);
  CHECK(replay(subset) == 24 * 4096);
  if (const char* folder = std::getenv("TIRX_RECORDS")) {
    const std::size_t outputs = replay(load(std::string(folder) + "/scalar.bin.gz"));
    MESSAGE("outputs compared: " << outputs);
    CHECK(outputs == 24 * 32768);
  }
}
