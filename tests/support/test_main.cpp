// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The main function of every test executable that defines none itself.
#include <gtest/gtest.h>

#include "tests/support/exit_status.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return partita::testing::exit_status(RUN_ALL_TESTS());
}
