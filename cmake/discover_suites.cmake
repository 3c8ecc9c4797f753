# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Included by ctest when it starts, once per test executable, with PARTITA_SUITE_* set: lists the
# executable's GoogleTest suites and adds one test for each. The list is kept beside the executable
# until that changes.

block(SCOPE_FOR VARIABLES)
  set(list_file ${PARTITA_SUITE_EXECUTABLE}.suites)
  set(suites "")
  if(EXISTS ${PARTITA_SUITE_EXECUTABLE})
    if(${PARTITA_SUITE_EXECUTABLE} IS_NEWER_THAN ${list_file})
      execute_process(COMMAND ${PARTITA_SUITE_EXECUTABLE} --gtest_list_tests
        OUTPUT_VARIABLE listing RESULT_VARIABLE status TIMEOUT 60)
      if(status EQUAL 0)
        file(WRITE ${list_file} "${listing}")
      endif()
    endif()
    if(EXISTS ${list_file})
      file(STRINGS ${list_file} suites REGEX "^[A-Za-z0-9_/]+[.]")
    endif()
  endif()
  if(suites STREQUAL "")
    # Has no such command, so ctest reports it as failed.
    add_test(${PARTITA_SUITE_PREFIX}.NOT_BUILT ${PARTITA_SUITE_EXECUTABLE}_NOT_BUILT)
  endif()
  foreach(line IN LISTS suites)
    string(REGEX MATCH "^[A-Za-z0-9_/]+" suite "${line}")
    if(suite MATCHES "^DISABLED_|/DISABLED_")
      continue()
    endif()
    set(name ${PARTITA_SUITE_PREFIX}.${suite})
    add_test(${name} ${PARTITA_SUITE_EXECUTABLE} --gtest_brief=1 --gtest_filter=${suite}.*)
    set_tests_properties(${name} PROPERTIES
      LABELS "${PARTITA_SUITE_LABELS}"
      ENVIRONMENT "${PARTITA_SUITE_ENVIRONMENT}"
      SKIP_RETURN_CODE 77
      TIMEOUT ${PARTITA_SUITE_TIMEOUT})
  endforeach()
endblock()
