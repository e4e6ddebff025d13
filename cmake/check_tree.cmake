# Does the tree keep its own rules?  Run as a test: cmake -DROOT=… -P check_tree.cmake
#   * #include lines follow the arrows between the layers;
#   * what is generated for fuzzing does not depend on how it is judged;
#   * the oracle of block-scaled GEMMs sees no layout and no host function that a script could use;
#   * no source file is longer than 500 lines;
#   * no file is named after nobody (utils, helpers, common, misc);
#   * every test kernel named bad_* expects a failure, and no other does.
cmake_minimum_required(VERSION 3.25)

# What each folder may include, besides itself.  The longest matching folder counts.
set(sees_numerics "")
set(sees_ir/base "")
set(sees_ir "ir/base;numerics")
set(sees_dsl "ir;ir/base;numerics")
set(sees_lower "ir;ir/base;numerics")
set(sees_sim "lower;ir;ir/base;numerics")
set(sees_backend_cuda "lower;ir;ir/base;numerics")
set(sees_embed "dsl;sim;backend_cuda;lower;ir;ir/base;numerics")
set(sees_fuzz "dsl;sim;lower;ir;ir/base;numerics")
set(sees_cli "fuzz;dsl;sim;backend_cuda;lower;ir;ir/base;numerics")
# dsl/host/reference computes indices from the definition: what a script is built with may not help it.
set(oracle_sees "dsl/host/reference/.*|dsl/host/(exact_sum|compare|elements).hpp|ir/tensor.hpp|ir/base/.*|numerics/.*")
set(layers numerics ir/base ir dsl lower sim backend_cuda embed fuzz cli)

function(layer_of path out)
  if(path MATCHES "^ir/base/")
    set(${out} ir/base PARENT_SCOPE)
  else()
    string(REGEX REPLACE "/.*" "" first "${path}")
    set(${out} "${first}" PARENT_SCOPE)
  endif()
endfunction()

set(failures 0)
macro(complain)
  message("${ARGN}")
  math(EXPR failures "${failures} + 1")
endmacro()

foreach(top numerics ir dsl lower sim backend_cuda embed fuzz cli)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${top}/*.cpp ${ROOT}/${top}/*.hpp ${ROOT}/${top}/*.inl
    ${ROOT}/${top}/*.inc)
  foreach(file ${files})
    layer_of(${file} layer)
    file(STRINGS ${ROOT}/${file} includes REGEX "^#include \"")
    foreach(line ${includes})
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" target "${line}")
      layer_of(${target} target_layer)
      if(NOT target_layer STREQUAL layer AND NOT target_layer IN_LIST sees_${layer})
        complain("${file}: includes ${target}, but ${layer} may not see ${target_layer}")
      endif()
      if(file MATCHES "^fuzz/(generate|expect)/" AND target MATCHES "^fuzz/"
         AND NOT target MATCHES "^fuzz/(generate|expect)/")
        complain("${file}: includes ${target}, but what is generated does not depend on how it is judged")
      endif()
      if(file MATCHES "^dsl/host/reference/" AND NOT target MATCHES "^(${oracle_sees})$")
        complain("${file}: includes ${target}, but the oracle stands alone")
      endif()
    endforeach()
    file(STRINGS ${ROOT}/${file} lines)
    file(READ ${ROOT}/${file} content)
    string(REGEX MATCHALL "\n" newlines "${content}")
    list(LENGTH newlines length)
    if(length GREATER 500)
      complain("${file}: ${length} lines; split it by subject (limit 500)")
    endif()
    get_filename_component(stem ${file} NAME_WE)
    if(stem MATCHES "^(utils?|helpers?|common|misc)$")
      complain("${file}: is named after nothing; say what it holds")
    endif()
  endforeach()
endforeach()

file(GLOB_RECURSE kernels RELATIVE ${ROOT} ${ROOT}/tests/golden/*.tx)
foreach(kernel ${kernels})
  get_filename_component(stem ${kernel} NAME_WE)
  file(STRINGS ${ROOT}/${kernel} exits REGEX "^# exit: [1-9]")
  if(stem MATCHES "^bad_" AND NOT exits)
    complain("${kernel}: named bad_ but expects success")
  elseif(exits AND NOT stem MATCHES "^bad_")
    complain("${kernel}: expects a failure but is not named bad_")
  endif()
endforeach()

if(failures GREATER 0)
  message(FATAL_ERROR "${failures} rule(s) broken")
endif()
