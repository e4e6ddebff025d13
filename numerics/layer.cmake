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

# The recorded tables of the special-function unit: bytes as big-endian words, written again only
# when a table changes. A table that has not been recorded is an empty one.
file(GLOB recorded CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/numerics/approx/sm_90/*.d8.gz)
foreach(table ex2 rcp rsqrt sqrt)
  set(packed ${PROJECT_SOURCE_DIR}/numerics/approx/sm_90/${table}.d8.gz)
  set(generated ${PROJECT_BINARY_DIR}/numerics/approx_${table}.cpp)
  if(EXISTS ${packed})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${packed})
  endif()
  if(NOT EXISTS ${packed} OR ${packed} IS_NEWER_THAN ${generated} OR
     ${CMAKE_CURRENT_LIST_FILE} IS_NEWER_THAN ${generated})
    set(digits "")
    if(EXISTS ${packed})
      file(READ ${packed} digits HEX)
    endif()
    string(LENGTH "${digits}" length)
    math(EXPR size "${length} / 2")
    string(REGEX REPLACE "(................)" "0x\\1U,\n" words "${digits}0000000000000000")
    string(REGEX REPLACE "\n[0-9a-f]*$" "\n" words "${words}")
    file(WRITE ${generated}.new "// Written by numerics/layer.cmake.
#include <cstddef>
#include <cstdint>

namespace tirx::num {
extern const std::uint64_t approx_${table}_words[];
extern const std::size_t approx_${table}_size;
const std::uint64_t approx_${table}_words[] = {
${words}};
const std::size_t approx_${table}_size = ${size};
}  // namespace tirx::num
")
    configure_file(${generated}.new ${generated} COPYONLY)  # only if it differs
  endif()
  list(APPEND sources ${generated})
endforeach()

# The vector kernels take clang minutes with sanitizers, and have no memory of their own.
if(TIRX_FUZZ)
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "/lane_kernels/|/mma/tile_")
  set_property(SOURCE ${kernels} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
endif()
