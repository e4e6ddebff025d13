// x86-64-v4: AVX-512.  Compiled with the flags in sim/layer.cmake.
#if defined(__x86_64__)
#define TIRX_SIM_ISA lane_handlers_avx512
#include "sim/exec/isa/body.inc"
#endif
