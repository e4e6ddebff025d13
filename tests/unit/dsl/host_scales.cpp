// Scale tensors: conventions against indices computed here, conversion, adversarial choices, names.
#include <set>

#include <doctest/doctest.h>

#include "dsl/host/elements.hpp"
#include "dsl/host/gemm_name.hpp"
#include "dsl/host/scale_tensors.hpp"
#include "numerics/scalar.hpp"

using namespace tirx;
using dsl::adversarial_choice;
using dsl::convert_scales;
using num::DType;

namespace {

ir::ScaleConvention named(std::string_view name) {
  auto found = ir::find_scale_convention(name);
  REQUIRE(found.ok());
  return *found;
}

/// Where scale (r, kb) of a matrix with `rows` x `blocks` scales lies, from the libraries' words.
std::int64_t place(std::string_view name,
                   std::int64_t r,
                   std::int64_t kb,
                   std::int64_t rows,
                   std::int64_t blocks) {
  if (name == "deepgemm.1x128") return kb * ((rows + 3) / 4 * 4) + r;
  if (name == "cublaslt.blk128x128") return r * ((blocks + 3) / 4 * 4) + kb;
  const bool mn = name == "cublaslt.vec128" || name.ends_with(".mn") || name.ends_with(".t");
  return mn ? kb * rows + r : r * blocks + kb;
}

}  // namespace

TEST_CASE("each convention puts each scale where its library has it") {
  for (const char* name : {"deepgemm.1x128", "deepgemm.128x128", "cublaslt.vec128",
                           "cublaslt.blk128x128", "cutlass.3x32.mn", "cutlass.64x16.k",
                           "pytorch.128x128", "pytorch.128x128.t", "1x32.mn", "5x7.k"}) {
    const ir::ScaleConvention c = named(name);
    for (const auto& [rows, k] : {std::pair<std::int64_t, std::int64_t>{130, 300},
                                  {256, 640},
                                  {1, 1},
                                  {129, 128},
                                  {7, 1000}}) {
      const std::vector<std::int64_t> shape{rows, k};
      const auto layout = ir::scale_layout(shape, c);
      REQUIRE(layout.ok());
      const auto counts = ir::scale_counts(shape, c);
      CHECK(counts == ir::Shape{(rows + c.rows - 1) / c.rows, (k + c.k - 1) / c.k});
      const auto placement = ir::Placement::make(ir::Layout(*layout), shape);
      REQUIRE(placement.ok());
      bool same = true;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < k; ++j) {
          const std::vector<std::int64_t> at{i, j};
          same = same && placement->at(at, ir::AxisId::m) ==
                             place(name, i / c.rows, j / c.k, counts[0], counts[1]);
        }
      }
      INFO(name << " " << rows << " x " << k);
      CHECK(same);
      const auto stored = ir::stored_shape(counts, c);
      CHECK(layout->span() <= stored[0] * stored[1]);
      const auto compact = ir::filter_zeros(*layout);
      REQUIRE(compact.ok());
      CHECK(compact->size() == stored[0] * stored[1]);
    }
  }
}

TEST_CASE("130 rows of DeepGEMM scales have pitch 132, and the pad is not written") {
  const std::vector<std::int64_t> shape{130, 384};
  const auto tensor =
      dsl::from_values(DType::f32, {130, 3}, std::vector<num::Bits>(390, 0x3f800000));
  const auto out = convert_scales(tensor, named("1x128.k"), named("deepgemm.1x128"), shape);
  REQUIRE(out.ok());
  CHECK(out->shape == std::vector<std::int64_t>{3, 132});
  CHECK(out->scale_convention == "deepgemm.1x128");
  CHECK(dsl::is_written(*out, 129));
  CHECK_FALSE(dsl::is_written(*out, 130));
  CHECK_FALSE(dsl::is_written(*out, 131));
  CHECK(dsl::is_written(*out, 132));
}

TEST_CASE("conversion there and back, and to a finer granularity by repeating each scale") {
  const std::vector<std::int64_t> shape{300, 500};
  std::vector<num::Bits> values;
  for (num::Bits i = 0; i < 3 * 4; ++i) values.push_back(i + 1);
  const auto tensor = dsl::from_values(DType::f32, {3, 4}, values);
  for (const char* name : {"cublaslt.blk128x128", "cutlass.128x128.mn", "pytorch.128x128.t"}) {
    const auto there = convert_scales(tensor, named("deepgemm.128x128"), named(name), shape);
    REQUIRE(there.ok());
    const auto back = convert_scales(*there, named(name), named("128x128.k"), shape);
    REQUIRE(back.ok());
    CHECK(dsl::read_all(*back) == values);
  }
  const auto fine = convert_scales(tensor, named("128x128.k"), named("1x128.k"), shape);
  REQUIRE(fine.ok());
  for (std::int64_t row = 0; row < 300; ++row)
    CHECK(dsl::read_at(*fine, row * 4 + 2) == static_cast<num::Bits>(row / 128 * 4 + 3));
  CHECK_FALSE(convert_scales(*fine, named("1x128.k"), named("128x128.k"), shape).ok());
  CHECK_FALSE(convert_scales(tensor, named("deepgemm.1x128"), named("1x128.k"), {}).ok());
  const std::vector<std::int64_t> huge{1 << 29, 1 << 29};
  CHECK_FALSE(convert_scales(tensor, named("128x128.k"), named("1x1.k"), huge).ok());
  // A scale that nobody wrote is not made valid by moving it.
  ir::Tensor gap = dsl::from_values(DType::f32, {3, 4}, values);
  gap.memory->set_valid(4, 8, false);
  const auto moved = convert_scales(gap, named("128x128.k"), named("128x128.mn"), shape);
  REQUIRE(moved.ok());
  CHECK_FALSE(dsl::is_written(*moved, 3));
  CHECK(dsl::is_written(*moved, 1));
}

