# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0

# Each target is <name>_fuzzer.cpp with LLVMFuzzerTestOneInput, and its seeds are in corpus/<name>/.
set(KERNWATT_FUZZ_DIR "${CMAKE_CURRENT_LIST_DIR}")

# kernwatt_fuzzer(<name> [SOURCES …] DEPENDS …): the libFuzzer program (clang only). SOURCES: what targets share.
function(kernwatt_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  list(TRANSFORM arg_SOURCES PREPEND "${KERNWATT_FUZZ_DIR}/")
  add_executable(${name}_fuzzer "${KERNWATT_FUZZ_DIR}/${name}_fuzzer.cpp" ${arg_SOURCES})
  target_include_directories(${name}_fuzzer PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name}_fuzzer PRIVATE ${arg_DEPENDS} kernwatt_build_options)
  target_compile_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer)
  target_link_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer)
endfunction()

# kernwatt_corpus_test(<name> [SOURCES …] DEPENDS …): the same target over its seeds, with any compiler, as a ctest.
function(kernwatt_corpus_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  list(TRANSFORM arg_SOURCES PREPEND "${KERNWATT_FUZZ_DIR}/")
  add_executable(${name}_corpus "${KERNWATT_FUZZ_DIR}/${name}_fuzzer.cpp" "${KERNWATT_FUZZ_DIR}/run_corpus.cpp" ${arg_SOURCES})
  target_include_directories(${name}_corpus PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name}_corpus PRIVATE ${arg_DEPENDS} kernwatt_build_options)
  add_test(NAME fuzz.corpus.${name} COMMAND ${name}_corpus "${KERNWATT_FUZZ_DIR}/corpus/${name}")
endfunction()

# One target per reader of power logs.
set(KERNWATT_POWER_FUZZERS power_log power_smi_text power_smi_xml power_smi_dmon power_smi_table power_dcgmi_dmon
  power_exposition power_api_answer power_metric_csv power_zeus power_codecarbon)
