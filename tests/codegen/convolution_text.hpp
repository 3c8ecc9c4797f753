// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Texts of programs that are one convolution.
#pragma once

#include <string>

#include "partita/base/error.hpp"

namespace partita::testing {

/// Extents of the operands and the result of a convolution: "2x8x8x3".
struct Shapes {
  std::string input, kernel, result;
};

/// A convolution of `dtype`, with features last unless said.
inline std::string convolution(const Shapes& s, const std::string& window, int groups = 1,
                               const std::string& dims = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                               const std::string& dtype = "f32") {
  const auto type = [&](const std::string& extents) {
    return cat("tensor<", extents, "x", dtype, ">");
  };
  return cat("func.func @main(%x: ", type(s.input), ", %w: ", type(s.kernel), ") -> ",
             type(s.result), " {\n  %0 = stablehlo.convolution(%x, %w) dim_numbers = ", dims,
             ", window = {", window,
             "} {batch_group_count = 1 : i64, feature_group_count = ", groups, " : i64} : (",
             type(s.input), ", ", type(s.kernel), ") -> ", type(s.result),
             "\n  return %0 : ", type(s.result), "\n}\n");
}

}  // namespace partita::testing
