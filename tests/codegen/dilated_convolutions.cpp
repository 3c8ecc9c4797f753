// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Convolutions of dilated inputs: what lies between their elements is padding, which is zero times a weight, on target cpu and
// where OpenCL is, with weights that are numbers and weights that are not.
#include <gtest/gtest.h>

#include <limits>

#include "tests/codegen/convolution_text.hpp"
#include "tests/codegen/on_targets.hpp"

namespace partita::testing {
namespace {

/// Forms of dilated inputs: strides beside them, groups, odd extents, padding that is cut off, other floats.
const std::vector<std::string>& forms() {
  const std::string dims = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  static const std::vector<std::string> all{
      convolution({"2x5x6x9", "4x4x9x20", "2x8x10x20"},
                  "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]"),
      convolution({"1x4x7x6", "3x3x6x8", "1x9x21x8"},
                  "pad = [[1, 0], [2, 2]], lhs_dilate = [3, 3]"),
      convolution({"2x3x3x8", "2x3x4x12", "2x4x5x12"},
                  "pad = [[0, 0], [1, 1]], lhs_dilate = [2, 2]", 2),
      convolution({"1x6x6x5", "3x3x5x6", "1x5x3x6"}, "stride = [2, 3], lhs_dilate = [2, 2]"),
      convolution({"2x4x4x6", "2x2x6x16", "2x6x6x16"}, "lhs_dilate = [2, 2]", 1, dims, "f16"),
      convolution({"1x4x4x6", "3x3x6x4", "1x6x6x4"},
                  "pad = [[0, 1], [1, 0]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]", 1, dims,
                  "f64")};
  return all;
}

void expect_on_targets(const Asked& asked) {
  SCOPED_TRACE(asked.text);
  for (const std::string& target : targets_here())
    asked.expect_of(partita::compile(asked.text, {.target = target}).artifact, target, 64);
}

TEST(DilatedConvolutions, AreTheInterpreters) {
  for (const std::string& text : forms()) expect_on_targets(Asked(text));
}

TEST(DilatedConvolutions, OfWeightsThatAreNoNumbersAreNoneWherePaddingMeetsThem) {
  for (const std::string& text : forms())
    for (const double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      Asked asked(text);
      const HostArray& given = *asked.inputs[1];
      HostArray weights = convert(given, DType::f64);
      // One output feature of one place.
      weights.data<DType::f64>()[weights.type.count() / 2 + 1] = bad;
      asked.inputs[1] = std::make_shared<const HostArray>(convert(weights, given.type.dtype));
      asked.expected = ir::run_text(asked.text, asked.inputs);
      expect_on_targets(asked);
    }
}

}  // namespace
}  // namespace partita::testing
