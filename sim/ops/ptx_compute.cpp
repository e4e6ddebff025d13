// Arithmetic on registers by name: sim/program/ptx_form.cpp has what each instruction computes;
// here are the lanes.
#include "sim/ops/context.hpp"

namespace tirx::sim::ops {

Next eval_lanes(Context& c) {
  const PtxForm& form = c.site.form;
  const auto count = static_cast<int>(c.site.args.size());
  for_lanes(c.lanes, [&](int lane) {
    std::array<std::uint64_t, std::tuple_size_v<decltype(c.site.args)>> args{};
    bool poison = false;
    for (int arg = 0; arg < count && c.has(arg); ++arg) {
      args[static_cast<std::size_t>(arg)] = c.bits(arg, lane);
      poison = poison || c.poisoned(arg, lane);  // any poisoned operand poisons the result
    }
    c.result(lane, form.lane(form, args.data()), poison);
  });
  return Next::go_on;
}

}  // namespace tirx::sim::ops
