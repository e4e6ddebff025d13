// Any machine.  Compiled with the flags in sim/layer.cmake.
#define TIRX_SIM_ISA lane_handlers_baseline
#include "sim/exec/isa/body.inc"
