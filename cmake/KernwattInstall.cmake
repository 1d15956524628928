# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY KERNWATT_MODULES)
install(TARGETS ${modules} EXPORT kernwattTargets FILE_SET HEADERS)
install(TARGETS kernwatt)
install(EXPORT kernwattTargets NAMESPACE kernwatt:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/kernwatt")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kernwattConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/kernwattConfig.cmake" INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/kernwatt")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kernwattConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kernwattConfig.cmake" "${PROJECT_BINARY_DIR}/kernwattConfigVersion.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/kernwatt")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION "${CMAKE_INSTALL_DATADIR}/kernwatt/examples")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
