# The prelude travels inside the binary as text.
include(embed_text)
file(GLOB prelude_fragments CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backend_cuda/prelude/*.cuh)
embed_text(OUTPUT ${PROJECT_BINARY_DIR}/backend_cuda/prelude_text.cpp NAMESPACE tirx::cuda
  NAME prelude_files FILES ${prelude_fragments})
list(APPEND sources ${PROJECT_BINARY_DIR}/backend_cuda/prelude_text.cpp)
# Names that a script may use and CUDA's headers have taken.
foreach(list macros file_scope)
  embed_text(OUTPUT ${PROJECT_BINARY_DIR}/backend_cuda/reserved_${list}.cpp NAMESPACE tirx::cuda
    NAME reserved_${list} FILES ${PROJECT_SOURCE_DIR}/backend_cuda/reserved/${list}.txt)
  list(APPEND sources ${PROJECT_BINARY_DIR}/backend_cuda/reserved_${list}.cpp)
endforeach()
