# One layer = one library that links only the layers it may see.
#
#   tirx_layer(lower SEES ir)            every .cpp below lower/ (or DIR) becomes tirx_lower
#   tirx_unit_tests(lower LINKS lower)   every .cpp below tests/unit/lower becomes the test unit_lower
#
# Sources are globbed, so that adding a file is adding a file.

add_library(tirx_flags INTERFACE)
target_compile_features(tirx_flags INTERFACE cxx_std_20)
target_include_directories(tirx_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
# The simulator promises bits: no contraction, ever (g++ and clang contract by default with FMA).
# Who uses the installed library keeps his own flags.
set(flags -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlapping copies inside std::string where there are none (GCC bug 105651).
  list(APPEND flags -Wno-restrict)
  if(TIRX_SANITIZE)
    # GCC's manual: the sanitizers' code leads to false positives here. The release build has both.
    list(APPEND flags -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(TIRX_PCH)
    # A precompiled header forgets that its contents are the system's.
    list(APPEND flags -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # TIRX_CHECK(!"what cannot be") is how this project says it.
  target_compile_options(tirx_flags INTERFACE -Wno-string-conversion)
endif()
if(TIRX_WERROR)
  list(APPEND flags -Werror)
endif()
target_compile_options(tirx_flags INTERFACE "$<BUILD_INTERFACE:${flags}>")
if(TIRX_FUZZ)
  set(TIRX_SANITIZE ON)
  target_compile_options(tirx_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TIRX_SANITIZE)
  target_compile_options(tirx_flags INTERFACE -fsanitize=address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # A null pointer ends in ASan's report anyhow; a check at each member access costs a tenth of the build.
  target_compile_options(tirx_flags INTERFACE -fno-sanitize=null)
  target_link_options(tirx_flags INTERFACE -fsanitize=address,undefined)
  # Executables of 300 MB: ld takes 13 s for one, mold less than 1 s.
  find_program(TIRX_MOLD mold)
  if(TIRX_MOLD)
    target_link_options(tirx_flags INTERFACE -fuse-ld=mold)
  endif()
endif()

# A fifth of a file's compile time is reading the standard library and fmt: they are read once for all.
if(TIRX_PCH)
  add_library(tirx_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(tirx_pch PRIVATE tirx_flags tirx_fmt)
  target_precompile_headers(tirx_pch PRIVATE <algorithm> <array> <functional> <map> <memory> <optional> <set> <span>
    <string> <unordered_map> <variant> <vector> <fmt/format.h>)
endif()
function(tirx_precompiled target)
  if(TIRX_PCH)
    target_precompile_headers(${target} REUSE_FROM tirx_pch)
  endif()
endfunction()

# What files of one folder include alike is compiled once for several of them.  Two parts of a batch share
# their unnamed namespace: their names differ.
function(tirx_together target)
  if(NOT TIRX_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # A grammar is a minute of templates as it is.
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "/dsl/grammar/")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(tirx_layer name)
  cmake_parse_arguments(ARG "" "DIR" "SEES;LINKS;EXCLUDE" ${ARGN})
  if(NOT ARG_DIR)
    set(ARG_DIR ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_DIR}/*.cpp)
  foreach(pattern ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  list(TRANSFORM ARG_SEES PREPEND tirx_)
  # A layer may set options of single files, and append generated ones to `sources`.
  include(${PROJECT_SOURCE_DIR}/${ARG_DIR}/layer.cmake OPTIONAL)
  if(sources)
    add_library(tirx_${name} STATIC ${sources})
    target_link_libraries(tirx_${name} PUBLIC tirx_flags ${ARG_SEES} PRIVATE ${ARG_LINKS})
    if(NOT name STREQUAL "numerics")
      tirx_precompiled(tirx_${name})
      tirx_together(tirx_${name})
    endif()
    # These read no bytes as anything else than characters: a check of each address costs a sixth of their build.
    if(TIRX_SANITIZE AND name MATCHES "^(dsl|lower|fuzz|cli)$")
      target_compile_options(tirx_${name} PRIVATE -fno-sanitize=alignment)
    endif()
  else()
    add_library(tirx_${name} INTERFACE)
    target_link_libraries(tirx_${name} INTERFACE tirx_flags ${ARG_SEES} ${ARG_LINKS})
  endif()
endfunction()

# The one main of the unit tests, compiled once.
function(tirx_unit_main)
  if(NOT TARGET unit_main)
    add_library(unit_main OBJECT ${PROJECT_SOURCE_DIR}/tests/unit/main.cpp)
    target_link_libraries(unit_main PRIVATE tirx_flags)
    target_compile_definitions(unit_main PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
    target_compile_options(unit_main PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

function(tirx_unit_tests name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  tirx_unit_main()
  add_executable(unit_${name} ${sources} $<TARGET_OBJECTS:unit_main>)
  list(TRANSFORM ARG_LINKS PREPEND tirx_)
  target_link_libraries(unit_${name} PRIVATE tirx_flags ${ARG_LINKS})
  if(NOT name STREQUAL "numerics")
    tirx_together(unit_${name})
  endif()
  target_compile_definitions(unit_${name} PRIVATE TIRX_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  # The tests' own code runs once: a third of its compile time is optimising it. numerics has its oracles there.
  if(NOT name STREQUAL "numerics")
    target_compile_options(unit_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  add_test(NAME unit_${name} COMMAND unit_${name})
endfunction()
