# Options of single files in sim/; included by tirx_layer before the library is made.
#
# The lane handlers are compiled once per instruction set; which one runs is decided at run time.
set(sim_isa ${PROJECT_SOURCE_DIR}/sim/exec/isa)
set_source_files_properties(${sim_isa}/baseline.cpp PROPERTIES
  COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${sim_isa}/avx2.cpp PROPERTIES COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math;-march=x86-64-v3")
  set_source_files_properties(${sim_isa}/avx512.cpp PROPERTIES
    COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math;-march=x86-64-v4;-mprefer-vector-width=512")
endif()
# A precompiled header fits one set of options only.
set_source_files_properties(${sim_isa}/baseline.cpp ${sim_isa}/avx2.cpp ${sim_isa}/avx512.cpp
  PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
