# Options of single files in numerics/; included by tirx_layer before the library is made.
#
# The lane kernels are compiled once per instruction set. Neither errno nor floating-point traps are
# looked at anywhere, and without these two flags the compilers keep scalar code for both; results
# are the same.
set(lane_kernels ${PROJECT_SOURCE_DIR}/numerics/lane_kernels)
set(lane_flags -fno-math-errno -fno-trapping-math)
set_source_files_properties(${lane_kernels}/lanes_baseline.cpp PROPERTIES
  COMPILE_OPTIONS "${lane_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${lane_kernels}/lanes_avx2.cpp PROPERTIES
    COMPILE_OPTIONS "${lane_flags};-march=x86-64-v3")
  set_source_files_properties(${lane_kernels}/lanes_avx512.cpp PROPERTIES
    COMPILE_OPTIONS "${lane_flags};-march=x86-64-v4;-mprefer-vector-width=512")
endif()

# The math functions travel as text too, for the emitted CUDA; in order of dependence.
include(embed_text)
set(math_files scale_and_pairs exp log trig smooth pow)
list(TRANSFORM math_files PREPEND ${PROJECT_SOURCE_DIR}/numerics/math/)
list(TRANSFORM math_files APPEND .inc)
embed_text(OUTPUT ${PROJECT_BINARY_DIR}/numerics/math_text.cpp NAMESPACE tirx::num
  NAME math_files FILES ${math_files})
list(APPEND sources ${PROJECT_BINARY_DIR}/numerics/math_text.cpp)

# Fingerprints of the sources that a GPU's outputs witness, as numerics/evidence.hpp says: FNV is
# not at hand here, so the digits are those of SHA-256 of the text without comments and blanks.
set(witnessed codec.cpp convert.cpp lane_kernels/formats.inc lane_kernels/float_ops.inc
  lane_kernels/int_ops.inc mma/fused_dot.inl mma/fma_chain.inl mma/campaign/inputs.inl
  approx/approx.cpp approx/tables.cpp)
file(GLOB coefficients RELATIVE ${PROJECT_SOURCE_DIR}/numerics
  ${PROJECT_SOURCE_DIR}/numerics/approx/sm_90/*.inc)
list(APPEND witnessed ${coefficients})
set(fingerprints "")
foreach(file ${witnessed})
  file(READ ${PROJECT_SOURCE_DIR}/numerics/${file} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[ \t\r\n]" "" text "${text}")
  string(SHA256 digits "${text}")
  string(SUBSTRING ${digits} 0 8 digits)
  string(APPEND fingerprints "    {\"${file}\", \"${digits}\"},\n")
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/numerics/${file})
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/numerics/source_fingerprints.cpp CONTENT [[
// Written by numerics/layer.cmake.
#include <cstddef>
#include <string_view>

namespace tirx::num {
struct SourceFingerprint {
  std::string_view file, digits;
};
extern const SourceFingerprint source_fingerprints[];
extern const std::size_t source_fingerprints_count;
const SourceFingerprint source_fingerprints[] = {
@fingerprints@};
const std::size_t source_fingerprints_count =
    sizeof source_fingerprints / sizeof source_fingerprints[0];
}  // namespace tirx::num
]] @ONLY)
list(APPEND sources ${PROJECT_BINARY_DIR}/numerics/source_fingerprints.cpp)

# The vector kernels take clang minutes with sanitizers, and have no memory of their own.
if(TIRX_FUZZ)
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "/lane_kernels/|/mma/tile_")
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
endif()
