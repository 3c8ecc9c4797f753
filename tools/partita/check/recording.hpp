// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a program gave on some inputs, in an npz: in0, … and out0, … as arrays.  So that a recording of large
// arrays stays small, `seed` (an integer) stands for inputs of random_arrays, and `outK_stride` says that outK
// holds a sample of its result: the elements 0, stride, 2 stride, … of the flattened array.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "partita/artifact/plan.hpp"
#include "partita/base/host_array.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/check/compare.hpp"

namespace partita::tool {

/// A result, or a sample of it.
struct RecordedResult {
  HostArray elements;
  std::int64_t stride = 0;  ///< 0: the whole array
};

struct Recording {
  std::vector<HostArray> inputs;
  std::vector<RecordedResult> results;
};

/// STEM.io.npz or STEM.npz beside the program, STEM being its name up to the first dot; or nothing.
[[nodiscard]] std::string find_recording(const std::filesystem::path& program);

/// Arguments of a function as its callers give them, named as in its text.
[[nodiscard]] std::vector<PortInfo> argument_ports(const ir::Module& module,
                                                   const ir::Function& function);

/// What a program with open extents is read for: `open`, and what that does not say as the recorded arguments have it.
[[nodiscard]] ir::OpenArguments recorded_shapes(const std::string& path, ir::OpenArguments open);

/// Arrays that are missing or of other types than the signature's are user errors at `path`.
[[nodiscard]] Recording read_recording(const std::string& path, const std::vector<PortInfo>& inputs,
                                       const std::vector<Type>& results);

/// Writes the results on inputs of `seed`; of each with more than `samples` elements about so many (0: all).
void write_recording(const std::filesystem::path& path, std::uint64_t seed,
                     const std::vector<HostArray>& results, std::int64_t samples);

/// What is wrong with the results of a function, "out1 of type tensor<4xf32>: expected 1 at [0], found 2" each.
[[nodiscard]] std::vector<std::string> departures(const ir::Module& module,
                                                  const ir::Function& function,
                                                  const std::vector<HostArray>& results,
                                                  const Recording& expected,
                                                  const ToleranceOptions& tolerance);

}  // namespace partita::tool
