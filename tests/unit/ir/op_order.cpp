// What operations say about the order of threads.  Oracle: their names, which follow the PTX ISA.
#include <string_view>

#include <doctest/doctest.h>

#include "ir/all_ops.hpp"

using namespace tirx;  // NOLINT(google-build-using-namespace)
using Step = ir::OpOrder::Step;

TEST_CASE("op order: barriers, arrivals, waits and copies say what they are") {
  for (std::size_t i = 0; i < ir::AllOps::kSize; ++i) {
    const std::string_view name = ir::AllOps::kSpecs[i].name;
    const ir::OpOrder& order = ir::AllOps::kOrders[i];
    const auto has = [&](std::string_view word) {
      return name.find(word) != std::string_view::npos;
    };
    CAPTURE(name);
    CHECK(order.mbarrier == has("mbarrier"));
    CHECK(order.async == has("async"));
    CHECK((order.step == Step::arrive) == has("arrive"));
    CHECK((order.step == Step::wait) == has("wait"));
    CHECK((order.step == Step::commit) == has("commit"));
    // Whoever waits for others or for its copies has a step.
    if (ir::AllOps::kSpecs[i].effect == ir::Effect::sync) CHECK(order.step != Step::none);
  }
  const ir::OpOrder& all = ir::order(ir::AllOps::id_of<ir::CtaSync>());
  CHECK(all.step == Step::meet);
  CHECK(ir::order(ir::AllOps::id_of<ir::AtomicAdd>()).step == Step::none);
}
