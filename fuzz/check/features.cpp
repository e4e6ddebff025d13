#include "fuzz/check/features.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fuzz/generate/expression.hpp"
#include "ir/all_ops.hpp"
#include "ir/tile_op.hpp"
#include "ir/visit.hpp"
#include "lower/dispatch.hpp"
#include "numerics/lanes.hpp"
#include "numerics/scalar_op.hpp"

namespace tirx::fuzz {

namespace {

using namespace std::string_view_literals;

/// Not for random programs, and why.
constexpr auto kNotExpected = std::to_array<std::string_view>({
    // Their results have no order, or are no value at all.
    "instruction cuda.__activemask",
    "instruction ptx.activemask",
    "instruction cuda.elect_sync",
    "instruction ptx.elect",
    "instruction cuda.clock",
    "instruction cuda.printf",
    "instruction print_buffer",
    "instruction cuda.nano_sleep",
    "instruction cuda.trap",
    "instruction cuda.func_call",
    "instruction ptx.mbarrier.pending_count",
    // Transactions belong to bulk copies.
    "instruction ptx.mbarrier.arrive.expect_tx",
    "instruction ptx.mbarrier.expect_tx",
    // The bits of the 16-bit approximations are not recorded: the simulator refuses them.
    "instruction ptx.ex2.f16",
    "instruction ptx.tanh.f16",
    // From sm_100 on.
    "variant copy/vec_256b",
});

bool has_lanes(num::ScalarOp op) {
  const auto works = [op](num::DType dtype) {
    return num::is_legal(op, dtype) && num::find_lane_function(op, dtype) != nullptr;
  };
  const auto types = arithmetic_types();
  return works(num::DType::boolean) || std::any_of(types.begin(), types.end(), works);
}

}  // namespace

void add_features(const lower::LoweredKernel& kernel, std::set<std::string>& features) {
  ir::for_each_in_body(
      kernel.body, [](const ir::Stmt&) {},
      [&](const ir::Expr& expr) {
        if (const auto* scalar = ir::as<ir::Scalar>(expr)) {
          features.insert(fmt::format("op {}", num::name(scalar->op)));
        } else if (const auto* call = ir::as<ir::MachineCall>(expr)) {
          features.insert(fmt::format("instruction {}", ir::spec(call->op).name));
        }
      });
  for (const lower::DispatchNote& note : kernel.dispatch)
    features.insert(fmt::format("variant {}/{}", ir::spec(note.op).name, note.variant));
}

std::vector<std::string> expected_features() {
  std::vector<std::string> expected;
  for (const num::ScalarOpRow& row : num::scalar_op_rows()) {
    if (has_lanes(row.op)) expected.push_back(fmt::format("op {}", row.name));
  }
  for (const ir::OpSpec& op : ir::AllOps::kSpecs)
    expected.push_back(fmt::format("instruction {}", op.name));
  for (const ir::TileOpSpec& spec : ir::tile_ops()) {
    for (const lower::Variant& variant : lower::variants_of(spec.op))
      expected.push_back(fmt::format("variant {}/{}", spec.name, variant.name));
  }
  std::erase_if(expected, [](const std::string& name) {
    return std::find(kNotExpected.begin(), kNotExpected.end(), name) != kNotExpected.end();
  });
  return expected;
}

}  // namespace tirx::fuzz
