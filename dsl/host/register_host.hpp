// The host part's built-ins: tensors and the functions of `tirx`.
#pragma once

namespace tirx::dsl {

class Registry;

void register_tensors(Registry& registry);  // methods and properties of tensors
void register_tirx(Registry& registry);     // tirx.empty, tirx.random, tirx.param, …
void register_asserts(Registry& registry);  // tirx.assert_equal, tirx.expect_fault, …
void register_scales(Registry& registry);   // tirx.scale_layout, tirx.convert_scales, …
void register_gemm(Registry& registry);     // tirx.reference, tirx.gemm_inputs, tirx.swap_ab, …

inline void register_host(Registry& registry) {
  register_tensors(registry);
  register_tirx(registry);
  register_asserts(registry);
  register_scales(registry);
  register_gemm(registry);
}

}  // namespace tirx::dsl
