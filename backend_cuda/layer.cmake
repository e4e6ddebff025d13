# The prelude travels inside the binary as text.
include(embed_text)
file(GLOB prelude_fragments CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backend_cuda/prelude/*.cuh)
embed_text(OUTPUT ${PROJECT_BINARY_DIR}/backend_cuda/prelude_text.cpp NAMESPACE tirx::cuda
  NAME prelude_files FILES ${prelude_fragments})
list(APPEND sources ${PROJECT_BINARY_DIR}/backend_cuda/prelude_text.cpp)
