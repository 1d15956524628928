# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DBUILD=… -DCONSUMER=… -DSCRATCH=… -DGENERATOR=… -DCXX=… -P run.cmake
# Installs the build into SCRATCH, moves it elsewhere (a package must not know where it was made), and then does what a
# user does: finds the package, builds a program with it, runs it, and runs the installed command.
foreach(needed IN ITEMS BUILD CONSUMER SCRATCH GENERATOR CXX)
  if(NOT ${needed})
    message(FATAL_ERROR "-D${needed}=… is missing")
  endif()
endforeach()

function(run_step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE complained)
  if(code)
    message(FATAL_ERROR "${name} failed (${code}):\n${said}\n${complained}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
set(prefix "${SCRATCH}/moved")
run_step("install" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/installed")
file(RENAME "${SCRATCH}/installed" "${prefix}")
run_step("configuring the consumer" "${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${SCRATCH}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_BUILD_TYPE=Release)
run_step("building the consumer" "${CMAKE_COMMAND}" --build "${SCRATCH}/build")
run_step("the consumer" "${SCRATCH}/build/busy_time" "${CONSUMER}/tiny.kernels.csv")
if(NOT said STREQUAL "3 launches, busy 3251 ns\n")
  message(FATAL_ERROR "the consumer said: ${said}")
endif()

run_step("the installed command" "${prefix}/bin/kernwatt" attribute "${CONSUMER}/tiny.kernels.csv")
if(NOT said MATCHES "gemm")
  message(FATAL_ERROR "the installed command said: ${said}")
endif()
foreach(file IN ITEMS share/doc/kernwatt/LICENSE share/doc/kernwatt/README.md share/doc/kernwatt/cli/attribute.md
    share/kernwatt/examples/train_gpt_h200/README.md)
  if(NOT EXISTS "${prefix}/${file}")
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
# A header that is not public, or an interface that names the build or source folder, is a leak.
file(GLOB_RECURSE package_files "${prefix}/*/cmake/kernwatt/*.cmake")
foreach(file IN LISTS package_files)
  file(READ "${file}" text)
  string(FIND "${text}" "${BUILD}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${file} names the build folder")
  endif()
endforeach()
