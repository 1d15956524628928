# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0

# Warnings and sanitizers of our own code, in one place. Linked as a build interface, so never exported.
add_library(kernwatt_build_options INTERFACE)
target_compile_options(kernwatt_build_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  $<$<BOOL:${KERNWATT_DEVELOPER_MODE}>:-Werror>)
if(KERNWATT_SANITIZE)
  target_compile_options(kernwatt_build_options INTERFACE -fsanitize=${KERNWATT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(kernwatt_build_options INTERFACE -fsanitize=${KERNWATT_SANITIZE})
endif()

# kernwatt_library(<module> SOURCES … PUBLIC_HEADERS … [DEPENDS <our modules or targets>] [PRIVATE_DEPENDS …])
# The only way to make a module: folder = include path = target kernwatt::<module>.
function(kernwatt_library module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC_HEADERS;DEPENDS;PRIVATE_DEPENDS")
  set(target kernwatt_${module})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(kernwatt::${module} ALIAS ${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${arg_PUBLIC_HEADERS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS}
    PRIVATE ${arg_PRIVATE_DEPENDS} $<BUILD_INTERFACE:kernwatt_build_options>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${module} CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON VERIFY_INTERFACE_HEADER_SETS ${KERNWATT_DEVELOPER_MODE})
  set_property(GLOBAL APPEND PROPERTY KERNWATT_MODULES ${target})
endfunction()

# kernwatt_test(<name> SOURCES … DEPENDS …): one GoogleTest program; each of its tests is a ctest.
function(kernwatt_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LABELS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} kernwatt_build_options GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE KERNWATT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${arg_LABELS}")
endfunction()
