# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY KERNWATT_MODULES)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kernwatt")
install(TARGETS ${modules} EXPORT kernwattTargets FILE_SET HEADERS)
install(TARGETS kernwatt)
install(EXPORT kernwattTargets NAMESPACE kernwatt:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kernwattConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/kernwattConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kernwattConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kernwattConfig.cmake" "${PROJECT_BINARY_DIR}/kernwattConfigVersion.cmake"
  DESTINATION "${package_dir}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION "${CMAKE_INSTALL_DATADIR}/kernwatt/examples")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
