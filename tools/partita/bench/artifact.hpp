// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita bench artifact` and `partita bench summary`: what one artifact takes on this machine's device, and a
// table of many such measurements.  For machines that have a driver and nothing else (docs/deploying.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/partita/check/compare.hpp"

namespace partita::tool {

struct ArtifactBenchOptions {
  std::string artifact, json;
  std::uint64_t seed = 1;  ///< of random inputs
  int turns = 9;
  double seconds = 0.05;  ///< that a turn of executions without a wait between them lasts at least
  double limit_s = 20;    ///< after which no further turn begins
  /// Of one execution, and what the device could do at most per second; 0: unknown.
  double flops = 0, bytes = 0, peak_flops = 0;
  bool times_kernels = false;  ///< also by kernel, by the device's clock
  ToleranceOptions tolerance;
};
/// Measures, and writes one JSON object (standard output where no file is named).  Where the program (STEM.mlir)
/// and a recording lie beside the artifact, its inputs are taken and its results compared; 1 where they differ.
int bench_artifact(const ArtifactBenchOptions& options);

struct SummaryOptions {
  std::vector<std::string> files;  ///< of bench artifact
  std::string json, plot, title;
};
/// Prints a Markdown table of the measurements; writes them as one JSON array and as a drawing where asked to.
int bench_summary(const SummaryOptions& options);

}  // namespace partita::tool
