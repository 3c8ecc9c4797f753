// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs whose large values are streamed, compiled for a device with hardly a cache: what loops over rows read and
// write in slices, on each target and class of devices.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/driver/target.hpp"
#include "partita/exec/executor.hpp"
#include "tests/support/random_rows.hpp"

namespace partita::testing {
namespace {

void expect_streamed_equal(unsigned programs, driver::CompileOptions options) {
  constexpr unsigned together = 8;
  options.device_info = driver::target_info(options);
  options.device_info->cache_bytes = 512;
  options.device_info->memory_bytes = 16 * 512;  // of which a block takes a part, on GPUs
  std::size_t streamed = 0;
  for (unsigned first = 0; first < programs; first += together) {
    std::vector<RandomGraph> parts;
    for (unsigned k = 0; k < together; ++k) parts.push_back(random_rows(first + k));
    const RandomGraph program = merged(parts);
    const std::vector<HostArray> expected = interpreted(program);
    auto [artifact, report] = partita::compile(*program.module, options);
    streamed += report.notes.size();
    Session session(std::move(artifact), {.use_mpi = false, .poison = std::uint8_t(0xff)});
    for (std::size_t k = 0; k < program.inputs.size(); ++k)
      session.set_input(int(k), program.inputs[k]);
    session.run();
    std::vector<HostArray> found;
    for (std::size_t k = 0; k < expected.size(); ++k) found.push_back(*session.output(int(k)));
    ASSERT_EQ(noise_difference(found, expected, program.noise), "") << "seeds from " << first;
  }
  EXPECT_GE(streamed, programs / 2);
}

TEST(StreamedRows, AsInterpretedOnTargetCpu) {
  expect_streamed_equal(40, {.target = "cpu", .target_options = {{"tier", "1"}}});
}

TEST(StreamedRows, AsInterpretedOnOpenCl) { expect_streamed_equal(16, {.target = "opencl"}); }

TEST(StreamedRows, AsInterpretedAsCompiledForGpus) {
  expect_streamed_equal(16, {.target = "opencl", .device = "gpu"});
}

}  // namespace
}  // namespace partita::testing
