# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0

# kernwatt_embed_text(<target> <symbol prefix> FILES …): each file becomes a string_view in <prefix>.hpp,
# so that the pages under docs/cli are the help text of the program and cannot drift from it.
function(kernwatt_embed_text target prefix)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "FILES")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${prefix}.hpp")
  set(body "#pragma once\n#include <string_view>\nnamespace kernwatt::embedded {\n")
  foreach(file IN LISTS arg_FILES)
    get_filename_component(symbol "${file}" NAME_WE)
    string(MAKE_C_IDENTIFIER "${symbol}" symbol)
    file(READ "${file}" text)
    string(APPEND body "inline constexpr std::string_view ${prefix}_${symbol} = R\"kwtext(${text})kwtext\";\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  string(APPEND body "}  // namespace kernwatt::embedded\n")
  file(GENERATE OUTPUT "${out}" CONTENT "${body}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
