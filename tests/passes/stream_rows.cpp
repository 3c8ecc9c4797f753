// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What streams rows keeps the values of random programs, and takes the large products that it can.
#include <gtest/gtest.h>

#include "partita/driver/pipelines.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "tests/support/random_rows.hpp"

namespace partita::testing {
namespace {

TEST(StreamRows, KeepsValuesOfRandomPrograms) {
  constexpr unsigned programs = 300;
  unsigned streamed = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    RandomGraph program = random_rows(seed);
    const std::vector<HostArray> expected = interpreted(program);
    passes::PassContext context;
    (void)driver::run_passes(*program.module,
                             driver::parse_pipeline("stream-rows{large-bytes=512}"), context);
    ir::verify(*program.module);
    streamed += !context.notes.empty();
    ASSERT_EQ(noise_difference(interpreted(program), expected, program.noise), "")
        << "seed " << seed << "\n"
        << ir::print_module(*program.module);
  }
  EXPECT_GE(streamed, programs / 2);
  std::printf("%u of %u programs streamed\n", streamed, programs);
}

}  // namespace
}  // namespace partita::testing