TEST_CASE(
    "adversarial choices: all different while they last, never symmetric, never a neighbour") {
  for (std::int64_t count = 1; count <= 25; ++count) {
    const auto choice = adversarial_choice(count, 25, 3);
    CHECK(std::set(choice.begin(), choice.end()).size() == static_cast<std::size_t>(count));
  }
  // How many elements of the list, taken as rows of w, equal a neighbour or the transpose's.
  const auto alike = [](const std::vector<std::int64_t>& choice, std::int64_t w) {
    const auto count = static_cast<std::int64_t>(choice.size());
    const auto at = [&](std::int64_t i) { return choice[static_cast<std::size_t>(i)]; };
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t transposed = i % w * (count / w) + i / w;
      const bool same = (transposed != i && at(i) == at(transposed)) ||
                        (i + 1 < count && at(i) == at(i + 1)) ||
                        (i + w < count && at(i) == at(i + w));
      found += same ? 1 : 0;
    }
    return found;
  };
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const auto& [h, w] : {std::pair<std::int64_t, std::int64_t>{6, 6},
                               {130, 3},
                               {16, 45},
                               {32, 32},
                               {1, 50},
                               {50, 1},
                               {2, 100},
                               {720, 7}})
      CHECK(alike(adversarial_choice(h * w, 17, seed, w), w) == 0);
    for (const std::int64_t count : {36, 64, 100, 144, 390, 720, 1024}) {
      const auto choice = adversarial_choice(count, 25, seed);
      for (std::int64_t w = 2; w <= count / 2; ++w) {
        if (count % w == 0) CHECK(alike(choice, w) <= count / 20);
      }
    }
  }
  CHECK(adversarial_choice(40, 25, 1) != adversarial_choice(40, 25, 2));
}

TEST_CASE("a CUTLASS name, field by field") {
  const auto name = dsl::parse_gemm_name(
      "cutlass3x_sm100_tensorop_gemm_64x128f32xe4m3_1x128f32xe4m3_f32_f16_f16_64x128x128_1x1x1_0_"
      "nnn_"
      "align16_1sm");
  REQUIRE(name.ok());
  const auto field = [&](std::string_view key) {
    for (const auto& f : name->fields) {
      if (f.key == key) return f.value;
    }
    return std::string("(none)");
  };
  CHECK(field("arch") == "100");
  CHECK(field("gm") == "64");
  CHECK(field("gn") == "1");
  CHECK(field("gk") == "128");
  CHECK(field("sfa_dtype") == "float32");
  CHECK(field("b_dtype") == "float8_e4m3fn");
  CHECK(field("acc_dtype") == "float32");
  CHECK(field("d_dtype") == "float16");
  CHECK(field("tile_k") == "128");
  CHECK(field("cluster_m") == "1");
  CHECK(field("stages") == "0");
  CHECK(field("c_layout") == "column");
  CHECK(field("alignment") == "16");
  CHECK(field("schedule") == "1sm");
  // No text of any kind is read beyond its end.
  const std::string whole =
      "cutlass3x_sm90_tensorop_gemm_grouped_1x128f32xe4m3_128x128f32xe5m2_f32_void_bf16_"
      "128x128x128_"
      "2x1x1_0_tnt_align16_1sm";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    (void)dsl::parse_gemm_name(whole.substr(0, i));
    std::string without = whole;
    without.erase(i, 1);
    (void)dsl::parse_gemm_name(without);
    without.insert(i, "_x");
    (void)dsl::parse_gemm_name(without);
  }
  for (const char* good :
       {"cutlass3x_sm90_tensorop_gemm_grouped_1x128f32xe4m3_128x128f32xe5m2_f32_void_bf16_"
        "128x128x128_2x1x1_0_tnt_align16_warpspecialized_cooperative",
        "cutlass3x_sm100_bstensorop_gemm_ue8m0xe4m3_ue8m0xe2m1_f32_f16_f16_128x128x128_1x1x1_0_tnn_"
        "align32",
        "cutlass3x_sm90_tensorop_gemm_e4m3_e4m3_f32_f16_f16_64x128x128_1x2x1_0_tnn_align16"})
    CHECK(dsl::parse_gemm_name(good).ok());
  for (const char* bad :
       {"", "cutlass3x", "cutlass3x_sm", "cutlass3x_sm90_tensorop_conv_e4m3",
        "cutlass3x_sm90_tensorop_gemm_1x128f32xe4m3_1x64f32xe4m3_f32_f16_f16_64x128x128_1x1x1_0_"
        "nnn_"
        "align16",
        "cutlass3x_sm90_tensorop_gemm_1x128f32xe9m9_1x128f32xe4m3_f32_f16_f16_64x128x128_1x1x1_0_"
        "nnn_"
        "align16",
        "cutlass3x_sm90_tensorop_gemm_e4m3_e4m3_f32_f16_f16_64x128_1x1x1_0_nnn_align16",
        "cutlass3x_sm90_tensorop_gemm_e4m3_e4m3_f32_f16_f16_64x128x128_1x1x1_0_nxn_align16",
        "cutlass3x_sm90_tensorop_gemm_e4m3_e4m3_f32_f16_f16_64x128x128_1x1x1_0_nnn_align"})
    CHECK_FALSE(dsl::parse_gemm_name(bad).ok());
}
