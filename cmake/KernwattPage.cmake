# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0

# kernwatt_page(<target> <folder>): bundles the HTML report's page with esbuild and adds it to the target as C++ text.
# The modules come from npm, at the versions of the lockfile with their hashes, into the build folder.
function(kernwatt_page target folder)
  find_program(KERNWATT_NODE NAMES node nodejs)
  find_program(KERNWATT_NPM NAMES npm)
  if(NOT KERNWATT_NODE OR NOT KERNWATT_NPM)
    message(FATAL_ERROR "The HTML report is bundled with node and npm, which are missing: apt-get install nodejs npm")
  endif()
  set(build "${CMAKE_CURRENT_BINARY_DIR}/page")
  set(modules "${build}/node_modules")
  add_custom_command(OUTPUT "${build}/modules.stamp"
    COMMAND ${CMAKE_COMMAND} -E copy_if_different "${folder}/package.json" "${folder}/package-lock.json" "${build}/"
    COMMAND ${CMAKE_COMMAND} -E env KERNWATT_NPM=${KERNWATT_NPM} sh "${folder}/install.sh" "${build}"
    COMMAND ${CMAKE_COMMAND} -E touch "${build}/modules.stamp"
    DEPENDS "${folder}/package.json" "${folder}/package-lock.json" "${folder}/install.sh"
    COMMENT "Fetching the modules of the HTML report (npm ci)" VERBATIM)
  add_custom_command(OUTPUT "${build}/page_bundle.cpp"
    COMMAND ${CMAKE_COMMAND} -E env "NODE_PATH=${modules}" ${KERNWATT_NODE} "${folder}/build.mjs" "${build}/page_bundle.cpp"
    DEPENDS "${build}/modules.stamp" "${folder}/build.mjs"
    DEPFILE "${build}/page_bundle.cpp.d"
    COMMENT "Bundling the HTML report" VERBATIM)
  target_sources(${target} PRIVATE "${build}/page_bundle.cpp")
  # Literals as long as a library are no mistake here.
  set_source_files_properties("${build}/page_bundle.cpp" PROPERTIES COMPILE_OPTIONS "-w" SKIP_LINTING ON)
endfunction()
