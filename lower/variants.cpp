// The ranked lists.  A new variant is a file of its own and one row here.
#include <array>

#include "lower/copy/copy.hpp"
#include "lower/copy/edge.hpp"
#include "lower/copy/ldstmatrix.hpp"
#include "lower/copy_async/ldgsts.hpp"
#include "lower/elementwise/elementwise.hpp"
#include "lower/gemm/gemm.hpp"
#include "lower/permute/permute.hpp"
#include "lower/reduction/reduction.hpp"

namespace tirx::lower {

namespace {

/// A variant that says no, and otherwise starts afresh.
template <auto Refuse, auto Expand>
Result<Taken> take(const Site& site) {
  if (auto reason = Refuse(site)) return Diagnostic{{}, std::move(*reason), {}};
  return Taken([&site] { return Expand(site); });
}

/// A variant whose check makes a plan, which the expansion carries out.
template <auto MakePlan, auto Expand>
Result<Taken> take_plan(const Site& site) {
  auto plan = MakePlan(site);
  if (!plan) return plan.error();
  return Taken([&site, plan = std::move(plan).value()]() -> Result<Expansion> {
    return Expand(site, plan);
  });
}

template <std::int64_t Bits>
constexpr Variant forced_vector(std::string_view name) {
  return {name, 20, true,
          take<[](const Site& site) { return refuse_vec(site, Bits); },
               [](const Site& site) { return expand_vec(site, Bits); }>};
}

template <int M, int K>
constexpr Variant mma(std::string_view name) {
  return {name, 10, false,
          take_plan<[](const Site& site) {
            return plan_mma(site, {M, K});
          },
                    expand_mma>};
}

constexpr std::array kCopy{
    forced_vector<256>("vec_256b"),
    forced_vector<128>("vec_128b"),
    forced_vector<64>("vec_64b"),
    forced_vector<32>("vec_32b"),
    forced_vector<16>("vec_16b"),
    Variant{"gmem_smem", 10, false, take<refuse_gmem_smem, expand_gmem_smem>},
    Variant{"ldstmatrix", 10, false, take_plan<plan_ldstmatrix, expand_ldstmatrix>},
    Variant{"reg", 10, false, take<refuse_reg, expand_reg>},
    Variant{"predicated", 5, false, take<refuse_predicated, expand_predicated>},
    Variant{"fallback", 0, false, take<refuse_fallback, expand_fallback>},
};

constexpr std::array kElementwise{
    Variant{"reg", 10, false, take<refuse_elementwise_reg, expand_elementwise_reg>},
    Variant{"smem", 10, false, take<refuse_elementwise_smem, expand_elementwise_smem>},
    Variant{"gmem", 10, false, take<refuse_elementwise_gmem, expand_elementwise_gmem>},
};

constexpr std::array kCopyAsync{
    Variant{"ldgsts", 20, false, take<refuse_ldgsts, expand_ldgsts>},
};

// The largest k first: it is the one that is taken, and so it fixes rounding.
constexpr std::array kGemm{
    mma<16, 32>("mma.m16n8k32"), mma<16, 16>("mma.m16n8k16"), mma<16, 8>("mma.m16n8k8"),
    mma<16, 4>("mma.m16n8k4"),   mma<8, 4>("mma.m8n8k4"),
};

constexpr std::array kPermuteLayout{
    Variant{"warp_xor_swizzle", 20, false, take<refuse_xor_swizzle, expand_xor_swizzle>},
    Variant{"reg", 10, false, take<refuse_permute_reg, expand_permute_reg>},
};

constexpr std::array kReduction{
    Variant{"local", 10, false, take<refuse_reduction_local, expand_reduction_local>},
    Variant{"shared", 10, false, take<refuse_reduction_shared, expand_reduction_shared>},
};

}  // namespace

std::span<const Variant> variants_of(ir::TileOp op) {
  switch (ir::spec(op).family) {
    case ir::TileFamily::copy:
      return kCopy;
    case ir::TileFamily::copy_async:
      return kCopyAsync;
    case ir::TileFamily::permute_layout:
      return kPermuteLayout;
    case ir::TileFamily::elementwise:
      return kElementwise;
    case ir::TileFamily::reduction:
      return kReduction;
    case ir::TileFamily::gemm:
      return kGemm;
  }
  return {};
}

}  // namespace tirx::lower
