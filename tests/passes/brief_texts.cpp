// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Texts of modules with long constants: short while passes run, whole where they are kept.
#include "driver/brief_texts.hpp"

#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

std::string with_constants(std::int64_t count) {
  std::string rows;
  for (std::int64_t i = 0; i < count; ++i) rows += cat(i == 0 ? "" : ", ", i, ".25");
  const std::string type = cat("tensor<", count, "xf32>");
  return cat("module @m {\n  func.func public @main(%arg0: ", type, ") -> ", type,
             " {\n    %0 = stablehlo.constant dense<[", rows, "]> : ", type,
             "\n    %1 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n    %2 = "
             "stablehlo.constant dense<0.5> : ",
             type, "\n    %3 = stablehlo.add %arg0, %0 : ", type,
             "\n    %4 = stablehlo.multiply %3, %2 : ", type, "\n    return %4 : ", type,
             "\n  }\n}\n");
}

TEST(BriefTexts, HaveNamesForLongConstantsAlone) {
  const auto module = ir::parse_module(with_constants(100000), "program");
  driver::BriefTexts texts;
  const std::string brief = texts.of(*module);
  EXPECT_LT(brief.size(), 2000u);
  EXPECT_NE(brief.find("dense<@0> : tensor<100000xf32>"), std::string::npos) << brief;
  EXPECT_NE(brief.find("dense<[1, 2]>"), std::string::npos) << brief;
  EXPECT_NE(brief.find("dense<5.000000e-01>"), std::string::npos) << brief;
  EXPECT_EQ(texts.of(*module), brief);
  EXPECT_EQ(texts.whole(brief), ir::print_module(*module));
}

TEST(BriefTexts, OfOtherModulesAreOthers) {
  const auto one = ir::parse_module(with_constants(100), "program"),
             other = ir::parse_module(with_constants(100), "program");
  driver::BriefTexts texts;
  EXPECT_NE(texts.of(*one), texts.of(*other)) << "constants that are no same object";
  EXPECT_EQ(texts.whole(texts.of(*one)), texts.whole(texts.of(*other)));
}

}  // namespace
}  // namespace partita::testing
