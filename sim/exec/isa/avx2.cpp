// x86-64-v3: AVX2, FMA.  Compiled with the flags in sim/layer.cmake.
#if defined(__x86_64__)
#define TIRX_SIM_ISA lane_handlers_avx2
#include "sim/exec/isa/body.inc"
#endif
