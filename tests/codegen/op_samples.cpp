// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The samples of all ops, compiled for the class of devices that PARTITA_OPENCL_CLASS names, as the interpreter has them.
#include <gtest/gtest.h>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "tests/support/random_graph.hpp"

namespace partita::testing {
namespace {

std::vector<HostArray> compiled(const RandomGraph& program) {
  Session session(partita::compile(*program.module, {.target = "opencl"}).artifact,
                  {.poison = 0xff});
  for (std::size_t k = 0; k < program.inputs.size(); ++k)
    session.set_input(int(k), program.inputs[k]);
  session.run();
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < program.noise.size(); ++k)
    results.push_back(session.output(int(k)).value());
  return results;
}

/// Compiled together, which saves runs of compilers; what is wrong is tried again alone.
void expect_as_interpreted(std::span<SampleGraph> samples) {
  std::vector<RandomGraph> parts;
  std::string ops;
  for (SampleGraph& sample : samples) {
    ops += cat(ops.empty() ? "" : ", ", sample.op);
    parts.push_back(std::move(sample.program));
  }
  const RandomGraph whole = merged(parts);
  const std::string why = noise_difference(compiled(whole), interpreted(whole), whole.noise);
  if (why.empty()) return;
  for (std::size_t k = 0; k < parts.size(); ++k)
    EXPECT_EQ(noise_difference(compiled(parts[k]), interpreted(parts[k]), parts[k].noise), "")
        << samples[k].op;
  ADD_FAILURE() << ops << ", together: " << why;
}

TEST(OpSamples, of_the_class_as_interpreted) {
  if (!environment("PARTITA_OPENCL_CLASS"))
    GTEST_SKIP() << "PARTITA_OPENCL_CLASS is not set (label simt sets it)";
  std::vector<SampleGraph> samples = sample_graphs();
  ASSERT_GT(samples.size(), 50u);
  constexpr std::size_t together = 16;
  try {
    for (std::size_t at = 0; at < samples.size(); at += together)
      expect_as_interpreted(
          std::span(samples).subspan(at, std::min(together, samples.size() - at)));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device) throw;
    GTEST_SKIP() << e.what();
  }
}

}  // namespace
}  // namespace partita::testing
