# The library as a package: find_package(tirx), tirx::tirx, <tirx/tirx.hpp>.  See examples/embed.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tirx)
set_target_properties(tirx_embed PROPERTIES EXPORT_NAME tirx)
target_include_directories(tirx_embed INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS tirx_flags tirx_fmt tirx_numerics tirx_base tirx_ir tirx_dsl tirx_lower tirx_sim tirx_backend_cuda
  tirx_embed EXPORT tirx-targets)
install(TARGETS tirx)
install(FILES ${PROJECT_SOURCE_DIR}/embed/tirx.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tirx)
install(EXPORT tirx-targets NAMESPACE tirx:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tirx-config.cmake.in ${PROJECT_BINARY_DIR}/tirx-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tirx-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tirx-config.cmake ${PROJECT_BINARY_DIR}/tirx-config-version.cmake
  DESTINATION ${package_dir})
