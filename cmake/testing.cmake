# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# partita_test(), partita_register_test(), partita_test_scripts(): how tests become ctest tests.
# Exit status 77 is a skip everywhere. Every test sees PARTITA_BIN_DIR and PARTITA_SOURCE_DIR.

set(PARTITA_TEST_ENVIRONMENT
  PARTITA_BIN_DIR=${PROJECT_BINARY_DIR}/bin
  PARTITA_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
set(PARTITA_TEST_TIMEOUT 300)
if(PARTITA_SANITIZE)
  set(PARTITA_TEST_TIMEOUT 900)
endif()

# partita_register_test(<name> COMMAND ... [LABELS ...] [TIMEOUT <s>] [PROCESSORS <n>]
#                       [WORKING_DIRECTORY <dir>]): one command as one ctest test.
function(partita_register_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;PROCESSORS;WORKING_DIRECTORY"
                        "COMMAND;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${PARTITA_TEST_TIMEOUT})
  endif()
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${arg_WORKING_DIRECTORY})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}"
    ENVIRONMENT "${PARTITA_TEST_ENVIRONMENT}"
    SKIP_RETURN_CODE 77
    PROCESSORS ${arg_PROCESSORS}
    TIMEOUT ${arg_TIMEOUT})
endfunction()

# partita_test(<name> LABELS ... SOURCES ... [RANKS <n>...] [TIMEOUT <s>]): a GoogleTest executable
# with the helpers of tests/support. ctest shows one test per suite, found when ctest starts; with
# RANKS, one test of the whole executable alone and one under mpirun per number of ranks.
# Without sources there is no target.
function(partita_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;SOURCES;RANKS")
  if(NOT arg_SOURCES)
    return()
  endif()
  partita_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE partita_test_support)
  # What they test is optimised, they are not: that takes half of the time that compiling them took.
  partita_precompile(${name} tests/precompiled.hpp)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  string(REGEX REPLACE "^test_" "" stem ${name})
  if(NOT arg_RANKS)
    partita_discover_suites(${name} ${stem} "${arg_LABELS}" "${arg_TIMEOUT}")
    return()
  endif()
  partita_register_test(${stem} COMMAND ${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
  foreach(ranks IN LISTS arg_RANKS)
    partita_register_test(${stem}.ranks_${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} --oversubscribe --bind-to none
              $<TARGET_FILE:${name}>
      LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} PROCESSORS ${ranks})
  endforeach()
endfunction()

# Has ctest list the executable's suites when it starts: nothing is run during the build, and one
# process per suite rather than per case.
function(partita_discover_suites target prefix labels timeout)
  if(NOT timeout)
    set(timeout ${PARTITA_TEST_TIMEOUT})
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  set(text "")
  foreach(setting IN ITEMS "EXECUTABLE ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${target}"
          "PREFIX ${prefix}" "LABELS ${labels}" "TIMEOUT ${timeout}"
          "ENVIRONMENT ${PARTITA_TEST_ENVIRONMENT}")
    string(REGEX MATCH "^[A-Z]+" name "${setting}")
    string(REGEX REPLACE "^[A-Z]+ " "" value "${setting}")
    string(APPEND text "set(PARTITA_SUITE_${name} \"${value}\")\n")
  endforeach()
  string(APPEND text "include(\"${PROJECT_SOURCE_DIR}/cmake/discover_suites.cmake\")\n")
  file(WRITE ${script} "${text}")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# partita_test_scripts(<folder>): every *.sh below the folder is a ctest test labelled with the
# folder's name. In its first ten lines "# label: x" adds labels, "# timeout: N" sets seconds,
# "# processors: N" says how many cores it keeps busy. A name that starts with "_" is a helper.
function(partita_test_scripts folder)
  file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.sh)
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM stem)
    if(stem MATCHES "^_")
      continue()
    endif()
    set(labels ${folder})
    set(timeout "")
    set(processors "")
    file(STRINGS ${script} lines LIMIT_COUNT 10)
    foreach(line IN LISTS lines)
      if(line MATCHES "^# label: *(.*)$")
        string(REGEX MATCHALL "[A-Za-z0-9_-]+" found "${CMAKE_MATCH_1}")
        list(APPEND labels ${found})
      elseif(line MATCHES "^# (timeout|processors): *([0-9]+)")
        set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
    partita_register_test(${folder}.${stem} COMMAND bash ${script}
      LABELS ${labels} TIMEOUT ${timeout} PROCESSORS ${processors})
  endforeach()
endfunction()
