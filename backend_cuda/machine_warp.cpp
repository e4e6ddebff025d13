// Exchanges between lanes: CUDA's intrinsics are single instructions with the wanted meaning.
#include "backend_cuda/machine.hpp"
#include "backend_cuda/types.hpp"

namespace tirx::cuda {

namespace {

Text shuffle(std::string_view name, const MachineSite& site) {
  TIRX_CHECK(!site.type.is_vector());
  const Text value = site.count() > 3
                         ? call(name, site.mask(0), site.arg(1), site.arg(2), site.arg(3))
                         : call(name, site.mask(0), site.arg(1), site.arg(2));
  // Narrow types travel as int.
  const num::DType dtype = site.type.dtype;
  return num::bits(dtype) < 32 ? cast(element_type(dtype), value) : value;
}

Text redux(std::string_view name, const MachineSite& site) {
  TIRX_CHECK(num::is_int(site.type.dtype) && num::bits(site.type.dtype) == 32);
  const bool bitwise = name != "add" && name != "min" && name != "max";
  const Text value = call(fmt::format("__reduce_{}_sync", name), site.mask(0), site.arg(1));
  return bitwise && site.type.dtype == num::DType::i32 ? cast("int", value) : value;
}

}  // namespace

Text emit_op(ir::ShuffleIdx, const MachineSite& site) {
  return shuffle("__shfl_sync", site);
}

Text emit_op(ir::ShuffleUp, const MachineSite& site) {
  return shuffle("__shfl_up_sync", site);
}

Text emit_op(ir::ShuffleDown, const MachineSite& site) {
  return shuffle("__shfl_down_sync", site);
}

Text emit_op(ir::ShuffleXor, const MachineSite& site) {
  return shuffle("__shfl_xor_sync", site);
}

Text emit_op(ir::VoteAll, const MachineSite& site) {
  return binary(call("__all_sync", site.mask(0), site.arg(1)), "!=", {"0"}, Precedence::equality);
}

Text emit_op(ir::VoteAny, const MachineSite& site) {
  return binary(call("__any_sync", site.mask(0), site.arg(1)), "!=", {"0"}, Precedence::equality);
}

Text emit_op(ir::VoteBallot, const MachineSite& site) {
  return call("__ballot_sync", site.mask(0), site.arg(1));
}

Text emit_op(ir::MatchAny, const MachineSite& site) {
  // Bits are compared; narrow values are extended alike in every lane.
  const ir::Type type = site.type_of(1);
  Text value = site.arg(1);
  if (type.dtype == num::DType::f32) value = call("__float_as_uint", value);
  if (type.dtype == num::DType::f64) value = call("__double_as_longlong", value);
  const bool wide = num::bits(type.dtype) == 64;
  return call("__match_any_sync", site.mask(0),
              cast(wide ? "unsigned long long" : "unsigned", value));
}

Text emit_op(ir::ActiveMask, const MachineSite&) {
  return {"__activemask()"};
}

Text emit_op(ir::ElectSync, const MachineSite& site) {
  return call("tirx_elect_sync", site.count() == 0 ? Text{"0xffffffffu"} : site.mask(0));
}

Text emit_op(ir::ReduxAdd, const MachineSite& site) {
  return redux("add", site);
}

Text emit_op(ir::ReduxMin, const MachineSite& site) {
  return redux("min", site);
}

Text emit_op(ir::ReduxMax, const MachineSite& site) {
  return redux("max", site);
}

Text emit_op(ir::ReduxAnd, const MachineSite& site) {
  return redux("and", site);
}

Text emit_op(ir::ReduxOr, const MachineSite& site) {
  return redux("or", site);
}

Text emit_op(ir::ReduxXor, const MachineSite& site) {
  return redux("xor", site);
}

}  // namespace tirx::cuda
