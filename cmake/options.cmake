# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Every option of the build, and the language settings that all targets share.

# Declares a boolean option. An unknown PARTITA_* variable (a misspelt -D) is an error, see the end.
set(PARTITA_KNOWN_OPTIONS "" CACHE INTERNAL "")
function(partita_option name default help)
  option(${name} "${help}" ${default})
  set(PARTITA_KNOWN_OPTIONS ${PARTITA_KNOWN_OPTIONS} ${name} CACHE INTERNAL "")
endfunction()

partita_option(PARTITA_TESTS ON "Build the tests and examples")
partita_option(PARTITA_BENCHMARKS OFF "Build the benchmarks")
partita_option(PARTITA_WERROR OFF "Treat warnings as errors")
partita_option(PARTITA_SANITIZE OFF "Build with the address and undefined behaviour sanitizers")
partita_option(PARTITA_COVERAGE OFF "Build with coverage counters")
partita_option(PARTITA_UNITS OFF "Compile several files of a folder as one")
partita_option(PARTITA_PRECOMPILE OFF "Compile headers that most files include once for each target")

get_cmake_property(cache_variables CACHE_VARIABLES)
foreach(variable IN LISTS cache_variables)
  get_property(help CACHE ${variable} PROPERTY HELPSTRING)
  if(variable MATCHES "^PARTITA_" AND help MATCHES "No help, variable specified on the command line"
     AND NOT variable IN_LIST PARTITA_KNOWN_OPTIONS)
    message(FATAL_ERROR "unknown option ${variable}; known: ${PARTITA_KNOWN_OPTIONS}")
  endif()
endforeach()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Without -DNDEBUG: assertions are cheap here and stay on.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# The interpreter's bits are the meaning of every op: no contraction, no fast-math, anywhere.
add_library(partita_settings INTERFACE)
target_compile_options(partita_settings INTERFACE
  -ffp-contract=off -fno-fast-math
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # g++ 12 reports std::string's own code
  $<$<BOOL:${PARTITA_WERROR}>:-Werror>)
# A shared library that clang sanitizes has the sanitizers from the executable.
if(NOT (PARTITA_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
  target_link_options(partita_settings INTERFACE -Wl,--no-undefined)
endif()
if(PARTITA_SANITIZE)
  target_compile_options(partita_settings INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    # g++ 12 takes the sanitizers' own branches for paths on which a value is not set.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # An optional without a value, a vector's element out of range: ended at once.
  target_compile_definitions(partita_settings INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(partita_settings INTERFACE -fsanitize=address,undefined)
endif()
if(PARTITA_COVERAGE)
  target_compile_options(partita_settings INTERFACE --coverage)
  target_link_options(partita_settings INTERFACE --coverage)
endif()
