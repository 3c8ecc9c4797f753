// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/document.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace partita::testing {

void expect_document(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(PARTITA_TEST_SOURCE_DIR) / "docs" / name;
  if (std::getenv("PARTITA_UPDATE_DOCS") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  std::stringstream found;
  found << in.rdbuf();
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  EXPECT_TRUE(found.str() == text)
      << "docs/" << name << " is out of date: run " << test->test_suite_name() << '.'
      << test->name() << " with PARTITA_UPDATE_DOCS=1";
}

}  // namespace partita::testing
