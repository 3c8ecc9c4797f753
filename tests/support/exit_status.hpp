// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a test executable returns to ctest.  A skipped test must show: it never passes silently.
#pragma once

#include <gtest/gtest.h>

namespace partita::testing {

/// The process's exit status for what RUN_ALL_TESTS() returned: that value on failure, 77 (ctest's
/// "skipped") if any test was skipped, else 0.
inline int exit_status(int run_all_tests_result) {
  constexpr int skipped_status = 77;
  if (run_all_tests_result != 0) return run_all_tests_result;
  return ::testing::UnitTest::GetInstance()->skipped_test_count() > 0 ? skipped_status : 0;
}

}  // namespace partita::testing
