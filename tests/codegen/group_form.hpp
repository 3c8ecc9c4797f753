// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What tests of kernels for devices of many items ask of a program: that it gives what the interpreter does on the
// OpenCL device that is here, and that its accesses suit a GPU's memory.
#pragma once

#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/base/error.hpp"
#include "partita/base/type.hpp"
#include "partita/ir/op.hpp"

namespace partita::testing {

struct Compiled {
  Artifact artifact;
  std::string source;
};

/// For a device by the name of its profile.
[[nodiscard]] Compiled compile_for(const std::string& text, const std::string& device);

/// Random values for the arguments of @main, the same each time.
[[nodiscard]] std::vector<ir::Tensor> inputs_of(const std::string& text);
/// Results of @main, compiled for a profile, on the OpenCL device that is here.
[[nodiscard]] std::vector<ir::Tensor> results_on(const std::string& device, const std::string& text,
                                                 const std::vector<ir::Tensor>& inputs);
/// Results of @main on the OpenCL device equal the interpreter's, sums of so many terms up to rounding.  These kernels take
/// PoCL long to build: with PARTITA_TEST_SLICE=K/N (.ci/run) only one case of N is run.
void expect_equal(const std::string& text, const std::string& device, std::int64_t terms = 1);

/// The draft for sm_90 after a pass.
[[nodiscard]] std::string draft_after(const std::string& pass, const std::string& program);

/// What 32 items do to memory in all kernels of a program: nothing that nobody asked for moves, and no bank is asked
/// more than `ways` times.
void expect_smooth(const std::string& program, int ways = 2);

/// "tensor<2x3xf32>".
[[nodiscard]] std::string tensor(const Dims& dims, const std::string& dtype);

}  // namespace partita::testing
