# The library in somebody else's build: add_subdirectory(tirx), then tirx::tirx as from the package.
# Links what is needed and passes on no compiler flags; the header is <tirx/tirx.hpp> here, too.
configure_file(${PROJECT_SOURCE_DIR}/embed/tirx.hpp ${PROJECT_BINARY_DIR}/include/tirx/tirx.hpp COPYONLY)
add_library(tirx_subproject INTERFACE)
target_compile_features(tirx_subproject INTERFACE cxx_std_20)
target_include_directories(tirx_subproject INTERFACE ${PROJECT_BINARY_DIR}/include)
target_link_libraries(tirx_subproject INTERFACE $<LINK_ONLY:tirx_embed>)
add_library(tirx::tirx ALIAS tirx_subproject)
