// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums of many floats on target cpu are as near to the whole sum as those of a few, however their terms lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"

namespace partita::testing {
namespace {

/// The largest error of a sum over `reduced` of floats that are all 0.1, as a part of the sum.
double error_of_sum(const Dims& dims, const Dims& reduced) {
  const Type whole{.dtype = DType::f32, .dims = dims};
  Type kept{.dtype = DType::f32, .dims = {}};
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (std::ranges::find(reduced, std::int64_t(d)) == reduced.end()) kept.dims.push_back(dims[d]);
  std::string dimensions;
  for (const std::int64_t d : reduced) dimensions += cat(dimensions.empty() ? "" : ", ", d);
  const std::string text = cat("func.func @main(%x: ", to_string(whole), ") -> ", to_string(kept),
                               " {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %s = "
                               "stablehlo.reduce(%x init: %z) applies "
                               "stablehlo.add across dimensions = [",
                               dimensions, "] : (", to_string(whole), ", tensor<f32>) -> ",
                               to_string(kept), "\n  return %s : ", to_string(kept), "\n}\n");
  const driver::CompileOptions options{.target = "cpu"};
  Session session(partita::compile(text, options).artifact, SessionOptions{});
  HostArray x(whole);
  std::fill_n(x.data<DType::f32>(), whole.count(), 0.1F);
  session.set_input(0, x);
  session.run();
  HostArray sums = *session.output(0);
  const double expected = double(0.1F) * double(whole.count()) / double(kept.count());
  double error = 0;
  for (std::int64_t i = 0; i < kept.count(); ++i)
    error = std::max(error, std::abs(double(sums.data<DType::f32>()[i]) - expected) / expected);
  return error;
}

TEST(LongSums, AreAddedUpInBlocks) {
  struct Case {
    Dims dims, reduced;
  };
  for (const Case& c :
       {Case{{3000, 16}, {0}}, Case{{2, 30, 50, 5}, {0, 1, 2}}, Case{{3000, 3}, {0}},
        Case{{1500, 2, 3}, {0, 2}}, Case{{3000}, {0}}, Case{{3, 3000}, {1}}, Case{{20000, 5}, {0}},
        Case{{30, 4, 90, 2}, {0, 2}}}) {
    SCOPED_TRACE(
        cat(to_string(Type{.dtype = DType::f32, .dims = c.dims}), " over ", c.reduced.front()));
    EXPECT_LT(error_of_sum(c.dims, c.reduced), 4e-6);
  }
}

}  // namespace
}  // namespace partita::testing
